import type { LicenceReading, PictureQuad, VisualZone } from '../../../decision/findings.ts'
import { decodeDocument } from '../../images/document_picture.ts'
import type { RgbImage } from '../../images/raster.ts'
import type { CaptureName, EncodedImage } from '../../port.ts'
import type { CaptureMemory } from '../capture_memory.ts'
import type { SidesReading } from '../document/read_sides.ts'
import { getPoint, type Landmarks } from '../face/landmarks.ts'
import { type PictureSize, toQuad } from '../geometry/regions.ts'
import { findOutline, type Outline, viewCard } from './card_outline.ts'
import { type Eyes, toGreen, viewCardAroundPortrait, viewPicture } from './page_view.ts'
import { readLicence } from './read_licence.ts'
import { isReadAgain, readTextAgain, readTextOnce, type TextViews } from './read_passes.ts'
import type { TextReader } from './tesseract.ts'

export interface LocatedPortrait {
  readonly landmarks: Landmarks
  /** The picture that they are of. */
  readonly loadPixels: () => Promise<RgbImage>
  readonly size: PictureSize
  /** How it was turned, clockwise, to make the document upright. */
  readonly quarterTurns: number
}

/** The side of a document that has its portrait, or its page above a zone. */
export interface PrintedSide {
  readonly capture: CaptureName
  readonly scan: SidesReading
  readonly portrait: LocatedPortrait | null
  readonly image: EncodedImage
}

/** Where text is looked for: each place by its name. */
interface TextPlace {
  readonly name: string
  readonly locate: () => Promise<TextViews>
}

export function readEyes({ landmarks }: LocatedPortrait): Eyes {
  return [getPoint(landmarks, 'left_eye_outer'), getPoint(landmarks, 'right_eye_outer')]
}

function nameOutline(eyes: Eyes): string {
  return `outline of the card ${JSON.stringify(eyes)}`
}

/** The outline of the card around a portrait, in the picture that `loadPixels` gives. */
export function recallCardOutline(
  capture: CaptureName,
  portrait: LocatedPortrait,
  memory: CaptureMemory,
): Promise<Outline | null> {
  const eyes = readEyes(portrait)
  return memory.recall(capture, nameOutline(eyes), async () => findOutline(await portrait.loadPixels(), eyes))
}

async function locateAroundPortrait(
  { capture }: PrintedSide,
  portrait: LocatedPortrait,
  memory: CaptureMemory,
): Promise<TextViews> {
  const pixels = await portrait.loadPixels()
  const eyes = readEyes(portrait)
  const green = toGreen(pixels)
  const wider = viewCardAroundPortrait(green, eyes)
  const outline = await recallCardOutline(capture, portrait, memory)
  return { view: (outline && viewCard(green, outline)) ?? wider, wider }
}

/** The outline of the card around a portrait, where its text was looked for. */
export function recallOutline({ capture, portrait }: PrintedSide, memory: CaptureMemory): PictureQuad | null {
  const outline = portrait && memory.read<Outline | null>(capture, nameOutline(readEyes(portrait)))
  return outline ? toQuad(outline, portrait.size, portrait.quarterTurns) : null
}

async function locatePicture(image: EncodedImage): Promise<TextViews> {
  const { pixels } = await decodeDocument(image)
  const view = viewPicture(toGreen(pixels))
  return { view, wider: view }
}

/**
 * By the machine-readable zone, or by the portrait and the outline of the card around it. Where there is neither, of a
 * document that was not read all of the picture: its title may say what it is.
 */
function choosePlace(side: PrintedSide, memory: CaptureMemory): TextPlace | null {
  const { scan, portrait, image } = side
  const { locatePage } = scan
  if (locatePage !== null) {
    const locate = async (): Promise<TextViews> => {
      const page = await locatePage()
      return { view: page, wider: page }
    }
    return { name: 'page', locate }
  }
  if (portrait === null && scan.findings.reading === 'READ') return null
  if (portrait === null) return { name: 'picture', locate: () => locatePicture(image) }
  const name = `card ${JSON.stringify(readEyes(portrait))}`
  return { name, locate: () => locateAroundPortrait(side, portrait, memory) }
}

function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | null = null
  return () => {
    made ??= make()
    return made
  }
}

/**
 * Reads the printed text of the portrait's side. The first pass needs no surname: that of a card's front is remembered until
 * its back, which has the zone, is there.
 */
export async function readPrintedText(
  reader: TextReader,
  side: PrintedSide,
  memory: CaptureMemory,
): Promise<VisualZone | null> {
  const place = choosePlace(side, memory)
  if (place === null) return null
  const { mrz, barcode = null } = side.scan.findings
  const { last_name: surname = null } = mrz ?? barcode ?? {}
  const what = `print of the ${place.name}`
  const locate = once(place.locate)
  const first = await memory.recall(side.capture, what, async () => readTextOnce(reader, (await locate()).view))
  if (!isReadAgain(first, surname)) return first.text
  return memory.recall(side.capture, `${what} with ${surname}`, async () =>
    readTextAgain(reader, await locate(), first.text, surname),
  )
}

/** The numbered fields around a portrait; null where the page is no European driving licence. */
export function readLicenceAround(
  reader: TextReader,
  side: PrintedSide,
  text: VisualZone,
  memory: CaptureMemory,
): Promise<LicenceReading | null> {
  const { capture, portrait } = side
  if (portrait === null) return Promise.resolve(null)
  return memory.recall(capture, `licence around ${JSON.stringify(readEyes(portrait))}`, async () =>
    readLicence(reader, (await locateAroundPortrait(side, portrait, memory)).view, text),
  )
}
