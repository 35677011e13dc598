import type { DocumentEvidence, EncodedImage } from '../port.ts'
import { readBarcode } from './document/barcode.ts'
import { readDocument } from './document/read_document.ts'
import type { Place } from './face/faces.ts'
import { UnreadableImage } from './face/pixels.ts'
import type { PageView } from './visual/page.ts'

/** What the document reader says of a document's photos, and where it takes the portrait to be. */
export interface DocumentLook {
  readonly evidence: Omit<DocumentEvidence, 'engine' | 'portrait_found' | 'missing_side' | 'visual'>
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

/** Reads a document's sides; never rejects for an image that cannot be read. */
export type DocumentReader = (front: EncodedImage, back: EncodedImage | null) => Promise<DocumentLook>

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

/**
 * A document without a machine-readable zone may be a North American driving licence: its barcode is on the back, its
 * portrait on the front. Null where there is no such barcode.
 */
const lookForBarcode = async (front: EncodedImage, back: EncodedImage | null): Promise<DocumentLook | null> => {
  const onBack = back === null ? null : await readBarcode(back)
  const barcode = onBack ?? (await readBarcode(front))
  if (barcode === null) return null
  return {
    evidence: { ...unreadable.evidence, reading: 'READ', barcode },
    quarter_turns: null,
    portrait_place: null,
    page_place: null,
    page: null,
    back_only: back === null,
    swapped: back !== null && onBack === null,
  }
}

const lookForZone = async (front: EncodedImage, back: EncodedImage | null): Promise<DocumentLook> => {
  const sight = await readDocument(front, back)
  const { reading, mrz, mrz_side, front_rotation, sides_match, glare, doubt, doubts } = sight
  const swapped = back !== null && mrz?.format === 'TD1' && mrz_side === 'FRONT'
  return {
    evidence: {
      reading,
      mrz,
      sides_match,
      visual_surname: null,
      glare,
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

/** The readers of the machine-readable zone and of the barcode, as the analysis uses them. */
export const lookAtDocument: DocumentReader = async (front, back) => {
  try {
    const look = await lookForZone(front, back)
    return look.evidence.mrz === null ? ((await lookForBarcode(front, back)) ?? look) : look
  } catch (error) {
    if (error instanceof UnreadableImage) return unreadable
    throw error
  }
}
