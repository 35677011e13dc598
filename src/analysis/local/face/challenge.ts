import type { AnsweredChallenge, EngineName, LivenessAction, LivenessEvidence } from '../../port.ts'
import type { Models } from '../models.ts'
import { continuityOf, measureAction, nearestOf, showsAction } from './liveness.ts'
import { type FacePicture, lookAtFace } from './look.ts'
import { planarityOf, reliefOf } from './planarity.ts'
import { comparable, differenceOf } from './repetition.ts'
import { livenessThreshold } from './thresholds.ts'

/** The picture that answers an action. */
export interface Frame {
  readonly action: LivenessAction
  /** Null where the frame is missing or shows no face. */
  readonly picture: FacePicture | null
}

/** The two pictures of a capture that differ least, of the selfie and all frames; null with fewer than two. */
const repetitionOf = (
  pictures: readonly { readonly name: string; readonly picture: FacePicture }[],
): NonNullable<LivenessEvidence['repetition']> | null => {
  const faces = pictures.map(({ name, picture }) => ({ name, compared: comparable(picture.upright) }))
  const pairs = faces.flatMap((one, i) =>
    faces.slice(i + 1).map(other => ({
      score: differenceOf(one.compared, other.compared),
      threshold: livenessThreshold.repetition,
      between: [one.name, other.name],
    })),
  )
  return pairs.sort((one, other) => one.score - other.score)[0] ?? null
}

const judgeFrames = (frames: readonly Frame[], selfie: FacePicture | null): LivenessEvidence['challenge'] => {
  const expected = selfie?.expression ?? null
  const mouth = frames.find(({ action }) => action === 'OPEN_MOUTH')?.picture?.expression ?? null
  return frames.map(({ action, picture }) =>
    picture === null
      ? { action, passed: null, measured: null }
      : {
          action,
          passed: showsAction(action, picture.expression, { selfie: expected, mouth }),
          measured: measureAction(action, picture.expression, expected),
        },
  )
}

const framesOf = async (models: Models, { actions, frames }: AnsweredChallenge): Promise<readonly Frame[]> => {
  const seen: Frame[] = []
  // One after the other: a picture is large, and one core looks at it.
  for (const [n, action] of actions.entries()) {
    const image = frames[n]
    seen.push({ action, picture: image ? await lookAtFace(models, image) : null })
  }
  return seen
}

/** What a challenge's frames show together, beside the selfie where that shows a face. */
export const evidenceOf = (
  engine: EngineName,
  frames: readonly Frame[],
  selfie: FacePicture | null,
): LivenessEvidence => {
  const seen = frames.flatMap(({ action, picture }) => (picture ? [{ name: action as string, picture }] : []))
  const turned = (action: LivenessAction): FacePicture | null =>
    frames.find(frame => frame.action === action)?.picture ?? null
  const turns = [turned('TURN_LEFT'), turned('TURN_RIGHT')].filter(picture => picture !== null)
  const all = [...(selfie ? [{ name: 'SELFIE', picture: selfie }] : []), ...seen]
  return {
    engine,
    method: 'ACTIVE',
    challenge: judgeFrames(frames, selfie),
    planarity: planarityOf(
      selfie?.face.landmarks ?? null,
      turns.map(({ face }) => face.landmarks),
    ),
    relief: reliefOf(
      selfie?.upright ?? null,
      turned('TURN_LEFT')?.upright ?? null,
      turned('TURN_RIGHT')?.upright ?? null,
    ),
    continuity: continuityOf(
      selfie?.template ?? null,
      seen.map(({ picture }) => picture.template),
    ),
    nearest: nearestOf(
      selfie?.template ?? null,
      frames.flatMap(({ action, picture }) => (picture ? [{ action, template: picture.template }] : [])),
    ),
    repetition: repetitionOf(all),
    sizes_differ: new Set(all.map(({ picture }) => picture.size)).size > 1,
  }
}

/** Looks at a challenge's frames. */
export const lookAtChallenge = async (
  models: Models,
  engine: EngineName,
  challenge: AnsweredChallenge,
  selfie: FacePicture | null,
): Promise<LivenessEvidence> => evidenceOf(engine, await framesOf(models, challenge), selfie)
