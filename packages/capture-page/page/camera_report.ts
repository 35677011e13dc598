import type { StartedSession } from '../../../clients/typescript/src/device_calls.ts'

/**
 * Most frames of a camera that are read, about three seconds of them: reading one takes a computer without a GPU 4 ms.
 */
const mostFrames = 90
/**
 * Side in pixels of the patch in the middle of the picture, at its full size: the mean of more pixels would hide the
 * noise.
 */
const patchSide = 32
/** Levels between the darkest and the brightest of a patch. A covered lens is black without noise. */
const leastSpread = 16

/** Measurements of a video. */
interface Film {
  readonly intervals: number[]
  frames: number
  repeated: number
  longest: number
}

/** The last camera that was opened. */
let opened: {
  readonly track: MediaStreamTrack
  /** A track that has ended has none. */
  readonly settings: MediaTrackSettings
  readonly controls: string | null
  readonly film: Film
} | null = null

/** Returns the middle of a video's current frame. Null if it is too even to be compared. */
function readMiddle(video: HTMLVideoElement, context: CanvasRenderingContext2D): Uint8ClampedArray | null {
  const left = (video.videoWidth - patchSide) >> 1
  const top = (video.videoHeight - patchSide) >> 1
  context.drawImage(video, left, top, patchSide, patchSide, 0, 0, patchSide, patchSide)
  const { data } = context.getImageData(0, 0, patchSide, patchSide)
  let darkest = 255
  let brightest = 0
  for (let at = 1; at < data.length; at += 4) {
    const green = data[at] as number
    darkest = Math.min(darkest, green)
    brightest = Math.max(brightest, green)
  }
  return brightest - darkest < leastSpread ? null : data
}

/** Looks at each new frame until there were enough, or the signal ends. Some browsers do not say when a frame is new. */
function watchFilm(video: HTMLVideoElement, film: Film, signal: AbortSignal): void {
  const canvas = document.createElement('canvas')
  Object.assign(canvas, { width: patchSide, height: patchSide })
  const context = canvas.getContext('2d', { willReadFrequently: true, alpha: false })
  if (context === null || !('requestVideoFrameCallback' in video)) return
  let before: { readonly middle: Uint8ClampedArray | null; readonly at: number; readonly count: number } | null = null
  let repeats = 0
  const look = (
    _: number,
    { captureTime, presentationTime, presentedFrames: count }: VideoFrameCallbackMetadata,
  ): void => {
    if (signal.aborted) return
    const middle = readMiddle(video, context)
    const at = captureTime ?? presentationTime
    const last = before?.middle
    const isRepeated = middle !== null && last?.every((value, index) => value === middle[index]) === true
    repeats = isRepeated ? repeats + 1 : 0
    // A busy page misses frames.
    if (before !== null && count > before.count) film.intervals.push((at - before.at) / (count - before.count))
    film.frames++
    film.repeated += isRepeated ? 1 : 0
    film.longest = Math.max(film.longest, repeats)
    before = { middle, at, count }
    if (film.frames < mostFrames) video.requestVideoFrameCallback(look)
  }
  video.requestVideoFrameCallback(look)
}

/** Remembers the camera that a video shows, and looks at its frames until the signal ends. */
export function watchCamera(video: HTMLVideoElement, track: MediaStreamTrack, signal: AbortSignal): void {
  const film: Film = { intervals: [], frames: 0, repeated: 0, longest: 0 }
  opened = { track, settings: track.getSettings(), controls: listControls(track), film }
  watchFilm(video, film, signal)
}

function findMedian(values: readonly number[]): number | null {
  return [...values].sort((a, b) => a - b)[values.length >> 1] ?? null
}

/** The largest number that the service accepts in a report. */
const mostCounted = 1_000_000

/**
 * Rounds a number. Null for one that no camera has, which some drivers report: the service would refuse the whole
 * report.
 */
function roundOrNull(value: number | null | undefined): number | null {
  const rounded = Math.round(value ?? Number.NaN)
  return rounded >= 0 && rounded <= mostCounted ? rounded : null
}

/** Settings by which a page chooses, such as `deviceId`, and those that every camera has, such as its size. */
const everyCameras = ['deviceId', 'groupId', 'facingMode', 'width', 'height', 'aspectRatio', 'frameRate', 'resizeMode']

function listControls(track: MediaStreamTrack): string | null {
  const names = Object.keys(track.getCapabilities?.() ?? {}).filter(name => !everyCameras.includes(name))
  return names.length === 0 ? null : names.sort().join(' ').slice(0, 255)
}

/**
 * Whether a program made the pictures: a canvas in a camera's place, or a browser that a program drives. Both can be
 * hidden: false means only that neither was seen. The service judges the rest.
 */
function isVirtual(track: MediaStreamTrack, { deviceId }: MediaTrackSettings): boolean {
  const isCanvas =
    typeof CanvasCaptureMediaStreamTrack !== 'undefined' && track instanceof CanvasCaptureMediaStreamTrack
  return isCanvas || navigator.webdriver || deviceId === undefined
}

/** Returns members of the device's report: none if no camera was opened, as with pictures from files. */
export function readCamera(): NonNullable<StartedSession['device']> {
  if (opened === null) return {}
  const { track, settings, controls, film } = opened
  const interval = findMedian(film.intervals)
  const jitter = interval === null ? null : findMedian(film.intervals.map(one => Math.abs(one - interval)))
  const wasWatched = film.frames > 0
  return {
    camera_label: track.label === '' ? null : track.label.slice(0, 255),
    is_virtual_camera: isVirtual(track, settings),
    camera_controls: controls,
    camera_width: roundOrNull(settings.width),
    camera_height: roundOrNull(settings.height),
    camera_frame_rate: roundOrNull(settings.frameRate),
    camera_frames: wasWatched ? film.frames : null,
    camera_frame_interval_ms: roundOrNull(interval),
    camera_frame_jitter_ms: roundOrNull(jitter),
    camera_repeated_frames: wasWatched ? film.repeated : null,
    camera_longest_repeat: wasWatched ? film.longest : null,
  }
}
