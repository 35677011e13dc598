import type { Random } from '../synthetic/random.ts'
import { levelCell } from '../zone/cells.ts'
import { cellShape, mrzAlphabet } from '../zone/network.ts'
import { edgeAt, type Glyph } from './glyphs.ts'
import { addGrain, blur, brightnessAt, compress, type Patch } from './patch.ts'

/** The glyphs and the grain that samples are made from. */
export interface Press {
  readonly glyphs: readonly Glyph[]
  readonly grain: Float32Array
}

const { columns, rows, wide, high } = cellShape
const filler = mrzAlphabet.length - 1

/** The print of a character and its place; lengths are in pitches. */
interface Print {
  readonly three: readonly (Glyph | undefined)[]
  /** Offset of the character's middle from the cell's; `strays` adds one for each of the three. */
  readonly place: { readonly x: number; readonly y: number }
  readonly strays: readonly number[]
  readonly size: { readonly wide: number; readonly high: number }
  readonly shear: number
  readonly turn: number
  /** Distance by which the strokes' edges are moved out; `uneven` adds to it on the right. */
  readonly weight: number
  readonly uneven: number
  /** Bend of the strokes: other renditions of the typeface. */
  readonly bend: { readonly x: number; readonly y: number; readonly both: number }
}

/** Characters stray from their places by a normal deviate of this width, in pitches. Tuned. */
export const stray = { x: 0.06, y: 0.065 } as const

/** Draws a neighbour: any character, most often the filler, sometimes none. */
function neighbour(glyphs: readonly Glyph[], random: Random): Glyph | undefined {
  return random.next() < 0.08 ? undefined : glyphs[random.next() < 0.25 ? filler : random.below(filler + 1)]
}

function drawPrint(glyphs: readonly Glyph[], glyph: Glyph | undefined, random: Random): Print {
  return {
    three: [neighbour(glyphs, random), glyph, neighbour(glyphs, random)],
    place: { x: random.normal() * stray.x, y: random.normal() * stray.y },
    strays: [0, 1, 2].map(() => random.normal() * 0.015),
    size: { wide: 1 + random.normal() * 0.06, high: 1 + random.normal() * 0.06 },
    shear: random.normal() * 0.05,
    turn: random.normal() * 0.035,
    weight: random.normal() * 0.023,
    uneven: random.normal() * 0.012,
    bend: { x: random.normal() * 0.015, y: random.normal() * 0.015, both: random.normal() * 0.04 },
  }
}

/** Draws a cell without a character: between two, between lines, another size of print, or nothing at all. */
function blank(glyphs: readonly Glyph[], random: Random): Print {
  const print = drawPrint(glyphs, glyphs[random.below(filler + 1)], random)
  const [one, , other] = print.three
  const side = random.next() < 0.5 ? -1 : 1
  const kind = random.below(5)
  if (kind === 0) return { ...print, place: { ...print.place, x: random.between(0.42, 0.58) * side } }
  if (kind === 1) return { ...print, place: { ...print.place, y: random.between(0.55, 1.2) * side } }
  const scale = random.next() < 0.5 ? 0.5 : 1.9
  if (kind === 2) return { ...print, size: { wide: scale, high: scale }, place: { x: 0.3, y: 0.3 * side } }
  return { ...print, three: kind === 3 ? [] : [one, undefined, other] }
}

/** Returns the share of ink at a place, 0 to 1; `soft` is a pixel's size in pitches. It runs a million times. */
function inkAt(print: Print, u: number, v: number, soft: number): number {
  const { place, size, bend } = print
  const x = u * size.wide + print.shear * v - place.x + bend.x * (4 * v * v - 0.5) + bend.both * u * v
  const y = v * size.high + print.turn * u - place.y + bend.y * (6 * u * u - 0.5)
  const column = Math.max(-1, Math.min(1, Math.round(x)))
  const away = edgeAt(print.three[column + 1], x - column + (print.strays[column + 1] ?? 0), y)
  return Math.min(1, Math.max(0, 0.5 - (away - print.weight - print.uneven * u) / soft))
}

/** Returns the brightness of a place before the camera: paper with its pattern and edges, in its light. */
type Ground = (u: number, v: number) => number

function lines(random: Random): (u: number, v: number) => number {
  const angle = random.between(0, 3.14)
  const pace = random.between(4, 16)
  const phase = random.between(0, 6.28)
  const dx = Math.cos(angle) * pace
  const dy = Math.sin(angle) * pace
  const bow = random.normal() * 2
  const depth = random.between(5, 55) * random.next()
  const thin = random.between(-0.3, 0.8)
  return (u, v) => (Math.sin(u * dx + v * dy + bow * (u * u - v * v) + phase) > thin ? -depth : 0)
}

