import { readFileSync } from 'node:fs'
import opentype, { type Font } from 'opentype.js'

const families = ['arimo', 'asap-condensed', 'gelasio'] as const

/** The typefaces of the visual zone, none of which the service's own renderer draws. */
export type Family = (typeof families)[number]

/** Every family, for picking one. */
export const visualFamilies: readonly [Family, ...Family[]] = families

const parts = ['latin', 'latin-ext'] as const

const loaded = new Map<string, Font>()

function fontOf(family: Family, part: (typeof parts)[number], weight: 400 | 700): Font {
  const file = `${family}-${part}-${weight}-normal.woff`
  const known = loaded.get(file)
  if (known !== undefined) return known
  const folder = new URL('files/', import.meta.resolve(`@fontsource/${family}/package.json`))
  const font = opentype.parse(new Uint8Array(readFileSync(new URL(file, folder))).buffer)
  loaded.set(file, font)
  return font
}

/**
 * Returns text as an outline in hundredths of a millimetre from the origin's baseline, and its width in millimetres.
 */
export function textOutline(
  text: string,
  { family, weight, size }: { family: Family; weight: 400 | 700; size: number },
): { readonly path: string; readonly width: number } {
  let x = 0
  let path = ''
  for (const character of text) {
    const font = parts.map(part => fontOf(family, part, weight)).find(candidate => candidate.hasChar(character))
    if (font === undefined) throw new Error(`${family} has no ${character}`)
    const glyph = font.charToGlyph(character)
    // `toPathData` keeps every fraction that it ever rounded: after 1,500 documents a glyph took minutes.
    for (const { type, x1, y1, x: toX, y: toY } of glyph.getPath(x, 0, size * 100).commands)
      path += type + [x1, y1, toX, toY].flatMap(value => (value === undefined ? [] : value.toFixed(1))).join(' ')
    x += (glyph.advanceWidth * size * 100) / font.unitsPerEm
  }
  return { path, width: x / 100 }
}
