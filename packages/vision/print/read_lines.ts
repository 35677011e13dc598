import type { NetworkOutput } from '../networks/session.ts'
import { type Box, type Corners, locateCorners, type Page, type Scale, samplePage } from './page.ts'
import type { TextNetworks } from './text_networks.ts'

/** A word as it was read, and the sureness of its least sure character, 0 to 1. */
export interface ReadWord {
  readonly text: string
  readonly sure: number
  /** The sureness of each character, and its place along its line's box, from 0 to 1. */
  readonly sures: readonly number[]
  readonly places: readonly number[]
}

/** A line of text, and its place on its page and in the picture. */
export interface ReadLine {
  readonly words: readonly ReadWord[]
  readonly box: Box
  readonly corners: Corners
}

const scale: Scale = { mean: [127.5, 127.5, 127.5], deviation: [127.5, 127.5, 127.5] }
/** The network reads lines of this height; widths are in the same pixels. */
const lineHeight = 48
const grain = 32
const mostWide = 1_600

/** Returns the number of columns that a line takes of a picture of this width, in pixels. */
function measureUsed(box: Box, width: number): number {
  return Math.min(width, Math.max(1, Math.round((box.width / box.height) * lineHeight)))
}

/** Samples a line into a network's picture: it is as wide as its shape demands, and the rest of `width` is empty. */
function sampleLine(page: Page, box: Box, width: number): Float32Array {
  const data = new Float32Array(3 * lineHeight * width)
  const used = measureUsed(box, width)
  samplePage(page, box, { data, width: used, height: lineHeight, stride: width }, scale)
  return data
}

interface GrowingWord {
  text: string
  readonly sures: number[]
  readonly places: number[]
}

function round(value: number): number {
  return Math.round(value * 1_000) / 1_000
}

/**
 * Two letters are parted by a space from this chance of one on, although no space is likelier than none. Of 146 spaces
 * of drawn titles 24 were not the likeliest, and 22 of these had 0.08 and more; of 1,034 places within words none had
 * 0.02.
 */
const minSpace = 0.05

/**
 * Counts a J that is read as both its sizes, whose chances are at these places, as the likelier one. Their shapes are
 * alike, and each alone can be less likely than no letter: VIJAY was read as VIAY, with J at 0.34, j at 0.11 and none at
 * 0.44. In other letters this is often the edge of one that was read in the step before.
 */
function joinSizes(data: Float32Array, large: number, small: number): void {
  const [one = 0, other = 0] = [data[large], data[small]]
  data[large] = one < other ? 0 : one + other
  data[small] = one < other ? one + other : 0
}

/**
 * Decodes the likeliest character of each step along the line; repeated ones count once, and a step without one parts
 * them. The steps are spread over a picture of which the line takes the part `used`.
 */
function decode({ data, dims }: NetworkOutput, characters: readonly string[], used: number): ReadWord[] {
  const [, steps = 0, classes = 0] = dims
  const words: GrowingWord[] = []
  const [large, small] = [characters.indexOf('J'), characters.indexOf('j')]
  let last = 0
  let isParted = true
  for (let step = 0; step < steps; step++) {
    const from = step * classes
    joinSizes(data, from + large, from + small)
    let best = 0
    for (let at = 1; at < classes; at++) if ((data[from + at] as number) > (data[from + best] as number)) best = at
    if ((data[from + classes - 1] as number) >= minSpace) isParted = true
    const letter = best === small ? large : best
    if (best !== 0 && letter !== last && best !== classes - 1) {
      if (isParted) words.push({ text: '', sures: [], places: [] })
      isParted = false
      const word = words.at(-1) as GrowingWord
      const character = characters[best] ?? ''
      word.text += character
      for (let n = 0; n < character.length; n++) {
        word.sures.push(round(data[from + best] as number))
        word.places.push(round((step + 0.5) / steps / used))
      }
    }
    last = letter
  }
  return words.map(word => ({ ...word, sure: Math.min(...word.sures) }))
}

/**
 * Reads a line of a page, one at a time: a batch of six lines of one width cost a tenth more, as their numbers leave
 * the processor's cache.
 */
export async function readLine({ read, characters }: TextNetworks, page: Page, box: Box): Promise<ReadLine> {
  const width = Math.min(mostWide, Math.max(grain, Math.ceil(((box.width / box.height) * lineHeight) / grain) * grain))
  const made = await read(sampleLine(page, box, width), [1, 3, lineHeight, width])
  const words = decode(made, characters, measureUsed(box, width) / width)
  return { words, box, corners: locateCorners(page, box) }
}

/** The network for turned lines sees this much of a line, in pixels of its width. */
const turnWidth = 192

/** Returns whether most of these lines stand on their heads. */
export async function areUpsideDown({ turn }: TextNetworks, page: Page, boxes: readonly Box[]): Promise<boolean> {
  let down = 0
  for (const box of boxes) {
    const { data } = await turn(sampleLine(page, box, turnWidth), [1, 3, lineHeight, turnWidth])
    down += (data[1] ?? 0) > (data[0] ?? 0) ? 1 : -1
  }
  return down > 0
}
