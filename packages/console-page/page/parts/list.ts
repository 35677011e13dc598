import { el, fill } from '../dom.ts'
import type { Page } from '../shapes.ts'
import { button } from './form.ts'
import { loading, problem } from './notice.ts'
import { keyedTable, type TableOptions } from './table.ts'

/** A list that is loaded page by page, and whose rows change while it is shown. */
export interface PagedList<Row> {
  readonly element: HTMLElement
  readonly rows: () => readonly Row[]
  /** Loads another search from its beginning; the old rows stay until then. Where that fails, the list says so. */
  readonly reload: () => Promise<void>
  /** Reads new rows and the rows with these ids again. Loaded rows stay. */
  readonly refresh: (ids?: Iterable<string>) => Promise<void>
  /** Shows these rows again, because the data of a column has changed; without ids, all. */
  readonly redraw: (ids?: Iterable<string>) => void
  /** Shows a row's new state; false where the row isn't shown. */
  readonly update: (id: string, change: (row: Row) => Row) => boolean
}

export interface PagedOptions<Row> extends TableOptions<Row> {
  readonly rowId: (row: Row) => string
  readonly load: (cursor: string | null) => Promise<Page<Row>>
  readonly onRows?: () => void
}

/** A search examines a bounded number of rows at a time, so an empty page may have a next one. */
const maxEmptyPages = 5
/** More new rows than these pages hold are too many to join to the old ones: the list then begins again. */
const maxNewPages = 40

/** Rows with the cursor that reads them again. */
interface LoadedPage<Row> {
  readonly from: string | null
  readonly rows: readonly Row[]
  readonly next: string | null
}

function isAbort(error: unknown): boolean {
  return error instanceof DOMException && error.name === 'AbortError'
}

async function loadPage<Row>(load: PagedOptions<Row>['load'], from: string | null): Promise<LoadedPage<Row>> {
  let page = await load(from)
  for (let tries = 1; page.data.length === 0 && page.next_cursor !== null && tries < maxEmptyPages; tries++)
    page = await load(page.next_cursor)
  return { from, rows: page.data, next: page.next_cursor }
}

/** Reads from the beginning until a row is met that `isKnown`, so that no row between new and old ones is missing. */
async function loadHead<Row>(load: PagedOptions<Row>['load'], isKnown: (row: Row) => boolean) {
  const head = [await loadPage(load, null)]
  for (let last = head[0]; last !== undefined && head.length < maxNewPages; last = head.at(-1)) {
    if (last.next === null || last.rows.some(isKnown)) break
    head.push(await loadPage(load, last.next))
  }
  return head
}

/** Puts a newly read beginning before the old pages, without the rows that it replaces. What is left of a page begins there. */
function joinPages<Row>(
  head: readonly LoadedPage<Row>[],
  old: readonly LoadedPage<Row>[],
  rowId: (row: Row) => string,
): readonly LoadedPage<Row>[] {
  const fresh = new Set(head.flatMap(({ rows }) => rows.map(rowId)))
  const position = old.flatMap(({ rows }) => rows).findLastIndex(row => fresh.has(rowId(row)))
  const next = head.at(-1)?.next ?? null
  if (position === -1 || next === null) return head
  let before = 0
  const rest = old.flatMap(page => {
    const replaced = Math.max(0, position + 1 - before)
    before += page.rows.length
    const rows = page.rows.slice(replaced)
    return rows.length === 0 ? [] : [{ ...page, from: replaced === 0 ? page.from : next, rows }]
  })
  return [...head, ...rest]
}

