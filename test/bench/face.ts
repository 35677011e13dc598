/**
 * How faces and challenges are judged, on heads that belong to nobody: `node test/bench/face.ts [pairs|actions|quality|prints]
 * [COUNT [FIRST]]`. COUNT people from seed FIRST, or COUNT prints. `PICTURES=DIR` keeps the rendered pictures for the next
 * run. The thresholds of `src/analysis/local/face/thresholds.ts` were set by these; `npm run bench:analysis` measures
 * with heads and cameras of its own.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import sharp from 'sharp'
import { judgeLiveness } from '../../src/analysis/liveness_rules.ts'
import { localEngineName } from '../../src/analysis/local/engine_name.ts'
import { lookAtChallenge } from '../../src/analysis/local/face/challenge.ts'
import { faceDistance } from '../../src/analysis/local/face/embedding.ts'
import { showsAction } from '../../src/analysis/local/face/liveness.ts'
import { type FacePicture, lookAtFace } from '../../src/analysis/local/face/look.ts'
import { checkQuality } from '../../src/analysis/local/face/quality.ts'
import { faceThreshold } from '../../src/analysis/local/face/thresholds.ts'
import { loadModels } from '../../src/analysis/local/models.ts'
import type { LivenessAction } from '../../src/analysis/port.ts'
import { photographFace } from '../../src/synthetic/photo.ts'
import { type PortraitPose, person, renderPortrait } from '../../src/synthetic/portrait.ts'
import { type Random, seeded } from '../../src/synthetic/random.ts'
import { drawActions } from '../../src/transactions/challenge.ts'
import { covered, covers } from '../analysis/covered.ts'
import { type Print, photographPrint } from '../analysis/flat_photo.ts'
import { written } from './truth/intervals.ts'

const models = await loadModels()
const [part = 'pairs', count = '12', first = '1'] = process.argv.slice(2)
const folder = process.env.PICTURES
const seeds = Array.from({ length: Number(count) }, (_, i) => Number(first) + i)

/** Nobody holds quite still, looks quite ahead, or has the light of a studio. */
const restless = (random: Random): PortraitPose => ({
  turn: random.between(-0.12, 0.12),
  look_up: random.between(-0.12, 0.12),
  tilt: random.between(-0.15, 0.15),
  blink: random.between(0, 0.12),
  mouth_open: random.between(0, 0.06),
  light: { side: random.between(-0.7, 0.7), strength: random.between(0.7, 1.15) },
  head_width: random.between(0.42, 0.58),
  distance: random.between(2.6, 4),
})

const slight = (random: Random): number => random.between(-0.05, 0.05)

const poses: Readonly<Record<string, (random: Random) => PortraitPose>> = {
  selfie: () => ({}),
  second: () => ({}),
  portrait: random => ({
    distance: 8,
    head_width: 0.6,
    turn: slight(random),
    tilt: slight(random),
    look_up: slight(random),
  }),
  left: random => ({ turn: random.between(0.6, 0.95) }),
  right: random => ({ turn: -random.between(0.6, 0.95) }),
  blink: random => ({ blink: random.between(0.9, 1) }),
  mouth: random => ({ mouth_open: random.between(0.7, 1) }),
  up: random => ({ look_up: random.between(0.5, 0.9) }),
  neutral: () => ({}),
}

const kept = async (name: string, make: () => Promise<Buffer>): Promise<Buffer> => {
  if (folder === undefined) return make()
  mkdirSync(folder, { recursive: true })
  const file = join(folder, `${name}.jpg`)
  if (!existsSync(file)) writeFileSync(file, await make())
  return readFileSync(file)
}

const picture = (seed: number, kind: string): Promise<Buffer> =>
  kept(`${seed}_${kind}`, async () => {
    const k = Object.keys(poses).indexOf(kind)
    const random = seeded(seed * 100 + k)
    const pose = { ...restless(random), ...poses[kind]?.(random) }
    const size = kind === 'portrait' ? { width: 280, height: 360 } : { width: 480, height: 640 }
    return photographFace(await renderPortrait(person(seed), pose, size), seed * 100 + k)
  })

const look = async (seed: number, kind: string): Promise<FacePicture | null> =>
  lookAtFace(models, await picture(seed, kind))

const say = (line: string): void => console.log(line)

