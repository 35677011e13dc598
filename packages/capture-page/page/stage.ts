import { rethrow } from './call.ts'
import { type Camera, type CameraLight, type CameraOption, createCamera, type Facing } from './camera.ts'
import { savesData } from './device.ts'
import type { Goal, Guide, GuideSubject, PictureLimits, Seen } from './guidance/guide.ts'

/** The camera with the guide that looks through it. */
export interface Stage {
  readonly video: HTMLVideoElement
  /** The screen that shows the camera's view sets this. */
  onSeen: (seen: Seen) => void
  /** Loads a guide before it is needed. */
  prepare(subject: GuideSubject): void
  open(facing: Facing): Promise<void>
  watch(goal: Goal, signal: AbortSignal): Promise<Blob>
  take(subject: GuideSubject): Promise<Blob>
  /** The cameras that there are, once one of them was opened. */
  listCameras(facing: Facing): Promise<readonly CameraOption[]>
  /** Applies from the next opening on. */
  chooseCamera(facing: Facing, id: string): void
  /** Returns the light of the open camera; null if it has none. */
  findLight(): Promise<CameraLight | null>
  close(): void
}

const facings: Readonly<Record<GuideSubject, Facing>> = { document: 'environment', face: 'user' }

function toSubject({ kind }: Goal): GuideSubject {
  return kind === 'document' ? 'document' : 'face'
}

/** Guides are loaded shortly before they are needed: a person who never opens the camera loads none. */
function loadGuides(limits: () => PictureLimits) {
  const guidance = () => import('./guidance/open_guide.ts').catch(rethrow)
  const guides = new Map<GuideSubject, Promise<Guide>>()
  return {
    guidance,
    get(subject: GuideSubject): Promise<Guide> {
      const known = guides.get(subject)
      if (known !== undefined) return known
      const opened = guidance().then(({ openGuide }) => openGuide(subject, limits()))
      // A guide that failed to load is loaded again next time; this caller gets the error.
      opened.catch(() => guides.delete(subject))
      guides.set(subject, opened)
      return opened
    },
    /** Begins to load the next guide: while a document is before the camera there is time for it. */
    async prepareNext(subject: GuideSubject): Promise<void> {
      const { prepareGuide } = await guidance()
      if (!guides.has(subject) && !savesData()) prepareGuide(subject)
    },
  }
}

async function openFacing(camera: Camera, { guidance }: ReturnType<typeof loadGuides>, facing: Facing) {
  const { cameraConstraints } = await guidance()
  await camera.open(facing, cameraConstraints[facing === 'user' ? 'face' : 'document'])
}

export function createStage(limits: () => PictureLimits): Stage {
  const camera = createCamera()
  const guides = loadGuides(limits)
  const stage: Stage = {
    video: camera.video,
    onSeen: () => {},
    prepare: subject => void guides.get(subject).catch(() => null),
    open: facing => openFacing(camera, guides, facing),
    async watch(goal, signal) {
      // After a lost connection the camera is off.
      await openFacing(camera, guides, facings[toSubject(goal)])
      const guide = await guides.get(toSubject(goal))
      if (goal.kind === 'document') await guides.prepareNext('face')
      const seeing = guide.watch(camera.video, goal, seen => stage.onSeen(seen), signal)
      return await Promise.race([seeing, camera.lost(signal)])
    },
    async take(subject) {
      await openFacing(camera, guides, facings[subject])
      return await (await guides.get(subject)).take(camera.video)
    },
    listCameras: camera.list,
    chooseCamera: camera.choose,
    findLight: camera.light,
    close: camera.close,
  }
  return stage
}
