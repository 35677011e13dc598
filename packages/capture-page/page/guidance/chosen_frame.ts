import type { LivenessAction, Measured } from '@attestor/rules/page'
import { isTurn } from '@attestor/vision/guidance'
import type { Hint } from './guide.ts'

/** The page's settings of the wait for an action. */
export interface Waiting {
  /**
   * Distance beyond the service's threshold that it must reach: a frame just beyond it might be just below for the
   * service.
   */
  readonly margin: number
  /** Time in milliseconds for which frames are compared once the action is seen. The best one is sent. */
  readonly window: number
}

export const waiting: Readonly<Record<LivenessAction, Waiting>> = {
  TURN_LEFT: { margin: 0.12, window: 500 },
  TURN_RIGHT: { margin: 0.12, window: 500 },
  BLINK: { margin: 0.01, window: 250 },
  OPEN_MOUTH: { margin: 0.05, window: 350 },
  LOOK_UP: { margin: 0.008, window: 400 },
}

/** The page turns a person back before the service's own limit, as its measure of the same frame may differ. */
const farthestYaw = 1.15

/** A turn that has begun. */
const begunYaw = 0.25

/** Returns whether a frame shows the action as clearly as the page wants it. */
export function isClear(action: LivenessAction, { score, threshold }: Measured): boolean {
  return score >= threshold + waiting[action].margin && !(isTurn(action) && score > farthestYaw)
}

/** Returns the advice for a frame that does not show the action: a turn that has begun is corrected at once. */
export function adviseAction(action: LivenessAction, { score }: Measured): Hint {
  if (!isTurn(action) || score < begunYaw) return action
  return score > farthestYaw ? 'TURN_BACK' : 'TURN_FURTHER'
}

/** The best turn: it shows that a head is solid, and still compares well with the selfie. Some 35 degrees. */
const bestYaw = 1

/** Returns a frame's worth: how clearly it shows the action, beyond the threshold. */
export function measureWorth(action: LivenessAction, { score, threshold }: Measured, sharpness: number): number {
  if (action === 'BLINK') return score
  const shown = isTurn(action) ? -Math.abs(score - bestYaw) : Math.min(2, score / threshold)
  return 10 * shown + sharpness
}
