import { encodeWithin } from '../picture_size.ts'
import type { Goal, Guide, Hint, PictureLimits } from './guide.ts'
import { nextFrame } from './video.ts'

/** Time for the person to read the instruction and to follow it, in milliseconds. */
const countdownMs = 5000

function toHint(goal: Goal): Hint {
  return goal.kind === 'document' ? 'SHOW_ALL' : goal.kind === 'selfie' ? 'LOOK_AHEAD' : goal.action
}

function encodeVideo(video: HTMLVideoElement, limits: PictureLimits): Promise<Blob> {
  return encodeWithin({ width: video.videoWidth, height: video.videoHeight }, limits, ({ width, height }, quality) => {
    const canvas = Object.assign(document.createElement('canvas'), { width, height })
    canvas.getContext('2d')?.drawImage(video, 0, 0, width, height)
    return new Promise((resolve, reject) => {
      const take = (jpeg: Blob | null): void => (jpeg ? resolve(jpeg) : reject(new Error('the picture has no size')))
      canvas.toBlob(take, 'image/jpeg', quality)
    })
  })
}

/** Opens a guide that sees nothing: it counts down and photographs. */
export function openPlainGuide(limits: PictureLimits): Guide {
  return {
    kind: 'plain',
    async watch(video, goal, onSeen, signal) {
      const start = await nextFrame(video, signal)
      for (let progress = 0; progress < 1; ) {
        progress = Math.min(1, ((await nextFrame(video, signal)) - start) / countdownMs)
        onSeen({ hint: toHint(goal), progress, box: null })
      }
      return encodeVideo(video, limits)
    },
    take: video => encodeVideo(video, limits),
    close() {},
  }
}
