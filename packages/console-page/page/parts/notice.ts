import { type Child, el } from '../dom.ts'
import { icon } from '../icons.ts'

/** An error: the service's message, and a button to try again. */
export function problem(error: unknown, again: (() => void) | null = null): HTMLElement {
  return el(
    'div',
    { class: 'notice bad', role: 'alert' },
    icon('warn'),
    el('p', {}, error instanceof Error ? error.message : String(error)),
    again && el('button', { type: 'button', onclick: again }, 'Try again'),
  )
}

export function notice(...children: readonly Child[]): HTMLElement {
  return el('div', { class: 'notice' }, icon('warn'), el('p', {}, children))
}

/** Explains on an empty screen what will appear there, and the next step. */
export function teach(title: string, text: Child, ...steps: readonly Child[]): HTMLElement {
  return el(
    'div',
    { class: 'teach' },
    el('p', {}, el('b', {}, title)),
    el('p', { class: 'soft' }, text),
    el('p', {}, steps),
  )
}

export function loading(): HTMLElement {
  return el('p', { class: 'loading', role: 'status' }, 'Loading …')
}

/** A part of a screen under a heading. */
export function section(title: string, ...children: readonly Child[]): HTMLElement {
  return el('section', { class: 'card' }, el('h2', {}, title), ...children)
}

/** The heading of a screen with its buttons; it gets the focus when the screen is opened. */
export function heading(title: Child, ...actions: readonly Child[]): HTMLElement {
  return el('header', { class: 'head' }, el('h1', { tabindex: -1 }, title), el('div', { class: 'actions' }, actions))
}
