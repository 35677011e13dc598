import { isDeepStrictEqual } from 'node:util'
import type { BarcodeReading, DocumentFindings } from '../../decision/findings.ts'
import type { EncodedImage } from '../port.ts'
import { readBarcode } from './document/barcode.ts'
import { scanZones } from './document/read_document.ts'
import type { Place } from './face/faces.ts'
import { UnreadableImageError } from './face/pixels.ts'
import type { PageView } from './visual/page.ts'

/** What the document reader says of a document's photos, and where it takes the portrait to be. */
export interface DocumentScan {
  readonly findings: Omit<DocumentFindings, 'engine' | 'portrait_found' | 'missing_side' | 'visual'>
  /** Clockwise quarter turns that bring the front upright; null where its zone does not tell. */
  readonly quarterTurns: 0 | 1 | 2 | 3 | null
  /** In shares of the upright front; null where it is not known. */
  readonly portraitRegion: Place | null
  /** The page around it, in the same shares; a face beside it is no portrait. */
  readonly pageRegion: Place | null
  /** The page above its zone, for its printed text; null where the portrait's side carries no zone. */
  readonly page: PageView | null
  /** The only photo is that of a card's back, which carries the zone: its front is missing. */
  readonly isBackOnly: boolean
  /** A card's sides came in the other order: its zone on the front's photo, its portrait on the back's. */
  readonly isSwapped: boolean
}

/** Does the work of a stage and tells how long it took. */
export type MeasureStage = <T>(stage: string, work: () => Promise<T>) => Promise<T>

/** Reads a document's sides, as the stages `document` and `barcode`; never rejects for an image that cannot be read. */
export type ScanDocument = (
  front: EncodedImage,
  back: EncodedImage | null,
  measure?: MeasureStage,
) => Promise<DocumentScan>

const runUnmeasured: MeasureStage = (_, work) => work()

const quarters = { 0: 0, 90: 1, 180: 2, 270: 3 } as const

const unreadableScan: DocumentScan = {
  findings: { reading: 'NOT_READABLE', mrz: null, sides_match: null, visual_surname: null, glare: null },
  quarterTurns: null,
  portraitRegion: null,
  pageRegion: null,
  page: null,
  isBackOnly: false,
  isSwapped: false,
}

/** The barcodes of a document's photos. */
interface Barcodes {
  readonly onFront: BarcodeReading | null
  readonly onBack: BarcodeReading | null
}

const scanBarcodes = async (front: EncodedImage, back: EncodedImage | null): Promise<Barcodes> => ({
  onFront: await readBarcode(front),
  onBack: back && (await readBarcode(back)),
})

/** A North American driving licence: its barcode is on the back, its portrait on the front. */
const locateLicenceSides = ({ onFront, onBack }: Barcodes, back: EncodedImage | null): Partial<DocumentScan> => ({
  isBackOnly: back === null && onFront !== null,
  isSwapped: back !== null && onFront !== null && onBack === null,
})

const scanZone = async (front: EncodedImage, back: EncodedImage | null): Promise<DocumentScan> => {
  const sight = await scanZones(front, back)
  const { reading, mrz, mrzSide, frontRotation, sidesMatch: sides_match, glare, colour, doubt, doubts } = sight
  const swapped = back !== null && mrz?.format === 'TD1' && mrzSide === 'FRONT'
  return {
    findings: {
      reading,
      mrz,
      sides_match,
      visual_surname: null,
      glare,
      colour,
      mrz_doubt: doubt,
      mrz_field_doubts: doubts,
    },
    quarterTurns: swapped || frontRotation === null ? null : quarters[frontRotation],
    portraitRegion: sight.portraitRegion,
    pageRegion: sight.pageRegion,
    page: sight.page,
    isBackOnly: back === null && mrz?.format === 'TD1' && mrzSide === 'FRONT',
    isSwapped: swapped,
  }
}

/** The barcode beside the zone, or instead of it; the barcodes of two cards are no one document's. */
const addBarcodes = (scan: DocumentScan, barcodes: Barcodes, back: EncodedImage | null): DocumentScan => {
  const { onFront, onBack } = barcodes
  const barcode = onBack ?? onFront
  if (barcode === null) return scan
  const differ = onFront !== null && onBack !== null && !isDeepStrictEqual(onFront, onBack)
  const sides_match = differ ? false : scan.findings.sides_match
  const findings = { ...scan.findings, reading: 'READ', barcode, sides_match } as const
  return { ...scan, ...(scan.findings.mrz === null ? locateLicenceSides(barcodes, back) : {}), findings }
}

/** The readers of the machine-readable zone and of the barcode, as the analysis uses them. */
export const scanDocument: ScanDocument = async (front, back, measure = runUnmeasured) => {
  try {
    const scan = await measure('document', () => scanZone(front, back))
    return addBarcodes(scan, await measure('barcode', () => scanBarcodes(front, back)), back)
  } catch (error) {
    if (error instanceof UnreadableImageError) return unreadableScan
    throw error
  }
}
