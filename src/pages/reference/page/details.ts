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
