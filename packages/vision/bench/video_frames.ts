import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { deserialize, serialize } from 'node:v8'
import { createFollower, type FaceLook, lookAtFace, measureWorth, waiting } from '@attestor/capture-page/testing'
import type { LivenessAction } from '@attestor/rules'
import sharp from 'sharp'
import { z } from 'zod'
import type { Expression } from '../face/expression.ts'
import type { FaceModels } from '../face/face_models.ts'
import { measureAction, showsAction } from '../face/liveness.ts'
import { measureFlatResidual } from '../face/planarity.ts'
import type { MeasuredSelfie } from '../face/quality.ts'
import { maxMeasuredSide } from '../images/quality.ts'
import type { RgbImage } from '../images/raster.ts'
import { downsample } from '../images/raster.ts'

const labels = z.object({
  videos: z.array(
    z.object({
      file: z.string(),
      person: z.string(),
      kind: z.enum(['self-recorded', 'produced']),
      split: z.enum(['calibration', 'validation']),
    }),
  ),
})

/** A video of somebody, in a folder that `packages/vision/bench/pictures/collect.ts` filled. */
export type Video = z.infer<typeof labels>['videos'][number]

/** The videos of a folder, by their persons. At most so many of one. */
export function readVideos(folder: string, most = 2): ReadonlyMap<string, readonly Video[]> {
  const { videos } = labels.parse(JSON.parse(readFileSync(join(folder, 'labels.json'), 'utf8')))
  const people = Map.groupBy(videos, ({ person }) => person)
  return new Map([...people].map(([person, files]) => [person, files.slice(0, most)]))
}

/** So many looks a second, which a slow phone has, and so many seconds of a video. */
export const rate = 6
const mostSeconds = 6
/** The capture page's first quality. */
const quality = 92

/** A frame as the page would send it, and what the page sees in it. */
export interface Shot {
  readonly jpeg: Buffer
  readonly look: FaceLook
  /** Where it is among its person's frames. */
  readonly at: number
}

/** What a video shows, as `ffmpeg` reads it. */
async function decode(file: string, filters: readonly string[]): Promise<readonly RgbImage[]> {
  const all = [`fps=${rate}`, "scale=w='min(1280,iw)':h=-2", ...filters].join(',')
  const how = ['-nostdin', '-v', 'error', '-i', file, '-t', String(mostSeconds), '-vf', all]
  const reader = spawn('ffmpeg', [...how, '-f', 'image2pipe', '-c:v', 'bmp', '-'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const chunks: Buffer[] = []
  for await (const chunk of reader.stdout) chunks.push(chunk as Buffer)
  const bytes = Buffer.concat(chunks)
  const frames: RgbImage[] = []
  for (let from = 0; from < bytes.length; from += bytes.readUInt32LE(from + 2))
    frames.push(readBitmap(bytes.subarray(from)))
  return frames
}

/** A bitmap of 24 bits, whose rows go upwards, are blue first and fill up words. */
function readBitmap(bitmap: Buffer): RgbImage {
  const [start, width, height] = [bitmap.readUInt32LE(10), bitmap.readInt32LE(18), bitmap.readInt32LE(22)]
  const row = Math.ceil((3 * width) / 4) * 4
  const data = new Uint8Array(3 * width * height)
  for (let y = 0, to = 0; y < height; y++) {
    const from = start + (height - 1 - y) * row
    for (let x = 0; x < 3 * width; x += 3, to += 3) {
      data[to] = bitmap[from + x + 2] as number
      data[to + 1] = bitmap[from + x + 1] as number
      data[to + 2] = bitmap[from + x] as number
    }
  }
  return { data, width, height }
}

function encode({ data, width, height }: RgbImage): Promise<Buffer> {
  return sharp(data, { raw: { width, height, channels: 3 } })
    .jpeg({ quality })
    .toBuffer()
}

/** How a camera or its phone changes what it sees. */
export const treatments = { plain: [], smoothed: ['smartblur=lr=2:ls=0.9:lt=-12'] } as const

/** A video's frames, and what the page sees in them. They are kept in FOLDER/seen. */
export async function lookAt(
  models: FaceModels,
  folder: string,
  { file }: Video,
  treatment: keyof typeof treatments,
): Promise<readonly Omit<Shot, 'at'>[]> {
  const kept = join(folder, 'seen', `${file}-${treatment}`)
  if (existsSync(kept)) return deserialize(readFileSync(kept)) as Omit<Shot, 'at'>[]
  const follow = createFollower(models)
  const shots: Omit<Shot, 'at'>[] = []
  for (const frame of await decode(join(folder, file), treatments[treatment])) {
    const raster = downsample(frame, maxMeasuredSide)
    shots.push({ jpeg: await encode(frame), look: await lookAtFace(models, raster, frame, await follow(raster)) })
  }
  mkdirSync(join(folder, 'seen'), { recursive: true })
  writeFileSync(kept, serialize(shots))
  return shots
}

export function mirror(jpeg: Buffer): Promise<Buffer> {
  return sharp(jpeg).flop().jpeg({ quality }).toBuffer()
}

/** What the page would send for an action: of each time that the person shows it, the best frame. */
export function chooseFrames(
  shots: readonly Shot[],
  action: LivenessAction,
  selfie: MeasuredSelfie,
  mouth: Expression | null = null,
): readonly Shot[] {
  const { margin, window } = waiting[action]
  const chosen: { shot: Shot; worth: number; readonly since: number }[] = []
  let last = Number.NEGATIVE_INFINITY
  for (const shot of shots) {
    const { look, at } = shot
    const { measured } = look
    const found = measured && measureAction(action, measured.expression, selfie.expression)
    if (!measured || !found || found.score < found.threshold + margin) continue
    const residual = measureFlatResidual(selfie.face.landmarks, measured.face.landmarks)
    const beside = { selfie: selfie.expression, mouth, residual }
    if (showsAction(action, measured.expression, beside) !== true) continue
    const worth = measureWorth(action, found, measured.sharpness)
    const before = chosen.at(-1)
    const isSame = before && at === last + 1 && (at - before.since) * (1000 / rate) <= window
    last = at
    if (!isSame) chosen.push({ shot, worth, since: at })
    else if (worth > before.worth) Object.assign(before, { shot, worth })
  }
  return chosen.map(({ shot }) => shot)
}
