import type { FaceTemplate } from '../../../decision/findings.ts'
import type { RgbImage } from '../../images/raster.ts'
import type { Models } from '../models.ts'
import { embedChips, type FaceSpace, faceSpace, formerFaceSpaces } from './embedding.ts'
import { cutFaceChip, mirrorChip } from './face_chip.ts'
import { averageVectors, type FaceVector } from './face_vector.ts'
import type { Landmarks } from './landmarks.ts'

/** A face cut out of its picture for the embedding, in each way that its comparisons need. */
export interface FaceCuts {
  readonly straight: Float32Array
  /** Whether its mirror image is embedded too. A challenge's frame is compared by its straight cut alone. */
  readonly isMirrored: boolean
  /** For a comparison with a template of an earlier version. */
  readonly former: { readonly space: FaceSpace; readonly chip: Float32Array } | null
}

/** The vectors that a face is compared by. */
export interface FaceVectors {
  /** Of the straight cut: comparable with that of other faces, not with templates. */
  readonly straight: FaceVector
  /** Null where no mirror image was cut. */
  readonly template: FaceTemplate | null
  /** In the space of an earlier version, where it was cut for one. */
  readonly former: FaceTemplate | null
}

/** The earlier space that a template belongs to; null for today's space and for an unknown one. */
export function findFormerSpace(template: FaceTemplate | null): FaceSpace | null {
  return formerFaceSpaces.find(({ model }) => model === template?.model) ?? null
}

/** The cut of a challenge's frame. */
export function cutFrame(pixels: RgbImage, landmarks: Landmarks): FaceCuts {
  return {
    straight: cutFaceChip(pixels, landmarks, faceSpace.lift),
    isMirrored: false,
    former: null,
  }
}

/** The cuts of a face whose template is wanted, in an earlier space too where `former` names one. */
export function cutFace(pixels: RgbImage, landmarks: Landmarks, former: FaceSpace | null = null): FaceCuts {
  return {
    straight: cutFaceChip(pixels, landmarks, faceSpace.lift),
    isMirrored: true,
    former: former && { space: former, chip: cutFaceChip(pixels, landmarks, former.lift) },
  }
}

function toTemplate({ model }: FaceSpace, vectors: readonly FaceVector[]): FaceTemplate {
  return {
    model,
    values: averageVectors(vectors),
  }
}

/** The vectors of some faces, in one run of the network, whose fixed cost is then paid once. */
export function embedFaces(models: Models, faces: readonly FaceCuts[]): FaceVectors[] {
  const chips = faces.map(({ straight, isMirrored, former }) => ({
    straight,
    mirrored: isMirrored ? mirrorChip(straight) : null,
    former,
  }))
  const wanted = chips
    .flatMap(({ straight, mirrored, former }) => [straight, mirrored, former?.chip ?? null])
    .filter(chip => chip !== null)
  const vectors = embedChips(models, wanted)
  const vectorOf = new Map(wanted.map((chip, n) => [chip, vectors[n] ?? []]))
  const of = (chip: Float32Array): FaceVector => vectorOf.get(chip) ?? []
  return chips.map(({ straight, mirrored, former }) => ({
    straight: of(straight),
    template: mirrored && toTemplate(faceSpace, [of(straight), of(mirrored)]),
    former: former && toTemplate(former.space, [of(former.chip)]),
  }))
}
