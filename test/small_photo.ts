import { person, personSeeds } from '@attestor/vision/synthetic'
import { photographFace, renderPortrait } from '../packages/vision/test/drawn.ts'

/** A small photo as a phone would send it. */
export async function smallPhoto(): Promise<Buffer> {
  const [seed = 1] = personSeeds
  return photographFace(await renderPortrait(person(seed), {}, { width: 360, height: 480 }), seed)
}
