import { type Box, locateCorners, viewPicture } from '../print/page.ts'
import type { ReadLine, ReadWord } from '../print/read_lines.ts'

/** Returns the words of a line as the reader does, all sure, each character as wide as the next. */
export function placeWords(line: string): ReadWord[] {
  return [...line.matchAll(/\S+/g)].map(({ 0: text, index }) => ({
    text,
    sure: 1,
    sures: [...text].map(() => 1),
    places: [...text].map((_, n) => (index + n + 0.5) / line.length),
  }))
}

const page = viewPicture({ data: new Uint8Array(0), width: 1000, height: 1000 })

/** Returns a line that stands level on a picture of a thousand pixels to a side. */
export function placeLine(words: readonly ReadWord[], at: Omit<Box, 'along'>): ReadLine {
  const box: Box = { ...at, along: [1, 0] }
  return { words, box, corners: locateCorners(page, box) }
}
