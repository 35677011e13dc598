import { el, fill } from '../dom.ts'
import type { Page } from '../shapes.ts'
import { button } from './form.ts'
import { loading, problem } from './notice.ts'
import { showChange, type TableOptions, table, updateRows } from './table.ts'

/** A list that is loaded page by page, and whose rows change while it is shown. */
export interface PagedList<Row> {
  readonly element: HTMLElement
  readonly rows: () => readonly Row[]
  /** Loads it from the beginning; the old rows stay until then. */
  readonly reload: () => Promise<void>
  /** Shows the rows again, as what a column shows of them has changed. */
  readonly redraw: () => void
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

async function loadRows<Row>(load: PagedOptions<Row>['load'], from: string | null): Promise<Page<Row>> {
  let page = await load(from)
  for (let tries = 1; page.data.length === 0 && page.next_cursor !== null && tries < maxEmptyPages; tries++)
    page = await load(page.next_cursor)
  return page
}

export function pagedList<Row>(options: PagedOptions<Row>): PagedList<Row> {
  const element = el('div', { class: 'list' }, loading())
  let rows: readonly Row[] = []
  let cursor: string | null = null
  let generation = 0

  const show = (): void => {
    const more = button(rows.length === 0 ? 'Search further' : 'Show more', () => {
      more.disabled = true
      void loadMore()
    })
    const count = rows.length === 0 ? null : el('p', { class: 'soft', role: 'status' }, `${rows.length} shown`)
    const footer = el('footer', {}, count, cursor === null ? null : more)
    const shown = element.querySelector('table')
    const fresh = table(rows, options)
    if (shown === null || !(fresh instanceof HTMLTableElement)) fill(element, fresh, footer)
    else {
      updateRows(shown, fresh)
      for (const beside of element.querySelectorAll(':scope > :not(table)')) beside.remove()
      element.append(footer)
    }
    options.onRows?.()
  }

  const add = async (from: string | null): Promise<void> => {
    const own = ++generation
    const page = await loadRows(options.load, from)
    if (own !== generation) return
    rows = from === null ? page.data : [...rows, ...page.data]
    cursor = page.next_cursor
    show()
  }

  const loadMore = async (): Promise<void> => {
    const focused = rows.length
    await add(cursor).catch(error => element.append(problem(error)))
    element.querySelectorAll<HTMLElement>('tbody th a')[focused]?.focus()
  }

  return {
    element,
    rows: () => rows,
    reload: () => add(null),
    redraw: show,
    update(id, change) {
      const index = rows.findIndex(row => options.rowId(row) === id)
      const row = rows[index]
      if (row === undefined) return false
      const changed = change(row)
      rows = rows.with(index, changed)
      showChange(element, options, changed)
      return true
    },
  }
}
