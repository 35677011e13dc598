/**
 * Uploads the frames of an earlier transaction a second time: `node packages/vision/bench/replays.ts [HEADS [FIRST]]`.
 * A session's four frames are kept as fingerprints, then re-encoded in each of these ways, and taken again: on another
 * day, and by somebody who sits where they sat, in the same light. Prints the number of sessions that are recognised,
 * and of those in which at least one frame is found, by its code, as that of another customer's transaction.
 */

import type { LivenessAction, ReplayFingerprint } from '@attestor/rules'
import sharp from 'sharp'
import { written } from '../../../src/cli/intervals.ts'
import { localEngineName } from '../engine_name.ts'
import { createLivenessFindings, type Frame } from '../face/challenge_response.ts'
import { readFace } from '../face/read_face.ts'
import { loadModels } from '../models.ts'
import type { PortraitPose } from '../synthetic/portrait.ts'
import { type PictureKind, picture } from './drawn_faces.ts'
import { searchPicture } from './picture_search.ts'

const models = await loadModels()
const [heads = 20, first = 4001] = process.argv.slice(2).map(Number)
const kinds = { TURN_LEFT: 'left', TURN_RIGHT: 'right', BLINK: 'blink', OPEN_MOUTH: 'mouth' } as const

/** Nobody turns twice by the same angle. */
const turned: Readonly<Partial<Record<PictureKind, PortraitPose>>> = {
  left: { turn: 0.75 },
  right: { turn: -0.75 },
  blink: { turn: 0.03 },
  mouth: { turn: -0.03 },
}

type Change = (frame: Buffer) => Promise<Buffer>

const grained: Change = async frame => {
  const { width, height } = await sharp(frame).metadata()
  const noise = { type: 'gaussian', mean: 128, sigma: 12 } as const
  const grain = sharp({ create: { width, height, channels: 3, noise, background: '#808080' } })
  const input = await grain.png().toBuffer()
  return sharp(frame)
    .composite([{ input, blend: 'soft-light' }])
    .jpeg()
    .toBuffer()
}

const changes: Readonly<Record<string, Change>> = {
  're-encoded': frame => sharp(frame).jpeg({ quality: 85 }).toBuffer(),
  'encoded badly': frame => sharp(frame).jpeg({ quality: 50 }).toBuffer(),
  'half the size': frame => sharp(frame).resize(240).jpeg().toBuffer(),
  brighter: frame => sharp(frame).modulate({ brightness: 1.2 }).jpeg().toBuffer(),
  blurred: frame => sharp(frame).blur(1.2).jpeg().toBuffer(),
  grained,
  'turned by 4°': frame => sharp(frame).rotate(4, { background: '#888' }).jpeg().toBuffer(),
  'cut off by 4 %': frame => sharp(frame).extract({ left: 20, top: 25, width: 440, height: 587 }).jpeg().toBuffer(),
  'stretched by 4 %': frame => sharp(frame).resize(500, 640, { fit: 'fill' }).jpeg().toBuffer(),
}

async function session(take: (kind: PictureKind) => Promise<Buffer>, earlier: readonly ReplayFingerprint[] = []) {
  const frames: Frame[] = []
  for (const [action, kind] of Object.entries(kinds))
    frames.push({ action: action as LivenessAction, picture: await readFace(models, await take(kind)) })
  return createLivenessFindings(
    { engine: localEngineName, limits: models.embedding.model.limits },
    { frames, selfie: null },
    earlier,
  )
}

const scores = new Map<string, number[]>()
const found = new Map<string, number>()
let threshold = 0
for (let seed = first; seed < first + heads; seed++) {
  const { fingerprints = [] } = await session(kind => picture(seed, kind))
  const sameSeat: PortraitPose = { tilt: 0.05, lookUp: 0.04 }
  const light = { side: seed % 2 === 0 ? 0.5 : -0.5, strength: 0.9 }
  const anotherDay: PortraitPose = { light, tilt: -0.1, lookUp: 0.08 }
  const takes = {
    ...Object.fromEntries(
      Object.entries(changes).map(([name, change]) => [
        name,
        async (kind: PictureKind) => change(await picture(seed, kind)),
      ]),
    ),
    'another day': (kind: PictureKind) =>
      picture(seed, kind, { name: '_another_day', pose: { ...anotherDay, ...turned[kind] } }),
    'the same seat': (kind: PictureKind) =>
      picture(seed, kind, { name: '_same_seat', pose: { ...sameSeat, ...turned[kind] } }),
  }
  for (const [name, take] of Object.entries(takes)) {
    const { seen_before, fingerprints: taken = [] } = await session(take, fingerprints)
    const isAny = taken.some(one => fingerprints.some(other => searchPicture(one, other).isFound))
    found.set(name, (found.get(name) ?? 0) + (isAny ? 1 : 0))
    threshold = seen_before?.threshold ?? threshold
    scores.set(name, [...(scores.get(name) ?? []), seen_before?.score ?? Number.NaN])
  }
}

console.log(`known again below ${threshold}`)
for (const [name, list] of scores) {
  const sorted = list.toSorted((one, other) => one - other)
  const known = written(sorted.filter(score => score < threshold).length, sorted.length)
  console.log(
    `${name.padEnd(17)} ${known}; nearest ${sorted[0]?.toFixed(4)}, farthest ${sorted.at(-1)?.toFixed(4)}; found ${found.get(name)}`,
  )
}
