import { find } from './find.ts'

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
