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
    const outline = ocrBLine(character, 0, baseline * mrzPitch)
    const svg = `<svg xmlns="http://www.w3.org/2000/svg" ${box}><rect width="9" height="9" fill="#fff"/>${outline}</svg>`
    const data = await sharp(Buffer.from(svg)).toColourspace('b-w').raw().toBuffer()
    glyphs.push(Float32Array.from(data, value => 255 - value))
  }
  return glyphs
}

const inkAt = (glyph: Glyph | undefined, u: number, v: number): number => {
  const x = Math.round(u * pitch_px - 0.5)
  const y = Math.round(v * pitch_px - 0.5)
  if (glyph === undefined || x < 0 || x >= pitch_px || y < 0 || y >= glyph_height) return 0
  return glyph[y * pitch_px + x] ?? 0
}

const { columns, rows, wide, high } = cellShape

/** Blurs by a small box twice, in place: about the camera's blur. */
const blur = (cell: Float32Array, amount: number): void => {
  const side = amount / 2
  for (const [step, count, stride, lines] of [
    [1, columns, columns, rows],
    [columns, rows, 1, columns],
  ] as const) {
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
}

/** A cell as a bad photo would show it: shifted, sheared, scaled, with neighbours, blurred, shaded, grainy; levelled. */
export const distort = (glyphs: readonly Glyph[], label: number, random: Random): Float32Array => {
  const [left, right] = [glyphs[random.below(37)], glyphs[random.below(37)]]
  const [dx, dy] = [random.normal() * 0.06, random.normal() * 0.07]
  const [sx, sy] = [1 + random.normal() * 0.05, 1 + random.normal() * 0.06]
  const [turn, shear] = [random.normal() * 0.04, random.normal() * 0.05]
  const ink = random.between(60, 190)
  const [slopeX, slopeY] = [random.normal() * 14, random.normal() * 10]
  const noise = random.between(1, 14)
  const cell = new Float32Array(columns * rows)
  for (let row = 0; row < rows; row++) {
    for (let column = 0; column < columns; column++) {
      const u0 = ((column + 0.5) / columns - 0.5) * wide
      const v0 = ((row + 0.5) / rows - 0.5) * high
      let sum = 0
      for (const [ox, oy] of [
        [-0.02, -0.02],
        [0.02, -0.02],
        [-0.02, 0.02],
        [0.02, 0.02],
      ] as const) {
        const u = 0.5 + dx + (u0 + ox + shear * v0) * sx
        const v = 0.75 + dy + (v0 + oy + turn * u0) * sy
        sum += u < 0 ? inkAt(left, u + 1, v) : u >= 1 ? inkAt(right, u - 1, v) : inkAt(glyphs[label], u, v)
      }
      cell[row * columns + column] = 200 - (sum / 4 / 255) * ink + slopeX * u0 + slopeY * v0
    }
  }
  const passes = random.below(7)
  for (let pass = 0; pass < passes; pass++) blur(cell, random.between(0.2, 0.6))
  for (let at = 0; at < cell.length; at++) cell[at] = (cell[at] ?? 0) + random.normal() * noise * (passes > 3 ? 0.4 : 1)
  levelCell(cell)
  return cell
}
