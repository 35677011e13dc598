import type { SelfieFault } from '@attestor/rules/page'
import {
  checkQuality,
  type FaceModels,
  type MeasuredSelfie,
  maxMeasuredSide,
  type WarningCode,
} from '@attestor/vision/guidance'
import { createFollower, type FaceLook, lookAtFace, searchFace } from './face_look.ts'
import type { FaceMemory } from './face_memory.ts'
import type { Box, Hint } from './guide.ts'
import { createPatience, type FullSize, type Look, type Watch } from './watch.ts'

/** The longer side to which the service shrinks a picture of a face before it looks for one. */
export const servicePictureSide = 1280

/** Returns advice about the light. It is judged before the face: in the dark no face is found. */
export function findLightHint(warnings: readonly WarningCode[]): Hint | null {
  if (warnings.includes('IMAGE_TOO_DARK')) return 'MORE_LIGHT'
  return warnings.includes('IMAGE_TOO_BRIGHT') ? 'LESS_LIGHT' : null
}

/** The oval that the page draws (`.face .frame`): its height and greatest width as shares of the picture's, and its shape. */
export const drawnOval = { height: 0.82, aspect: 0.74, maxWidth: 0.82 } as const

/** The drawn oval's size in shares of the picture's width and height. A wide picture is seen in full height. */
function measureOval({ width, height }: FullSize): { readonly width: number; readonly height: number } {
  const oval = Math.min(drawnOval.height * height, (drawnOval.maxWidth * width) / drawnOval.aspect)
  return { width: (drawnOval.aspect * oval) / width, height: oval / height }
}

/** Largest and smallest width of a face, in widths of the oval. */
const nearest = 0.89
const farthest = 0.32
/** Largest distance of the face's middle from the oval's, in its widths and heights. */
const maxAside = 0.15
const maxAbove = 0.21

/**
 * Factor by which the limits are wider for the picture that is sent. It is searched and measured again, at another size
 * than its frame, by the same rule: without the factor a face at the limit of the frame's would never be taken.
 */
const pictureTolerance = 1.1

interface PlaceLimits {
  readonly farthest: number
  readonly tolerance?: number
}

/** Returns advice about the position of a face; null if it is right. */
export function findPlaceHint(box: Box, full: FullSize, { farthest, tolerance = 1 }: PlaceLimits): Hint | null {
  const share = box.width / measureOval(full).width
  if (share < farthest / tolerance) return 'COME_CLOSER'
  if (share > nearest * tolerance) return 'MOVE_BACK'
  const over = Math.max(-box.x, -box.y, box.x + box.width - 1, box.y + box.height - 1)
  return over > (tolerance - 1) * share ? 'CENTRE_FACE' : null
}

function isAside(box: Box, full: FullSize, tolerance: number): boolean {
  const oval = measureOval(full)
  return (
    Math.abs(box.x + box.width / 2 - 0.5) > maxAside * oval.width * tolerance ||
    Math.abs(box.y + box.height / 2 - 0.5) > maxAbove * oval.height * tolerance
  )
}

/** A selfie that looks further aside passes the service's rules, but compares worse. */
const maxYaw = 0.3
const maxRoll = 20

const faultHints: Readonly<Record<SelfieFault, Hint>> = {
  TOO_SMALL: 'COME_CLOSER',
  TURNED_AWAY: 'LOOK_AHEAD',
  COVERED: 'TAKE_OFF_COVER',
  EYES_CLOSED: 'OPEN_EYES',
  BLURRED: 'HOLD_STILL',
  // The service alone looks for one.
  DOCUMENT: 'FIND_FACE',
}

function findPoseHint(measured: MeasuredSelfie, tolerance: number): Hint | null {
  const { yaw, roll } = measured.expression
  if (Math.abs(yaw) > maxYaw * tolerance || Math.abs(roll) > maxRoll * tolerance) return 'LOOK_AHEAD'
  const failed = checkQuality(measured).filter(({ passed }) => !passed)
  // Shut eyes also fail the rule of covered eyes: shut ones are named first.
  const fault = failed.find(({ reason }) => reason === 'EYES_CLOSED') ?? failed[0]
  return fault === undefined ? null : faultHints[fault.reason]
}

/** Returns advice for a good selfie; null for one. */
function findSelfieHint({ persons, warnings, measured, box }: FaceLook, full: FullSize, tolerance = 1): Hint | null {
  const light = findLightHint(warnings)
  if (light !== null) return light
  if (measured === null || box === null) return 'FIND_FACE'
  if (persons > 1) return 'ONE_PERSON'
  const place =
    findPlaceHint(box, full, { farthest, tolerance }) ?? (isAside(box, full, tolerance) ? 'CENTRE_FACE' : null)
  return place ?? findPoseHint(measured, tolerance) ?? (warnings.length > 0 ? 'HOLD_STILL' : null)
}

/** A still face moves by less than this between two looks, in widths of the face. */
const maxMove = 0.06

function isStill(before: Box | null, now: Box | null): boolean {
  return before !== null && now !== null && Math.hypot(now.x - before.x, now.y - before.y) <= maxMove * now.width
}

/** The selfie is taken after this many good looks in a row, over at least this many milliseconds. */
const neededLooks = 3
const neededTime = 500

/** Watches for one face in the oval that looks ahead, with open eyes, sharp and well lit. */
export function createSelfieWatch(models: FaceModels, memory: FaceMemory): Watch {
  const follow = createFollower(models)
  let last: Box | null = null
  const patience = createPatience(neededLooks, neededTime)
  return {
    side: maxMeasuredSide,
    pictureSide: servicePictureSide,
    async look(raster, full, at): Promise<Look> {
      const seen = await lookAtFace(models, raster, full, await follow(raster))
      const { box, measured } = seen
      const found = findSelfieHint(seen, full) ?? (isStill(last, box) ? null : 'HOLD_STILL')
      last = box
      const { hint, progress } = patience.look(found, at)
      const worth = hint === 'GOOD' ? (measured?.sharpness ?? 0) : null
      return { seen: { hint, progress, box }, worth, done: progress === 1 }
    },
    async accept(raster, full) {
      const seen = await lookAtFace(models, raster, full, await searchFace(models, raster))
      memory.selfie = seen.measured
      return patience.judged(findSelfieHint(seen, full, pictureTolerance))
    },
  }
}
