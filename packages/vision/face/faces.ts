import type { Measured } from '@attestor/rules'
import { type Box, measureDistance, measureSharedArea } from '../geometry/similarity.ts'
import type { RgbImage } from '../images/raster.ts'
import { type Detection, detectFaces, removeDuplicates, type SquareRegion, squareAroundPicture } from './detector.ts'
import type { FaceModels } from './face_models.ts'
import { findLandmarks, getPoint, type Landmarks } from './landmarks.ts'

export interface Face {
  readonly landmarks: Landmarks
  /** The detector's certainty, 0 to 1. */
  readonly score: number
  /** Distance from cheek to cheek, in pixels of the decoded picture. */
  readonly width: number
}

/** The least certainty of FaceMesh that it sees a face; BlazeFace alone takes some patterns for one. */
const minCertainty = 0.5
/** A face counts as a person from this share of the widest one's width: somebody far behind does not count. */
const countedShare = 0.33
/**
 * BlazeFace's back model finds faces from about a fifteenth of the picture's width: smaller ones are sought in tiles.
 */
const tileShare = 0.75

export function createTiles(pixels: RgbImage): SquareRegion[] {
  const side = Math.max(pixels.width, pixels.height) * tileShare
  const starts = (length: number): number[] => {
    const steps = Math.max(0, Math.ceil((length - side) / (side / 2)))
    return Array.from({ length: steps + 1 }, (_, i) =>
      steps === 0 ? (length - side) / 2 : ((length - side) * i) / steps,
    )
  }
  return starts(pixels.height).flatMap(top => starts(pixels.width).map(left => ({ left, top, side })))
}

export async function confirmFaces(
  models: FaceModels,
  pixels: RgbImage,
  detections: readonly Detection[],
): Promise<Face[]> {
  const faces: Face[] = []
  for (const detection of detections) {
    const landmarks = await findLandmarks(models, pixels, detection)
    if (landmarks.certainty < minCertainty) continue
    const width = measureDistance(getPoint(landmarks, 'left_cheek'), getPoint(landmarks, 'right_cheek'))
    faces.push({ landmarks, score: detection.score, width })
  }
  return faces.sort((one, other) => other.width - one.width)
}

/** Detects the faces in several squares of a picture, each once. */
export async function detectInRegions(
  models: FaceModels,
  pixels: RgbImage,
  regions: readonly SquareRegion[],
): Promise<Detection[]> {
  const found: Detection[] = []
  for (const region of regions) found.push(...(await detectFaces(models, pixels, region)))
  return removeDuplicates(found)
}

/** At most this many detections are examined closely, which bounds the cost of a picture of a crowd. */
export const maxFaces = 4

/**
 * The score that a second person must have. In photographs of one person a wall and a chair scored at most 0.61; in
 * those of several the others scored 0.67 and more, except four of 75.
 */
const surePerson = 0.67
/** Boxes around the landmarks that share more than this of the smaller one are one face that was detected twice. */
const oneFaceOverlap = 0.3

function boxAround({ landmarks }: Face): Box {
  const xs = landmarks.points.map(([x]) => x)
  const ys = landmarks.points.map(([, y]) => y)
  return [Math.min(...xs), Math.min(...ys), Math.max(...xs), Math.max(...ys)]
}

/**
 * Selects each face once, and beside a sure one only sure ones: a tight crop is detected twice, and a wall is no
 * person.
 */
function selectPersons(faces: readonly Face[]): Face[] {
  const apart: { readonly face: Face; readonly box: Box }[] = []
  for (const face of [...faces].sort((one, other) => other.score - one.score)) {
    const box = boxAround(face)
    if (!apart.some(other => measureSharedArea(box, other.box) > oneFaceOverlap)) apart.push({ face, box })
  }
  const kept = apart.map(({ face }) => face)
  const sure = kept.filter(({ score }) => score >= surePerson)
  return (sure.length > 0 ? sure : kept.slice(0, 1)).sort((one, other) => other.width - one.width)
}

/**
 * Finds the people of a picture, the widest face first, at most four. Searches tiles if the whole picture shows none.
 */
export async function findFaces(models: FaceModels, pixels: RgbImage): Promise<Face[]> {
  const whole = await detectFaces(models, pixels, squareAroundPicture(pixels))
  const detections = whole.length > 0 ? whole : await detectInRegions(models, pixels, createTiles(pixels))
  return selectPersons(await confirmFaces(models, pixels, detections.slice(0, maxFaces)))
}

/** Counts the faces that count as persons before the camera: the widest one and those nearly as near. */
export function countPersons(faces: readonly Face[]): number {
  return faces.filter(face => face.width >= countedShare * (faces[0]?.width ?? 0)).length
}

/**
 * Measures the second widest face as a share of the widest one, 0 for none, beside the share from which on it counts.
 */
export function measureSecondFace([widest, second]: readonly Face[]): Measured {
  return {
    score: (second?.width ?? 0) / (widest?.width ?? 1),
    threshold: countedShare,
  }
}
