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
  /** For screen readers. */
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
  if (rows.length === 0) return el('p', { class: 'empty' }, options.empty)
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

/** Changes rows of a table. The focus stays on the same link or button of its row, unless the row is gone. */
export function keepFocus(within: Element, change: () => void): void {
  const focused = within.querySelector<HTMLElement>('tr[data-id] :focus')
  const row = focused?.closest<HTMLElement>('tr')
  const listFocusable = (of: Element): readonly HTMLElement[] => [...of.querySelectorAll<HTMLElement>('a, button')]
  const position = focused && row ? listFocusable(row).indexOf(focused) : -1
  change()
  const fresh = row && within.querySelector(`tr[data-id="${CSS.escape(row.dataset.id ?? '')}"]`)
  if (fresh) listFocusable(fresh)[position]?.focus({ preventScroll: true })
}

/** Shows a row's new state. */
export function replaceRow<Row>(within: Element, options: TableOptions<Row>, row: Row): void {
  const old = within.querySelector(`tr[data-id="${CSS.escape(options.rowId?.(row) ?? '')}"]`)
  if (old === null) return
  const fresh = createRow(options, row)
  fresh.classList.add('changed')
  keepFocus(within, () => old.replaceWith(fresh))
}
