import { el } from './dom.ts'
import { openDialog } from './parts/dialog.ts'
import { button, buttons } from './parts/form.ts'

const key = 'attestor.console.shortcuts'

/** A shortcut of one screen or of all: `g t`, `/`. */
interface Shortcut {
  readonly keys: string
  readonly does: string
  readonly act: () => void
}

const shortcuts = new Map<string, Shortcut>()
let prefix = ''

function areOn(): boolean {
  return localStorage.getItem(key) !== 'off'
}

/** Adds a shortcut until the signal is aborted. */
export function addShortcut(keys: string, does: string, act: () => void, signal: AbortSignal | null = null): void {
  const shortcut = { keys, does, act }
  shortcuts.set(keys, shortcut)
  signal?.addEventListener('abort', () => {
    if (shortcuts.get(keys) === shortcut) shortcuts.delete(keys)
  })
}

function keyNames(keys: string): readonly HTMLElement[] {
  return keys.split(' ').map(name => el('kbd', {}, name))
}

/** People who dictate text may press single letters unintentionally (WCAG 2.1.4). */
function switchOff(): HTMLElement {
  const input = el('input', { type: 'checkbox', checked: areOn() })
  input.addEventListener('change', () => localStorage.setItem(key, input.checked ? 'on' : 'off'))
  return el('label', { class: 'check' }, input, 'Use shortcuts')
}

export function showShortcuts(): void {
  if (document.querySelector('dialog') !== null) return
  const close = button('Close', () => dialog.close(), { kind: 'primary' })
  const rows = [...shortcuts.values()].map(({ keys, does }) =>
    el('div', {}, el('dt', {}, keyNames(keys)), el('dd', {}, does)),
  )
  const dialog = openDialog('Keyboard shortcuts', el('dl', { class: 'shortcuts' }, rows), switchOff(), buttons(close))
}

function isTyping(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && target.matches('input:not([type=checkbox], [type=radio]), textarea, select')
}

function onKey(event: KeyboardEvent): void {
  if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return
  if (document.querySelector('dialog') !== null || (!areOn() && event.key !== '?')) return
  const keys = prefix === '' ? event.key : `${prefix} ${event.key}`
  const begins = [...shortcuts.keys()].some(known => known.startsWith(`${keys} `))
  prefix = begins ? keys : ''
  const found = shortcuts.get(keys)
  if (found === undefined) return
  event.preventDefault()
  found.act()
}

/** Moves between the rows of a list. */
function moveRow(by: number): void {
  const links = [...document.querySelectorAll<HTMLElement>('main tbody th a')]
  const index = links.indexOf(document.activeElement as HTMLElement)
  links[Math.min(links.length - 1, Math.max(0, index + by))]?.focus()
}

export function startShortcuts(): void {
  document.addEventListener('keydown', onKey)
  addShortcut('?', 'Show the shortcuts', showShortcuts)
  addShortcut('j', 'Next row of a list', () => moveRow(1))
  addShortcut('k', 'Previous row of a list', () => moveRow(-1))
}
