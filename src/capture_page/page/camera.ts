import type { FailureReason } from '../../../machines/capture.ts'
import { CaptureError } from './call.ts'

export type Facing = 'user' | 'environment'

/** The camera, and the one video element that shows it. */
export interface Camera {
  readonly video: HTMLVideoElement
  /** @throws {CaptureError} where it is refused, missing or used by another app */
  open(facing: Facing, constraints: MediaTrackConstraints): Promise<void>
  /** Rejects when the camera is lost: another app took it, or it was pulled out. */
  lost(signal: AbortSignal): Promise<never>
  close(): void
}

const reasons: Readonly<Record<string, FailureReason>> = {
  NotAllowedError: 'camera_refused',
  SecurityError: 'camera_refused',
  NotFoundError: 'camera_missing',
  OverconstrainedError: 'camera_missing',
  TypeError: 'camera_missing',
}

const toError = (error: unknown): CaptureError =>
  new CaptureError(reasons[error instanceof Error ? error.name : ''] ?? 'camera_busy')

const createVideo = (): HTMLVideoElement => {
  const video = document.createElement('video')
  // iOS plays in the page, and by itself, only with all of these.
  Object.assign(video, { muted: true, autoplay: true, playsInline: true, disablePictureInPicture: true })
  return video
}

export const createCamera = (): Camera => {
  const video = createVideo()
  let opened: Facing | null = null
  const tracks = () => (video.srcObject instanceof MediaStream ? video.srcObject.getVideoTracks() : [])
  const close = (): void => {
    for (const track of tracks()) track.stop()
    video.srcObject = null
    opened = null
  }
  return {
    video,
    async open(facing, constraints) {
      try {
        if (opened !== facing || tracks().every(({ readyState }) => readyState !== 'live')) {
          close()
          video.srcObject = await navigator.mediaDevices.getUserMedia({ audio: false, video: constraints })
          opened = facing
        }
        // A screen without the video has paused it: a browser does that when it leaves the page.
        await video.play()
      } catch (error) {
        throw toError(error)
      }
    },
    lost: signal =>
      new Promise((_, reject) => {
        const end = (): void => reject(new CaptureError('camera_busy'))
        for (const track of tracks()) {
          track.addEventListener('ended', end, { signal })
          // A guide takes seconds to load, in which the camera may be lost.
          if (track.readyState === 'ended') end()
        }
      }),
    close,
  }
}
