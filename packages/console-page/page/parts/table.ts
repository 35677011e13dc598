import { arrange, type Child, el, fill } from '../dom.ts'

/** A column: its heading, and the cell for a row. */
export interface Column<Row> {
  readonly name: string
  readonly cell: (row: Row) => Child
  /** Numbers are aligned right. */
  readonly isNumber?: boolean
  /** The column shows the row's state: on a narrow screen it is beside the row's name. */
  readonly isState?: boolean
}

type KeyOfEach<T> = T extends unknown ? keyof T : never

/** The members of a row that columns show: those that their cells take, by their types. */
export type ShownBy<C extends Column<never>> = KeyOfEach<Parameters<C['cell']>[0]>

/** Does not compile where it is given a name. */
export type Nothing<Names extends never> = Names

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
    { role: 'row', 'data-id': rowId?.(row) },
    columns.map((column, index) => {
      const { name, cell } = column
      const attributes = { 'data-name': name, class: toClass(column) }
      return index === 0
        ? el('th', { ...attributes, scope: 'row', role: 'rowheader' }, cell(row))
        : el('td', { ...attributes, role: 'cell' }, el('div', {}, cell(row)))
    }),
  )
}

function createBody(rows: readonly HTMLElement[] = []): HTMLElement {
  return el('tbody', { role: 'rowgroup' }, rows)
}

function createTable<Row>(
  { caption, columns }: TableOptions<Row>,
  ...bodies: readonly HTMLElement[]
): HTMLTableElement {
  const heading = ({ name, isNumber }: Column<Row>) =>
    el(
      'th',
      { scope: 'col', role: 'columnheader', class: isNumber && 'number' },
      name === '' ? el('span', { class: 'hidden' }, 'Actions') : name,
    )
  return el(
    'table',
    { class: 'cards', role: 'table' },
    el('caption', { class: 'hidden' }, caption),
    el('thead', { role: 'rowgroup' }, el('tr', { role: 'row' }, columns.map(heading))),
    bodies,
  )
}

/** Rows under headings; on a narrow screen each row is a card that names its values. */
export function table<Row>(rows: readonly Row[], options: TableOptions<Row>): HTMLElement {
  if (rows.length === 0) return el('div', { class: 'empty' }, options.empty)
  const shown = rows.map(row => createRow(options, row))
  return createTable(options, createBody(shown))
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

/** A table of at least so many rows is drawn as a list whose columns keep their widths: rows out of view cost nothing. */
const longRows = 100

/** Columns get the widths that their content gave them; cards on a narrow screen have none. */
function makeLong(table: HTMLElement): void {
  const headings = [...table.querySelectorAll('thead th')]
  const widths = headings.map(one => one.getBoundingClientRect().width)
  if (widths.every(width => width > 0))
    table.style.setProperty('--columns', widths.map(width => `minmax(0, ${width.toFixed(0)}fr)`).join(' '))
  table.classList.add('long')
}

/** Rows that a body has, as a rule: a browser watches each body of a long table, and leaves out those that are not in view. */
const bodyRows = 25

interface Body {
  readonly element: Element
  readonly rows: HTMLElement[]
}

/** Divides rows into bodies so that few of them move: each stays in its own, and a new one joins the row before it. */
function divide(rows: readonly HTMLElement[]): readonly Body[] {
  const used = new Set<Element>()
  const bodies: Body[] = []
  for (const row of rows) {
    const last = bodies.at(-1)
    const own = row.parentElement
    const keeps = own !== null && !used.has(own)
    if (!keeps && last !== undefined && (own === last.element || last.rows.length < bodyRows)) last.rows.push(row)
    else {
      const element = keeps ? own : createBody()
      used.add(element)
      bodies.push({ element, rows: [row] })
    }
  }
  const [first, second] = bodies
  if (first === undefined || second === undefined || first.rows.length + second.rows.length > bodyRows) return bodies
  return [{ element: second.element, rows: [...first.rows, ...second.rows] }, ...bodies.slice(2)]
}

interface DrawnRow<Row> {
  readonly row: Row
  readonly element: HTMLElement
}

/** A table of many rows, of which only those that changed are drawn again. */
export function keyedTable<Row>(options: TableOptions<Row> & { readonly rowId: (row: Row) => string }) {
  const { rowId } = options
  const whole = createTable(options)
  const element = el('div', { class: 'contents' })
  let drawn = new Map<string, DrawnRow<Row>>()

  const drawRow = (row: Row, old: DrawnRow<Row> | undefined): DrawnRow<Row> => {
    if (old === undefined) return { row, element: createRow(options, row) }
    if (old.row !== row && JSON.stringify(old.row) !== JSON.stringify(row))
      updateRow(old.element, createRow(options, row))
    return { row, element: old.element }
  }
  const place = (rows: readonly HTMLElement[]): void => {
    const focused = document.activeElement
    const bodies = divide(rows)
    const kept = new Set(bodies.map(body => body.element))
    // A search for them would walk through all cells.
    for (const body of [...whole.tBodies]) if (!kept.has(body)) body.remove()
    arrange(whole, [...kept], whole.tBodies[0] ?? null)
    for (const body of bodies) arrange(body.element, body.rows, body.element.firstElementChild)
    // A row that was moved lost the focus.
    if (whole.contains(focused)) (focused as HTMLElement).focus({ preventScroll: true })
  }
  return {
    element,
    draw(rows: readonly Row[]): void {
      const next = new Map(rows.map(row => [rowId(row), drawRow(row, drawn.get(rowId(row)))]))
      for (const [id, old] of drawn) if (!next.has(id)) old.element.remove()
      drawn = next
      place([...drawn.values()].map(one => one.element))
      if (rows.length === 0) fill(element, el('div', { class: 'empty' }, options.empty))
      else if (whole.parentElement === null) fill(element, whole)
      if (rows.length >= longRows && !whole.classList.contains('long')) makeLong(whole)
    },
    /** Focuses the link of a row, which is where the reader is: nothing is scrolled. */
    focus(id: string): void {
      drawn.get(id)?.element.querySelector<HTMLElement>('th a')?.focus({ preventScroll: true })
    },
    /** Draws a row again, whether or not it has changed. */
    drawAgain(row: Row, as: 'plain' | 'marked' = 'plain'): void {
      const old = drawn.get(rowId(row))
      if (old === undefined) return
      const fresh = createRow(options, row)
      if (as === 'marked') for (const cell of fresh.children) cell.classList.add('changed')
      updateRow(old.element, fresh)
      drawn.set(rowId(row), { row, element: old.element })
    },
  }
}
