import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { deserialize, serialize } from 'node:v8'
import {
  createFollower,
  type FaceLook,
  isClear,
  lookAtFace,
  measureWorth,
  waiting,
} from '@attestor/capture-page/testing'
import type { LivenessAction } from '@attestor/rules'
import sharp from 'sharp'
import { z } from 'zod'
import type { Expression } from '../face/expression.ts'
import type { FaceModels } from '../face/face_models.ts'
import { measureAction, showsAction } from '../face/liveness.ts'
import { measureFlatResidual } from '../face/planarity.ts'
import type { MeasuredSelfie } from '../face/quality.ts'
import { maxMeasuredSide } from '../images/picture_quality.ts'
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

/** Reads the videos of a folder, by their persons. */
export function readVideos(folder: string): ReadonlyMap<string, readonly Video[]> {
  const { videos } = labels.parse(JSON.parse(readFileSync(join(folder, 'labels.json'), 'utf8')))
  return Map.groupBy(videos, ({ person }) => person)
}

/** Number of looks a second, as a slow phone has, and the length of a video that is used, in seconds. */
export const rate = 6
const mostSeconds = 6
/** The search for the seconds in which the head turns most: it looks this often a second, and no further than this. */
const search = { rate: 2, seconds: 60 } as const

/** A frame as the page would send it, and the page's findings in it. */
export interface Shot {
  readonly jpeg: Buffer
  readonly look: FaceLook
  /** Index of the frame among its person's. */
  readonly at: number
}

/** The seconds of a video that are read, and the frames a second. */
interface Span {
  readonly from: number
  readonly seconds: number
  readonly rate: number
}

/** Decodes the frames of a video by `ffmpeg`. Damaged frames are left out. */
async function decode(file: string, span: Span, filters: readonly string[]): Promise<readonly RgbImage[]> {
  const all = [`fps=${span.rate}`, ...filters].join(',')
  const at = ['-ss', String(span.from), '-err_detect', 'explode', '-i', file, '-t', String(span.seconds)]
  const how = ['-nostdin', '-v', 'fatal', ...at, '-vf', all]
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

/** Reads a bitmap of 24 bits: its rows go upwards, begin with blue and are padded to words. */
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

function encode({ data, width, height }: RgbImage, quality: number): Promise<Buffer> {
  return sharp(data, { raw: { width, height, channels: 3 } })
    .jpeg({ quality })
    .toBuffer()
}

/** The way of frames to the service. */
interface Treatment {
  readonly filters: readonly string[]
  /** Quality of the JPEG, 1 to 100. */
  readonly quality: number
  /** Whether the capture page chooses the frame, or an app sends the first one that the upload's answer takes. */
  readonly isChosen: boolean
}

/** The capture page's first quality. */
const pageQuality = 92
const asRecorded = "scale=w='min(1280,iw)':h=-2"

/**
 * A front camera's smoothing takes noise and pores from even skin and keeps edges: a bilateral filter does so, over
 * some three pixels and a tenth of the brightness.
 */
const smoothing = 'bilateral=sigmaS=3:sigmaR=0.1:planes=7'

export const treatments = {
  plain: { filters: [asRecorded], quality: pageQuality, isChosen: true },
  smoothed: { filters: [asRecorded, smoothing], quality: pageQuality, isChosen: true },
  '720p': { filters: ['scale=-2:720'], quality: pageQuality, isChosen: true },
  '1080p': { filters: ['scale=-2:1080'], quality: pageQuality, isChosen: true },
  '1080p-smoothed': { filters: ['scale=-2:1080', smoothing], quality: pageQuality, isChosen: true },
  app: { filters: ['scale=-2:1080'], quality: 75, isChosen: false },
} as const satisfies Readonly<Record<string, Treatment>>

/** One of `treatments`. */
export type TreatmentName = keyof typeof treatments

/** The second from which on a video's head turns most, and the way of its yaw there from one side to the other. */
export interface Movement {
  readonly from: number
  readonly turned: number
}

/** Returns the value that is kept in a file, or finds and keeps it. */
async function keep<Value>(file: string, find: () => Promise<Value>): Promise<Value> {
  if (existsSync(file)) return deserialize(readFileSync(file)) as Value
  const value = await find()
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, serialize(value))
  return value
}

/** Finds the seconds of a video in which the head turns most. They are kept in FOLDER/seen. */
export function findMovement(models: FaceModels, folder: string, { file }: Video): Promise<Movement> {
  return keep(join(folder, 'seen', `${file}-movement`), async () => {
    const follow = createFollower(models)
    const yaws: (number | null)[] = []
    const span = { from: 0, seconds: search.seconds, rate: search.rate }
    for (const frame of await decode(join(folder, file), span, ["scale=w='min(640,iw)':h=-2"])) {
      const look = await lookAtFace(models, frame, frame, { ...(await follow(frame)), withEyes: false })
      yaws.push(look.persons === 1 && look.measured ? look.measured.expression.yaw : null)
    }
    const long = mostSeconds * search.rate
    let best: Movement = { from: 0, turned: 0 }
    for (let n = 0; n <= Math.max(0, yaws.length - long); n++) {
      const seen = yaws.slice(n, n + long).filter(yaw => yaw !== null)
      const turned = seen.length === 0 ? 0 : Math.max(...seen) - Math.min(...seen)
      if (turned > best.turned) best = { from: n / search.rate, turned }
    }
    return best
  })
}

/** Returns a video's frames, and the page's findings in them. They are kept in FOLDER/seen. */
export function lookAt(
  models: FaceModels,
  folder: string,
  { file }: Video,
  { from, name }: { readonly from: number; readonly name: TreatmentName },
): Promise<readonly Omit<Shot, 'at'>[]> {
  return keep(join(folder, 'seen', `${file}-${from}-${name}`), async () => {
    const { filters, quality } = treatments[name]
    const follow = createFollower(models)
    const shots: Omit<Shot, 'at'>[] = []
    for (const frame of await decode(join(folder, file), { from, seconds: mostSeconds, rate }, filters)) {
      const raster = downsample(frame, maxMeasuredSide)
      const look = await lookAtFace(models, raster, frame, await follow(raster))
      shots.push({ jpeg: await encode(frame, quality), look })
    }
    return shots
  })
}

export function mirror(jpeg: Buffer): Promise<Buffer> {
  return sharp(jpeg).flop().jpeg({ quality: pageQuality }).toBuffer()
}

/**
 * Returns the frames that would be sent for an action: for each time that the person shows it, the frame that the page
 * chooses, or the first one that shows it.
 */
export function chooseFrames(
  shots: readonly Shot[],
  action: LivenessAction,
  {
    selfie,
    mouth,
    isChosen,
  }: { readonly selfie: MeasuredSelfie; readonly mouth: Expression | null; readonly isChosen: boolean },
): readonly Shot[] {
  const window = isChosen ? waiting[action].window : 0
  const chosen: { shot: Shot; worth: number; readonly since: number }[] = []
  let last = Number.NEGATIVE_INFINITY
  for (const shot of shots) {
    const { look, at } = shot
    const { measured } = look
    const found = measured && measureAction(action, measured.expression, selfie.expression)
    if (!measured || !found || (isChosen ? !isClear(action, found) : found.score < found.threshold)) continue
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
