import {
  countPersons,
  cutUprightFace,
  detectFaces,
  type Face,
  type FaceModels,
  findFaces,
  findWarnings,
  followLandmarks,
  getPoint,
  type MeasuredSelfie,
  measureAppearance,
  measureDistance,
  measureExpression,
  measureEyeOpenings,
  measureFaceSharpness,
  measureQuality,
  type RgbImage,
  squareAroundPicture,
  type WarningCode,
} from '@attestor/vision/guidance'
import type { Box } from './guide.ts'
import type { FullSize } from './watch.ts'

/** The widest face of a picture, and how many persons there are. */
export interface FoundFace {
  readonly face: Face | null
  readonly persons: number
}

/** The findings that the service would have for the widest face of a picture. */
export interface FaceLook {
  readonly persons: number
  /** The service's warnings of this picture. */
  readonly warnings: readonly WarningCode[]
  readonly measured: MeasuredSelfie | null
  /** Around the landmarks. */
  readonly box: Box | null
}

const nobody: FoundFace = { face: null, persons: 0 }

/** Searches the picture and all its parts, as the service does. */
export async function searchFace(models: FaceModels, raster: RgbImage): Promise<FoundFace> {
  const faces = await findFaces(models, raster)
  return { face: faces[0] ?? null, persons: countPersons(faces) }
}

/**
 * Searches the parts of a picture only if the whole shows a face: a face that is found only in a part is too far away,
 * and an empty picture is searched quickly.
 */
async function searchNearFace(models: FaceModels, raster: RgbImage): Promise<FoundFace> {
  const found = await detectFaces(models, raster, squareAroundPicture(raster))
  return found.length === 0 ? nobody : searchFace(models, raster)
}

/** One look in this many searches the whole picture, because another person may come. A search takes as long as three looks. */
const searchEvery = 12
/** Smallest certainty of FaceMesh that it still sees a face. */
const minCertainty = 0.5

/** Follows a face from frame to frame by its landmarks, and searches where there is none to follow. */
export function createFollower(models: FaceModels): (raster: RgbImage) => Promise<FoundFace> {
  let last = nobody
  let looks = 0
  return async raster => {
    const { face, persons } = last
    const landmarks =
      face !== null && ++looks % searchEvery !== 0 ? await followLandmarks(models, raster, face.landmarks) : null
    if (face === null || landmarks === null || landmarks.certainty < minCertainty)
      last = await searchNearFace(models, raster)
    else {
      const width = measureDistance(getPoint(landmarks, 'left_cheek'), getPoint(landmarks, 'right_cheek'))
      last = { face: { landmarks, score: face.score, width }, persons }
    }
    return last
  }
}

function boundFace({ landmarks }: Face, { width, height }: RgbImage): Box {
  const xs = landmarks.points.map(([x]) => x / width)
  const ys = landmarks.points.map(([, y]) => y / height)
  const x = Math.min(...xs)
  const y = Math.min(...ys)
  return { x, y, width: Math.max(...xs) - x, height: Math.max(...ys) - y }
}

async function measureFace(
  models: FaceModels,
  raster: RgbImage,
  face: Face,
  withEyes: boolean,
): Promise<MeasuredSelfie> {
  const { landmarks } = face
  const appearance = measureAppearance(cutUprightFace(raster, landmarks))
  return {
    face,
    appearance,
    expression: measureExpression(
      landmarks,
      appearance,
      withEyes ? await measureEyeOpenings(models, raster, landmarks) : null,
    ),
    sharpness: measureFaceSharpness(raster, landmarks),
  }
}

/**
 * Measures the face found in a raster of a picture of `full` size; its lids only `withEyes`. A face's width is in
 * pixels of the raster.
 */
export async function lookAtFace(
  models: FaceModels,
  raster: RgbImage,
  full: FullSize,
  { face, persons, withEyes = true }: FoundFace & { readonly withEyes?: boolean },
): Promise<FaceLook> {
  return {
    persons,
    warnings: findWarnings('selfie', {
      width: full.width,
      height: full.height,
      quality: measureQuality('selfie', raster),
    }),
    measured: face && (await measureFace(models, raster, face, withEyes)),
    box: face && boundFace(face, raster),
  }
}
