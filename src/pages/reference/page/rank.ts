/** What search finds, as the service lists it. */
export interface SearchEntry {
  readonly title: string
  readonly place: string
  readonly url: string
  /** In lower case, beside those of the title. */
  readonly words: string
  /** For a field. Its title is its full name, such as `webhook.url`. */
  readonly isField?: true
}

/** In lower case; each part of a field's name is a word. */
function normalise(text: string): string {
  return text.toLowerCase().replaceAll('.', ' ').trim()
}

/** A field's own name, without those of its parents. */
function toLastName({ title }: SearchEntry): string {
  return normalise(title.slice(title.lastIndexOf('.') + 1))
}

/** The names of an entry: a field is also found by the last part of its name. */
function listNames(entry: SearchEntry): readonly string[] {
  return entry.isField ? [normalise(entry.title), toLastName(entry)] : [normalise(entry.title)]
}

/** How well an entry matches a word; 0 if it does not. */
function score(entry: SearchEntry, word: string): number {
  const { place, words } = entry
  const names = listNames(entry)
  const [name = ''] = names
  if (names.includes(word)) return 20
  if (name.startsWith(word)) return 10
  if (`${name} `.includes(` ${word} `)) return 9
  if (name.includes(` ${word}`)) return 8
  if (name.includes(word)) return 5
  if (place.toLowerCase().includes(word)) return 4
  if (` ${words} `.includes(` ${word} `)) return 3
  if (` ${words}`.includes(` ${word}`)) return 2
  return words.includes(word) ? 1 : 0
}

/** The extra score of a title that is, or contains, the whole query. Fields get less, because there are so many. */
function scoreWhole(entry: SearchEntry, query: string): number {
  const names = listNames(entry)
  const whole = names.includes(query) ? 40 : names[0]?.includes(query) ? 10 : 0
  return entry.isField ? whole - 2 : whole
}

/** A name that more fields share is a general word, such as `status`. */
const maxFieldsOfOneName = 3

/** Below entries with the whole word, above those with a part of it. */
const lateFieldScore = 2.5

/** The entries that match every word of a query, the best first; equal ones keep their order. */
export function rank(entries: readonly SearchEntry[], query: string): readonly SearchEntry[] {
  const sought = normalise(query)
  const words = sought.split(/\s+/).filter(word => word !== '')
  if (words.length === 0) return []
  const isSought = (entry: SearchEntry): boolean => entry.isField === true && toLastName(entry) === sought
  const isCommon = entries.filter(isSought).length > maxFieldsOfOneName
  return entries
    .map(entry => ({ entry, scores: words.map(word => score(entry, word)) }))
    .filter(({ scores }) => scores.every(points => points > 0))
    .map(({ entry, scores }) => ({
      entry,
      total:
        isCommon && isSought(entry)
          ? lateFieldScore
          : scores.reduce((sum, points) => sum + points, scoreWhole(entry, sought)),
    }))
    .sort((a, b) => b.total - a.total)
    .map(({ entry }) => entry)
}
