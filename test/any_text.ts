import fc from 'fast-check'

/** The code points that make no character: halves of surrogate pairs. */
const surrogates = { from: 0xd800, to: 0xe000 }

/**
 * A character by its number, halves left out. fast-check's own `unit: 'binary'` lists all 1.1 million in a map, which takes a
 * second, and memory until the process ends.
 */
const character = fc
  .nat(0x10ffff - (surrogates.to - surrogates.from))
  .map(n => String.fromCodePoint(n < surrogates.from ? n : n + surrogates.to - surrogates.from))

/** A text of any characters of Unicode. */
export function anyText(limits: { readonly minLength?: number; readonly maxLength?: number } = {}) {
  return fc.string({ ...limits, unit: character })
}
