import type { Child } from '../dom.ts'
import { el, fill } from '../dom.ts'
import { loading, problem } from './notice.ts'

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
