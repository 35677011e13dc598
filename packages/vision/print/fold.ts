/** Letters with a mark that is part of them, and the letters that the network reads for them. */
const plain: Readonly<Record<string, string>> = {
  Ø: 'O',
  Đ: 'D',
  Ð: 'D',
  Ł: 'L',
  Æ: 'AE',
  Œ: 'OE',
  ẞ: 'SS',
  İ: 'I',
  Ħ: 'H',
}

/** A text in capitals, digits and signs of other scripts, without marks and spaces, with the place of each. */
export interface FoldedText {
  readonly text: string
  /** The place of each character in the text before, and one more for the end. */
  readonly places: readonly number[]
}

export function foldText(text: string): FoldedText {
  let folded = ''
  const places: number[] = []
  for (let at = 0; at < text.length; at++) {
    const capital = (text[at] ?? '').toUpperCase()
    const bare = (plain[capital] ?? capital).normalize('NFD').replace(/[^\p{L}\p{N}]/gu, '')
    folded += bare
    for (let n = 0; n < bare.length; n++) places.push(at)
  }
  return { text: folded, places: [...places, text.length] }
}

const alike: Readonly<Record<string, string>> = { 0: 'O', Q: 'O', 1: 'I', L: 'I', 2: 'Z', 5: 'S', 6: 'G', 8: 'B' }

/** Returns a folded text in which signs that are mistaken for each other are the same, each in its place. */
export function mergeAlike(folded: string): string {
  return folded.replace(/[0Q1L2568]/g, sign => alike[sign] ?? sign)
}

/** The place of a text in another one, and the number of characters that differ, are missing or are too many. */
export interface FoundText {
  readonly from: number
  readonly to: number
  readonly errors: number
}

/**
 * Returns the place in a text that is likest to another one (Sellers 1980); null if more than `most` characters differ.
 */
export function findAlike(text: string, wanted: string, most: number): FoundText | null {
  let costs = Array.from({ length: wanted.length + 1 }, (_, n) => n)
  let starts = costs.map(() => 0)
  let best: FoundText | null = null
  for (let at = 0; at <= text.length; at++) {
    const errors = costs[wanted.length] as number
    if (errors <= most && errors < (best?.errors ?? most + 1))
      best = { from: starts[wanted.length] as number, to: at, errors }
    if (at === text.length) break
    const next = [0]
    const from = [at + 1]
    for (let n = 1; n <= wanted.length; n++) {
      const same = (costs[n - 1] as number) + (text[at] === wanted[n - 1] ? 0 : 1)
      const extra = (costs[n] as number) + 1
      const missing = (next[n - 1] as number) + 1
      const least = Math.min(same, extra, missing)
      next.push(least)
      from.push((least === same ? starts[n - 1] : least === extra ? starts[n] : from[n - 1]) as number)
    }
    costs = next
    starts = from
  }
  return best
}
