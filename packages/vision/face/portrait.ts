import { halvePicture, rotateQuarter } from '../geometry/pixels.ts'
import type { RgbImage } from '../images/raster.ts'
import { type Detection, detectFaces, type SquareRegion, squareAroundPicture } from './detector.ts'
import type { FaceModels } from './face_models.ts'
import { confirmFaces, createTiles, detectInRegions, type Face, maxFaces } from './faces.ts'
import { getPoint } from './landmarks.ts'

/** A box in shares of a picture's width and height, 0 to 1. */
export interface Place {
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
}

function squareAround(pixels: RgbImage, { x, y, width, height }: Place): SquareRegion {
  const side = 1.1 * Math.max(width * pixels.width, height * pixels.height)
  return { left: (x + width / 2) * pixels.width - side / 2, top: (y + height / 2) * pixels.height - side / 2, side }
}

/** The expected place of a portrait, and the page that it must be on; null if unknown. */
export interface PortraitRegions {
  readonly portrait: Place | null
  readonly page: Place | null
}

function isOnPage(page: Place, { width, height }: RgbImage, { landmarks }: Face): boolean {
  const left = getPoint(landmarks, 'left_cheek')
  const right = getPoint(landmarks, 'right_cheek')
  const x = (left[0] + right[0]) / 2 / width
  const y = (left[1] + right[1]) / 2 / height
  return x >= page.x && x <= page.x + page.width && y >= page.y && y <= page.y + page.height
}

/** Returns the widest face on the page in these parts of the picture. */
async function findInRegions(
  models: FaceModels,
  pixels: RgbImage,
  regions: readonly SquareRegion[],
  page: Place | null,
): Promise<Face | null> {
  const detections = await detectInRegions(models, pixels, regions)
  const faces = await confirmFaces(models, pixels, detections.slice(0, maxFaces))
  return faces.find(face => page === null || isOnPage(page, pixels, face)) ?? null
}

/**
 * Finds the portrait of an upright document: the widest face, rather than its ghost image, at its place if that is
 * known, otherwise anywhere on the page. Null if there is none.
 */
export async function findPortrait(
  models: FaceModels,
  pixels: RgbImage,
  { portrait, page }: PortraitRegions,
): Promise<Face | null> {
  return (
    (portrait && (await findInRegions(models, pixels, [squareAround(pixels, portrait)], null))) ??
    (await findInRegions(models, pixels, [squareAroundPicture(pixels)], page)) ??
    findInRegions(models, pixels, createTiles(pixels), page)
  )
}

/** A face, and the turn of the picture in which it was found. */
export interface FoundPortrait {
  readonly face: Face
  /** Number of clockwise quarter turns. */
  readonly quarterTurns: number
}

/**
 * Returns whether a face is upright: the detector knows sideways faces too, but the landmarks show which way up they
 * are.
 */
function isUpright({ landmarks }: Face): boolean {
  const left = getPoint(landmarks, 'left_eye_outer')
  const right = getPoint(landmarks, 'right_eye_outer')
  return right[0] - left[0] > Math.abs(right[1] - left[1])
}

/**
 * A detection with this score needs no closer look: upright portraits score 0.8 and more, unless they are too small.
 */
const sureScore = 0.8
/**
 * A face this wide, beside the picture's shorter side, is a person's, and needs a lower score: those of drawn people who
 * hold the camera scored 0.79 and more, 0.71 at most upside down. Tuned.
 */
const wide = { share: 0.28, sureScore: 0.76 } as const

function isSure({ score, width }: Detection, pixels: RgbImage): boolean {
  const isWide = width >= wide.share * Math.min(pixels.width, pixels.height)
  return score >= (isWide ? wide.sureScore : sureScore)
}

/** Returns the picture after so many quarter turns clockwise; each is made once, when it is asked for. */
export type QuarterTurns = (quarterTurns: number) => RgbImage

export function createQuarterTurns(pixels: RgbImage): QuarterTurns {
  const ways = [pixels]
  return quarterTurns => {
    while (ways.length <= quarterTurns) ways.push(rotateQuarter(ways.at(-1) ?? pixels))
    return ways[quarterTurns] ?? pixels
  }
}

/** Longest side of the small copy, in pixels: the detector sees no more of a whole picture. */
const maxGlanceSide = 512

function shrinkForGlance(pixels: RgbImage): RgbImage {
  return Math.max(pixels.width, pixels.height) > maxGlanceSide ? shrinkForGlance(halvePicture(pixels)) : pixels
}

const quarters = [0, 1, 2, 3]

const glances = new WeakMap<QuarterTurns, readonly number[]>()

/**
 * Returns the quarter turns for which it is worth turning the whole picture: those in which a small copy shows a face.
 * Each picture is examined once.
 */
async function glance(models: FaceModels, turned: QuarterTurns): Promise<readonly number[]> {
  const known = glances.get(turned)
  if (known) return known
  const small = createQuarterTurns(shrinkForGlance(turned(0)))
  const showing: number[] = []
  for (const quarterTurns of quarters) {
    const copy = small(quarterTurns)
    const faces = await detectFaces(models, copy, squareAroundPicture(copy))
    if (faces.length > 0) showing.push(quarterTurns)
  }
  glances.set(turned, showing)
  return showing
}

/**
 * Finds the portrait of a document of unknown orientation, if the whole picture shows it: in the first orientation in
 * which it is upright.
 */
export async function findSurePortrait(models: FaceModels, turned: QuarterTurns): Promise<FoundPortrait | null> {
  for (const quarterTurns of await glance(models, turned)) {
    const pixels = turned(quarterTurns)
    const detections = await detectFaces(models, pixels, squareAroundPicture(pixels))
    const sure = detections.filter(detection => isSure(detection, pixels)).slice(0, maxFaces)
    const face = (await confirmFaces(models, pixels, sure)).find(isUpright)
    if (face) return { face, quarterTurns }
  }
  return null
}

/**
 * Finds the surest upright face, in tiles too: a sideways one may score more. It is worth its cost only for a document
 * that was read.
 */
export async function searchPortrait(models: FaceModels, turned: QuarterTurns): Promise<FoundPortrait | null> {
  const showing = await glance(models, turned)
  let best: FoundPortrait | null = null
  for (const quarterTurns of quarters) {
    const pixels = turned(quarterTurns)
    const whole = showing.includes(quarterTurns) ? [squareAroundPicture(pixels)] : []
    const face =
      (await findInRegions(models, pixels, whole, null)) ??
      (await findInRegions(models, pixels, createTiles(pixels), null))
    if (face && isUpright(face) && face.score > (best?.face.score ?? 0)) best = { face, quarterTurns }
  }
  return best
}
