import { photographFace } from '../synthetic/photo.ts'
import { person, personSeeds, renderPortrait } from '../synthetic/portrait.ts'

/** A small photo as a phone would send it. */
export async function smallPhoto(): Promise<Buffer> {
  const [seed = 1] = personSeeds
  return photographFace(await renderPortrait(person(seed), {}, { width: 360, height: 480 }), seed)
}
