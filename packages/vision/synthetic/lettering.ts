import { readFileSync } from 'node:fs'
import opentype, { type Font } from 'opentype.js'
import { pitchMm } from '../document_measures.ts'

/** The outlines that `extract_ocr_b.ts` took from the font. Units are the font's, `y` downwards from the baseline. */
interface OcrB {
  readonly units_per_em: number
  readonly advance: number
  readonly glyphs: Readonly<Record<string, string>>
  /** The cut with sharp corners, which the classifier never saw in training. */
  readonly sharp_glyphs: Readonly<Record<string, string>>
}

/** OCR-B (Debian fonts-ocr-b, free for any use), the typeface of machine-readable zones. */
export const ocrB = JSON.parse(readFileSync(new URL('ocr_b.generated.json', import.meta.url), 'utf8')) as OcrB

/** The departures of a printer from the norm. */
export interface PrintStyle {
  readonly cut: 'regular' | 'sharp'
  /** Shares of the norm's width, height and pitch: 1 is exact. */
  readonly wide: number
  readonly high: number
  readonly pitch: number
  /** Returns the distance of the next character from its place, in millimetres. */
  readonly stray: () => number
}

const norm: PrintStyle = { cut: 'regular', wide: 1, high: 1, pitch: 1, stray: () => 0 }

/** Closes the contours, so that a stroke runs all around them. */
function closed(outline: string): string {
  return `${outline.replace(/(?<=.)M/g, 'ZM')}Z`
}

/**
 * Draws one line of OCR-B at the zone's size as SVG, in millimetres; `at` is the first cell's left edge and the
 * baseline.
 */
export function ocrBLine(text: string, at: { x: number; y: number }, style: PrintStyle = norm): string {
  const scale = pitchMm / ocrB.advance
  const glyphs = style.cut === 'sharp' ? ocrB.sharp_glyphs : ocrB.glyphs
  const step = pitchMm * style.pitch
  return [...text]
    .map((character, column) => {
      // A narrower or wider character stays in the middle of its cell.
      const x = at.x + column * step + (step - pitchMm * style.wide) / 2 + style.stray()
      const place = `translate(${x.toFixed(3)} ${(at.y + style.stray()).toFixed(3)})`
      const size = `scale(${(scale * style.wide).toFixed(6)} ${(scale * style.high).toFixed(6)})`
      return `<path transform="${place} ${size}" d="${closed(glyphs[character] ?? '')}"/>`
    })
    .join('')
}

/** A cut of DejaVu. */
export type Typeface = 'sans' | 'sans_bold' | 'condensed' | 'condensed_bold' | 'serif' | 'serif_bold'

const files: Readonly<Record<Typeface, string>> = {
  sans: 'DejaVuSans.ttf',
  sans_bold: 'DejaVuSans-Bold.ttf',
  condensed: 'DejaVuSansCondensed.ttf',
  condensed_bold: 'DejaVuSansCondensed-Bold.ttf',
  serif: 'DejaVuSerif.ttf',
  serif_bold: 'DejaVuSerif-Bold.ttf',
}

const loaded = new Map<Typeface, Font>()

function findFont(face: Typeface): Font {
  const known = loaded.get(face)
  if (known !== undefined) return known
  const url = new URL(`ttf/${files[face]}`, import.meta.resolve('dejavu-fonts-ttf/package.json'))
  const font = opentype.parse(new Uint8Array(readFileSync(url)).buffer)
  loaded.set(face, font)
  return font
}

/** The place of ordinary text, by its baseline's left end, and the height of its em, in millimetres. */
export interface TextStyle {
  readonly x: number
  readonly y: number
  readonly size: number
  readonly face: Typeface
  /** Longer text is printed narrower. In millimetres. */
  readonly maxWidth?: number
}

/** Draws ordinary text as outlines (DejaVu), so that it looks alike on a machine without fonts. */
export function textPath(text: string, { x, y, size, face, maxWidth = Infinity }: TextStyle): string {
  const font = findFont(face)
  let advance = 0
  let outline = ''
  // opentype.js fails on DejaVu's contextual substitutions, so that the text is drawn glyph by glyph. Its own
  // `toPathData` turns a coordinate a hair away from a whole number into NaN, so that the path is written here.
  for (const character of text) {
    const glyph = font.charToGlyph(character)
    for (const command of glyph.getPath(advance, 0, font.unitsPerEm).commands) {
      const { type, x1, y1, x: toX, y: toY } = command
      outline += type + [x1, y1, toX, toY].flatMap(value => (value === undefined ? [] : [value.toFixed(1)])).join(' ')
    }
    advance += glyph.advanceWidth ?? 0
  }
  const scale = size / font.unitsPerEm
  const narrowed = scale * Math.min(1, maxWidth / (advance * scale))
  const place = `translate(${x.toFixed(3)} ${y.toFixed(3)}) scale(${narrowed.toFixed(6)} ${scale.toFixed(6)})`
  return `<path transform="${place}" d="${outline}"/>`
}
