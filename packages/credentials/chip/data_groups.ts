import type { MrzFormat, MrzReading } from '@attestor/rules'
import { checkZone, toMrzReading } from '@attestor/rules/zone'
import { findTlv, readTlvs, unwrapFile } from './der.ts'
import { UnreadableFileError } from './unreadable_file_error.ts'

/** Rows of the zone by its length (ICAO 9303 part 10, 4.7.1). */
const zones: Readonly<Record<number, readonly [MrzFormat, number]>> = {
  90: ['TD1', 30],
  72: ['TD2', 36],
  88: ['TD3', 44],
}

/** DG1: the machine-readable zone, as it is printed. */
export function readZoneGroup(file: Buffer): MrzReading {
  const text = findTlv(unwrapFile('DG1', file, 0x61), 0x5f1f)?.toString('latin1') ?? ''
  const [format, columns] = zones[text.length] ?? []
  if (format === undefined || columns === undefined || !/^[A-Z0-9<]+$/.test(text))
    throw new UnreadableFileError('DG1 holds no zone')
  const lines = Array.from({ length: text.length / columns }, (_, row) =>
    text.slice(row * columns, (row + 1) * columns),
  )
  return toMrzReading({ format, lines, corrected: 0, checks: checkZone(format, lines) })
}

export interface ChipPortrait {
  readonly media_type: 'image/jpeg' | 'image/jp2' | 'image/j2k'
  readonly image: Buffer
}

/** First bytes of each portrait format. */
const beginnings = [
  ['image/jpeg', Buffer.from('ffd8ff', 'hex')],
  ['image/jp2', Buffer.from('0000000c6a5020200d0a870a', 'hex')],
  ['image/j2k', Buffer.from('ff4fff51', 'hex')],
] as const

/** Headers of a face are of some 50 bytes, and 20 more for each landmark. */
const maxHeader = 4096

/**
 * DG2: the first portrait, of ISO/IEC 19794-5 or 39794-5. Both put a header before the picture, which is found by its
 * first bytes.
 */
export function readPortraitGroup(file: Buffer): ChipPortrait {
  const group = findTlv(unwrapFile('the portrait', file, 0x75), 0x7f61)
  const template = group === null ? null : findTlv(group, 0x7f60)
  const block = template === null ? null : (findTlv(template, 0x5f2e) ?? findTlv(template, 0x7f2e))
  const found = beginnings
    .map(([media_type, begins]) => ({ media_type, at: block?.indexOf(begins) ?? -1 }))
    .filter(({ at }) => at >= 0 && at <= maxHeader)
    .sort((one, other) => one.at - other.at)[0]
  if (block === null || found === undefined) throw new UnreadableFileError('DG2 holds no portrait')
  return { media_type: found.media_type, image: block.subarray(found.at) }
}

/** Data that DG11 and DG12 add to the zone: full names, if it cuts them off. */
export interface ChipDetails {
  readonly last_name: string | null
  readonly first_name: string | null
  readonly place_of_birth: string | null
  readonly issue_date: string | null
}

function textOf(group: Buffer, tag: number): string | null {
  const text = findTlv(group, tag)?.toString('utf8').replaceAll('\0', '').trim() ?? ''
  return text === '' || text.length > 200 ? null : text
}

function spaced(text: string | undefined): string | null {
  const plain = text?.replace(/<+/g, ' ').trim() ?? ''
  return plain === '' ? null : plain
}

/** `YYYY-MM-DD` of eight digits, which are written as characters or packed. */
function dateOf(value: Buffer | null): string | null {
  const digits = (value?.length === 4 ? value.toString('hex') : value?.toString('latin1')) ?? ''
  return /^\d{8}$/.test(digits) ? `${digits.slice(0, 4)}-${digits.slice(4, 6)}-${digits.slice(6)}` : null
}

export function readDetailGroups(dg11: Buffer | null, dg12: Buffer | null): ChipDetails {
  const person = dg11 === null ? Buffer.alloc(0) : unwrapFile('DG11', dg11, 0x6b)
  const document = dg12 === null ? Buffer.alloc(0) : unwrapFile('DG12', dg12, 0x6c)
  const [last, ...first] = (textOf(person, 0x5f0e) ?? '').split('<<')
  return {
    // Without `<<` nothing says which word is the surname: states put all names there, in the order of their language.
    last_name: first.length === 0 ? null : spaced(last),
    first_name: spaced(first.join('<')),
    place_of_birth: spaced(textOf(person, 0x5f11) ?? ''),
    issue_date: dateOf(readTlvs(document).find(({ tag }) => tag === 0x5f26)?.value ?? null),
  }
}

/** DG15, and DG13 of a licence: SubjectPublicKeyInfo of the key that never leaves the chip. */
export function readKeyGroup(file: Buffer): Buffer {
  return unwrapFile('DG15', file, 0x6f)
}
