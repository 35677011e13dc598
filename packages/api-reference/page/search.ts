import type { SearchEntry } from './entries.ts'
import { find } from './find.ts'

const maxResults = 40

type Search = (query: string) => readonly SearchEntry[]

async function loadIndex(): Promise<Search> {
  const [{ indexEntries }, response] = await Promise.all([
    import('./entries.ts'),
    fetch(document.body.dataset.index ?? ''),
  ])
  if (!response.ok) throw new Error(`${response.status}`)
  return indexEntries(await response.json())
}

function createResult(entry: SearchEntry, index: number): HTMLLIElement {
  const item = document.createElement('li')
  item.id = `result-${index}`
  item.role = 'option'
  item.append(entry.title)
  const place = document.createElement('small')
  place.textContent = entry.place
  item.append(place)
  return item
}

/** The results in the dialog, and the chosen one. */
class Results {
  readonly input = find('#site-search input', HTMLInputElement)
  readonly list = find('#site-results', HTMLUListElement)
  readonly status = find('#site-found', HTMLElement)
  entries: readonly SearchEntry[] = []
  chosen = 0

  show(entries: readonly SearchEntry[], query: string): void {
    this.entries = entries
    this.list.replaceChildren(...entries.map(createResult))
    this.status.textContent = query === '' ? '' : entries.length === 0 ? `Nothing is called “${query}”` : ''
    this.choose(0)
  }

  choose(index: number): void {
    this.chosen = Math.max(0, Math.min(index, this.entries.length - 1))
    for (const [position, item] of [...this.list.children].entries()) {
      item.setAttribute('aria-selected', String(position === this.chosen))
      if (position === this.chosen) item.scrollIntoView({ block: 'nearest' })
    }
    this.input.setAttribute('aria-activedescendant', this.entries.length === 0 ? '' : `result-${this.chosen}`)
  }

  open(index: number): void {
    const entry = this.entries[index]
    if (entry === undefined) return
    find('#site-search', HTMLDialogElement).close()
    location.href = new URL(entry.url, new URL(document.body.dataset.index ?? '', location.href)).href
  }
}

function isTyping({ target }: Event): boolean {
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable || ['INPUT', 'TEXTAREA', 'SELECT'].includes(target.tagName))
  )
}

function listen(dialog: HTMLDialogElement, results: Results): void {
  let index: Promise<Search> | null = null
  const update = async (): Promise<void> => {
    const query = results.input.value.trim()
    index ??= loadIndex()
    try {
      const search = await index
      results.show(search(query).slice(0, maxResults), query)
    } catch (error) {
      index = null
      results.status.textContent = `The index can’t be loaded: ${error}`
    }
  }
  const open = (): void => {
    if (dialog.open) return
    dialog.showModal()
    results.input.select()
    update()
  }
  results.input.addEventListener('input', update)
  results.input.addEventListener('keydown', event => {
    const moves: Readonly<Record<string, number>> = { ArrowDown: 1, ArrowUp: -1 }
    const move = moves[event.key]
    if (event.key === 'Enter') results.open(results.chosen)
    // Chromium would empty the field first.
    if (event.key === 'Escape') dialog.close()
    if (move === undefined) return
    event.preventDefault()
    results.choose(results.chosen + move)
  })
  results.list.addEventListener('click', ({ target }) => {
    const item = target instanceof Element ? target.closest('li') : null
    if (item !== null) results.open([...results.list.children].indexOf(item))
  })
  dialog.addEventListener('click', ({ target }) => target === dialog && dialog.close())
  find('#site-open-search', HTMLButtonElement).addEventListener('click', open)
  addEventListener('keydown', event => {
    const isSlash = event.key === '/' && !isTyping(event)
    if (!isSlash && !(event.key === 'k' && (event.ctrlKey || event.metaKey))) return
    event.preventDefault()
    open()
  })
}

/** Search by the button, by `/` or by Ctrl+K. Its index is loaded when it is first opened. */
export function enableSearch(): void {
  find('#site-open-search', HTMLButtonElement).hidden = false
  listen(find('#site-search', HTMLDialogElement), new Results())
}
