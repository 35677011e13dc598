import { type Child, el, fill } from '../dom.ts'

export interface Choice {
  readonly id: string
  readonly isCurrent: boolean
  readonly content: Child
  readonly choose: () => void
}

/** A list of buttons. Each stays the same element while it is listed, so that no click and no focus is lost. */
export function choiceList(name: string) {
  const element = el('ul', { class: 'choices', 'aria-label': name })
  let buttons = new Map<string, HTMLElement>()
  let choices = new Map<string, Choice>()
  let current: string | undefined
  /** Scroll only the list, so that the page does not jump. */
  const bringIntoView = (button: HTMLElement): void => {
    const [outer, inner] = [element.getBoundingClientRect(), button.getBoundingClientRect()]
    element.scrollBy({ top: (inner.top + inner.bottom - outer.top - outer.bottom) / 2 })
  }
  const create = (id: string): HTMLElement =>
    el('button', { type: 'button', 'data-id': id, onclick: () => choices.get(id)?.choose() })
  const update = (button: HTMLElement, { content, isCurrent }: Choice): HTMLElement => {
    fill(button, content)
    button.setAttribute('aria-current', String(isCurrent))
    return button
  }
  return {
    element,
    render(wanted: readonly Choice[]): void {
      choices = new Map(wanted.map(one => [one.id, one]))
      for (const [id, button] of buttons) if (!choices.has(id)) button.parentElement?.remove()
      buttons = new Map(wanted.map(one => [one.id, update(buttons.get(one.id) ?? create(one.id), one)]))
      for (const [index, button] of [...buttons.values()].entries())
        if (element.children[index] !== button.parentElement)
          element.insertBefore(button.parentElement ?? el('li', {}, button), element.children[index] ?? null)
      const before = current
      current = wanted.find(({ isCurrent }) => isCurrent)?.id
      const button = buttons.get(current ?? '')
      if (button !== undefined && current !== before) bringIntoView(button)
    },
  }
}
