import type { FaceTemplate, LivenessAction, Measured } from '@attestor/rules'
import { type FaceDistanceLimits, measureFaceDistance } from './embedding.ts'
import type { Expression } from './expression.ts'
import { livenessThreshold as limit } from './thresholds.ts'

/**
 * Measures the closing of the less shut eye, compared with the same eye in the selfie: 0 is as open, 1 is shut. So a
 * wink is no blink.
 */
function measureBlink(frame: Expression, selfie: Expression): number {
  if (!frame.eyeOpenings || !selfie.eyeOpenings) throw new Error('the eyes of a blink were not measured')
  const [left, right] = frame.eyeOpenings
  const [openLeft, openRight] = selfie.eyeOpenings
  return 1 - Math.max(left / (openLeft || 1), right / (openRight || 1))
}

/** Measures a lifted chin, which moves the ears down and the nose up; the ears show it more steadily. */
function measureLift(frame: Expression, selfie: Expression): number {
  return frame.pitch - selfie.pitch + 0.3 * (selfie.noseHeight - frame.noseHeight)
}

function measureGape(frame: Expression, selfie: Expression): number {
  return frame.mouthOpening - selfie.mouthOpening
}

/**
 * Measures the action in a frame, beside its limit; null if the action is measured against the selfie and there is
 * none. A picture is not mirrored: a person's own left is the picture's right.
 */
export function measureAction(action: LivenessAction, frame: Expression, selfie: Expression | null): Measured | null {
  if (action === 'TURN_LEFT') return { score: frame.yaw, threshold: limit.yaw }
  if (action === 'TURN_RIGHT') return { score: -frame.yaw, threshold: limit.yaw }
  if (!selfie) return null
  if (action === 'BLINK') return { score: measureBlink(frame, selfie), threshold: limit.blink }
  if (action === 'OPEN_MOUTH') return { score: measureGape(frame, selfie), threshold: limit.mouth }
  return { score: measureLift(frame, selfie), threshold: limit.lookUp }
}

/** The pictures beside which a frame is judged. */
export interface ActionReferences {
  /** Most actions are measured against it. */
  readonly selfie: Expression | null
  /** The frame that answers an open mouth, if one is asked for. */
  readonly mouth?: Expression | null
  /** The frame's distance from a flat picture of the selfie (`planarity.ts`), if both show a face. */
  readonly residual?: number | null
}

/**
 * A turn is far enough when it also shows that the head is solid, and no farther than a comparison allows, so that no
 * later rule asks for more of it, or for less. No other
 * frame answers two actions: a turn moves eyes and mouth too, and so does a look upwards. Lips part when a chin is
 * lifted; if an open mouth is asked for too, they must part far less than in its frame.
 */
function isOnlyAction(
  action: LivenessAction,
  frame: Expression,
  { selfie, mouth = null, residual = null }: ActionReferences,
): boolean {
  if (isTurn(action))
    return Math.abs(frame.yaw) <= limit.farthestYaw && (residual === null || residual >= limit.planarity)
  if (!selfie) return true
  if (Math.abs(frame.yaw) > limit.frontal) return false
  if (action === 'LOOK_UP')
    return (
      mouth === null || measureGape(frame, selfie) < Math.max(limit.mouth, measureGape(mouth, selfie) * limit.parted)
    )
  // A smile shows teeth, which measure like an open mouth, but its jaw stays where it is.
  if (action === 'OPEN_MOUTH') return frame.mouthDrop - selfie.mouthDrop >= limit.mouthDrop
  return measureLift(frame, selfie) < limit.lookUp
}

/** Returns whether a frame shows the action that it answers; null if it can't be measured. */
export function showsAction(action: LivenessAction, frame: Expression, beside: ActionReferences): boolean | null {
  const measured = measureAction(action, frame, beside.selfie)
  return measured && measured.score >= measured.threshold && isOnlyAction(action, frame, beside)
}

export function isTurn(action: LivenessAction): boolean {
  return action === 'TURN_LEFT' || action === 'TURN_RIGHT'
}

/**
 * Measures the smallest distance from the selfie's face of a frame that looks ahead, beside the limit of a comparison.
 * Continuity alone allows for turns. With this rule, an attacker who submits a picture of the holder as the selfie, and
 * then turns a similar face, must be as similar to the holder as a selfie. Null if no frame looks ahead.
 */
export function measureNearest(
  selfie: FaceTemplate | null,
  frames: readonly { readonly action: LivenessAction; readonly template: FaceTemplate }[],
  { nearest }: FaceDistanceLimits,
): Measured | null {
  const ahead = frames.filter(({ action }) => !isTurn(action))
  if (!selfie || ahead.length === 0) return null
  const distances = ahead.map(({ template }) => measureFaceDistance(template, selfie))
  return { score: Math.min(...distances), threshold: nearest }
}

/** Measures the largest distance of a frame's face from the selfie's. Null if there is nothing to compare. */
export function measureContinuity(
  selfie: FaceTemplate | null,
  frames: readonly FaceTemplate[],
  { continuity }: FaceDistanceLimits,
): Measured | null {
  if (!selfie || frames.length === 0) return null
  return { score: Math.max(...frames.map(frame => measureFaceDistance(frame, selfie))), threshold: continuity }
}
