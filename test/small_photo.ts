import { person, personSeeds, photographFace, renderPortrait } from '@attestor/vision/synthetic'

/** A small photo as a phone would send it. */
export async function smallPhoto(): Promise<Buffer> {
  const [seed = 1] = personSeeds
  return photographFace(await renderPortrait(person(seed), {}, { width: 360, height: 480 }), seed)
}
