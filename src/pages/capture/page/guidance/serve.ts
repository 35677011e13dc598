import { isWithin } from '../picture_size.ts'
import type { Goal, PictureLimits } from './guide.ts'
import type { Request, Response, Responses } from './messages.ts'
import { createReader, encodeBitmap } from './picture.ts'
import type { Look, Watch } from './watch.ts'

/** What a worker looks at, and how. */
export interface Subject {
  /** Loads what is needed. */
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

  /** The picture, if it is still good enough when it is decoded again; otherwise null. */
  const judge = async (picture: Blob): Promise<Blob | null> => {
    const bitmap = await createImageBitmap(picture)
    try {
      const isGood = (await watch?.accept(read(bitmap, watch.pictureSide), bitmap)) === true
      if (!isGood) return null
      return isWithin(picture, bitmap, limits) && picture.type === 'image/jpeg'
        ? picture
        : await encodeBitmap(bitmap, limits)
    } finally {
      bitmap.close()
    }
  }

  /** A photo that the browser can't decode counts as none. */
  const judgePhoto = (photo: Blob): Promise<Blob | null> => judge(photo).catch(() => null)

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
        const taken = photo && (await judgePhoto(photo))
        const picture = taken ?? (best && (await judge(await encodeBitmap(best.frame, limits))))
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