export function pagedList<Row>(options: PagedOptions<Row>): PagedList<Row> {
  const { rowId, load } = options
  const shown = keyedTable(options)
  fill(shown.element, loading())
  const failure = el('div', { class: 'contents' })
  const count = el('p', { class: 'soft', role: 'status' })
  const more = button('Show more', () => {
    more.disabled = true
    void loadMore()
  })
  const footer = el('footer', { hidden: true }, count, more)
  const element = el('div', { class: 'list' }, shown.element, footer, failure)
  let pages: readonly LoadedPage<Row>[] = []
  let generation = 0
  let pending: Promise<void> = Promise.resolve()

  const rows = (): readonly Row[] => pages.flatMap(page => page.rows)
  const setText = (of: HTMLElement, text: string): void => {
    if (of.textContent !== text) of.textContent = text
  }
  const show = (): void => {
    const { length } = rows()
    shown.draw(rows())
    footer.hidden = false
    setText(count, length === 0 ? '' : `${length} shown`)
    setText(more, length === 0 ? 'Search further' : 'Show more')
    more.hidden = (pages.at(-1)?.next ?? null) === null
    more.disabled = false
    fill(failure)
    options.onRows?.()
  }

  /** Runs `read` after the present one; its pages are dropped if another search has begun meanwhile. */
  const inTurn = (read: () => Promise<readonly LoadedPage<Row>[]>): Promise<void> => {
    const own = generation
    const run = async (): Promise<void> => {
      if (own !== generation) return
      const next = await read()
      if (own !== generation) return
      pages = next
      show()
    }
    const done = pending.then(run)
    pending = done.catch(() => {})
    return done
  }

  const loadMore = async (): Promise<void> => {
    const own = generation
    const cursor = pages.at(-1)?.next ?? null
    const read = async () => {
      const known = new Set(rows().map(rowId))
      const page = await loadPage(load, pages.at(-1)?.next ?? cursor)
      return [...pages, { ...page, rows: page.rows.filter(row => !known.has(rowId(row))) }]
    }
    const focusFirst = (): void => {
      const [first] = pages.at(-1)?.rows ?? []
      if (own === generation && first !== undefined) shown.focus(rowId(first))
    }
    await inTurn(read).then(focusFirst, error => {
      more.disabled = false
      fill(failure, problem(error))
    })
  }

  /** Reads the pages that hold these rows again, and the end of the list. A row that is not found any more is dropped. */
  const rereadPages = async (ids: ReadonlySet<string>, head: number, of: readonly LoadedPage<Row>[]) => {
    const read: LoadedPage<Row>[] = of.slice(0, head)
    for (const page of of.slice(head)) {
      const isEnd = page.next === null
      if (!isEnd && !page.rows.some(row => ids.has(rowId(row)))) {
        read.push(page)
        continue
      }
      const now = await loadPage(load, page.from)
      const found = new Map(now.rows.map(row => [rowId(row), row]))
      const kept = page.rows.flatMap(row => found.get(rowId(row)) ?? (ids.has(rowId(row)) ? [] : [row]))
      const known = new Set([...read.flatMap(({ rows }) => rows), ...kept].map(rowId))
      const added = isEnd ? now.rows.filter(row => !known.has(rowId(row))) : []
      read.push({ ...page, rows: [...kept, ...added], next: isEnd ? now.next : page.next })
    }
    return read
  }

  const reload = async (): Promise<void> => {
    const own = ++generation
    pending = Promise.resolve()
    await inTurn(async () => [await loadPage(load, null)]).catch((error: unknown) => {
      if (own !== generation || isAbort(error)) return
      pages = []
      footer.hidden = true
      fill(
        shown.element,
        problem(error, () => void reload()),
      )
    })
  }

  return {
    element,
    rows,
    reload,
    refresh: (ids = []) =>
      inTurn(async () => {
        // A reader who never asked for more, and is at the newest rows, is shown as many of them as before.
        if (pages.length <= 1 && scrollY === 0) return [await loadPage(load, null)]
        const known = new Set(rows().map(rowId))
        const head = await loadHead(load, row => known.has(rowId(row)))
        return rereadPages(new Set(ids), head.length, joinPages(head, pages, rowId))
      }),
    redraw(ids = rows().map(rowId)) {
      const wanted = new Set(ids)
      for (const row of rows()) if (wanted.has(rowId(row))) shown.drawAgain(row)
    },
    update(id, change) {
      const old = rows().find(row => rowId(row) === id)
      if (old === undefined) return false
      const changed = change(old)
      pages = pages.map(page => ({ ...page, rows: page.rows.map(row => (row === old ? changed : row)) }))
      shown.drawAgain(changed, 'marked')
      return true
    },
  }
}
