import type { DocumentReading, Measured, MrzReading } from '@attestor/rules'
import type { Rotation } from './search_zone.ts'
import { type Region, readSideZone, type SideZone } from './side_zone.ts'

/** The machine-readable zone of a document, and its consequences for the rest of the page. */
export interface DocumentZone {
  readonly reading: DocumentReading
  readonly mrz: MrzReading | null
  readonly mrzSide: 'FRONT' | 'BACK' | null
  /** The rotation that makes the EXIF-upright front upright; null if its zone does not show it (a TD1 card). */
  readonly frontRotation: Rotation | null
  /** The expected portrait, in shares of the upright front; null if the front has no zone. */
  readonly portraitRegion: Region | null
  /** The page in the same shares: no portrait is beside it. */
  readonly pageRegion: Region | null
  /** Whether the front has a page above its zone, for its printed text: not a TD1 card, nor a front without a zone. */
  readonly hasPage: boolean
  readonly sidesMatch: boolean | null
  readonly glare: Measured | null
  /**
   * The difference between the colours of the zone's page; null if no zone was read, or if its page is outside the
   * picture.
   */
  readonly colour: Measured | null
  /**
   * Expected number of misread characters that no check digit notices, beside the most that are accepted; null without
   * a zone.
   */
  readonly doubt: Measured | null
  /** `doubt` by field. */
  readonly doubts: Readonly<Record<string, number>>
}

function isSameHolder(one: MrzReading, other: MrzReading): boolean {
  return (
    one.document_number === other.document_number &&
    one.date_of_birth === other.date_of_birth &&
    one.expiry_date === other.expiry_date
  )
}

/**
 * Compares two sides. A TD1 card has its zone on one side: two equal zones are the same side twice, and the other one
 * is unknown.
 */
function compareSides(first: MrzReading, second: MrzReading): boolean | null {
  if (!isSameHolder(first, second)) return false
  return first.format === 'TD1' ? null : true
}

/** Returns the result without a zone, or with one that is too doubtful. */
function createUnreadZone(sides: readonly SideZone[]): DocumentZone {
  const doubtful = sides.find(({ doubt }) => doubt !== null)
  return {
    reading: 'NOT_READABLE',
    mrz: null,
    mrzSide: null,
    frontRotation: null,
    sidesMatch: null,
    portraitRegion: null,
    pageRegion: null,
    hasPage: false,
    glare: null,
    colour: null,
    doubt: doubtful?.doubt ?? null,
    doubts: doubtful?.doubts ?? {},
  }
}

/** Joins the sides of a document. Two are compared only if both carry a zone. */
function joinSides(front: SideZone, back: SideZone | null): DocumentZone {
  const sides = back === null ? [front] : [front, back]
  const [first, second] = sides.flatMap(side => (side.mrz === null ? [] : [{ side, mrz: side.mrz }]))
  if (first === undefined) return createUnreadZone(sides)
  const { side, mrz } = first
  const onFront = side === front
  const isPaged = onFront && mrz.format !== 'TD1'
  return {
    reading: 'READ',
    mrz,
    mrzSide: onFront ? 'FRONT' : 'BACK',
    frontRotation: onFront ? side.rotation : null,
    portraitRegion: isPaged ? side.portraitRegion : null,
    pageRegion: isPaged ? side.pageRegion : null,
    hasPage: isPaged,
    sidesMatch: second === undefined ? null : compareSides(mrz, second.mrz),
    glare: side.glare,
    colour: side.colour,
    doubt: side.doubt,
    doubts: side.doubts,
  }
}

export type ReadSideZone = (image: Uint8Array, name: 'FRONT' | 'BACK') => Promise<SideZone>

/** Reads a document from photos of its sides. Rejects with `UnreadableImageError` if a photo cannot be decoded. */
export async function readDocumentZone(
  front: Uint8Array,
  back: Uint8Array | null,
  read: ReadSideZone = async image => (await readSideZone(image)).side,
): Promise<DocumentZone> {
  const first = await read(front, 'FRONT')
  return joinSides(first, back && (await read(back, 'BACK')))
}
