import sharp from 'sharp'
import { mrzPitch, ocrBLine } from '../../../../synthetic/lettering.ts'
import type { Random } from '../../../../synthetic/random.ts'
import { levelCell } from '../cells.ts'
import { cellShape, mrzAlphabet } from '../network.ts'

/** A glyph drawn large, alone in its cell: ink 0 to 255, the cell's width is `glyphPitch` pixels. */
export type Glyph = Float32Array

const pitch_px = 40
const glyph_height = 60
/** The baseline lies so that capitals are centred: half of OCR-B's capital height, 0.49 of the pitch, below. */
const baseline = 0.75 + 0.485

/** Draws every character of the alphabet once. */
export const drawGlyphs = async (): Promise<Glyph[]> => {
  const glyphs: Glyph[] = []
  for (const character of mrzAlphabet) {
    const box = `viewBox="0 0 ${mrzPitch} ${mrzPitch * 1.5}" width="${pitch_px}" height="${glyph_height}"`
    const outline = ocrBLine(character, { x: 0, y: baseline * mrzPitch })
    const svg = `<svg xmlns="http://www.w3.org/2000/svg" ${box}><rect width="9" height="9" fill="#fff"/>${outline}</svg>`
    const data = await sharp(Buffer.from(svg)).toColourspace('b-w').raw().toBuffer()
    glyphs.push(Float32Array.from(data, value => 255 - value))
  }
  return glyphs
}

/** The glyph printed heavier (`weight` above 0) or lighter: its edge moves by up to 3 of the 40 pixels. */
const reweighted = (glyph: Glyph, reach: number): Glyph => {
  const grown = new Float32Array(glyph.length)
  const pick = reach > 0 ? Math.max : Math.min
  const far = Math.abs(reach)
  for (let y = far; y < glyph_height - far; y++) {
    for (let x = far; x < pitch_px - far; x++) {
      const at = y * pitch_px + x
      let value = glyph[at] ?? 0
      for (const step of [-far, far, -far * pitch_px, far * pitch_px]) value = pick(value, glyph[at + step] ?? 0)
      grown[at] = value
    }
  }
  return grown
}

/** Every glyph in five weights, from light to heavy. */
export const weigh = (glyphs: readonly Glyph[]): Glyph[][] =>
  [-2, -1, 0, 1, 2].map(reach => glyphs.map(glyph => (reach === 0 ? glyph : reweighted(glyph, reach))))

const inkAt = (glyph: Glyph | undefined, u: number, v: number): number => {
  const x = Math.round(u * pitch_px - 0.5)
  const y = Math.round(v * pitch_px - 0.5)
  if (glyph === undefined || x < 0 || x >= pitch_px || y < 0 || y >= glyph_height) return 0
  return glyph[y * pitch_px + x] ?? 0
}

const { columns, rows, wide, high } = cellShape

/** Averages each cell with its two neighbours along one direction, in place. */
const smear = (cell: Float32Array, amount: number, across: boolean): void => {
  const [step, count, stride, lines] = across ? [1, columns, columns, rows] : [columns, rows, 1, columns]
  const side = amount / 2
  for (let line = 0; line < lines; line++) {
    let before = cell[line * stride] ?? 0
    for (let at = 0; at < count; at++) {
      const index = line * stride + at * step
      const here = cell[index] ?? 0
      const after = at + 1 < count ? (cell[index + step] ?? 0) : here
      cell[index] = (1 - side * 2) * here + side * (before + after)
      before = here
    }
  }
}

/** The lens (both directions alike), or the hand (one of them more). */
const blur = (cell: Float32Array, random: Random): number => {
  const passes = random.below(7)
  const hand = random.next()
  for (let pass = 0; pass < passes; pass++) {
    if (hand > 0.2) smear(cell, random.between(0.2, 0.6), true)
    if (hand < 0.8) smear(cell, random.between(0.2, 0.6), false)
  }
  return passes
}

const addGrain = (cell: Float32Array, amount: number, random: Random): void => {
  for (let at = 0; at < cell.length; at++) cell[at] = (cell[at] ?? 0) + random.normal() * amount
}

