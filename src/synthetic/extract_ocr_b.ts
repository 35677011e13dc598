/**
 * Makes `ocr_b.generated.json` from the OCR-B font: `node src/synthetic/extract_ocr_b.ts FONT`. FONT is OCRB.otf of
 * Debian's fonts-ocr-b, by Matthew Skala after Norbert Schwarz, whose licence allows any use.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import opentype from 'opentype.js'

const [path] = process.argv.slice(2)
if (path === undefined) throw new Error('usage: node src/synthetic/extract_ocr_b.ts FONT')
const font = opentype.parse(new Uint8Array(readFileSync(path)).buffer)
const glyphs = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789<'].map(character => [
  character,
  font.charToGlyph(character).getPath(0, 0, font.unitsPerEm).toPathData(0),
])
const made = {
  source: 'Debian fonts-ocr-b, OCRB.otf; https://tsukurimashou.osdn.jp/ocr.php',
  licence: 'Matthew Skala: public domain; Norbert Schwarz: may be freely used, modified and distributed',
  units_per_em: font.unitsPerEm,
  advance: font.charToGlyph('A').advanceWidth,
  glyphs: Object.fromEntries(glyphs),
}
writeFileSync(fileURLToPath(new URL('ocr_b.generated.json', import.meta.url)), `${JSON.stringify(made, null, 1)}\n`)