/** Distances of the pictures of two kinds: of the same people, and of others. */
const pairs = async (): Promise<void> => {
  const all = await Promise.all(
    ['selfie', 'second', 'portrait'].map(kind => Promise.all(seeds.map(s => look(s, kind)))),
  )
  const [selfies = [], seconds = [], portraits = []] = all
  const between = (one: FacePicture | null | undefined, other: FacePicture | null | undefined): number =>
    one && other ? faceDistance(one.template, other.template) : Number.NaN
  const same: number[] = []
  const others: number[] = []
  const apart: number[] = []
  seeds.forEach((_, i) => {
    seeds.forEach((__, j) => {
      const distance = between(selfies[i], portraits[j])
      if (i === j) same.push(distance, between(selfies[i], seconds[j]))
      else {
        others.push(distance)
        if (between(selfies[i], seconds[j]) > faceThreshold.reject_above) apart.push(distance)
      }
    })
  })
  const beyond = (list: readonly number[]): number => list.filter(d => !(d <= faceThreshold.accept_below)).length
  const within = (list: readonly number[]): number => list.filter(d => d <= faceThreshold.accept_below).length
  say(`false non-match, selfie against another selfie and a portrait: ${written(beyond(same), same.length)}`)
  say(`others within the limit, any two heads: ${written(within(others), others.length)}`)
  say(`the same of heads that one pair of selfies tells apart: ${written(within(apart), apart.length)}`)
}

const actions: Readonly<Record<LivenessAction, string>> = {
  TURN_LEFT: 'left',
  TURN_RIGHT: 'right',
  BLINK: 'blink',
  OPEN_MOUTH: 'mouth',
  LOOK_UP: 'up',
}

/** Which action each frame passes for: its own, a resting face for any, another action's. */
const measureActions = async (): Promise<void> => {
  const table = new Map<string, Map<string, number>>()
  for (const seed of seeds) {
    const selfie = await look(seed, 'selfie')
    for (const kind of ['neutral', 'second', ...Object.values(actions)]) {
      const frame = await look(seed, kind)
      const row = table.get(kind) ?? new Map<string, number>()
      table.set(kind, row)
      row.set('frames', (row.get('frames') ?? 0) + 1)
      for (const action of Object.keys(actions) as LivenessAction[])
        if (frame && showsAction(action, frame.expression, selfie?.expression ?? null))
          row.set(action, (row.get(action) ?? 0) + 1)
    }
  }
  for (const [kind, row] of table) {
    const passes = (Object.keys(actions) as LivenessAction[]).map(
      action => `${action} ${written(row.get(action) ?? 0, row.get('frames') ?? 0)}`,
    )
    say(`${kind.padEnd(8)} passes for ${passes.join(', ')}`)
  }
}

/** Which faults are found in plain selfies, and in covered and shut-eyed ones. */
const measureQuality = async (): Promise<void> => {
  const tell = async (name: string, take: (seed: number) => Promise<Buffer>): Promise<void> => {
    const faults: Record<string, number> = {}
    let unusable = 0
    for (const seed of seeds) {
      const seen = await lookAtFace(models, await take(seed))
      const failed = seen ? checkQuality({ ...seen, width: seen.face.width }).filter(({ passed }) => !passed) : null
      if (seen && seen.persons > 1) faults.several = (faults.several ?? 0) + 1
      if (failed === null || failed.length > 0) unusable++
      for (const { name: fault } of failed ?? [{ name: 'no face' }]) faults[fault] = (faults[fault] ?? 0) + 1
    }
    say(`${name.padEnd(13)} not usable ${written(unusable, seeds.length)} ${JSON.stringify(faults)}`)
  }
  for (const kind of ['selfie', 'second', 'neutral', 'blink', 'up', 'left'])
    await tell(kind, seed => picture(seed, kind))
  for (const cover of covers) await tell(cover, async seed => covered(await picture(seed, 'selfie'), cover, seed))
  await tell('two people', async seed => {
    const right = { input: await picture(seed + 1, 'selfie'), left: 480, top: 0 }
    const both = sharp(await picture(seed, 'selfie')).extend({ right: 480 })
    return sharp(await both.png().toBuffer())
      .composite([right])
      .jpeg()
      .toBuffer()
  })
}

