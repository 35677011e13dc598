import { readFileSync } from 'node:fs'
import opentype, { type Font } from 'opentype.js'

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

/** ICAO 9303 part 3, 4.1: ten characters to the inch, lines a quarter of an inch apart. Millimetres. */
export const mrzPitch = 2.54
/** Millimetres from one line's baseline to the next one's. */
export const mrzLineSpacing = 6.35

/** How a printer departs from the norm. */
export interface PrintStyle {
  readonly cut: 'regular' | 'sharp'
  /** Shares of the norm's width, height and pitch: 1 is exact. */
  readonly wide: number
  readonly high: number
  readonly pitch: number
  /** Where each character strays from its place, in millimetres. */
  readonly stray: () => number
}

const norm: PrintStyle = { cut: 'regular', wide: 1, high: 1, pitch: 1, stray: () => 0 }

/** Contours closed, so that a stroke runs all around them. */
const closed = (outline: string): string => `${outline.replace(/(?<=.)M/g, 'ZM')}Z`

/** One line of OCR-B at the zone's size as SVG, in millimetres; `at` is the first cell's left edge and the baseline. */
export const ocrBLine = (text: string, at: { x: number; y: number }, style: PrintStyle = norm): string => {
  const scale = mrzPitch / ocrB.advance
  const glyphs = style.cut === 'sharp' ? ocrB.sharp_glyphs : ocrB.glyphs
  const step = mrzPitch * style.pitch
  return [...text]
    .map((character, column) => {
      // A narrower or wider character stays in the middle of its cell.
      const x = at.x + column * step + (step - mrzPitch * style.wide) / 2 + style.stray()
      const place = `translate(${x.toFixed(3)} ${(at.y + style.stray()).toFixed(3)})`
      const size = `scale(${(scale * style.wide).toFixed(6)} ${(scale * style.high).toFixed(6)})`
      return `<path transform="${place} ${size}" d="${closed(glyphs[character] ?? '')}"/>`
    })
    .join('')
}

const loadFont = (file: string): Font => {
  const url = new URL(`ttf/${file}`, import.meta.resolve('dejavu-fonts-ttf/package.json'))
  return opentype.parse(new Uint8Array(readFileSync(url)).buffer)
}

let loaded: { readonly regular: Font; readonly bold: Font } | null = null

const fonts = (): { readonly regular: Font; readonly bold: Font } => {
  loaded ??= { regular: loadFont('DejaVuSans.ttf'), bold: loadFont('DejaVuSans-Bold.ttf') }
  return loaded
}

/** Ordinary text as outlines (DejaVu Sans), so that it looks alike on a machine without fonts. Millimetres. */
export const textPath = (text: string, at: { x: number; y: number; size: number; bold?: boolean }): string => {
  const font = at.bold === true ? fonts().bold : fonts().regular
  // Outlines are made a hundred times larger and shrunk: whole units are then fine enough. Glyph by glyph, because
  // opentype.js fails on DejaVu's contextual substitutions.
  const size = at.size * 100
  let x = 0
  let outline = ''
  for (const character of text) {
    const glyph = font.charToGlyph(character)
    outline += glyph.getPath(x, 0, size).toPathData(2)
    x += (glyph.advanceWidth * size) / font.unitsPerEm
  }
  return `<path transform="translate(${at.x} ${at.y}) scale(0.01)" d="${outline}"/>`
}
