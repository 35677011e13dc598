import type { LivenessAction } from '@attestor/rules/page'

/** Advice for the person, or `GOOD`: hold on, the picture is being taken. */
export type Hint =
  | 'FIND_DOCUMENT'
  | 'COME_CLOSER'
  | 'SHOW_ALL'
  | 'HOLD_STILL'
  | 'MORE_LIGHT'
  | 'LESS_LIGHT'
  | 'AVOID_GLARE'
  | 'FIND_FACE'
  | 'ONE_PERSON'
  | 'CENTRE_FACE'
  | 'MOVE_BACK'
  | 'LOOK_AHEAD'
  | 'OPEN_EYES'
  | 'TAKE_OFF_COVER'
  | LivenessAction
  | 'TURN_FURTHER'
  | 'TURN_BACK'
  | 'GOOD'

/** The subject of the next picture. */
export type Goal =
  | { readonly kind: 'document' }
  | { readonly kind: 'selfie' }
  | { readonly kind: 'action'; readonly action: LivenessAction }

/** A box in shares of the picture's width and height, from its left top corner. The picture is not mirrored. */
export interface Box {
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
}

/** The camera's current view. */
export interface Seen {
  readonly hint: Hint
  /** Progress towards the picture, 0 to 1. */
  readonly progress: number
  /** Position of the document or the face; null if none is found. */
  readonly box: Box | null
}

/** Limits of a picture's size: `max_image_bytes` and `max_image_megapixels` of the session. */
export interface PictureLimits {
  readonly max_bytes: number
  readonly max_megapixels: number
}

/** Looks at a camera and photographs with it. */
export interface Guide {
  /** `plain` if the browser or the network does not allow for more: it counts down, and only the service judges the picture. */
  readonly kind: 'full' | 'plain'
  /**
   * Looks at the video until the goal is met, reporting what it sees; resolves with the picture as JPEG. One at a time.
   * Rejects with the signal's reason, and never for anything else that goes wrong in a browser with a running camera.
   */
  watch(video: HTMLVideoElement, goal: Goal, onSeen: (seen: Seen) => void, signal: AbortSignal): Promise<Blob>
  /** Photographs the video's current frame, unchecked, as JPEG. */
  take(video: HTMLVideoElement): Promise<Blob>
  /** The guide is of no use afterwards. */
  close(): void
}

/** The subject of a guide. A guide to a face loads its models, about two megabytes. */
export type GuideSubject = 'document' | 'face'
