import MiniSearch from 'minisearch'

/** A result of the search: a title, its place, and words beside the title. */
export interface SearchEntry {
  readonly title: string
  readonly place: string
  /** Relative to the index. */
  readonly url: string
  /** Further words, in addition to those of the title. */
  readonly words: string
  /** Set for a field. Its title is its full name, such as `webhook.url`. */
  readonly isField?: true
}

/** A field's own name, without those of its parents. */
function toLastName(title: string): string {
  return title.slice(title.lastIndexOf('.') + 1)
}

/** A name that more fields share is a general word, such as `status`: pages about that word come first. */
const maxFieldsOfOneName = 3

/** Words of a question that do not help the search. */
const emptyWords = new Set('a an the how do does can i we my what is to of in'.split(' '))

/** Makes a list searchable: by words in any order, by their beginnings, and with up to two slips in the longer ones. */
export function indexEntries(entries: readonly SearchEntry[]): (query: string) => readonly SearchEntry[] {
  const byUrl = new Map(entries.map(entry => [entry.url, entry]))
  const fields = Map.groupBy(
    entries.filter(({ isField }) => isField),
    ({ title }) => toLastName(title),
  )
  const index = new MiniSearch<SearchEntry>({
    idField: 'url',
    fields: ['title', 'name', 'place', 'words'],
    extractField: (entry, field) => (field === 'name' ? toLastName(entry.title) : entry[field as keyof SearchEntry]),
    searchOptions: {
      processTerm: term => (emptyWords.has(term.toLowerCase()) ? null : term.toLowerCase()),
      combineWith: 'AND',
      prefix: true,
      fuzzy: term => (term.length > 5 ? 2 : term.length > 3 ? 1 : false),
      boost: { title: 4, name: 4, place: 2 },
    },
  })
  index.addAll(entries)
  return query => {
    const namesakes = fields.get(query.trim().toLowerCase()) ?? []
    const late = new Set(namesakes.length > maxFieldsOfOneName ? namesakes.map(({ url }) => url) : [])
    const boostDocument = (url: string): number => {
      if (late.has(url)) return 0.02
      // There are so many fields.
      return byUrl.get(url)?.isField ? 0.8 : 1
    }
    return index.search(query, { boostDocument }).flatMap(({ id }) => byUrl.get(id) ?? [])
  }
}
