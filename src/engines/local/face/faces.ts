import type { Measured } from '../../../decision/findings.ts'
import type { RgbImage } from '../../../images/raster.ts'
import { type Detection, detectFaces, removeDuplicates, type SquareRegion, squareAroundPicture } from './detector.ts'
import type { FaceModels } from './face_models.ts'
import { type Box, measureDistance, measureSharedArea } from './geometry.ts'
import { findLandmarks, getPoint, type Landmarks } from './landmarks.ts'
import { halvePicture, rotateQuarter } from './pixels.ts'

export interface Face {
  readonly landmarks: Landmarks
  /** The detector's, 0 to 1. */
  readonly score: number
  /** Cheek to cheek in pixels of the decoded picture. */
  readonly width: number
}

/** FaceMesh says of itself whether it is looking at a face; BlazeFace alone takes some patterns for one. */
const minCertainty = 0.5
/** A face counts as a person from this share of the widest one's width: somebody far behind does not count. */
const countedShare = 0.33
/** BlazeFace's back model finds faces from about a fifteenth of what it is shown: smaller ones are sought in tiles. */
const tileShare = 0.5

const createTiles = (pixels: RgbImage): SquareRegion[] => {
  const side = Math.max(pixels.width, pixels.height) * tileShare
  const starts = (length: number): number[] => {
    const steps = Math.max(0, Math.ceil((length - side) / (side / 2)))
    return Array.from({ length: steps + 1 }, (_, i) =>
      steps === 0 ? (length - side) / 2 : ((length - side) * i) / steps,
    )
  }
  return starts(pixels.height).flatMap(top => starts(pixels.width).map(left => ({ left, top, side })))
}

const confirmFaces = (models: FaceModels, pixels: RgbImage, detections: readonly Detection[]): Face[] =>
  detections
    .map(detection => ({ score: detection.score, landmarks: findLandmarks(models, pixels, detection) }))
    .filter(({ landmarks }) => landmarks.certainty >= minCertainty)
    .map(({ score, landmarks }) => ({
      landmarks,
      score,
      width: measureDistance(getPoint(landmarks, 'left_cheek'), getPoint(landmarks, 'right_cheek')),
    }))
    .sort((one, other) => other.width - one.width)

/** How many detections are examined closely: bounds the cost of a picture of a crowd. */
const maxFaces = 4

/**
 * The score that a second person must have. In photographs of one person a wall and a chair scored at most 0.61; in
 * those of several the others scored 0.67 and more, except four of 75.
 */
const surePerson = 0.67
/** Boxes around the landmarks that share more than this of the smaller one are one face that was detected twice. */
const oneFaceOverlap = 0.3

const boundFace = ({ landmarks }: Face): Box => {
  const [xs, ys] = [landmarks.points.map(([x]) => x), landmarks.points.map(([, y]) => y)]
  return [Math.min(...xs), Math.min(...ys), Math.max(...xs), Math.max(...ys)]
}

/** Each face once, and beside a sure one only sure ones: a tight crop is detected twice, and a wall is no person. */
const selectPersons = (faces: readonly Face[]): Face[] => {
  const apart: { readonly face: Face; readonly box: Box }[] = []
  for (const face of [...faces].sort((one, other) => other.score - one.score)) {
    const box = boundFace(face)
    if (!apart.some(other => measureSharedArea(box, other.box) > oneFaceOverlap)) apart.push({ face, box })
  }
  const kept = apart.map(({ face }) => face)
  const sure = kept.filter(({ score }) => score >= surePerson)
  return (sure.length > 0 ? sure : kept.slice(0, 1)).sort((one, other) => other.width - one.width)
}

/** The people of a picture, the widest face first, at most four. Looks into tiles where the whole picture shows none. */
export const findFaces = (models: FaceModels, pixels: RgbImage): Face[] => {
  const whole = detectFaces(models, pixels, squareAroundPicture(pixels))
  const detections =
    whole.length > 0 ? whole : removeDuplicates(createTiles(pixels).flatMap(tile => detectFaces(models, pixels, tile)))
  return selectPersons(confirmFaces(models, pixels, detections.slice(0, maxFaces)))
}

/** The faces that count as persons before the camera: the widest one and those nearly as near. */
export const countPersons = (faces: readonly Face[]): number =>
  faces.filter(face => face.width >= countedShare * (faces[0]?.width ?? 0)).length

/** The second widest face as a share of the widest one, 0 for none, beside the share from which on it counts. */
export const measureSecondFace = ([widest, second]: readonly Face[]): Measured => ({
  score: (second?.width ?? 0) / (widest?.width ?? 1),
  threshold: countedShare,
})

