import type { Goal, Hint, PictureLimits, Seen } from './guide.ts'

/** A page's request to its worker. Each is answered once, in the order of asking. */
export type Request =
  | { readonly type: 'open'; readonly limits: PictureLimits }
  /** Looks for this goal from now on. */
  | { readonly type: 'watch'; readonly goal: Goal }
  /** The worker closes the frame; `at` is its time in milliseconds. */
  | { readonly type: 'look'; readonly frame: ImageBitmap; readonly at: number }
  /** Makes the picture: of the camera's photo if it is good, otherwise of the best frame. */
  | { readonly type: 'finish'; readonly photo: Blob | null }
  /** Makes a picture of this frame, unchecked. */
  | { readonly type: 'take'; readonly frame: ImageBitmap }

/** The answers, by the request's type. */
export interface Responses {
  readonly open: null
  readonly watch: null
  readonly look: { readonly seen: Seen; readonly done: boolean; readonly follows: boolean }
  /** Advice is the answer if no picture is good enough. */
  readonly finish: Blob | Hint
  readonly take: Blob
}

/** A response, or the message of an error that the worker did not expect. */
export type Response<Type extends keyof Responses = keyof Responses> =
  | { readonly value: Responses[Type] }
  | { readonly error: string }
