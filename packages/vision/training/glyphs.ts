import sharp from 'sharp'
import { pitchMm } from '../document_measures.ts'
import { ocrBLine } from '../synthetic/lettering.ts'
import { mrzAlphabet } from '../zone/network.ts'

/**
 * A character as the distance to its edge, in pitches, negative inside, so that print can be made heavier or lighter.
 */
export type Glyph = Float32Array

const pitchPx = 80
const heightPx = 120
/**
 * Half of a capital's height in pitches, with a little of the ink's spread; the baseline lies this far below the
 * middle.
 */
export const halfCapital = 0.485
const baseline = 0.75 + halfCapital
/** Distances are known up to here, in pixels of the large drawing. */
const reach = 16
const beyond = reach / pitchPx

/** Returns for each pixel the distance to the nearest pixel of the other kind. */
function distances(ink: Uint8Array): Glyph {
  const field = new Float32Array(ink.length).fill(reach)
  for (let y = 0; y < heightPx; y++) {
    for (let x = 0; x < pitchPx; x++) {
      const at = y * pitchPx + x
      const here = ink[at]
      let least = reach * reach
      for (let ny = Math.max(0, y - reach); ny <= Math.min(heightPx - 1, y + reach); ny++) {
        for (let nx = Math.max(0, x - reach); nx <= Math.min(pitchPx - 1, x + reach); nx++) {
          if (ink[ny * pitchPx + nx] !== here) least = Math.min(least, (nx - x) ** 2 + (ny - y) ** 2)
        }
      }
      const away = Math.sqrt(least) - 0.5
      field[at] = (here === 1 ? -away : away) / pitchPx
    }
  }
  return field
}

/** Draws every character of the alphabet once. */
export async function drawGlyphs(): Promise<Glyph[]> {
  const glyphs: Glyph[] = []
  for (const character of mrzAlphabet) {
    const box = `viewBox="0 0 ${pitchMm} ${pitchMm * 1.5}" width="${pitchPx}" height="${heightPx}"`
    const outline = ocrBLine(character, { x: 0, y: baseline * pitchMm })
    const svg = `<svg xmlns="http://www.w3.org/2000/svg" ${box}><rect width="9" height="9" fill="#fff"/>${outline}</svg>`
    const data = await sharp(Buffer.from(svg)).toColourspace('b-w').raw().toBuffer()
    glyphs.push(distances(Uint8Array.from(data, value => (value < 128 ? 1 : 0))))
  }
  return glyphs
}

/** Returns the distance to the glyph's edge at a place in pitches from its middle; bilinear. */
export function edgeAt(glyph: Glyph | undefined, u: number, v: number): number {
  const x = (u + 0.5) * pitchPx - 0.5
  const y = (v + 0.75) * pitchPx - 0.5
  if (glyph === undefined || x < 0 || y < 0 || x >= pitchPx - 1 || y >= heightPx - 1) return beyond
  const column = Math.floor(x)
  const row = Math.floor(y)
  const fx = x - column
  const fy = y - row
  const at = row * pitchPx + column
  const top = (glyph[at] ?? 0) * (1 - fx) + (glyph[at + 1] ?? 0) * fx
  const low = (glyph[at + pitchPx] ?? 0) * (1 - fx) + (glyph[at + pitchPx + 1] ?? 0) * fx
  return top * (1 - fy) + low * fy
}
