import type { RgbImage } from '@attestor/vision/guidance'
import { encodeWithin, fitInside, isWithin } from '../picture_size.ts'
import type { Goal, Hint, PictureLimits } from './guide.ts'
import type { Request, Response, Responses } from './messages.ts'
import type { Look, Watch } from './watch.ts'

function dropAlpha(rgba: Uint8ClampedArray): Uint8Array {
  const rgb = new Uint8Array((rgba.length / 4) * 3)
  for (let from = 0, to = 0; from < rgba.length; from += 4, to += 3) {
    rgb[to] = rgba[from] ?? 0
    rgb[to + 1] = rgba[from + 1] ?? 0
    rgb[to + 2] = rgba[from + 2] ?? 0
  }
  return rgb
}

/** Reads the pixels of bitmaps, shrunk to a longer side of this many pixels. One canvas serves all. */
export function createReader(): (bitmap: ImageBitmap, side: number) => RgbImage {
  const canvas = new OffscreenCanvas(1, 1)
  const context = canvas.getContext('2d', { alpha: false, willReadFrequently: true })
  if (context === null) throw new Error('no canvas')
  return (bitmap, side) => {
    const { width, height } = fitInside(bitmap, side)
    if (canvas.width !== width || canvas.height !== height) Object.assign(canvas, { width, height })
    context.imageSmoothingQuality = 'high'
    context.drawImage(bitmap, 0, 0, width, height)
    return { data: dropAlpha(context.getImageData(0, 0, width, height).data), width, height }
  }
}

/** A bitmap as JPEG, off the page's thread. */
function encodeBitmap(bitmap: ImageBitmap, limits: PictureLimits): Promise<Blob> {
  return encodeWithin(bitmap, limits, ({ width, height }, quality) => {
    const canvas = new OffscreenCanvas(width, height)
    const context = canvas.getContext('2d', { alpha: false })
    if (context === null) throw new Error('no canvas')
    context.imageSmoothingQuality = 'high'
    context.drawImage(bitmap, 0, 0, width, height)
    return canvas.convertToBlob({ type: 'image/jpeg', quality })
  })
}

/** The subject of a worker, and its way to look at it. */
export interface Subject {
  /** Loads the subject's models. */
  open(): Promise<void>
  createWatch(goal: Goal): Watch
}

/** Answers a page's requests, for one subject. */
function createServer(subject: Subject) {
  const read = createReader()
  let limits: PictureLimits = { max_bytes: 0, max_megapixels: 0 }
  let watch: Watch | null = null
  let best: { readonly frame: ImageBitmap; readonly worth: number } | null = null

  const forget = (): void => {
    best?.frame.close()
    best = null
  }

  /** Keeps the better one of a frame and the best so far, and closes the other. */
  const keepBest = (frame: ImageBitmap, { worth, done }: Look): void => {
    if (worth === null ? !done : worth > (best?.worth ?? Number.NEGATIVE_INFINITY)) forget()
    if (worth === null || best !== null) frame.close()
    else best = { frame, worth }
  }

  /** Returns the picture, if it is still good enough when it is decoded again; otherwise advice. */
  const judge = async (picture: Blob, { accept, pictureSide }: Watch): Promise<Blob | Hint> => {
    const bitmap = await createImageBitmap(picture)
    try {
      const hint = await accept(read(bitmap, pictureSide), bitmap)
      if (hint !== null) return hint
      return isWithin(picture, bitmap, limits) && picture.type === 'image/jpeg'
        ? picture
        : await encodeBitmap(bitmap, limits)
    } finally {
      bitmap.close()
    }
  }

  /** A photo that the browser can't decode counts as none. */
  const judgePhoto = (photo: Blob, judging: Watch): Promise<Blob | Hint | null> =>
    judge(photo, judging).catch(() => null)

  const answer: { [Type in Request['type']]: (request: Extract<Request, { type: Type }>) => Promise<Responses[Type]> } =
    {
      async open(request) {
        limits = request.limits
        await subject.open()
        return null
      },
      async watch({ goal }) {
        forget()
        watch = subject.createWatch(goal)
        return null
      },
      async look({ frame, at }) {
        if (watch === null) throw new Error('no goal')
        const look = await watch.look(read(frame, watch.side), frame, at)
        keepBest(frame, look)
        return { seen: look.seen, done: look.done, follows: look.follows === true }
      },
      async finish({ photo }) {
        if (watch === null || best === null) throw new Error('nothing to finish')
        const taken = photo && (await judgePhoto(photo, watch))
        const picture = taken instanceof Blob ? taken : await judge(await encodeBitmap(best.frame, limits), watch)
        forget()
        return picture
      },
      async take({ frame }) {
        const picture = await encodeBitmap(frame, limits)
        await watch?.accept(read(frame, watch.pictureSide), frame)
        frame.close()
        return picture
      },
    }
  return (request: Request): Promise<Responses[Request['type']]> =>
    (answer[request.type] as (one: Request) => Promise<Responses[Request['type']]>)(request)
}

/** Serves a page from its worker. */
export function serve(subject: Subject): void {
  const answer = createServer(subject)
  addEventListener('message', async ({ data }: MessageEvent<Request>) => {
    let response: Response
    try {
      response = { value: await answer(data) }
    } catch (error) {
      response = { error: String(error) }
    }
    postMessage(response)
  })
}
