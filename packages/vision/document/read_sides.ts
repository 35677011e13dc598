import { isDeepStrictEqual } from 'node:util'
import type { CaptureRegions, DocumentFindings } from '@attestor/rules'
import { type FoundBarcode, readBarcode } from '../barcode/read_barcode.ts'
import { type CaptureMemory, openMemory } from '../capture_memory.ts'
import type { Place } from '../face/portrait.ts'
import type { CaptureName, EncodedImage } from '../port.ts'
import type { Page } from '../print/page.ts'
import { readDocumentZone } from '../zone/document_zone.ts'
import { readSideZone } from '../zone/side_zone.ts'

/** The findings in the images of a document, and the expected place of its portrait. */
export interface SidesReading {
  readonly findings: Omit<DocumentFindings, 'engine' | 'portrait_found' | 'missing_side' | 'visual'>
  /** Number of clockwise quarter turns that make the front upright; null if no zone shows it. */
  readonly quarterTurns: 0 | 1 | 2 | 3 | null
  /** The expected portrait, in shares of the upright front; null if unknown. */
  readonly portraitRegion: Place | null
  /** The page in the same shares: a face beside it is no portrait. */
  readonly pageRegion: Place | null
  /** Locates the page above the front's zone, for its printed text; null if the portrait's side has no zone. */
  readonly locatePage: (() => Promise<Page>) | null
  /** The only image shows a card's back: the front is missing. */
  readonly isBackOnly: boolean
  /** The sides of a card came in the other order. */
  readonly isSwapped: boolean
}

/** Runs a stage and measures its time. */
export type MeasureStage = <T>(stage: string, work: () => Promise<T>) => Promise<T>

/** Reads a document in the stages `document` and `barcode`, or remembers it. Rejects with `UnreadableImageError`. */
export type ReadSides = (
  front: EncodedImage,
  back: EncodedImage | null,
  measure?: MeasureStage,
  memory?: CaptureMemory,
) => Promise<SidesReading>

const runUnmeasured: MeasureStage = (_, work) => work()

const quarters = { 0: 0, 90: 1, 180: 2, 270: 3 } as const

interface Barcodes {
  readonly onFront: FoundBarcode | null
  readonly onBack: FoundBarcode | null
}

/** The images of a document. */
interface Sides {
  readonly front: EncodedImage
  readonly back: EncodedImage | null
}

/** Only a document without a zone is worth the search of whole pictures, some 50 to 90 CPU ms each. */
async function readBarcodes({ front, back }: Sides, memory: CaptureMemory, hasZone: boolean): Promise<Barcodes> {
  const anywhere = !hasZone
  const what = anywhere ? 'barcode anywhere' : 'barcode'
  return {
    onFront: await memory.recall('document_front', what, () => readBarcode(front, { anywhere })),
    onBack: back && (await memory.recall('document_back', what, () => readBarcode(back, { anywhere }))),
  }
}

/**
 * Locates the sides of a North American driving licence, which has its barcode on the back and its portrait on the
 * front.
 */
function locateLicenceSides({ onFront, onBack }: Barcodes, back: EncodedImage | null): Partial<SidesReading> {
  return {
    isBackOnly: back === null && onFront !== null,
    isSwapped: back !== null && onFront !== null && onBack === null,
  }
}

const captureOf = { FRONT: 'document_front', BACK: 'document_back' } as const satisfies Record<string, CaptureName>

/** Reads a side again if only its zone was remembered. */
async function locatePage(front: EncodedImage): Promise<Page> {
  const { page } = await readSideZone(front)
  if (page === null) throw new Error('the zone of a page that was read cannot be read again')
  return page
}

async function readSidesOnce({ front, back }: Sides, memory: CaptureMemory): Promise<SidesReading> {
  let page: Page | null = null
  const regions: Record<string, CaptureRegions> = {}
  const zone = await readDocumentZone(front, back, async (image, name) => {
    const side = await memory.recall(captureOf[name], 'side', async () => {
      const read = await readSideZone(image)
      if (name === 'FRONT') page = read.page
      return read.side
    })
    regions[captureOf[name]] = { outline: side.outline, zone: side.zone }
    return side
  })
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
      regions,
    },
    quarterTurns: swapped || frontRotation === null ? null : quarters[frontRotation],
    portraitRegion: zone.portraitRegion,
    pageRegion: zone.pageRegion,
    locatePage: zone.hasPage ? async () => page ?? locatePage(front) : null,
    isBackOnly: back === null && mrz?.format === 'TD1' && mrzSide === 'FRONT',
    isSwapped: swapped,
  }
}

/** Adds the barcode to the zone. Two different barcodes do not belong to one document. */
function addBarcodes(read: SidesReading, barcodes: Barcodes, back: EncodedImage | null): SidesReading {
  const { onFront, onBack } = barcodes
  const { reading: barcode = null } = onBack ?? onFront ?? {}
  if (barcode === null) return read
  const differ = onFront !== null && onBack !== null && !isDeepStrictEqual(onFront.reading, onBack.reading)
  const sides_match = differ ? false : read.findings.sides_match
  const { document_front, document_back } = read.findings.regions ?? {}
  const regions = {
    document_front: { ...document_front, barcode: onFront?.place ?? null },
    ...(back === null ? {} : { document_back: { ...document_back, barcode: onBack?.place ?? null } }),
  }
  const findings = { ...read.findings, reading: 'READ', barcode, sides_match, regions } as const
  return { ...read, ...(read.findings.mrz === null ? locateLicenceSides(barcodes, back) : {}), findings }
}

export const readSides: ReadSides = async (front, back, measure = runUnmeasured, memory = openMemory()) => {
  const sides = { front, back }
  const read = await measure('document', () => readSidesOnce(sides, memory))
  const hasZone = read.findings.mrz !== null
  return addBarcodes(read, await measure('barcode', () => readBarcodes(sides, memory, hasZone)), back)
}
