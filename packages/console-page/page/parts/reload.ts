import { get } from '../api.ts'
import { type Child, el, fill } from '../dom.ts'
import { loading, problem } from './notice.ts'
import { type TableOptions, table } from './table.ts'

/** An element that loads its content, and can load it again. */
export function reloading<T>(load: () => Promise<T>, show: (data: T) => Child) {
  const element = el('div', { class: 'contents' }, loading())
  const reload = (): Promise<void> =>
    load().then(
      data => fill(element, show(data)),
      (error: unknown) => {
        if (!(error instanceof DOMException))
          fill(
            element,
            problem(error, () => void reload()),
          )
      },
    )
  return { element, reload }
}

/** A table of all that there is at a path. */
export function reloadingTable<Row>(path: string, signal: AbortSignal, options: TableOptions<Row>) {
  return reloading(
    () => get<{ readonly data: readonly Row[] }>(path, {}, signal),
    ({ data }) => table(data, options),
  )
}
