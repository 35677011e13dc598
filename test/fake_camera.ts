import { type FileHandle, mkdtemp, open, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser } from 'puppeteer-core'
import sharp from 'sharp'
import { fullChromiumPath, launchChromium } from './chromium.ts'

/** Chromium's fake camera plays the file's frames over and over, this many a second. */
const framesPerSecond = 30

/** The camera's own size in pixels; both even. A phone is held upright. */
export interface CameraSize {
  readonly width: number
  readonly height: number
}

export const phoneCamera: CameraSize = { width: 720, height: 960 }
export const deskCamera: CameraSize = { width: 1280, height: 720 }

/** RGB as Y, U and V (Rec. 601 in studio range), both colours at half the size each way. */
function toYuv420({ width, height }: CameraSize, rgb: Uint8Array): Buffer {
  const pixels = width * height
  const out = Buffer.alloc((pixels * 3) / 2)
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++) {
      const at = y * width + x
      const r = rgb[3 * at] ?? 0
      const g = rgb[3 * at + 1] ?? 0
      const b = rgb[3 * at + 2] ?? 0
      out[at] = 16.5 + 0.2568 * r + 0.5041 * g + 0.0979 * b
      if (x % 2 === 1 || y % 2 === 1) continue
      const colour = pixels + ((y >> 1) * width) / 2 + (x >> 1)
      out[colour] = 128.5 - 0.1482 * r - 0.291 * g + 0.4392 * b
      out[colour + pixels / 4] = 128.5 + 0.4392 * r - 0.3678 * g - 0.0714 * b
    }
  return out
}

async function toFrame(size: CameraSize, picture: Uint8Array): Promise<Buffer> {
  const fitted = sharp(picture)
    .autoOrient()
    .resize({ ...size, fit: 'cover' })
  return toYuv420(size, await fitted.flatten({ background: '#808080' }).toColourspace('srgb').raw().toBuffer())
}

/** A camera that films the pictures that a test gives it. */
export interface FakeCamera {
  readonly size: CameraSize
  readonly browser: Browser
  /**
   * Holds pictures before the camera, each for one thirtieth of a second, from the first again after the last: one, or as
   * many as its film has frames.
   */
  show(...pictures: readonly Uint8Array[]): Promise<void>
}

/**
 * Overwrites the file while it is played: Chromium reads a frame when it is due, and begins again where the file ends. A
 * file that is renamed over it would be seen only when the camera is opened again. The file's length never changes: a
 * camera that reads a part of a frame, because the file is just growing or shrinking, ends for good.
 */
function createShow(file: FileHandle, size: CameraSize, filmLength: number): FakeCamera['show'] {
  const frames = new Map<Uint8Array, Promise<Buffer>>()
  const frameOf = (picture: Uint8Array): Promise<Buffer> => {
    const made = frames.get(picture) ?? toFrame(size, picture)
    frames.set(picture, made)
    return made
  }
  const { width, height } = size
  const header = Buffer.from(`YUV4MPEG2 W${width} H${height} F${framesPerSecond}:1 Ip A1:1 C420jpeg\n`)
  return async (...pictures) => {
    if (pictures.length !== 1 && pictures.length !== filmLength) throw new Error(`the film has ${filmLength} frames`)
    const shown = await Promise.all(pictures.map(frameOf))
    const film = Array.from({ length: filmLength / shown.length }, () => shown).flat()
    const content = Buffer.concat([header, ...film.flatMap(frame => [Buffer.from('FRAME\n'), frame])])
    await file.write(content, 0, content.length, 0)
  }
}

/** Chromium's argument by which every page may use the camera. Without it a context's permissions decide. */
export const allowEveryPage = '--use-fake-ui-for-media-stream'

/**
 * Opens a browser with a fake camera, at first in front of a grey wall. Each picture is converted once. A film of many
 * frames shows movement.
 */
export async function openFakeCamera(
  t: { teardown(end: () => unknown): void },
  size: CameraSize = phoneCamera,
  args: readonly string[] = [allowEveryPage],
  filmLength = 1,
): Promise<FakeCamera> {
  const folder = await mkdtemp(join(tmpdir(), 'attestor-camera-'))
  const path = join(folder, 'camera.y4m')
  const file = await open(path, 'w+')
  const show = createShow(file, size, filmLength)
  await show(
    await sharp({ create: { ...size, channels: 3, background: '#777' } })
      .png()
      .toBuffer(),
  )
  const asks = !args.includes(allowEveryPage)
  const browser = await launchChromium(
    ['--use-fake-device-for-media-stream', `--use-file-for-fake-video-capture=${path}`, ...args],
    asks && fullChromiumPath !== null ? { executablePath: fullChromiumPath } : {},
  )
  t.teardown(async () => {
    await browser.close()
    await file.close()
    await rm(folder, { recursive: true })
  })
  return { size, browser, show }
}