/** Draws a straight edge, soft or hard: beyond it the brightness is `beyond` times as much. */
function edge(random: Random, beyond: number): (u: number, v: number) => number {
  const angle = random.between(0, 6.28)
  const away = random.between(-0.7, 0.9)
  const dx = Math.cos(angle)
  const dy = Math.sin(angle)
  const soft = random.next() ** 2 * 1.5 + 0.02
  return (u, v) => 1 + (beyond - 1) * Math.min(1, Math.max(0, (u * dx + v * dy - away) / soft + 0.5))
}

function drawGround(random: Random): Ground {
  const base = random.between(95, 240)
  const sx = random.normal() * 12
  const sy = random.normal() * 10
  const pattern = random.next() < 0.55 ? lines(random) : null
  const second = pattern !== null && random.next() < 0.4 ? lines(random) : null
  const shadow = random.next() < 0.15 ? edge(random, random.between(0.35, 0.8)) : null
  const border = random.next() < 0.1 ? edge(random, random.between(0.3, 1.5)) : null
  return (u, v) => {
    const printed = base + (pattern === null ? 0 : pattern(u, v)) + (second === null ? 0 : second(u, v))
    const end = border === null ? 1 : border(u, v * 0.5 + 0.25)
    return printed * end * (1 + (sx * u + sy * v) / 150) * (shadow === null ? 1 : shadow(u, v))
  }
}

/** The photo's position on the print: pixels a pitch, its turn, and the hand's movement in pitches. */
interface View {
  readonly pitch: number
  readonly cos: number
  readonly sin: number
  readonly motion: { readonly x: number; readonly y: number }
  readonly middle: { readonly x: number; readonly y: number }
}

function drawView(random: Random): View {
  const angle = random.normal() * (random.next() < 0.3 ? 0.25 : 0.06)
  const pitch = 7.5 * 3.2 ** random.next()
  const moved = random.next() < 0.35 ? random.next() ** 1.5 * 0.32 : 0
  const along = random.between(0, 3.14)
  const half = (scale: number): number => pitch * scale + 2 + random.next()
  return {
    pitch,
    cos: Math.cos(angle) * pitch,
    sin: Math.sin(angle) * pitch,
    motion: { x: Math.cos(along) * moved, y: Math.sin(along) * moved },
    middle: { x: half(wide * 0.56), y: half(high * 0.56) },
  }
}

function exposed(print: Print, { pitch, cos, sin, motion, middle }: View, random: Random): Patch {
  const width = Math.ceil(middle.x * 2)
  const height = Math.ceil(middle.y * 2)
  const data = new Float32Array(width * height)
  const ground = drawGround(random)
  const ink = random.between(0.12, 0.75)
  const taps = motion.x === 0 && motion.y === 0 ? [0] : [-0.4, 0, 0.4]
  const across = cos / pitch ** 2
  const along = sin / pitch ** 2
  for (let at = 0; at < data.length; at++) {
    const x = (at % width) - middle.x
    const y = Math.floor(at / width) - middle.y
    const u = x * across + y * along
    const v = y * across - x * along
    let covered = 0
    for (const tap of taps) covered += inkAt(print, u + motion.x * tap, v + motion.y * tap, 1 / pitch)
    data[at] = ground(u, v) * (1 - (covered / taps.length) * (1 - ink))
  }
  return { data, width, height }
}

/** Develops a sample as the camera does: its lens, a reflection's veil, its sensor and its encoder. */
function developed(patch: Patch, { pitch }: View, press: Press, random: Random): void {
  const lens = random.next() ** 1.3 * 0.17 * pitch
  const noise = random.next() ** 2.2 * 22 + 0.5
  const early = random.next() < 0.35
  const veil = random.next() < 0.12 ? random.between(20, 150) : 0
  if (early) addGrain(patch, press.grain, noise * 1.5, random)
  blur(patch, Math.max(lens, early ? 0.6 : 0))
  if (!early) addGrain(patch, press.grain, noise, random)
  for (let at = 0; at < patch.data.length; at++) {
    patch.data[at] = Math.min(255, Math.max(0, Math.round((patch.data[at] ?? 0) + veil)))
  }
  if (random.next() < 0.6) compress(patch, random.between(28, 95))
}

/** Draws a character as a bad photo shows it, cut out and levelled as by the reader; the last label is no character. */
export function distort(press: Press, label: number, random: Random): Float32Array {
  const { glyphs } = press
  const print = label > filler ? blank(glyphs, random) : drawPrint(glyphs, glyphs[label], random)
  const view = drawView(random)
  const patch = exposed(print, view, random)
  developed(patch, view, press, random)
  const cell = new Float32Array(columns * rows)
  for (let row = 0; row < rows; row++) {
    for (let column = 0; column < columns; column++) {
      const u = ((column + 0.5) / columns - 0.5) * wide
      const v = ((row + 0.5) / rows - 0.5) * high
      const x = u * view.cos - v * view.sin
      const y = u * view.sin + v * view.cos
      cell[row * columns + column] = brightnessAt(patch, view.middle.x + x, view.middle.y + y)
    }
  }
  levelCell(cell)
  return cell
}
