import { apiUrl } from '../api.ts'
import { type Child, el, fill, svg } from '../dom.ts'
import { icon } from '../icons.ts'
import type { Capture } from '../shapes.ts'
import { captureWord, word } from '../words.ts'
import { toned } from './badges.ts'
import { bytes } from './text.ts'

interface Point {
  readonly x: number
  readonly y: number
}

/** What was found in a picture: its outline there, in shares of the picture. */
interface Mark {
  readonly kind: 'outline' | 'zone' | 'portrait' | 'face'
  readonly name: string
  readonly points: readonly Point[]
}

const corners = ({ x, y, width, height }: Point & { width: number; height: number }): readonly Point[] => [
  { x, y },
  { x: x + width, y },
  { x: x + width, y: y + height },
  { x, y: y + height },
]

const marksOf = ({ outline, zone, portrait, face }: Capture['found']): readonly Mark[] => {
  const marks: Mark[] = []
  if (outline !== null) marks.push({ kind: 'outline', name: 'Document', points: outline })
  if (zone?.region) marks.push({ kind: 'zone', name: 'Machine-readable zone', points: zone.region })
  if (portrait !== null) marks.push({ kind: 'portrait', name: 'Portrait', points: corners(portrait) })
  if (face !== null) marks.push({ kind: 'face', name: 'Face', points: corners(face) })
  return marks
}

const polygon = ({ kind, points }: Mark): SVGElement =>
  svg('polygon', { class: kind, points: points.map(({ x, y }) => `${x * 1000},${y * 1000}`).join(' ') })

const overlay = (marks: readonly Mark[]): SVGElement =>
  svg(
    'svg',
    { class: 'overlay', viewBox: '0 0 1000 1000', preserveAspectRatio: 'none', 'aria-hidden': 'true' },
    marks.map(polygon),
  )

const legend = (marks: readonly Mark[]): HTMLElement =>
  el(
    'ul',
    { class: 'legend' },
    marks.map(({ kind, name }) => el('li', { class: kind }, name)),
  )

const zoneFacts = ({ zone }: Capture['found']): Child => {
  if (zone === null) return null
  const wrong = zone.check_digits.filter(({ passed }) => !passed)
  const names = wrong.map(({ name }) => word('rule', name).toLowerCase()).join(', ')
  return el(
    'p',
    { class: 'zone-facts' },
    zone.valid
      ? toned('good', 'Check digits agree')
      : toned('bad', wrong.length === 0 ? 'Check digits differ' : `Wrong check digit: ${names}`),
    zone.corrected_characters > 0 && el('span', { class: 'soft' }, ` ${zone.corrected_characters} corrected`),
  )
}

interface Named {
  readonly capture: Capture
  readonly name: string
}

/** Frames of the challenge are numbered in the order in which they were taken. */
const nameAll = (captures: readonly Capture[]): readonly Named[] => {
  const counts = new Map<string, number>()
  return captures.map(capture => {
    const number = (counts.get(capture.kind) ?? 0) + 1
    counts.set(capture.kind, number)
    return { capture, name: captureWord(capture.kind, number) }
  })
}

const picture = (transactionId: string, { capture, name }: Named, marks: readonly Mark[]): HTMLElement => {
  const image = el('img', { src: apiUrl(`/transaction/${transactionId}/capture/${capture.id}`), alt: name })
  const frame = el(
    'button',
    { type: 'button', class: 'frame', 'aria-expanded': 'false', 'aria-label': `Enlarge: ${name}` },
    image,
    overlay(marks),
  )
  frame.addEventListener('click', () => {
    const isLarge = frame.closest('figure')?.classList.toggle('large') ?? false
    frame.setAttribute('aria-expanded', String(isLarge))
  })
  image.addEventListener('error', () => fill(frame, el('span', { class: 'unshown' }, 'This picture can’t be shown.')))
  return frame
}

const figure = (transactionId: string, named: Named, isShown: boolean): HTMLElement => {
  const { capture, name } = named
  const marks = marksOf(capture.found)
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
  /** Whether the pictures come at once: each is recorded as looked at. */
  readonly isShown: boolean
}

/** The pictures with what was found in them. */
export const captureGallery = ({ transactionId, captures, mayRead, isShown }: CapturesOptions): HTMLElement => {
  const place = el('div', {})
  const show = (shown: boolean): void => {
    const button = el('button', { type: 'button', onclick: () => show(true) }, icon('eye'), 'Show the pictures')
    fill(
      place,
      !shown &&
        mayRead &&
        el('p', { class: 'ask' }, button, el('span', { class: 'soft' }, 'The audit log records that you looked.')),
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
