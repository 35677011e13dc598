import { type Child, el } from '../dom.ts'

/** A column: its heading, and the cell for a row. */
export interface Column<Row> {
  readonly name: string
  readonly cell: (row: Row) => Child
  /** Numbers are aligned right. */
  readonly isNumber?: boolean
  /** The column shows the row's state: on a narrow screen it is beside the row's name. */
  readonly isState?: boolean
}

function toClass({ isNumber = false, isState = false }: { isNumber?: boolean; isState?: boolean }): string | null {
  return [isNumber ? 'number' : '', isState ? 'first' : ''].join(' ').trim() || null
}

export interface TableOptions<Row> {
  /** Caption for screen readers. */
  readonly caption: string
  readonly columns: readonly Column<Row>[]
  /** Shown when there are no rows. */
  readonly empty: Child
  readonly rowId?: (row: Row) => string
}

function createRow<Row>({ columns, rowId }: TableOptions<Row>, row: Row): HTMLElement {
  return el(
    'tr',
    { 'data-id': rowId?.(row) },
    columns.map((column, index) => {
      const { name, cell } = column
      const attributes = { 'data-name': name, class: toClass(column) }
      return index === 0
        ? el('th', { ...attributes, scope: 'row' }, cell(row))
        : el('td', attributes, el('div', {}, cell(row)))
    }),
  )
}

/** Rows under headings; on a narrow screen each row is a card that names its values. */
export function table<Row>(rows: readonly Row[], options: TableOptions<Row>): HTMLElement {
  if (rows.length === 0) return el('div', { class: 'empty' }, options.empty)
  const heading = ({ name, isNumber }: Column<Row>) =>
    el(
      'th',
      { scope: 'col', class: isNumber && 'number' },
      name === '' ? el('span', { class: 'hidden' }, 'Actions') : name,
    )
  return el(
    'table',
    { class: 'cards' },
    el('caption', { class: 'hidden' }, options.caption),
    el('thead', {}, el('tr', {}, options.columns.map(heading))),
    el(
      'tbody',
      {},
      rows.map(row => createRow(options, row)),
    ),
  )
}

/** Makes a row like `fresh`. A cell that did not change stays the same element: no click on it is lost, nor its focus. */
function updateRow(row: Element, fresh: Element): void {
  const cells = [...row.children]
  for (const [index, next] of [...fresh.children].entries()) {
    const cell = cells[index]
    if (cell === undefined || cell.innerHTML === next.innerHTML) continue
    const isFocused = cell.contains(document.activeElement)
    cell.replaceWith(next)
    if (isFocused) next.querySelector<HTMLElement>('a, button')?.focus({ preventScroll: true })
  }
}

/** Makes the rows of a table like those of `fresh`. */
export function updateRows(table: HTMLTableElement, fresh: HTMLTableElement): void {
  const [body, next] = [table.tBodies[0], fresh.tBodies[0]]
  if (body === undefined || next === undefined) return
  const shown = new Map([...body.rows].map(row => [row.dataset.id, row]))
  const rows = [...next.rows].map(row => {
    const old = shown.get(row.dataset.id)
    if (old !== undefined) updateRow(old, row)
    return old ?? row
  })
  const focused = document.activeElement
  for (const row of shown.values()) if (!rows.includes(row)) row.remove()
  for (const [index, row] of rows.entries())
    if (body.rows[index] !== row) body.insertBefore(row, body.rows[index] ?? null)
  if (body.contains(focused)) (focused as HTMLElement).focus({ preventScroll: true })
}

/** Shows a row's new state, and marks the cells that changed. */
export function showChange<Row>(within: Element, options: TableOptions<Row>, row: Row): void {
  const old = within.querySelector(`tr[data-id="${CSS.escape(options.rowId?.(row) ?? '')}"]`)
  if (old === null) return
  const fresh = createRow(options, row)
  for (const cell of fresh.children) cell.classList.add('changed')
  updateRow(old, fresh)
}
