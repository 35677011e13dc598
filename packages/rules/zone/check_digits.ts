import { type CheckGroup, type LayoutName, textAt, zoneLayouts } from './layouts.ts'

/** ICAO 9303 part 3, 4.9: the check digit of a text, from 0 to 9; null where a character has no value. */
export function computeCheckDigit(text: string): number | null {
  let sum = 0
  for (let at = 0; at < text.length; at++) {
    const value = text[at] === '<' ? 0 : Number.parseInt(text[at] ?? '', 36)
    if (Number.isNaN(value)) return null
    sum += value * (at % 3 === 0 ? 7 : at % 3 === 1 ? 3 : 1)
  }
  return sum % 10
}

/** A document number and its check digit, wherever the number ends. */
export interface NumberParts {
  readonly number: string
  readonly digit: string
  /** Number of characters that it takes from the optional data. */
  readonly taken: number
}

/** ICAO 9303 part 5, 4.2.2: with a filler for a check digit, a card's number runs on into the optional data. */
export function splitNumber(format: LayoutName, lines: readonly string[]): NumberParts {
  const { fields, checks, hasLongNumber: numberRunsOn } = zoneLayouts[format]
  const number = textAt(lines, fields.document_number)
  const digit = textAt(lines, checks[0]?.at)
  const rest = textAt(lines, fields.personal_number).split('<')[0] ?? ''
  if (!numberRunsOn || digit !== '<' || rest.length < 2) return { number, digit, taken: 0 }
  return { number: number + rest.slice(0, -1), digit: rest.slice(-1), taken: rest.length + 1 }
}

function isGroupValid(format: LayoutName, lines: readonly string[], group: CheckGroup): boolean {
  if (group.name === 'document_number') {
    const { number, digit } = splitNumber(format, lines)
    return digit === String(computeCheckDigit(number))
  }
  const covered = group.covers.map(span => textAt(lines, span)).join('')
  const digit = textAt(lines, group.at)
  // ICAO 9303 part 4, 4.2.2: an empty personal number may carry a filler for its check digit; empty dates do as well.
  if (digit === '<') return /^<*$/.test(covered)
  return digit === String(computeCheckDigit(covered))
}

/** Whether one group's digit agrees. */
export function passesCheck(format: LayoutName, lines: readonly string[], name: string): boolean {
  return zoneLayouts[format].checks.some(group => group.name === name && isGroupValid(format, lines, group))
}

/** Every check digit of a zone, in the order of the zone. */
export function checkZone(format: LayoutName, lines: readonly string[]): { name: string; passed: boolean }[] {
  return zoneLayouts[format].checks.map(group => ({ name: group.name, passed: isGroupValid(format, lines, group) }))
}
