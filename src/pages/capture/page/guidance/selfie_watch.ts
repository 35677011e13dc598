import type { SelfieFault } from '../../../../decision/findings.ts'
import { maxMeasuredSide } from '../../../../engines/images/quality.ts'
import type { WarningCode } from '../../../../engines/images/warnings.ts'
import type { FaceModels } from '../../../../engines/local/face/face_models.ts'
import { checkQuality, type MeasuredSelfie } from '../../../../engines/local/face/quality.ts'
import { createFollower, type FaceLook, lookAtFace, searchFace } from './face_look.ts'
import type { FaceMemory } from './face_memory.ts'
import type { Box, Hint } from './guide.ts'
import type { FullSize, Look, Watch } from './watch.ts'

/** The longer side to which the service shrinks a picture of a face before it looks for one. */
export const servicePictureSide = 1280

/** What to do about the light. It is judged before the face: in the dark no face is found. */
export function findLightHint(warnings: readonly WarningCode[]): Hint | null {
  if (warnings.includes('IMAGE_TOO_DARK')) return 'MORE_LIGHT'
  return warnings.includes('IMAGE_TOO_BRIGHT') ? 'LESS_LIGHT' : null
}

/** How much of the picture's shorter side a face takes from cheek to cheek: as much as the page's oval shows. */
const nearest = 0.72
const farthest = 0.26
/** How far, in shares of the picture, the middle of the face may be from the picture's. */
const maxAside = 0.12
const maxAbove = 0.17

/** Where a face should be; null where it is there. */
export function findPlaceHint(box: Box, { width, height }: FullSize, oval: { readonly farthest: number }): Hint | null {
  const share = (box.width * width) / Math.min(width, height)
  if (share < oval.farthest) return 'COME_CLOSER'
  if (share > nearest) return 'MOVE_BACK'
  const isCut = box.x < 0 || box.y < 0 || box.x + box.width > 1 || box.y + box.height > 1
  return isCut ? 'CENTRE_FACE' : null
}

function isAside(box: Box): boolean {
  return Math.abs(box.x + box.width / 2 - 0.5) > maxAside || Math.abs(box.y + box.height / 2 - 0.5) > maxAbove
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
}

function findPoseHint(measured: MeasuredSelfie): Hint | null {
  const { yaw, roll } = measured.expression
  if (Math.abs(yaw) > maxYaw || Math.abs(roll) > maxRoll) return 'LOOK_AHEAD'
  const failed = checkQuality(measured).filter(({ passed }) => !passed)
  // Shut eyes also fail the rule of covered eyes: shut ones are named first.
  const fault = failed.find(({ reason }) => reason === 'EYES_CLOSED') ?? failed[0]
  return fault === undefined ? null : faultHints[fault.reason]
}

/** What a person should do for a good selfie; null for one. */
function findSelfieHint({ persons, warnings, measured, box }: FaceLook, full: FullSize): Hint | null {
  const light = findLightHint(warnings)
  if (light !== null) return light
  if (measured === null || box === null) return 'FIND_FACE'
  if (persons > 1) return 'ONE_PERSON'
  const place = findPlaceHint(box, full, { farthest }) ?? (isAside(box) ? 'CENTRE_FACE' : null)
  return place ?? findPoseHint(measured) ?? (warnings.length > 0 ? 'HOLD_STILL' : null)
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
  let good: { readonly since: number; looks: number } | null = null
  return {
    side: maxMeasuredSide,
    pictureSide: servicePictureSide,
    async look(raster, full, at): Promise<Look> {
      const seen = await lookAtFace(models, raster, full, await follow(raster))
      const { box, measured } = seen
      const hint = findSelfieHint(seen, full) ?? (isStill(last, box) ? null : 'HOLD_STILL')
      last = box
      if (hint !== null) {
        good = null
        return { seen: { hint, progress: 0, box }, worth: null, done: false }
      }
      good ??= { since: at, looks: 0 }
      good.looks++
      const progress = Math.min(1, good.looks / neededLooks, Math.max(0.1, (at - good.since) / neededTime))
      return { seen: { hint: 'GOOD', progress, box }, worth: measured?.sharpness ?? 0, done: progress === 1 }
    },
    async accept(raster, full) {
      const seen = await lookAtFace(models, raster, full, await searchFace(models, raster))
      memory.selfie = seen.measured?.expression ?? null
      return findSelfieHint(seen, full) === null
    },
  }
}
