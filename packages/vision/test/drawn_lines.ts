import type { ReadWord } from '../print/read_lines.ts'

/** Returns the words of a line as the reader does, all sure, each character as wide as the next. */
export function placeWords(line: string): ReadWord[] {
  return [...line.matchAll(/\S+/g)].map(({ 0: text, index }) => ({
    text,
    sure: 1,
    sures: [...text].map(() => 1),
    places: [...text].map((_, n) => (index + n + 0.5) / line.length),
  }))
}
