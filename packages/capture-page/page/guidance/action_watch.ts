import type { LivenessAction } from '@attestor/rules/page'
import {
  type Expression,
  type FaceModels,
  type MeasuredSelfie,
  maxMeasuredSide,
  measureAction,
  measureFlatResidual,
  qualityThreshold,
  showsAction,
} from '@attestor/vision/guidance'
import { adviseAction, isClear, measureWorth, waiting } from './chosen_frame.ts'
import { createFollower, type FaceLook, lookAtFace, searchFace } from './face_look.ts'
import type { FaceMemory } from './face_memory.ts'
import type { Hint } from './guide.ts'
import { findLightHint, findPlaceHint, servicePictureSide } from './selfie_watch.ts'
import type { FullSize, Look, Watch } from './watch.ts'

/** Eyes that are shut this far are about to close: from now on every frame counts. */
const closing = 0.15

/** The farthest face whose actions can be seen, in widths of the oval. A turn narrows it. */
const farthest = 0.25

/** Returns the problem that must be solved before an action can be seen. */
function findHint({ persons, warnings, measured, box }: FaceLook, full: FullSize): Hint | null {
  const light = findLightHint(warnings)
  if (light !== null) return light
  if (measured === null || box === null) return 'FIND_FACE'
  return persons > 1 ? 'ONE_PERSON' : findPlaceHint(box, full, { farthest })
}

/** This many looks at the face at rest replace a selfie that this page has not seen. */
const restingLooks = 5
const maxRestingYaw = 0.3

function isAtRest({ yaw, pitch, eyeOpenings }: Expression): boolean {
  return (
    Math.abs(yaw) <= maxRestingYaw &&
    pitch <= qualityThreshold.maxPitch &&
    Math.min(...(eyeOpenings ?? [0])) >= qualityThreshold.minEyeOpening
  )
}

/** The median look by how far the mouth, then the eyes are open: a single frame may show a blink or a spoken word. */
function findMiddle(looks: readonly MeasuredSelfie[]): MeasuredSelfie | null {
  const order = [...looks].sort((one, other) => one.expression.mouthOpening - other.expression.mouthOpening)
  return order[Math.floor(looks.length / 2)] ?? null
}

/** Watches for an action, compared with the selfie, or with the face at rest if there was no selfie. */
export function createActionWatch(models: FaceModels, memory: FaceMemory, action: LivenessAction): Watch {
  const follow = createFollower(models)
  const { window } = waiting[action]
  const resting: MeasuredSelfie[] = []
  let rest: MeasuredSelfie | null = null
  let since: number | null = null

  const getSelfie = (look: MeasuredSelfie): MeasuredSelfie | null => {
    if (memory.selfie !== null) return memory.selfie
    if (isAtRest(look.expression)) resting.push(look)
    if (resting.length < restingLooks) return rest
    const latest = findMiddle(resting.splice(0))
    // If the person started mid-action, a later resting frame reveals it.
    const found = rest && measure(rest, latest)
    if (rest === null || (found !== null && found.score >= found.threshold)) rest = latest
    return rest
  }

  const measure = ({ expression }: MeasuredSelfie, selfie: MeasuredSelfie | null) =>
    measureAction(action, expression, selfie?.expression ?? null)

  const shows = ({ expression, face }: MeasuredSelfie, selfie: MeasuredSelfie | null): boolean =>
    showsAction(action, expression, {
      selfie: selfie?.expression ?? null,
      mouth: memory.mouth,
      residual: selfie && measureFlatResidual(selfie.face.landmarks, face.landmarks),
    }) === true

  return {
    side: maxMeasuredSide,
    pictureSide: servicePictureSide,
    async look(raster, full, at): Promise<Look> {
      // The lids are measured for a blink, and to see whether a face is at rest.
      const withEyes = action === 'BLINK' || memory.selfie === null
      const seen = await lookAtFace(models, raster, full, { ...(await follow(raster)), withEyes })
      const { box, measured } = seen
      const hint = findHint(seen, full)
      const selfie = measured && getSelfie(measured)
      const found = measured && measure(measured, selfie)
      const isShown = measured !== null && found !== null && isClear(action, found) && shows(measured, selfie)
      const follows = action === 'BLINK' && found !== null && found.score >= closing
      if (hint !== null || !isShown) {
        // The action is over: take its best frame.
        const done = since !== null
        since = null
        const wanted = hint ?? (found === null ? 'LOOK_AHEAD' : adviseAction(action, found))
        return { seen: { hint: done ? 'GOOD' : wanted, progress: done ? 1 : 0, box }, worth: null, done, follows }
      }
      since ??= at
      const progress = Math.min(1, Math.max(0.1, (at - since) / window))
      if (progress === 1) since = null
      const worth = measureWorth(action, found, measured.sharpness)
      return { seen: { hint: 'GOOD', progress, box }, worth, done: progress === 1, follows: true }
    },
    async accept(raster, full) {
      const { persons, measured } = await lookAtFace(models, raster, full, await searchFace(models, raster))
      if (measured === null) return 'FIND_FACE'
      if (persons !== 1) return 'ONE_PERSON'
      const isShown = shows(measured, memory.selfie ?? rest)
      if (isShown && action === 'OPEN_MOUTH') memory.mouth = measured.expression
      return isShown ? null : action
    },
  }
}
