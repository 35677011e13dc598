import type { LivenessAction } from '@attestor/rules'
import { judgeLiveness } from '@attestor/rules/testing'
import sharp from 'sharp'
import type { PortraitPose } from '../../synthetic/portrait.ts'
import type { Case, Outcome } from './cases.ts'
import { takingOf } from './conditions.ts'
import type { Side } from './documents.ts'
import { look } from './engine.ts'
import { headOf, selfieOf } from './heads.ts'
import { photographSide } from './photo.ts'
import { type Chance, chance } from './random.ts'

/** Draws both turns and two of the other actions, as a service does by default, in a random order. */
function actionsOf(random: Chance): LivenessAction[] {
  const drawn = ['BLINK', 'OPEN_MOUTH', 'LOOK_UP'] as const
  const leftOut = random.pick(drawn)
  const actions: readonly LivenessAction[] = ['TURN_LEFT', 'TURN_RIGHT', ...drawn]
  return actions
    .filter(action => action !== leftOut)
    .map(action => ({ action, key: random.next() }))
    .sort((one, other) => one.key - other.key)
    .map(({ action }) => action)
}

/** Draws the pose of a willing person, who does not always go equally far. */
function poseOf(action: LivenessAction, random: Chance): PortraitPose {
  const poses: Readonly<Record<LivenessAction, PortraitPose>> = {
    TURN_LEFT: { turn: random.between(0.45, 0.6) },
    TURN_RIGHT: { turn: -random.between(0.45, 0.6) },
    BLINK: { blink: random.between(0.9, 1) },
    OPEN_MOUTH: { mouthOpen: random.between(0.7, 1) },
    LOOK_UP: { lookUp: random.between(0.5, 0.8) },
  }
  return poses[action]
}

/** Prints a selfie and holds it before the camera: turned as the action asks, flat or bent, filling the frame. */
async function flatFrame(print: Buffer, action: LivenessAction, seed: number): Promise<Buffer> {
  const random = chance(seed, `flat ${action}`)
  const side: Side = {
    width: 75,
    height: 100,
    corner: 0,
    zone: null,
    content: `<image width="75" height="100" href="data:image/png;base64,${(await sharp(print).png().toBuffer()).toString('base64')}"/>`,
  }
  const turned = { TURN_LEFT: -1, TURN_RIGHT: 1, BLINK: 0, OPEN_MOUTH: 0, LOOK_UP: 0 }[action]
  const how = {
    ...takingOf('typical', seed),
    pitch: random.between(15, 22),
    fill: random.between(0.95, 1.3),
    roll: random.between(-5, 5),
    swing: turned * random.between(20, 48),
    tip: action === 'LOOK_UP' ? random.between(15, 35) : random.between(-5, 5),
    bow: random.happens(0.5) ? random.between(0.05, 0.22) : 0,
  }
  return (await photographSide(side, how, seed)).photo
}

/** Encodes a frame again as a second upload of it would be: other bytes, the same picture. */
function again(frame: Buffer): Promise<Buffer> {
  return sharp(frame).jpeg({ quality: 82 }).toBuffer()
}

/** Makes the frames of a case for each that answers it: the person, and each attack. */
async function framesOf(one: Case, actions: readonly LivenessAction[], selfie: Buffer) {
  const take = (head: number, salt: number): Promise<Buffer[]> =>
    Promise.all(
      actions.map((action, n) => {
        const seed = one.seed * 8 + salt + n
        return selfieOf(headOf(head), poseOf(action, chance(seed, action)), { condition: one.condition, seed })
      }),
    )
  const genuine = await take(one.seed, 0)
  const [first = selfie] = genuine
  return {
    genuine,
    flat_photo: await Promise.all(actions.map(action => flatFrame(selfie, action, one.seed))),
    wrong_person: await take(one.seed + 1, 4),
    swapped: [...genuine.slice(1), first],
    replayed: await Promise.all(actions.map(() => again(first))),
  }
}

/** Measures one challenge, answered by the person and by four attackers. */
export async function measureLiveness(one: Case): Promise<Outcome> {
  const actions = actionsOf(chance(one.seed, 'challenge'))
  const selfie = await selfieOf(headOf(one.seed), {}, one)
  const checks: Record<string, boolean> = {}
  const seen: Record<string, unknown> = {}
  let cpu_ms = {}
  for (const [who, frames] of Object.entries(await framesOf(one, actions, selfie))) {
    const evidence = await look({
      transaction_type: 'BIOMETRIC_ONLY',
      selfie,
      challenge: { actions, frames, attempts: 1 },
    })
    const { section } = judgeLiveness(evidence.liveness, 1)
    checks[who] = section.status === 'PASSED'
    seen[who] = { status: section.status, ...section.data, engine: undefined }
    if (who !== 'genuine') continue
    cpu_ms = evidence.stages
    for (const { action, passed } of section.data.challenge) checks[`genuine_${action}`] = passed === true
  }
  return { ...one, checks, cpu_ms, detail: { actions, ...seen } }
}