/** A pale line of the pattern, or a dark edge: the end of the page. */
const addLine = (cell: Float32Array, random: Random): void => {
  const angle = random.between(0, Math.PI)
  const [dx, dy] = [Math.cos(angle), Math.sin(angle)]
  const [away, half, ink] = [random.between(-7, 7), random.between(0.4, 1), random.between(10, 40)]
  for (let at = 0; at < cell.length; at++) {
    const from = ((at % columns) - columns / 2) * dx + (Math.floor(at / columns) - rows / 2) * dy - away
    if (Math.abs(from) < half) cell[at] = (cell[at] ?? 0) - ink
  }
}

/** Where and how a character lies in its cell. */
interface Lie {
  readonly dx: number
  readonly dy: number
  readonly sx: number
  readonly sy: number
  readonly turn: number
  readonly shear: number
}

const lieOf = (random: Random): Lie => ({
  dx: random.normal() * 0.06,
  dy: random.normal() * 0.07,
  sx: 1 + random.normal() * 0.06,
  sy: 1 + random.normal() * 0.07,
  turn: random.normal() * 0.05,
  shear: random.normal() * 0.06,
})

/** Between its neighbours: any character, most often the filler, sometimes none. */
const neighbour = (glyphs: readonly Glyph[], random: Random): Glyph | undefined =>
  random.next() < 0.08 ? undefined : glyphs[random.next() < 0.25 ? 36 : random.below(37)]

const corners = [-0.02, 0.02] as const

const draw = (
  three: readonly (Glyph | undefined)[],
  { dx, dy, sx, sy, turn, shear }: Lie,
  ink: number,
): Float32Array => {
  const cell = new Float32Array(columns * rows)
  for (let row = 0; row < rows; row++) {
    for (let column = 0; column < columns; column++) {
      const u0 = ((column + 0.5) / columns - 0.5) * wide
      const v0 = ((row + 0.5) / rows - 0.5) * high
      let sum = 0
      for (const ox of corners) {
        for (const oy of corners) {
          const u = 0.5 + dx + (u0 + ox + shear * v0) * sx
          const v = 0.75 + dy + (v0 + oy + turn * u0) * sy
          const side = Math.floor(u)
          sum += inkAt(three[side + 1], u - side, v)
        }
      }
      cell[row * columns + column] = 200 - (sum / 4 / 255) * ink
    }
  }
  return cell
}

/** Light, blur and grain as a photo has them; levelled as the reader does. */
const photographed = (cell: Float32Array, ink: number, random: Random): Float32Array => {
  const [slopeX, slopeY] = [random.normal() * 16, random.normal() * 12]
  for (let at = 0; at < cell.length; at++) {
    const [u, v] = [(at % columns) / columns - 0.5, Math.floor(at / columns) / rows - 0.5]
    cell[at] = (cell[at] ?? 0) + slopeX * u + slopeY * v
  }
  if (random.next() < 0.3) addLine(cell, random)
  const grain = (random.next() ** 2 * 0.22 + 0.01) * ink
  // Grain before the blur is that of a photo shrunk or smoothed afterwards.
  if (random.next() < 0.4) addGrain(cell, grain * 1.5, random)
  const passes = blur(cell, random)
  addGrain(cell, grain * (passes > 3 ? 0.4 : 1), random)
  levelCell(cell)
  return cell
}

/** A cell as a bad photo would show it: shifted, sheared, scaled, with neighbours, blurred, shaded, grainy; levelled. */
export const distort = (weights: readonly (readonly Glyph[])[], label: number, random: Random): Float32Array => {
  const glyphs = weights[random.below(weights.length)] ?? []
  const ink = random.between(45, 190)
  if (label < 37) {
    const three = [neighbour(glyphs, random), glyphs[label], neighbour(glyphs, random)]
    return photographed(draw(three, lieOf(random), ink), ink, random)
  }
  // No character: a cell between two, between two lines, or bare paper with lines on it.
  const lie = lieOf(random)
  const kind = random.below(3)
  const [one, other] = [glyphs[random.below(36)], glyphs[random.below(36)]]
  const shifted = kind === 0 ? { ...lie, dx: random.between(0.4, 0.6) } : { ...lie, dy: random.between(0.5, 0.75) }
  const cell = kind === 2 ? draw([], lie, ink) : draw([one, one, other], shifted, ink)
  if (kind === 2) for (let line = random.below(3); line >= 0; line--) addLine(cell, random)
  return photographed(cell, ink, random)
}
