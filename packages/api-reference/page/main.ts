import { addCopyButtons } from './copy.ts'
import { find } from './find.ts'
import { enableSearch } from './search.ts'

/** Marks the section that is being read in the contents, and keeps it in sight. */
export function followReader(): void {
  const contents = find('#site-contents', HTMLElement)
  const links = new Map(
    [...contents.querySelectorAll<HTMLAnchorElement>('a[href^="#"]')].map(link => [link.hash.slice(1), link]),
  )
  contents.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest' })
  // On a phone the contents cover the page: they close after a choice.
  contents.addEventListener('click', ({ target }) => {
    if (target instanceof Element && target.closest('a') !== null && contents.matches(':popover-open'))
      contents.hidePopover()
  })
  if (links.size === 0) return
  const parts = [...links.keys()].flatMap(id => document.getElementById(id) ?? [])
  let marked: HTMLAnchorElement | undefined
  const mark = (): void => {
    const read = parts.findLast(part => part.getBoundingClientRect().top < innerHeight / 3)
    const link = read === undefined ? undefined : links.get(read.id)
    if (link === marked) return
    marked?.removeAttribute('aria-current')
    link?.setAttribute('aria-current', 'location')
    link?.scrollIntoView({ block: 'nearest' })
    marked = link
  }
  addEventListener('scroll', () => requestAnimationFrame(mark), { passive: true })
  mark()
}

function openAround(element: Element): void {
  for (let at: Element | null = element; at !== null; at = at.parentElement)
    if (at instanceof HTMLDetailsElement) at.open = true
}

function openTarget(): void {
  const target = document.getElementById(decodeURIComponent(location.hash.slice(1)))
  if (target === null) return
  openAround(target)
  target.scrollIntoView()
}

/** A link to a folded member unfolds it. */
export function openTargets(): void {
  addEventListener('hashchange', openTarget)
  openTarget()
}

/** Unfolds everything for printing. */
export function openWhilePrinting(): void {
  let opened: readonly HTMLDetailsElement[] = []
  addEventListener('beforeprint', () => {
    opened = [...document.querySelectorAll<HTMLDetailsElement>('main details:not([open])')]
    for (const details of opened) details.open = true
  })
  addEventListener('afterprint', () => {
    for (const details of opened) details.open = false
  })
}

addCopyButtons()
openTargets()
openWhilePrinting()
followReader()
enableSearch()