/** Half of the prints are cut to the face, which bends it more. */
const printOf = async (seed: number, tight: boolean): Promise<Buffer> => {
  const selfie = await picture(1 + ((seed * 7) % 60), 'selfie')
  const face = tight ? await lookAtFace(models, selfie) : null
  if (!face) return selfie
  const [xs, ys] = [0, 1].map(axis => face.face.landmarks.points.map(point => point[axis as 0 | 1])) as [
    number[],
    number[],
  ]
  const width = Math.round((Math.max(...xs) - Math.min(...xs)) * 1.25)
  const height = Math.min(640, Math.round((width * 4) / 3))
  const left = Math.max(0, Math.min(480 - width, Math.round((Math.max(...xs) + Math.min(...xs) - width) / 2)))
  const top = Math.max(0, Math.min(640 - height, Math.round((Math.max(...ys) + Math.min(...ys) - height) / 2)))
  return sharp(selfie).extract({ left, top, width, height }).toBuffer()
}

const shapes: Readonly<Record<string, (random: Random) => Omit<Print, 'yaw'>>> = {
  flat: () => ({}),
  bent: random => ({ arc: random.between(40, 200) }),
  hollow: random => ({ arc: -random.between(30, 120) }),
  folded: random => ({ fold: random.between(12, 60) }),
}

/** Of a challenge of three actions as the service draws it, the one that is no turn. */
const drawnExpression = (): LivenessAction => drawActions(3).find(action => !action.startsWith('TURN')) ?? 'BLINK'

/** Prints that answer a challenge: turned both ways, and tipped for what they can't do, which narrows eyes and mouth. */
const measurePrints = async (): Promise<void> => {
  const tally: Record<string, Record<string, number>> = {}
  for (const seed of seeds) {
    const random = seeded(seed * 13 + 5)
    const shape = Object.keys(shapes)[seed % 4] ?? 'flat'
    const print = await printOf(seed, random.next() < 0.5)
    const pose = { pitch: random.between(-8, 8), roll: random.between(-8, 8), distance: random.between(1.1, 3) }
    const how = { ...pose, ...shapes[shape]?.(random) }
    const yaw = random.between(18, shape === 'flat' ? 75 : 55)
    const hold = async (n: number, turned: Partial<Print>): Promise<Buffer> =>
      photographFace(await photographPrint(print, { ...how, yaw: 0, ...turned }), seed * 3 + n)
    const tip = { pitch: random.between(15, 60) * (random.next() < 0.5 ? 1 : -1) }
    const frames = [await hold(0, { yaw: -yaw }), await hold(1, { yaw }), await hold(2, tip)]
    const actions: readonly LivenessAction[] = ['TURN_LEFT', 'TURN_RIGHT', drawnExpression()]
    const challenge = { actions, frames, attempts: 1 }
    const selfie = await look(1 + ((seed * 7) % 60), 'selfie')
    const seen = await lookAtChallenge(models, localEngineName, challenge, selfie)
    const row = tally[shape] ?? { prints: 0, turned: 0, solid: 0, expressed: 0, rejected: 0, open: 0, PASSED: 0 }
    tally[shape] = row
    const add = (name: string): void => {
      row[name] = (row[name] ?? 0) + 1
    }
    add('prints')
    const turned = seen.challenge.slice(0, 2).every(({ passed }) => passed === true)
    if (turned) add('turned')
    if (seen.challenge[2]?.passed === true) add('expressed')
    if (turned && [seen.planarity, seen.relief].every(one => one && one.score >= one.threshold)) add('solid')
    add(
      { REJECTED: 'rejected', UNDETERMINED: 'open', NOT_EXECUTED: 'open', PASSED: 'PASSED' }[
        judgeLiveness(seen, 1).section.status
      ],
    )
  }
  const rows = Object.values(tally)
  const sum = (name: string): number => rows.reduce((total, row) => total + (row[name] ?? 0), 0)
  for (const [shape, row] of Object.entries(tally)) say(`${shape.padEnd(7)} ${JSON.stringify(row)}`)
  say(`liveness passed by a print: ${written(sum('PASSED'), sum('prints'))}`)
}

const parts: Readonly<Record<string, () => Promise<void>>> = {
  pairs,
  actions: measureActions,
  quality: measureQuality,
  prints: measurePrints,
}
await (parts[part] ?? pairs)()
