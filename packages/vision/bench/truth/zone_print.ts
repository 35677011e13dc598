import { readFileSync } from 'node:fs'
import type { MrzFormat } from '@attestor/rules'
import { pitchMm } from '../../document_measures.ts'
import { type Chance, chance } from './random.ts'

interface OcrB {
  readonly advance: number
  /** The cut with sharp corners, which no trainer draws. */
  readonly sharp_glyphs: Readonly<Record<string, string>>
}

// The outlines are data, from Debian's font; the code that draws them is the bench's own. Free outlines of OCR-B all go
// back to one source, so that each document deforms them in its own way.
const ocrB = JSON.parse(readFileSync(new URL('../../synthetic/ocr_b.generated.json', import.meta.url), 'utf8')) as OcrB

/** Distance of two characters: ten to the inch. In millimetres. */
export const zonePitch = pitchMm

type Warp = (x: number, y: number) => readonly [number, number]

/**
 * Bends the glyph's square smoothly, in another way for each document: bowls, bars and shoulders come to lie elsewhere.
 */
function warpOf(random: Chance): Warp {
  const em = ocrB.advance
  const slant = random.between(-0.05, 0.05)
  const wide = random.between(0.92, 1.07)
  const high = random.between(0.94, 1.06)
  const waves = [0, 1].map(() => ({
    reach: random.between(0, 0.022) * em,
    count: random.between(0.6, 1.8) / em,
    phase: random.between(0, 6.28),
  }))
  const wave = (at: 0 | 1, along: number): number => {
    const { reach = 0, count = 0, phase = 0 } = waves[at] ?? {}
    return reach * Math.sin(along * count * 6.28 + phase)
  }
  return (x, y) => [em / 2 + (x - em / 2) * wide - y * slant + wave(0, y), y * high + wave(1, x)]
}

/** Applies the warp to every point of an outline (commands M, L, C, Q and Z with absolute numbers). */
function bent(outline: string, warp: Warp): string {
  let pending: number | null = null
  return outline.replace(/[A-Z]|-?\d+(?:\.\d+)?/g, token => {
    if (/[A-Z]/.test(token)) return token
    if (pending === null) {
      pending = Number(token)
      return ''
    }
    const [x, y] = warp(pending, Number(token))
    pending = null
    return ` ${x.toFixed(1)} ${y.toFixed(1)}`
  })
}

/** Closes the contours, so that a stroke runs all around them. */
function closed(outline: string): string {
  return `${outline.trim().replace(/(?<=.)M/g, 'ZM')}Z`
}

/** The style of a zone's print. Lengths are in millimetres. */
export interface ZonePrint {
  /** Distance of the ink's edge outside the outline; inside if negative. */
  readonly weight: number
  /** Distance by which characters stray from their places. */
  readonly stray: number
  readonly pitch: number
  readonly lineSpacing: number
  /** Characters that the ribbon or laser left out in part, as a share. */
  readonly dropout: number
}

/**
 * Distance of lines in millimetres, as issuers print them: six lines to the inch on cards, four elsewhere, more or
 * less.
 */
export const zoneSpacings: Readonly<Record<MrzFormat, readonly [from: number, to: number]>> = {
  TD1: [3.95, 4.75],
  TD2: [5.9, 6.7],
  TD3: [5.85, 7.1],
  MRVA: [5.9, 6.7],
  MRVB: [5.9, 6.7],
  FRENCH_ID: [6, 6.7],
}

/** Draws the differences between printers, by the case's seed. */
export function printOf(format: MrzFormat, random: Chance, bad: boolean): ZonePrint {
  return {
    weight: random.between(-0.03, 0.05),
    stray: random.between(0, 0.045),
    pitch: zonePitch * random.between(0.985, 1.015),
    lineSpacing: random.between(...zoneSpacings[format]),
    dropout: bad ? random.between(0.1, 0.3) : 0,
  }
}

/** Draws the specks of paper that show through a bad print. */
function specks(random: Chance, x: number, y: number): string {
  return Array.from({ length: 3 }, () => {
    const cx = x + random.between(0.2, 2.2)
    const cy = y - random.between(0, 2.4)
    return `<circle cx="${cx.toFixed(2)}" cy="${cy.toFixed(2)}" r="${random.between(0.08, 0.22).toFixed(2)}"/>`
  }).join('')
}

const keep = '<rect x="-5" y="-5" width="300" height="300" fill="#fff"/>'

/** Cuts away the parts that a lighter print or a worn ribbon lacks, so that the paper's pattern shows there. */
function worn(letters: string, lost: { stroke: string; specks: string }): string {
  const thin = lost.stroke === '0' ? '' : `<g fill="none" stroke="#000" stroke-width="${lost.stroke}">${letters}</g>`
  const cut = `<mask id="ink" maskUnits="userSpaceOnUse" x="-5" y="-5" width="300" height="300">${keep}${thin}<g fill="#000">${lost.specks}</g></mask>`
  return `${cut}<g mask="url(#ink)"><g fill="currentColor">${letters}</g></g>`
}

/**
 * Draws the lines of a zone as SVG, in millimetres; `left` and `base` are the first cell's left edge and the last
 * baseline.
 */
export function zoneOutlines(
  lines: readonly string[],
  { left, base, seed }: { readonly left: number; readonly base: number; readonly seed: number },
  print: ZonePrint,
): string {
  const random = chance(seed, 'zone')
  const warp = warpOf(random)
  const outlines = new Map<string, string>()
  const outlineOf = (character: string): string => {
    const outline = outlines.get(character) ?? closed(bent(ocrB.sharp_glyphs[character] ?? '', warp))
    outlines.set(character, outline)
    return outline
  }
  const scale = zonePitch / ocrB.advance
  const stray = (): number => random.between(-1, 1) * print.stray
  const missing: string[] = []
  const letters = lines.map((line, row) => {
    const y = base - (lines.length - 1 - row) * print.lineSpacing
    return [...line].map((character, column) => {
      const x = left + column * print.pitch
      if (random.happens(print.dropout)) missing.push(specks(random, x, y))
      const place = `translate(${(x + stray()).toFixed(3)} ${(y + stray()).toFixed(3)}) scale(${scale.toFixed(6)})`
      return `<path transform="${place}" d="${outlineOf(character)}"/>`
    })
  })
  const drawn = letters.flat().join('')
  const stroke = ((Math.abs(print.weight) / scale) * 2).toFixed(0)
  if (print.weight < 0 || missing.length > 0)
    return worn(drawn, { stroke: print.weight < 0 ? stroke : '0', specks: missing.join('') })
  return `<g fill="currentColor" stroke="currentColor" stroke-linejoin="round" stroke-width="${stroke}">${drawn}</g>`
}
