/** What search finds, as the service lists it. */
export interface SearchEntry {
  readonly title: string
  readonly place: string
  readonly url: string
  /** In lower case, beside those of the title. */
  readonly words: string
}

/** How well an entry fits one word: 0 where it does not. */
const score = ({ title, place, words }: SearchEntry, word: string): number => {
  const name = title.toLowerCase()
  if (name === word) return 20
  if (name.startsWith(word)) return 10
  if (name.includes(` ${word}`)) return 8
  if (name.includes(word)) return 5
  if (place.toLowerCase().includes(word)) return 4
  if (` ${words} `.includes(` ${word} `)) return 3
  if (` ${words}`.includes(` ${word}`)) return 2
  return words.includes(word) ? 1 : 0
}

/** What a title that is the whole query, or holds it, has before others. */
const scoreWhole = ({ title }: SearchEntry, query: string): number => {
  const name = title.toLowerCase()
  if (name === query) return 40
  return name.includes(query) ? 10 : 0
}

/** The entries that fit every word of a query, the best first; equals in their own order. */
export const rank = (entries: readonly SearchEntry[], query: string): readonly SearchEntry[] => {
  const sought = query.toLowerCase().trim()
  const words = sought.split(/\s+/).filter(word => word !== '')
  if (words.length === 0) return []
  return entries
    .map(entry => ({ entry, scores: words.map(word => score(entry, word)) }))
    .filter(({ scores }) => scores.every(points => points > 0))
    .map(({ entry, scores }) => ({
      entry,
      total: scores.reduce((sum, points) => sum + points, scoreWhole(entry, sought)),
    }))
    .sort((a, b) => b.total - a.total)
    .map(({ entry }) => entry)
}
