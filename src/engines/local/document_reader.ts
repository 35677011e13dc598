import { isDeepStrictEqual } from 'node:util'
import type { BarcodeReading, DocumentFindings } from '../../decision/findings.ts'
import type { EncodedImage } from '../port.ts'
import { readBarcode } from './document/barcode.ts'
import { scanZones } from './document/read_document.ts'
import { UnreadableImageError } from './face/decode_image.ts'
import type { Place } from './face/faces.ts'
import type { PageView } from './visual/page.ts'

/** What the images of a document show, and where its portrait should be. */
export interface DocumentScan {
  readonly findings: Omit<DocumentFindings, 'engine' | 'portrait_found' | 'missing_side' | 'visual'>
  /** Clockwise quarter turns that make the front upright; null where its zone does not say. */
  readonly quarterTurns: 0 | 1 | 2 | 3 | null
  /** In shares of the upright front; null: unknown. */
  readonly portraitRegion: Place | null
  /** The page in the same shares: a face beside it is no portrait. */
  readonly pageRegion: Place | null
  /** The page above its zone, for its printed text; null where the portrait's side has no zone. */
  readonly page: PageView | null
  /** The only image shows a card's back: the front is missing. */
  readonly isBackOnly: boolean
  /** The sides of a card came in the other order. */
  readonly isSwapped: boolean
}

/** Runs a stage and measures its time. */
export type MeasureStage = <T>(stage: string, work: () => Promise<T>) => Promise<T>

/** Reads a document in the stages `document` and `barcode`. An unreadable image is no error. */
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

interface Barcodes {
  readonly onFront: BarcodeReading | null
  readonly onBack: BarcodeReading | null
}

const scanBarcodes = async (front: EncodedImage, back: EncodedImage | null): Promise<Barcodes> => ({
  onFront: await readBarcode(front),
  onBack: back && (await readBarcode(back)),
})

/** A North American driving licence has its barcode on the back and its portrait on the front. */
const locateLicenceSides = ({ onFront, onBack }: Barcodes, back: EncodedImage | null): Partial<DocumentScan> => ({
  isBackOnly: back === null && onFront !== null,
  isSwapped: back !== null && onFront !== null && onBack === null,
})

const scanZone = async (front: EncodedImage, back: EncodedImage | null): Promise<DocumentScan> => {
  const zone = await scanZones(front, back)
  const { reading, mrz, mrzSide, frontRotation, sidesMatch: sides_match, glare, colour, doubt, doubts } = zone
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
    portraitRegion: zone.portraitRegion,
    pageRegion: zone.pageRegion,
    page: zone.page,
    isBackOnly: back === null && mrz?.format === 'TD1' && mrzSide === 'FRONT',
    isSwapped: swapped,
  }
}

/** Adds the barcode to the zone. Two different barcodes do not belong to one document. */
const addBarcodes = (scan: DocumentScan, barcodes: Barcodes, back: EncodedImage | null): DocumentScan => {
  const { onFront, onBack } = barcodes
  const barcode = onBack ?? onFront
  if (barcode === null) return scan
  const differ = onFront !== null && onBack !== null && !isDeepStrictEqual(onFront, onBack)
  const sides_match = differ ? false : scan.findings.sides_match
  const findings = { ...scan.findings, reading: 'READ', barcode, sides_match } as const
  return { ...scan, ...(scan.findings.mrz === null ? locateLicenceSides(barcodes, back) : {}), findings }
}

export const scanDocument: ScanDocument = async (front, back, measure = runUnmeasured) => {
  try {
    const scan = await measure('document', () => scanZone(front, back))
    return addBarcodes(scan, await measure('barcode', () => scanBarcodes(front, back)), back)
  } catch (error) {
    if (error instanceof UnreadableImageError) return unreadableScan
    throw error
  }
}
