/**
 * Measures the judgement of faces and actions, on heads that belong to nobody: `node packages/vision/bench/face.ts
 * [pairs|actions|quality|faults] [COUNT [FIRST]]`, COUNT people from seed FIRST. `PICTURES=DIR` keeps the rendered
 * pictures for the next run. The thresholds of `packages/vision/face/thresholds.ts` were set by seeds below 1,000; `npm
 * run bench:analysis` measures with heads and cameras of its own.
 */

import type { LivenessAction } from '@attestor/rules'
import type { SelfieFault } from '@attestor/rules/testing'
import sharp from 'sharp'
import { written } from '../../../src/cli/intervals.ts'
import { getFaceLimits } from '../face/comparison.ts'
import { measureFaceDistance } from '../face/embedding.ts'
import { showsAction } from '../face/liveness.ts'
import { checkQuality } from '../face/quality.ts'
import { type ComparedFace, readFace } from '../face/read_face.ts'
import { loadModels } from '../models.ts'
import type { PortraitPose } from '../synthetic/portrait.ts'
import { covered, covers } from '../test/covered.ts'
import { type PictureKind, picture } from './drawn_faces.ts'
import { tradeOff } from './truth/trade_off.ts'

const models = await loadModels()
const limits = getFaceLimits(models.embedding.model, '0.001')
const [part = 'pairs', count = '12', first = '1'] = process.argv.slice(2)
const seeds = Array.from({ length: Number(count) }, (_, i) => Number(first) + i)

async function look(seed: number, kind: PictureKind): Promise<ComparedFace | null> {
  return readFace(models, await picture(seed, kind))
}

function say(line: string): void {
  console.log(line)
}

/** Prints the distances of the pictures of two kinds: of the same people, and of others. */
async function pairs(): Promise<void> {
  const all = await Promise.all(
    (['selfie', 'second', 'portrait'] as const).map(kind => Promise.all(seeds.map(s => look(s, kind)))),
  )
  const [selfies = [], seconds = [], portraits = []] = all
  const between = (one: ComparedFace | null | undefined, other: ComparedFace | null | undefined): number =>
    one && other ? measureFaceDistance(one.template, other.template) : Number.NaN
  const same: number[] = []
  const others: number[] = []
  const apart: number[] = []
  seeds.forEach((_, i) => {
    seeds.forEach((__, j) => {
      const distance = between(selfies[i], portraits[j])
      if (i === j) same.push(distance, between(selfies[i], seconds[j]))
      else {
        others.push(distance)
        if (between(selfies[i], seconds[j]) > limits.reject_above) apart.push(distance)
      }
    })
  })
  const beyond = (list: readonly number[]): number => list.filter(d => !(d <= limits.accept_below)).length
  const within = (list: readonly number[]): number => list.filter(d => d <= limits.accept_below).length
  say(`false non-match, selfie against another selfie and a portrait: ${written(beyond(same), same.length)}`)
  say(`others within the limit, any two heads: ${written(within(others), others.length)}`)
  say(tradeOff(new Map([['', { same, other: others }]])))
  say(`the same of heads that one pair of selfies distinguishes: ${written(within(apart), apart.length)}`)
}

const actions: Readonly<Record<LivenessAction, PictureKind>> = {
  TURN_LEFT: 'left',
  TURN_RIGHT: 'right',
  BLINK: 'blink',
  OPEN_MOUTH: 'mouth',
  LOOK_UP: 'up',
}

