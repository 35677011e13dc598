/** Frames in a row, half a second of them. */
const mostRepeats = 15
/** In pixels, of the middle of the picture, at its full size: the mean of more pixels would hide the noise. */
const patchSide = 32
/** Levels between the darkest and the brightest of a patch. A covered lens is black without noise. */
const leastSpread = 16

/** The middle of what a video shows now. Null where it is too even to say anything. */
function readMiddle(video: HTMLVideoElement, context: CanvasRenderingContext2D): Uint8ClampedArray | null {
  const [left, top] = [(video.videoWidth - patchSide) >> 1, (video.videoHeight - patchSide) >> 1]
  context.drawImage(video, left, top, patchSide, patchSide, 0, 0, patchSide, patchSide)
  const { data } = context.getImageData(0, 0, patchSide, patchSide)
  let [darkest, brightest] = [255, 0]
  for (let at = 1; at < data.length; at += 4) {
    const green = data[at] as number
    darkest = Math.min(darkest, green)
    brightest = Math.max(brightest, green)
  }
  return brightest - darkest < leastSpread ? null : data
}

/**
 * Looks at a camera's frames until the signal ends. Calls `found` once if half a second of them is the same to the last
 * pixel: the noise of a sensor makes no two frames alike, but a program that shows a picture repeats it. Browsers that do not say
 * when a frame is new are not looked at.
 */
export function watchRepeats(video: HTMLVideoElement, signal: AbortSignal, found: () => void): void {
  const canvas = document.createElement('canvas')
  Object.assign(canvas, { width: patchSide, height: patchSide })
  const context = canvas.getContext('2d', { willReadFrequently: true, alpha: false })
  if (context === null || !('requestVideoFrameCallback' in video)) return
  let before: Uint8ClampedArray | null = null
  let repeats = 0
  const look = (): void => {
    if (signal.aborted) return
    const now = readMiddle(video, context)
    const isSame = now !== null && before !== null && now.every((value, at) => value === before?.[at])
    repeats = isSame ? repeats + 1 : 0
    before = now
    if (repeats >= mostRepeats) found()
    else video.requestVideoFrameCallback(look)
  }
  video.requestVideoFrameCallback(look)
}
