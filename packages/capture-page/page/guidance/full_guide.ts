import type { Goal, Guide, GuideSubject, Hint, PictureLimits } from './guide.ts'
import type { Request, Response, Responses } from './messages.ts'
import { openPlainGuide } from './plain_guide.ts'
import { createGrabber, keepFrames, takeFrames, takePhoto } from './video.ts'

/** Longest start of the worker, with the models that it loads, and longest look at a frame. In milliseconds. */
const maxStartMs: Readonly<Record<GuideSubject, number>> = { document: 10_000, face: 40_000 }
const maxLookMs = 15_000
/** The shortest time between two looks, in milliseconds: looking at a document more often would only warm the phone. */
const minPauseMs: Readonly<Record<GuideSubject, number>> = { document: 60, face: 0 }

/** The smallest WebAssembly module with an instruction of SIMD: `i32.const 0, i8x16.splat, i8x16.popcnt`. */
const simdModule = Uint8Array.from(atob('AGFzbQEAAAABBQFgAAF7AwIBAAoKAQgAQQD9D/1iCw=='), sign => sign.charCodeAt(0))

/** Whether the browser has all that guidance needs. */
export function hasGuidance(): boolean {
  return (
    typeof Worker !== 'undefined' &&
    typeof OffscreenCanvas !== 'undefined' &&
    typeof WebAssembly !== 'undefined' &&
    WebAssembly.validate(simdModule)
  )
}

/** The worker is gone, or did not answer in time. */
class WorkerLostError extends Error {
  override name = 'WorkerLost'
}

/** A worker and its answers. */
interface Connection {
  ask<Type extends Request['type']>(
    request: Extract<Request, { type: Type }>,
    maxMs: number,
    transfer?: Transferable[],
  ): Promise<Responses[Type]>
  isLost(): boolean
  close(): void
}

function connect(worker: Worker): Connection {
  const waiting: { readonly resolve: (response: Response) => void; readonly reject: (error: Error) => void }[] = []
  let lost: WorkerLostError | null = null
  const lose = (why: string): void => {
    lost ??= new WorkerLostError(why)
    worker.terminate()
    for (const one of waiting.splice(0)) one.reject(lost)
  }
  worker.addEventListener('message', ({ data }: MessageEvent<Response>) => waiting.shift()?.resolve(data))
  worker.addEventListener('error', ({ message }) => lose(message))
  worker.addEventListener('messageerror', () => lose('a message was lost'))
  return {
    async ask(request, maxMs, transfer = []) {
      if (lost !== null) throw lost
      const timer = setTimeout(lose, maxMs, `no answer to ${request.type}`)
      const answered = new Promise<Response>((resolve, reject) => waiting.push({ resolve, reject }))
      worker.postMessage(request, transfer)
      const response = (await answered.finally(() => clearTimeout(timer))) as Response<typeof request.type>
      if ('error' in response) lose(response.error)
      if ('error' in response) throw new WorkerLostError(response.error)
      return response.value
    },
    isLost: () => lost !== null,
    close: () => lose('closed'),
  }
}

/** Each name is written out, because the server finds a page's files by these words. */
function startWorker(subject: GuideSubject): Worker {
  return subject === 'document'
    ? new Worker(new URL('./document_worker.ts', import.meta.url), { type: 'module' })
    : new Worker(new URL('./face_worker.ts', import.meta.url), { type: 'module' })
}

const started = new Map<GuideSubject, Connection>()

/** Starts the worker of a guide that will be opened later: it begins to load its files. */
export function startLoading(subject: GuideSubject): void {
  if (!started.has(subject)) started.set(subject, connect(startWorker(subject)))
}

/** A worker that was lost meanwhile is started again. */
function takeWorker(subject: GuideSubject): Connection {
  const early = started.get(subject)
  started.delete(subject)
  return early === undefined || early.isLost() ? connect(startWorker(subject)) : early
}

/** Opens a guide whose worker looks at each frame; null where it does not start. */
export async function openFullGuide(subject: GuideSubject, limits: PictureLimits): Promise<Guide | null> {
  const worker = takeWorker(subject)
  const plain = openPlainGuide(limits)
  const grab = createGrabber()
  /** Runs `work`, or `without` if the worker is lost. */
  const orElse = async <Made>(work: () => Promise<Made>, without: () => Promise<Made>): Promise<Made> => {
    try {
      return await work()
    } catch (error) {
      if (!(error instanceof WorkerLostError)) throw error
      return without()
    }
  }
  const finish = async (video: HTMLVideoElement, { kind }: Goal): Promise<Blob | Hint> => {
    const photo = kind === 'document' ? await takePhoto(video) : null
    return worker.ask({ type: 'finish', photo }, maxLookMs)
  }
  const watchFrames: Guide['watch'] = async (video, goal, onSeen, signal) => {
    await worker.ask({ type: 'watch', goal }, maxLookMs)
    // A blink may be over before a slow phone has looked at two frames.
    const isShort = goal.kind === 'action' && goal.action === 'BLINK'
    const frames = isShort ? keepFrames(video, signal) : takeFrames(video, signal)
    try {
      for (let follows = false, last = Number.NEGATIVE_INFINITY; ; ) {
        const { frame, at } = await frames.next(follows)
        if (at - last < minPauseMs[subject]) {
          frame.close()
          continue
        }
        last = at
        const look = await worker.ask({ type: 'look', frame, at }, maxLookMs, [frame])
        signal.throwIfAborted()
        follows = look.follows
        if (!look.done) {
          onSeen(look.seen)
          continue
        }
        const picture = await finish(video, goal)
        signal.throwIfAborted()
        // The bar is full for a picture that is taken: the judgement comes first.
        const isTaken = picture instanceof Blob
        onSeen(isTaken ? look.seen : { ...look.seen, hint: picture, progress: 0 })
        if (isTaken) return picture
      }
    } finally {
      frames.close()
    }
  }
  try {
    await worker.ask({ type: 'open', limits }, maxStartMs[subject])
  } catch (error) {
    if (error instanceof WorkerLostError) return null
    throw error
  }
  return {
    kind: 'full',
    watch: (video, ...rest) =>
      orElse(
        () => watchFrames(video, ...rest),
        () => plain.watch(video, ...rest),
      ),
    take: video =>
      orElse(
        () => {
          const frame = grab(video)
          return worker.ask({ type: 'take', frame }, maxLookMs, [frame])
        },
        () => plain.take(video),
      ),
    close: worker.close,
  }
}