/** A box in shares of a picture's width and height, 0 to 1. */
export interface Place {
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
}

const squareAround = (pixels: RgbImage, { x, y, width, height }: Place): SquareRegion => {
  const side = 1.1 * Math.max(width * pixels.width, height * pixels.height)
  return { left: (x + width / 2) * pixels.width - side / 2, top: (y + height / 2) * pixels.height - side / 2, side }
}

/** Where a portrait is expected, and the page that it must be on; null if unknown. */
export interface PortraitRegions {
  readonly portrait: Place | null
  readonly page: Place | null
}

const isOnPage = (page: Place, { width, height }: RgbImage, { landmarks }: Face): boolean => {
  const [left, right] = [getPoint(landmarks, 'left_cheek'), getPoint(landmarks, 'right_cheek')]
  const [x, y] = [(left[0] + right[0]) / 2 / width, (left[1] + right[1]) / 2 / height]
  return x >= page.x && x <= page.x + page.width && y >= page.y && y <= page.y + page.height
}

/**
 * The portrait of an upright document: the widest face, rather than its ghost image, at its place where that is known,
 * else anywhere on the page. Null where there is none.
 */
export const findPortrait = (
  models: FaceModels,
  pixels: RgbImage,
  { portrait, page }: PortraitRegions,
): Face | null => {
  if (portrait) {
    const detections = detectFaces(models, pixels, squareAround(pixels, portrait))
    const [face] = confirmFaces(models, pixels, detections.slice(0, maxFaces))
    if (face) return face
  }
  for (const regions of [[squareAroundPicture(pixels)], createTiles(pixels)]) {
    const detections = removeDuplicates(regions.flatMap(region => detectFaces(models, pixels, region)))
    const faces = confirmFaces(models, pixels, detections.slice(0, maxFaces))
    const found = faces.find(face => page === null || isOnPage(page, pixels, face))
    if (found) return found
  }
  return null
}

/** A face, and how the picture was turned in which it was found. */
export interface FoundPortrait {
  readonly face: Face
  /** Clockwise. */
  readonly quarterTurns: number
}

/** The detector knows sideways faces too, and the landmarks show which way up they are. */
const isUpright = ({ landmarks }: Face): boolean => {
  const [left, right] = [getPoint(landmarks, 'left_eye_outer'), getPoint(landmarks, 'right_eye_outer')]
  return right[0] - left[0] > Math.abs(right[1] - left[1])
}

/** A detection that needs no closer look: upright portraits score 0.8 and more, unless they are too small. */
const sureScore = 0.8

/** The picture after so many quarter turns clockwise: each is made when it is asked for, once. */
export type QuarterTurns = (quarterTurns: number) => RgbImage

export const createQuarterTurns = (pixels: RgbImage): QuarterTurns => {
  const ways = [pixels]
  return quarterTurns => {
    while (ways.length <= quarterTurns) ways.push(rotateQuarter(ways.at(-1) ?? pixels))
    return ways[quarterTurns] ?? pixels
  }
}

/** As many pixels as the detector sees of a whole picture. */
const maxGlanceSide = 512

const shrinkForGlance = (pixels: RgbImage): RgbImage =>
  Math.max(pixels.width, pixels.height) > maxGlanceSide ? shrinkForGlance(halvePicture(pixels)) : pixels

const quarters = [0, 1, 2, 3]

/**
 * The portrait of a document of unknown orientation, if the whole picture shows it: in the first orientation in which
 * it is upright. A small copy shows for which orientations it is worth turning the whole picture.
 */
export const findSurePortrait = (models: FaceModels, turned: QuarterTurns): FoundPortrait | null => {
  const small = createQuarterTurns(shrinkForGlance(turned(0)))
  for (const quarterTurns of quarters) {
    const glance = small(quarterTurns)
    if (detectFaces(models, glance, squareAroundPicture(glance)).length === 0) continue
    const pixels = turned(quarterTurns)
    const detections = detectFaces(models, pixels, squareAroundPicture(pixels))
    const sure = detections.filter(({ score }) => score >= sureScore).slice(0, maxFaces)
    const face = confirmFaces(models, pixels, sure).find(isUpright)
    if (face) return { face, quarterTurns }
  }
  return null
}

/** The surest upright face, in tiles too: a sideways one may score more. Worth it only for a document that was read. */
export const searchPortrait = (models: FaceModels, turned: QuarterTurns): FoundPortrait | null =>
  quarters.reduce<FoundPortrait | null>((best, quarterTurns) => {
    const face = findPortrait(models, turned(quarterTurns), { portrait: null, page: null })
    return face && isUpright(face) && face.score > (best?.face.score ?? 0) ? { face, quarterTurns } : best
  }, null)
