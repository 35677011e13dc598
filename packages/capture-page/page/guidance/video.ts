/** Resolves with the time, in milliseconds, of the video's next frame. Rejects with the signal's reason. */
export function nextFrame(video: HTMLVideoElement, signal: AbortSignal): Promise<number> {
  return new Promise((resolve, reject) => {
    signal.throwIfAborted()
    const byFrame = 'requestVideoFrameCallback' in video
    const request = byFrame
      ? video.requestVideoFrameCallback(now => finish(now))
      : requestAnimationFrame(now => finish(now))
    const abort = (): void => {
      if (byFrame) video.cancelVideoFrameCallback(request)
      else cancelAnimationFrame(request)
      reject(signal.reason)
    }
    const finish = (now: number): void => {
      signal.removeEventListener('abort', abort)
      resolve(now)
    }
    signal.addEventListener('abort', abort, { once: true })
  })
}

/**
 * Grabs the video's current frame at its full size. It is drawn on a canvas, because only that is upright in every
 * browser.
 */
export function createGrabber(): (video: HTMLVideoElement) => ImageBitmap {
  const canvas = new OffscreenCanvas(1, 1)
  const context = canvas.getContext('2d', { alpha: false })
  if (context === null) throw new Error('no canvas')
  return video => {
    const { videoWidth: width, videoHeight: height } = video
    if (canvas.width !== width || canvas.height !== height) Object.assign(canvas, { width, height })
    context.drawImage(video, 0, 0)
    return canvas.transferToImageBitmap()
  }
}

/** A frame and its time in milliseconds. */
export interface Frame {
  readonly frame: ImageBitmap
  readonly at: number
}

/** A video's frames, one after the other. */
export interface Frames {
  /** The newest frame that was not returned yet; with `follows`, the oldest that is still kept. */
  next(follows: boolean): Promise<Frame>
  close(): void
}

/** This many frames are kept, a third of a second, of some 4 megabytes each. */
const maxKept = 10

/**
 * Keeps the last frames of a video, so that nothing short is lost while another frame is looked at. `next` rejects with
 * the signal's reason.
 */
export function keepFrames(video: HTMLVideoElement, signal: AbortSignal): Frames {
  const grab = createGrabber()
  const kept: Frame[] = []
  // `AbortSignal.any` would do, but phones that are still in use do not know it.
  const closing = new AbortController()
  const end = (): void => closing.abort(signal.reason)
  signal.addEventListener('abort', end, { once: true })
  if (signal.aborted) end()
  let wake = (): void => {}
  let failure: { readonly error: unknown } | null = null
  const drop = (count: number): void => {
    for (const { frame } of kept.splice(0, count)) frame.close()
  }
  const keep = async (): Promise<never> => {
    for (;;) {
      const at = await nextFrame(video, closing.signal)
      kept.push({ frame: grab(video), at })
      drop(Math.max(0, kept.length - maxKept))
      wake()
    }
  }
  keep().catch(error => {
    failure = { error }
    drop(kept.length)
    wake()
  })
  return {
    async next(follows) {
      for (;;) {
        if (failure !== null) throw failure.error
        if (!follows) drop(Math.max(0, kept.length - 1))
        const next = kept.shift()
        if (next !== undefined) return next
        await new Promise<void>(resolve => {
          wake = resolve
        })
      }
    },
    close() {
      signal.removeEventListener('abort', end)
      closing.abort()
    },
  }
}

/** Takes a video's frames when they are asked for. */
export function takeFrames(video: HTMLVideoElement, signal: AbortSignal): Frames {
  const grab = createGrabber()
  return {
    async next() {
      const at = await nextFrame(video, signal)
      return { frame: grab(video), at }
    },
    close() {},
  }
}

/** Smallest longer side, in pixels, of frames that are detailed enough. */
const enoughSide = 1800
/**
 * Smallest gain that is worth a photo, as a multiple of a frame's longer side. A photo takes a second or more, in which
 * the camera may move.
 */
const minGain = 1.5
const maxPhotoMs = 4000

/** A photo by the camera itself, if that is much more detailed than its video; otherwise, or if it fails, null. */
export async function takePhoto(video: HTMLVideoElement): Promise<Blob | null> {
  const side = Math.max(video.videoWidth, video.videoHeight)
  const [track] = video.srcObject instanceof MediaStream ? video.srcObject.getVideoTracks() : []
  if (track === undefined || side >= enoughSide || typeof ImageCapture === 'undefined') return null
  try {
    const capture = new ImageCapture(track)
    const { imageWidth, imageHeight } = await capture.getPhotoCapabilities()
    if (Math.max(imageWidth?.max ?? 0, imageHeight?.max ?? 0) < minGain * side) return null
    return await Promise.race([
      capture.takePhoto(),
      new Promise<null>(resolve => setTimeout(resolve, maxPhotoMs, null)),
    ])
  } catch {
    // Drivers fail in many ways; a frame of the video is used instead.
    return null
  }
}
