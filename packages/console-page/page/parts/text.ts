import { type Child, el } from '../dom.ts'
import { icon } from '../icons.ts'
import { announce } from './announce.ts'

const full = new Intl.DateTimeFormat('en-GB', {
  day: 'numeric',
  month: 'short',
  year: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
  timeZoneName: 'short',
})

const exact = new Intl.DateTimeFormat('en-GB', {
  day: 'numeric',
  month: 'short',
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  fractionalSecondDigits: 3,
  timeZoneName: 'short',
})

/** A time in the reader's zone, which it names; the ISO time is its title. */
function timeWith(format: Intl.DateTimeFormat) {
  return (iso: string | null): Node =>
    iso === null
      ? el('span', { class: 'soft' }, '–')
      : el('time', { datetime: iso, title: iso }, format.format(new Date(iso)))
}

export const time = timeWith(full)

/** A time to the millisecond. */
export const exactTime = timeWith(exact)

const units: readonly (readonly [string, number])[] = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
  ['second', 1000],
]

/** A length of time in its largest unit: `3 minutes`. */
export function duration(ms: number): string {
  const [unit, size] = units.find(([, length]) => ms >= length) ?? ['second', 1000]
  const count = Math.max(0, Math.floor(ms / size))
  return `${count} ${unit}${count === 1 ? '' : 's'}`
}

/** An address of the network. One of IPv4 stays on its line. */
export function networkAddress(address: string | null): HTMLElement {
  return el('span', { class: (address ?? '').length > 15 ? 'mono' : 'mono nowrap' }, address ?? '–')
}

async function copy(button: HTMLElement, text: string): Promise<void> {
  await navigator.clipboard.writeText(text).then(
    () => {
      announce('Copied')
      button.classList.add('copied')
    },
    () => announce('The browser did not allow copying'),
  )
}

/** A button that copies a text. */
function copyButton(text: string, what: string): HTMLElement {
  const button = el(
    'button',
    { type: 'button', class: 'copy', 'aria-label': `Copy ${what}`, title: `Copy ${what}: ${text}` },
    icon('copy'),
  )
  button.addEventListener('click', () => void copy(button, text))
  return button
}

export function shorten(id: string): string {
  return id.length > 14 ? `${id.slice(0, 8)}…${id.slice(-4)}` : id
}

/** An id by its first and last characters; its title and its button have the whole. */
export function shortId(id: string, what: string, href: string | null = null): Node {
  const text = el(href === null ? 'span' : 'a', { class: 'mono', title: id, href }, shorten(id))
  return el('span', { class: 'id' }, text, copyButton(id, what))
}

/** A whole id with its button. */
export function wholeId(id: string, what: string): Node {
  return el('span', { class: 'id' }, el('span', { class: 'mono whole' }, id), copyButton(id, what))
}

/** Pairs of a name and a value. Pairs whose value is null are left out. */
export function facts(pairs: readonly (readonly [Child, Child])[]): HTMLElement {
  return el(
    'dl',
    { class: 'facts' },
    pairs
      .filter(([, value]) => value !== null && value !== undefined && value !== false)
      .map(([name, value]) => el('div', {}, el('dt', {}, name), el('dd', {}, value))),
  )
}

export function bytes(count: number): string {
  return count < 1024 * 1024 ? `${Math.ceil(count / 1024)} KiB` : `${(count / 1024 / 1024).toFixed(1)} MiB`
}
