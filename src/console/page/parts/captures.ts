import { apiUrl } from '../api.ts'
import { type Child, el, fill } from '../dom.ts'
import { icon } from '../icons.ts'
import type { Capture } from '../shapes.ts'
import { captureWord, word } from '../words.ts'
import { toned } from './badges.ts'
import { legend, listMarks, type Mark, overlay } from './marks.ts'
import { bytes } from './text.ts'

function zoneFacts({ zone }: Capture['found']): Child {
  if (zone === null) return null
  const wrong = zone.check_digits.filter(({ passed }) => !passed)
  const names = wrong.map(({ name }) => word('rule', name).toLowerCase()).join(', ')
  return el(
    'p',
    { class: 'zone-facts' },
    zone.valid ? toned('good', 'Check digits agree') : toned('bad', 'Check digits differ'),
    // An external engine may use other names.
    !zone.valid && wrong.length > 0 && el('span', {}, `Wrong: ${names}`),
    zone.corrected_characters > 0 && el('span', { class: 'soft' }, ` ${zone.corrected_characters} corrected`),
  )
}

interface Named {
  readonly capture: Capture
  readonly name: string
}

/** Frames of the challenge are numbered in the order in which they were taken. */
function nameAll(captures: readonly Capture[]): readonly Named[] {
  const counts = new Map<string, number>()
  return captures.map(capture => {
    const number = (counts.get(capture.kind) ?? 0) + 1
    counts.set(capture.kind, number)
    return { capture, name: captureWord(capture, number) }
  })
}

function picture(transactionId: string, { capture, name }: Named, marks: readonly Mark[]): HTMLElement {
  const image = el('img', { src: apiUrl(`/transaction/${transactionId}/capture/${capture.id}`), alt: name })
  const frame = el(
    'button',
    { type: 'button', class: 'frame', 'aria-expanded': 'false', 'aria-label': `Enlarge: ${name}` },
    image,
  )
  frame.addEventListener('click', () => {
    const isLarge = frame.closest('figure')?.classList.toggle('large') ?? false
    frame.setAttribute('aria-expanded', String(isLarge))
  })
  const shown = el('div', { class: 'picture' }, frame, overlay(marks))
  image.addEventListener('error', () =>
    fill(shown, el('div', { class: 'frame unshown' }, 'This picture can’t be shown.')),
  )
  return shown
}

function figure(transactionId: string, named: Named, isShown: boolean): HTMLElement {
  const { capture, name } = named
  const marks = listMarks(capture.found)
  return el(
    'figure',
    {},
    isShown ? picture(transactionId, named, marks) : el('div', { class: 'frame unshown' }, icon('eye')),
    el(
      'figcaption',
      {},
      el('b', {}, name),
      el('span', { class: 'soft' }, ` ${bytes(capture.byte_count)}`),
      marks.length === 0 ? el('p', { class: 'soft' }, 'No region recorded') : legend(marks),
      zoneFacts(capture.found),
    ),
  )
}

export interface CapturesOptions {
  readonly transactionId: string
  readonly captures: readonly Capture[]
  readonly mayRead: boolean
  /** Whether the pictures are shown at once: the audit log records each access. */
  readonly isShown: boolean
}

/** Hides the marks: a reviewer also wants to see the picture without them. */
function marksToggle(place: HTMLElement): HTMLElement {
  const button = el('button', { type: 'button', 'aria-pressed': 'true' }, 'Mark what was found')
  button.addEventListener('click', () => {
    const isPlain = place.classList.toggle('unmarked')
    button.setAttribute('aria-pressed', String(!isPlain))
  })
  return el('p', { class: 'ask' }, button)
}

/** The pictures with what was found in them. */
export function captureGallery({ transactionId, captures, mayRead, isShown }: CapturesOptions): HTMLElement {
  const place = el('div', {})
  const hasMarks = captures.some(({ found }) => listMarks(found).length > 0)
  const show = (shown: boolean): void => {
    const button = el('button', { type: 'button', onclick: () => show(true) }, icon('eye'), 'Show the pictures')
    fill(
      place,
      !shown &&
        mayRead &&
        el('p', { class: 'ask' }, button, el('span', { class: 'soft' }, 'The audit log records that you looked.')),
      shown && hasMarks && marksToggle(place),
      !mayRead && el('p', { class: 'soft' }, 'Reviewers and admins may look at the pictures.'),
      el(
        'div',
        { class: 'gallery' },
        nameAll(captures).map(named => figure(transactionId, named, shown)),
      ),
    )
  }
  if (captures.length === 0) fill(place, el('p', { class: 'empty' }, 'No pictures are kept.'))
  else show(isShown && mayRead)
  return place
}
