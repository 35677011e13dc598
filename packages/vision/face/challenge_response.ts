import type { EngineName, LivenessAction, LivenessFindings, Measured, ReplayFingerprint } from '@attestor/rules'
import type { FaceDistanceLimits } from './embedding.ts'
import { isTurn, measureAction, measureContinuity, measureNearest, showsAction } from './liveness.ts'
import { measureFlatResidual, measurePlanarity } from './planarity.ts'
import type { ComparedFace, SeenFace } from './read_face.ts'
import { type Comparable, fromFingerprint, measureDifference, toComparable, toFingerprint } from './repetition.ts'
import { measureSurroundings } from './surroundings.ts'
import { livenessThreshold } from './thresholds.ts'

/** The picture that answers an action. */
export interface Frame<Picture extends SeenFace = ComparedFace> {
  readonly action: LivenessAction
  /** Null if the frame is missing or shows no face. */
  readonly picture: Picture | null
}

/**
 * Measures the difference of the frames from the nearest ones of earlier transactions. The farthest frame is left out:
 * it may have been replaced. The others include a turn: nobody turns twice by the same angle, while two frames that
 * look ahead may be alike. Null if there is nothing to compare.
 */
function compareWithEarlier(frames: readonly Comparable[], earlier: readonly ReplayFingerprint[]): Measured | null {
  const before = earlier.map(fromFingerprint)
  if (before.length === 0) return null
  const nearest = frames
    .map(frame => Math.min(...before.map(face => measureDifference(frame, face))))
    .sort((one, other) => one - other)
  const score = nearest[Math.max(1, nearest.length - 2)]
  return score === undefined ? null : { score, threshold: livenessThreshold.earlierDifference }
}

/**
 * Returns whether the frames of both turns show the other one: the camera's library saved them mirrored, as many do
 * with a front camera. A single turn to the other side is no sign of that.
 */
function areMirrored(frames: readonly Frame<SeenFace>[]): boolean {
  const turns = frames.filter(({ action }) => isTurn(action))
  const shows = ({ picture, action }: Frame<SeenFace>): boolean => {
    const turn = picture && measureAction(action, picture.expression, null)
    return turn !== null && turn.score <= -turn.threshold
  }
  return turns.length > 1 && turns.every(shows)
}

/** Returns the frames as an unmirrored camera takes them, as far as the challenge is concerned. */
function unmirror<Picture extends SeenFace>(frames: readonly Frame<Picture>[]): readonly Frame<Picture>[] {
  return frames.map(({ action, picture }) => ({
    action,
    picture: picture && { ...picture, expression: { ...picture.expression, yaw: -picture.expression.yaw } },
  }))
}

/**
 * Judges for each frame whether it shows its action. Turns of mirrored frames count for the side that the person turned
 * to.
 */
export function judgeFrames(
  taken: readonly Frame<SeenFace>[],
  selfie: SeenFace | null,
): Pick<LivenessFindings, 'challenge' | 'mirrored'> {
  const mirrored = areMirrored(taken)
  const frames = mirrored ? unmirror(taken) : taken
  const expected = selfie?.expression ?? null
  const mouth = frames.find(({ action }) => action === 'OPEN_MOUTH')?.picture?.expression ?? null
  const challenge = frames.map(({ action, picture }) =>
    picture === null
      ? { action, passed: null, measured: null }
      : {
          action,
          passed: showsAction(action, picture.expression, {
            selfie: expected,
            mouth,
            residual: selfie && measureFlatResidual(selfie.face.landmarks, picture.face.landmarks),
          }),
          measured: measureAction(action, picture.expression, expected),
        },
  )
  return { challenge, mirrored }
}

/** Returns the boxes of the faces in a challenge's frames, under `frame_0` and so on. */
export function locateFaces(frames: readonly Frame<SeenFace>[]): NonNullable<LivenessFindings['regions']> {
  return Object.fromEntries(
    frames.flatMap(({ picture }, n) => (picture === null ? [] : [[`frame_${n}`, { face: picture.region }]])),
  )
}

/**
 * Returns the findings of all frames of a challenge together, compared with the selfie, if that shows a face, and with
 * frames of earlier transactions.
 */
export function createLivenessFindings(
  { engine, limits }: { readonly engine: EngineName; readonly limits: FaceDistanceLimits },
  { selfie, frames }: { readonly selfie: ComparedFace | null; readonly frames: readonly Frame[] },
  earlier: readonly ReplayFingerprint[] = [],
): LivenessFindings {
  const pictures = frames.flatMap(({ picture }) => picture ?? [])
  const seen = pictures.map(({ upright }) => toComparable(upright))
  const turns = frames.flatMap(({ action, picture }) => (picture && isTurn(action) ? [picture] : []))
  return {
    engine,
    method: 'ACTIVE',
    ...judgeFrames(frames, selfie),
    regions: locateFaces(frames),
    planarity: measurePlanarity(
      selfie?.face.landmarks ?? null,
      turns.map(({ face }) => face.landmarks),
    ),
    surroundings: measureSurroundings(
      selfie?.thumbnail ?? null,
      turns.map(({ thumbnail }) => thumbnail),
    ),
    continuity: measureContinuity(
      selfie?.template ?? null,
      pictures.map(({ template }) => template),
      limits,
    ),
    nearest: measureNearest(
      selfie?.template ?? null,
      frames.flatMap(({ action, picture }) => (picture ? [{ action, template: picture.template }] : [])),
      limits,
    ),
    ...(selfie?.presence && { presence: selfie.presence }),
    seen_before: compareWithEarlier(seen, earlier),
    fingerprints: seen.map(toFingerprint),
    sizes_differ: new Set([...(selfie ? [selfie] : []), ...pictures].map(({ size }) => size)).size > 1,
  }
}