/** Counts the actions that each frame passes for: its own, a resting face for any, another action's. */
async function measureActions(): Promise<void> {
  const table = new Map<string, Map<string, number>>()
  for (const seed of seeds) {
    const selfie = await look(seed, 'selfie')
    for (const kind of ['neutral', 'second', ...Object.values(actions)] as const) {
      const frame = await look(seed, kind)
      const row = table.get(kind) ?? new Map<string, number>()
      table.set(kind, row)
      row.set('frames', (row.get('frames') ?? 0) + 1)
      for (const action of Object.keys(actions) as LivenessAction[])
        if (frame && showsAction(action, frame.expression, { selfie: selfie?.expression ?? null }))
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

/** Counts the faults that are found in plain selfies, and in covered and shut-eyed ones. */
async function measureQuality(): Promise<void> {
  const measure = async (name: string, take: (seed: number) => Promise<Buffer>): Promise<void> => {
    const faults: Record<string, number> = {}
    let unusable = 0
    for (const seed of seeds) {
      const seen = await readFace(models, await take(seed))
      const failed = seen ? checkQuality(seen).filter(({ passed }) => !passed) : null
      if (seen && seen.persons > 1) faults.several = (faults.several ?? 0) + 1
      if (failed === null || failed.length > 0) unusable++
      for (const { name: fault } of failed ?? [{ name: 'no face' }]) faults[fault] = (faults[fault] ?? 0) + 1
    }
    say(`${name.padEnd(13)} not usable ${written(unusable, seeds.length)} ${JSON.stringify(faults)}`)
  }
  for (const kind of ['selfie', 'second', 'neutral', 'blink', 'up', 'left'] as const)
    await measure(kind, seed => picture(seed, kind))
  for (const cover of covers) await measure(cover, async seed => covered(await picture(seed, 'selfie'), cover, seed))
  await measure('two people', async seed => {
    const right = { input: await picture(seed + 1, 'selfie'), left: 480, top: 0 }
    const both = sharp(await picture(seed, 'selfie')).extend({ right: 480 })
    return sharp(await both.png().toBuffer())
      .composite([right])
      .jpeg()
      .toBuffer()
  })
}

const sizes = { small: 0.26, middle: 0.45, large: 0.66 }
const lights = {
  dim: { strength: 0.5, side: 0.2 },
  even: { strength: 1, side: -0.1 },
  bright: { strength: 1.35, side: 0.1 },
  side: { strength: 0.9, side: 0.9 },
}
/** The fault of a selfie, and the reason that should be given for it; null for none. */
const wrongs = {
  nothing: [{}, null],
  'eyes shut': [{ blink: 1 }, 'EYES_CLOSED'],
  'turned left': [{ turn: 0.9 }, 'TURNED_AWAY'],
  'turned right': [{ turn: -0.9 }, 'TURNED_AWAY'],
  'looks up': [{ lookUp: 1 }, 'TURNED_AWAY'],
  'too small': [{ headWidth: 0.12 }, 'TOO_SMALL'],
} as const satisfies Readonly<Record<string, readonly [PortraitPose, SelfieFault | null]>>

/** Returns the reasons for which a selfie is not usable; null if it shows no face. */
async function reasonsOf(image: Buffer): Promise<readonly string[] | null> {
  const seen = await readFace(models, image)
  return seen && checkQuality(seen).flatMap(({ passed, reason }) => (passed ? [] : reason))
}

const places = Object.entries(lights).flatMap(([lightName, light]) =>
  Object.entries(sizes).map(([sizeName, headWidth]) => ({
    name: `${lightName}_${sizeName}`,
    pose: { light, headWidth } satisfies PortraitPose,
  })),
)

/**
 * Counts for each fault, in each light and size, the selfies to which its own reason was given, and for sound ones
 * those to which none was.
 */
async function measureFaults(): Promise<void> {
  for (const [wrong, [held, expected]] of Object.entries(wrongs)) {
    const missed: string[] = []
    const cases = places.flatMap(place => seeds.map(seed => ({ seed, place })))
    for (const { seed, place } of cases) {
      const { name, pose } = place
      const image = await picture(seed, 'selfie', { name: `_${wrong}_${name}`, pose: { ...pose, ...held } })
      const reasons = await reasonsOf(image)
      const isRight = expected === null ? reasons?.length === 0 : (reasons?.includes(expected) ?? true)
      if (!isRight) missed.push(`${seed} ${name} ${reasons}`)
    }
    const share = written(cases.length - missed.length, cases.length)
    say(`${wrong.padEnd(12)} ${expected ?? 'usable'} ${share} ${missed.join('; ')}`)
  }
}

const parts: Readonly<Record<string, () => Promise<void>>> = {
  pairs,
  actions: measureActions,
  quality: measureQuality,
  faults: measureFaults,
}
await (parts[part] ?? pairs)()
