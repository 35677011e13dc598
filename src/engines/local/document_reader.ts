import { isDeepStrictEqual } from 'node:util'
import type { BarcodeReading, DocumentFindings } from '../../decision/findings.ts'
import type { EncodedImage } from '../port.ts'
import { readBarcode } from './document/barcode.ts'
import { readDocument } from './document/read_document.ts'
import type { Place } from './face/faces.ts'
import { UnreadableImage } from './face/pixels.ts'
import type { PageView } from './visual/page.ts'

/** What the document reader says of a document's photos, and where it takes the portrait to be. */
export interface DocumentLook {
  readonly evidence: Omit<DocumentFindings, 'engine' | 'portrait_found' | 'missing_side' | 'visual'>
  /** Clockwise quarter turns that bring the front upright; null where its zone does not tell. */
  readonly quarter_turns: 0 | 1 | 2 | 3 | null
  /** In shares of the upright front; null where it is not known. */
  readonly portrait_place: Place | null
  /** The page around it, in the same shares; a face beside it is no portrait. */
  readonly page_place: Place | null
  /** The page above its zone, for its printed text; null where the portrait's side carries no zone. */
  readonly page: PageView | null
  /** The only photo is that of a card's back, which carries the zone: its front is missing. */
  readonly back_only: boolean
  /** A card's sides came in the other order: its zone on the front's photo, its portrait on the back's. */
  readonly swapped: boolean
}

/** Does the work of a stage and tells how long it took. */
export type Measure = <T>(stage: string, work: () => Promise<T>) => Promise<T>

/** Reads a document's sides, as the stages `document` and `barcode`; never rejects for an image that cannot be read. */
export type DocumentReader = (
  front: EncodedImage,
  back: EncodedImage | null,
  measure?: Measure,
) => Promise<DocumentLook>

const unmeasured: Measure = (_, work) => work()

const quarters = { 0: 0, 90: 1, 180: 2, 270: 3 } as const

const unreadable: DocumentLook = {
  evidence: { reading: 'NOT_READABLE', mrz: null, sides_match: null, visual_surname: null, glare: null },
  quarter_turns: null,
  portrait_place: null,
  page_place: null,
  page: null,
  back_only: false,
  swapped: false,
}

/** The barcodes of a document's photos. */
interface Barcodes {
  readonly onFront: BarcodeReading | null
  readonly onBack: BarcodeReading | null
}

const lookForBarcodes = async (front: EncodedImage, back: EncodedImage | null): Promise<Barcodes> => ({
  onFront: await readBarcode(front),
  onBack: back && (await readBarcode(back)),
})

/** A North American driving licence: its barcode is on the back, its portrait on the front. */
const licenceLook = ({ onFront, onBack }: Barcodes, back: EncodedImage | null): Partial<DocumentLook> => ({
  back_only: back === null && onFront !== null,
  swapped: back !== null && onFront !== null && onBack === null,
})

const lookForZone = async (front: EncodedImage, back: EncodedImage | null): Promise<DocumentLook> => {
  const sight = await readDocument(front, back)
  const { reading, mrz, mrz_side, front_rotation, sides_match, glare, colour, doubt, doubts } = sight
  const swapped = back !== null && mrz?.format === 'TD1' && mrz_side === 'FRONT'
  return {
    evidence: {
      reading,
      mrz,
      sides_match,
      visual_surname: null,
      glare,
      colour,
      mrz_doubt: doubt,
      mrz_field_doubts: doubts,
    },
    quarter_turns: swapped || front_rotation === null ? null : quarters[front_rotation],
    portrait_place: sight.portrait_region,
    page_place: sight.page_region,
    page: sight.page,
    back_only: back === null && mrz?.format === 'TD1' && mrz_side === 'FRONT',
    swapped,
  }
}

/** The barcode beside the zone, or instead of it; the barcodes of two cards are no one document's. */
const withBarcodes = (look: DocumentLook, barcodes: Barcodes, back: EncodedImage | null): DocumentLook => {
  const { onFront, onBack } = barcodes
  const barcode = onBack ?? onFront
  if (barcode === null) return look
  const differ = onFront !== null && onBack !== null && !isDeepStrictEqual(onFront, onBack)
  const sides_match = differ ? false : look.evidence.sides_match
  const evidence = { ...look.evidence, reading: 'READ', barcode, sides_match } as const
  return { ...look, ...(look.evidence.mrz === null ? licenceLook(barcodes, back) : {}), evidence }
}

/** The readers of the machine-readable zone and of the barcode, as the analysis uses them. */
export const lookAtDocument: DocumentReader = async (front, back, measure = unmeasured) => {
  try {
    const look = await measure('document', () => lookForZone(front, back))
    return withBarcodes(look, await measure('barcode', () => lookForBarcodes(front, back)), back)
  } catch (error) {
    if (error instanceof UnreadableImage) return unreadable
    throw error
  }
}
