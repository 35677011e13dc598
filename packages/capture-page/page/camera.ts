import type { FailureReason } from '../../../machines/capture.ts'
import { CaptureError } from './call.ts'
import { watchCamera } from './camera_report.ts'
import { forget, keep, recall } from './storage.ts'

export type Facing = 'user' | 'environment'

/** One of several cameras of a device. */
export interface CameraOption {
  readonly id: string
  /** The system's name of the camera, in its language; empty if it has none. */
  readonly label: string
  readonly is_open: boolean
}

/** The light beside a camera. */
export interface CameraLight {
  readonly is_on: boolean
  /** Resolves also where the camera refuses. One that can't be turned on is not found again. */
  turn(on: boolean): Promise<void>
}

/** The camera, and the one video element that shows it. */
export interface Camera {
  readonly video: HTMLVideoElement
  /** @throws {CaptureError} where it is refused, missing or used by another app */
  open(facing: Facing, constraints: MediaTrackConstraints): Promise<void>
  /** The cameras that may face this way, once one of them was opened. */
  list(facing: Facing): Promise<readonly CameraOption[]>
  /** Applies from the next opening on, until the tab is closed. */
  choose(facing: Facing, id: string): void
  /** Null where the open camera has none that a page may turn on. */
  light(): Promise<CameraLight | null>
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

function toError(error: unknown): CaptureError {
  // The person has refused nothing.
  if (!mayUseCamera()) return new CaptureError('camera_missing')
  return new CaptureError(reasons[error instanceof Error ? error.name : ''] ?? 'camera_busy')
}

/** Only Chromium shows which features the page around a frame lets it use. */
interface PolicyDocument {
  readonly featurePolicy?: { allowsFeature(feature: string): boolean }
}

/** False where the page around this one keeps the camera from it. */
export function mayUseCamera(): boolean {
  return (document as PolicyDocument).featurePolicy?.allowsFeature('camera') ?? true
}

function createVideo(): HTMLVideoElement {
  const video = document.createElement('video')
  // iOS plays in the page, and by itself, only with all of these.
  Object.assign(video, { muted: true, autoplay: true, playsInline: true, disablePictureInPicture: true })
  return video
}

function film(video: MediaTrackConstraints): Promise<MediaStream> {
  return navigator.mediaDevices.getUserMedia({ audio: false, video })
}

/** Returns the key under which the chosen camera is stored. */
function keyOf(facing: Facing): string {
  return `attestor.camera.${facing}`
}

/** Films with the camera that was chosen, else with the one that the browser takes. */
async function filmChosen(facing: Facing, constraints: MediaTrackConstraints): Promise<MediaStream> {
  const chosen = recall(keyOf(facing))
  if (chosen === null) return film(constraints)
  try {
    const { facingMode: _, ...others } = constraints
    const stream = await film({ ...others, deviceId: { exact: chosen } })
    // A computer's camera faces nowhere: it is the one for all pictures.
    const { facingMode } = stream.getVideoTracks()[0]?.getSettings() ?? {}
    if (facingMode === undefined) keep(keyOf(facing === 'user' ? 'environment' : 'user'), chosen)
    return stream
  } catch (error) {
    // The camera may be used by another app: trying again takes the browser's. If it was pulled out, the browser's is
    // opened at once.
    forget(keyOf(facing))
    if (toError(error).reason === 'camera_missing') return film(constraints)
    throw error
  }
}

/** Whether a device faces away: only some browsers say which way a camera faces. */
function facesAway(device: MediaDeviceInfo, facing: Facing): boolean {
  const modes = (device as Partial<InputDeviceInfo>).getCapabilities?.().facingMode ?? []
  return modes.length > 0 && !modes.includes(facing)
}

async function listOptions(facing: Facing, open: MediaStreamTrack | undefined): Promise<readonly CameraOption[]> {
  const id = open?.getSettings().deviceId
  const devices = await navigator.mediaDevices.enumerateDevices()
  return devices
    .filter(({ kind, deviceId }) => kind === 'videoinput' && deviceId !== '')
    .filter(device => device.deviceId === id || !facesAway(device, facing))
    .map(({ deviceId, label }) => ({ id: deviceId, label, is_open: deviceId === id }))
}

/** TypeScript's types do not know it yet. Browsers say whether there is one, newer ones in a list. */
interface Torch<Value = boolean> {
  readonly torch?: Value
}

/** Cameras whose light could not be turned on: another app uses it, or the phone is too hot. They film without it. */
const withoutLight = new WeakSet<MediaStreamTrack>()

async function turnLight(track: MediaStreamTrack, on: boolean): Promise<void> {
  try {
    await track.applyConstraints({ advanced: [{ torch: on } as MediaTrackConstraintSet] })
  } catch {
    if (on) withoutLight.add(track)
  }
}

async function findLight(track: MediaStreamTrack | undefined): Promise<CameraLight | null> {
  if (track === undefined || withoutLight.has(track)) return null
  // Chromium knows of a light only after it has asked the camera, as it does for this call. The other answers of the
  // camera, and an error, do not matter here.
  if (typeof ImageCapture !== 'undefined') await new ImageCapture(track).getPhotoCapabilities().catch(() => null)
  const { torch } = (track.getCapabilities?.() ?? {}) as Torch<boolean | readonly boolean[]>
  if (![torch].flat().includes(true)) return null
  return {
    get is_on() {
      return (track.getSettings() as Torch).torch === true
    },
    turn: on => turnLight(track, on),
  }
}

export function createCamera(): Camera {
  const video = createVideo()
  let opened: Facing | null = null
  let closing = new AbortController()
  const tracks = () => (video.srcObject instanceof MediaStream ? video.srcObject.getVideoTracks() : [])
  const close = (): void => {
    for (const track of tracks()) track.stop()
    video.srcObject = null
    opened = null
    closing.abort()
  }
  return {
    video,
    async open(facing, constraints) {
      try {
        if (opened !== facing || tracks().every(({ readyState }) => readyState !== 'live')) {
          close()
          video.srcObject = await filmChosen(facing, constraints)
          opened = facing
          closing = new AbortController()
          for (const track of tracks()) watchCamera(video, track, closing.signal)
        }
        // A screen without the video has paused it: a browser does that when it leaves the page.
        await video.play()
      } catch (error) {
        throw toError(error)
      }
    },
    list: facing => listOptions(facing, tracks()[0]),
    choose: (facing, id) => keep(keyOf(facing), id),
    light: () => findLight(tracks()[0]),
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
