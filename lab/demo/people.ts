import { readFile } from 'node:fs/promises'
import { encodeJpeg2000 } from '@attestor/credentials/synthetic'
import {
  type Person,
  type PortraitPose,
  person,
  personSeeds,
  photograph,
  photographFace,
  renderDocument,
  renderPortrait,
  seeded,
} from '@attestor/vision/synthetic'
import sharp from 'sharp'

/** The photographs of the demo's phone: encoded images, and a frame for each action of a challenge. */
export interface Photographs {
  /** Null lets the analysis recognise it. */
  readonly document_type: 'PASSPORT' | null
  readonly document_front: Buffer
  readonly document_back: Buffer | null
  readonly selfie: Buffer
  readonly frames: Readonly<Record<string, Buffer>>
}

const camera = { width: 720, height: 960 }
const turn = 0.5
const poses: Readonly<Record<string, PortraitPose>> = {
  TURN_LEFT: { turn },
  TURN_RIGHT: { turn: -turn },
  BLINK: { blink: 1 },
  OPEN_MOUTH: { mouthOpen: 0.9 },
  LOOK_UP: { lookUp: 0.7 },
}

/**
 * Draws the light in which a person sits, one for all pictures. It varies with the seed, as the service recognises
 * earlier frames.
 */
function sitDown(seed: number): PortraitPose {
  const random = seeded(seed)
  return { light: { side: random.between(-0.5, 0.5), strength: random.between(0.85, 1.1) } }
}

/** Takes a selfie; no two pictures are held alike. */
async function takeSelfie(who: Person, pose: PortraitPose, seed: number): Promise<Buffer> {
  const random = seeded(seed)
  const held: PortraitPose = {
    headWidth: random.between(0.47, 0.53),
    distance: random.between(2.8, 3.3),
    lookUp: random.between(-0.04, 0.04),
    tilt: random.between(-0.06, 0.06),
  }
  return photographFace(await renderPortrait(who, { ...held, ...pose }, camera), seed)
}

function getSeed(index: number): number {
  const seed = personSeeds[index]
  if (seed === undefined) throw new RangeError(`there are only ${personSeeds.length} people`)
  return seed
}

/** Data of the invented passport's holder. */
export const holderData = {
  issuing_state: 'UTO',
  nationality: 'UTO',
  last_name: 'Morgenstern',
  first_name: 'Alexis Robin',
  date_of_birth: '1991-03-04',
  expiry_date: '2033-02-18',
  sex: 'X',
  personal_number: null,
} as const

export const passportNumber = 'AT4711007'

function renderDocumentPortrait(who: Person): Promise<Buffer> {
  return renderPortrait(who, { headWidth: 0.6, distance: 8 }, { width: 700, height: 900 })
}

/** The portrait of the chip, a JPEG 2000. */
export async function renderHolderPortrait(): Promise<Buffer> {
  const portrait = sharp(await renderDocumentPortrait(person(getSeed(0))))
    .resize({ width: 480 })
    .removeAlpha()
  const { data, info } = await portrait.raw().toBuffer({ resolveWithObject: true })
  return encodeJpeg2000({ data, ...info })
}

/** Both sides of an identity card of the person of `inventPhotographs`, photographed differently for each `seed`. */
export async function inventCard(seed: number): Promise<{ readonly front: Buffer; readonly back: Buffer }> {
  const portrait = await renderDocumentPortrait(person(getSeed(0)))
  const fields = { ...holderData, document_code: 'I', document_number: 'AT4711008' }
  const { front, back } = await renderDocument({ format: 'TD1', seed: 4, portrait, fields })
  if (back === null) throw new Error('a card has two sides')
  return {
    front: await photograph(front, { seed, condition: 'typical' }),
    back: await photograph(back, { seed: seed + 1, condition: 'typical' }),
  }
}

/**
 * A person and a passport that belong to nobody: a rendered head, a page with a correct machine-readable zone, both
 * photographed by a simulated phone, differently for each `seed`. With `impostor` another such person takes the selfie.
 */
export async function inventPhotographs(impostor: boolean, seed = 20): Promise<Photographs> {
  const holder = person(getSeed(0))
  const taker = impostor ? person(getSeed(1)) : holder
  const fields = { ...holderData, document_code: 'P', document_number: passportNumber }
  const page = await renderDocument({ format: 'TD3', seed: 11, portrait: await renderDocumentPortrait(holder), fields })
  const seat = sitDown(seed)
  const frames = await Promise.all(
    Object.entries(poses).map(
      async ([action, pose], n) => [action, await takeSelfie(taker, { ...seat, ...pose }, seed + 1 + n)] as const,
    ),
  )
  return {
    document_type: 'PASSPORT',
    document_front: await photograph(page.front, { seed, condition: 'typical' }),
    document_back: null,
    selfie: await takeSelfie(taker, seat, seed),
    frames: Object.fromEntries(frames),
  }
}

/** Paths of a person's own photos, by option of the command line. */
export interface OwnPhotos {
  readonly document: string
  readonly document_back: string | null
  readonly selfie: string
  /** Paths of the frames, by the action that each one shows. */
  readonly frames: Readonly<Record<string, string | undefined>>
}

/** A missing picture is replaced by the selfie, encoded again because no image is accepted twice. It does not pass. */
async function loadFrame(file: string | undefined, selfie: Buffer, n: number): Promise<Buffer> {
  return file === undefined
    ? sharp(selfie)
        .autoOrient()
        .jpeg({ quality: 90 - n })
        .toBuffer()
    : readFile(file)
}

export async function loadPhotographs(photos: OwnPhotos): Promise<Photographs> {
  const selfie = await readFile(photos.selfie)
  const frames = await Promise.all(
    Object.keys(poses).map(async (action, n) => [action, await loadFrame(photos.frames[action], selfie, n)] as const),
  )
  return {
    document_type: null,
    document_front: await readFile(photos.document),
    document_back: photos.document_back === null ? null : await readFile(photos.document_back),
    selfie,
    frames: Object.fromEntries(frames),
  }
}
