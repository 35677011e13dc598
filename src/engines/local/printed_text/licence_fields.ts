import { computeCheckDigit } from '../zone/check_digits.ts'
import type { ReadWord } from './tesseract.ts'

/** The fields of a driving licence's front that are read, by their numbers (directive 2006/126/EC, annex I, 3, page 1 (d)). */
export type FieldNumber = '1' | '2' | '3' | '4a' | '4b' | '4c' | '4d' | '5' | '7' | '8' | '9'

/**
 * How a field's number is printed and misread: with a dot, which alone makes a letter of a digit's form a number. They stand
 * in this order from the top, in one column or with several in a row.
 */
const labels: readonly (readonly [number: FieldNumber, pattern: RegExp])[] = [
  ['4a', /^4\s?(?:[aàá]\s?[.,:)]*|[35]$)/i],
  ['4b', /^4\s?(?:b\s?[.,:)]*|[68][.,:)]*$)/i],
  ['4c', /^4\s?[c¢]\s?[.,:)]*/i],
  ['4d', /^4\s?d\s?[.,:)]*/i],
  ['1', /^[1lI|!i]\s?[.,:]+/],
  ['2', /^[2Z]\s?[.,:]+/],
  ['3', /^3\s?[.,:]+/],
  ['5', /^[5S]\s?[.,:]+/],
  ['7', /^7\s?[.,:]+/],
  ['8', /^8\s?[.,:]+/],
  ['9', /^9\s?[.,:]+/],
]

/** A word that begins a field, and what of the word is the field's. */
function readLabel(text: string): { readonly number: FieldNumber; readonly rest: string } | null {
  // A date that begins like a label, such as `3.11.1976`, is none.
  if (/^\d\d?[.,/-]\d/.test(text) && !/^\d[.,]\d\d[.,/-]\d\d[.,/-]\d/.test(text)) return null
  for (const [number, pattern] of labels) {
    const found = pattern.exec(text)
    if (found !== null) return { number, rest: text.slice(found[0].length) }
  }
  return /^[1-5]$/.test(text) && text !== '4' ? { number: text as FieldNumber, rest: '' } : null
}

type Row = readonly ReadWord[]

function middle({ box }: ReadWord): number {
  return box.top + box.height / 2
}

/** Words side by side, from the left; rows from the top. */
function toRows(words: readonly ReadWord[]): Row[] {
  const rows: ReadWord[][] = []
  for (const word of [...words].sort((one, other) => middle(one) - middle(other))) {
    const row = rows.at(-1)
    const last = row?.at(-1)
    const isSame =
      last !== undefined && Math.abs(middle(last) - middle(word)) < Math.min(last.box.height, word.box.height) * 0.6
    if (row && isSame) row.push(word)
    else rows.push([word])
  }
  return rows.map(row => row.sort((one, other) => one.box.left - other.box.left))
}

/** Fields that may take a second row. */
const wrapping: readonly FieldNumber[] = ['1', '2']

interface OpenField {
  readonly number: FieldNumber
  readonly left: number
  readonly bottom: number
}

/** The text of each numbered field that was found: the first of a number counts. */
export function findFields(words: readonly ReadWord[]): ReadonlyMap<FieldNumber, string> {
  const fields = new Map<FieldNumber, string>()
  let open: OpenField | null = null
  for (const row of toRows(words)) {
    let current: OpenField | null = null
    for (const word of row) {
      const { text, box } = word
      const label = readLabel(text)
      if (label !== null && !fields.has(label.number)) {
        current = { number: label.number, left: box.left, bottom: box.top + box.height }
        fields.set(label.number, label.rest)
      } else if (current !== null) fields.set(current.number, `${fields.get(current.number)} ${text}`.trim())
      else if (open !== null && isContinued(open, word)) {
        fields.set(open.number, `${fields.get(open.number)} ${text}`.trim())
      }
    }
    open = current ?? null
  }
  return fields
}

function isContinued({ number, left, bottom }: OpenField, { box }: ReadWord): boolean {
  return wrapping.includes(number) && box.left > left && box.top - bottom < box.height
}

/** `DD.MM.YYYY` or `DD.MM.YY` as digits, with any separator; null where there is no such date. */
export function findDate(text: string): { readonly day: number; readonly month: number; readonly year: string } | null {
  const digits = text
    .replace(/(?<=[\d.,/-])[OoQ]|[OoQ](?=[\d.,/-])/g, '0')
    .replace(/(?<=[\d.,/-])[lI|]|[lI|](?=[\d.,/-])/g, '1')
  const found = /(?<!\d)(\d\d)[ .,/-]{1,2}(\d\d)[ .,/-]{1,2}((?:19|20)\d\d|\d\d)(?!\d)/.exec(digits)
  if (found === null) return null
  const [, day = '', month = '', year = ''] = found
  return { day: Number(day), month: Number(month), year }
}

/** As Tesseract reads it: its fillers become letters. */
const linePattern = /D[1IL]FRA([A-Z0-9]{9})(\d)(\d{6})([A-Z<]{8})(\d)/

/**
 * The line below the fields of a French licence: `D1FRA`, the number, its check digit, the expiry as YYMMDD, eight letters of
 * the surname, and a check digit of it all. Null where there is none whose check digits agree.
 */
export function findFrenchLine(
  words: readonly ReadWord[],
): { readonly document_number: string; readonly expiry: string } | null {
  for (const row of toRows(words)) {
    const found = linePattern.exec(
      row
        .map(({ text }) => text)
        .join('')
        .toUpperCase(),
    )
    if (found === null) continue
    const [, document_number = '', ofNumber = '', expiry = '', name = '', ofAll = ''] = found
    const head = `D1FRA${document_number}`
    const fillers = /[KCLE<]*$/.exec(name)?.[0].length ?? 0
    const names = Array.from({ length: fillers + 1 }, (_, n) => name.slice(0, 8 - n).padEnd(8, '<'))
    const isChecked = names.some(one => computeCheckDigit(head + ofNumber + expiry + one) === Number(ofAll))
    if (computeCheckDigit(head) === Number(ofNumber) && isChecked) return { document_number, expiry }
  }
  return null
}
