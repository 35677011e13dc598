/**
 * Makes `ocr_b.generated.json` from the OCR-B fonts: `node packages/vision/synthetic/extract_ocr_b.ts FOLDER`. FOLDER
 * holds OCRB.otf and OCRBS.otf (its cut with sharp corners) of Debian's fonts-ocr-b, by Matthew Skala after Norbert
 * Schwarz, whose licence allows any use.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import opentype from 'opentype.js'

const [folder] = process.argv.slice(2)
if (folder === undefined) throw new Error('usage: node packages/vision/synthetic/extract_ocr_b.ts FOLDER')

function outlines(path: string): Record<string, string> {
  const font = opentype.parse(new Uint8Array(readFileSync(path)).buffer)
  const glyphs = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789<'].map(character => [
    character,
    font.charToGlyph(character).getPath(0, 0, font.unitsPerEm).toPathData(0),
  ])
  return Object.fromEntries(glyphs)
}

const font = opentype.parse(new Uint8Array(readFileSync(join(folder, 'OCRB.otf'))).buffer)
const made = {
  source: 'Debian fonts-ocr-b, OCRB.otf and OCRBS.otf; https://tsukurimashou.osdn.jp/ocr.php',
  licence: 'Matthew Skala: public domain; Norbert Schwarz: may be freely used, modified and distributed',
  units_per_em: font.unitsPerEm,
  advance: font.charToGlyph('A').advanceWidth,
  glyphs: outlines(join(folder, 'OCRB.otf')),
  sharp_glyphs: outlines(join(folder, 'OCRBS.otf')),
}
writeFileSync(fileURLToPath(new URL('ocr_b.generated.json', import.meta.url)), `${JSON.stringify(made, null, 1)}\n`)
