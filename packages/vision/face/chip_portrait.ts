import { listHalves } from '../geometry/pixels.ts'
import { decodePortrait } from '../images/decode_image.ts'
import { releasePixels } from '../images/release_pixels.ts'
import type { Models } from '../models.ts'
import type { ComparedPortrait } from './face_findings.ts'
import { findUprightFaces } from './find_upright.ts'
import { qualityThreshold } from './thresholds.ts'

/** The longer side to which a portrait is shrunk, in pixels: chips have some 400 to 1200. */
const portraitSide = 1280

/**
 * Reads the portrait of a document's chip, as far as a selfie is compared with it. Null if there is no face, or one too
 * small to be compared. Rejects with `UnreadableImageError`.
 */
export async function readChipPortrait(models: Models, image: Uint8Array): Promise<ComparedPortrait | null> {
  const picture = await decodePortrait(image, portraitSide)
  const made = [picture]
  try {
    const found = await findUprightFaces(models, picture, made)
    if (found === null || found.faces[0].width < qualityThreshold.minPortraitWidth) return null
    return { landmarks: found.faces[0].landmarks, template: found.template }
  } finally {
    for (const { data } of made.flatMap(pixels => listHalves(pixels))) releasePixels(data)
  }
}
