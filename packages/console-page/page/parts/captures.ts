import { apiUrl } from '../api.ts'
import { type Child, el, fill } from '../dom.ts'
import { icon } from '../icons.ts'
import type { Capture, Explanation } from '../shapes.ts'
import { captureWord, word } from '../words.ts'
import { toned } from './badges.ts'
import { button } from './form.ts'
import { findPlace, legend, listMarks, type Mark, overlay } from './marks.ts'
import { type Pointer, transactionPersonal } from './personal.ts'
import { objections } from './rules.ts'
import { bytes } from './text.ts'
import { type Beside, openViewer } from './viewer.ts'

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

type Box = NonNullable<Capture['found']['portrait']>

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

/** A button that opens a picture in the viewer. */
function enlargeable(
  name: string,
  shown: HTMLImageElement | HTMLCanvasElement,
  marks: readonly Mark[],
  beside: Beside,
) {
  return el(
    'button',
    {
      type: 'button',
      class: 'frame',
      'aria-haspopup': 'dialog',
      'aria-label': `Enlarge: ${name}`,
      onclick: () => openViewer(name, shown, marks, beside),
    },
    shown,
  )
}

function picture(transactionId: string, named: Named, marks: readonly Mark[], beside: Beside): HTMLElement {
  const { capture, name } = named
  const image = el('img', {
    src: apiUrl(`/transaction/${transactionId}/capture/${capture.id}`),
    alt: name,
    'data-capture': capture.id,
  })
  const frame = enlargeable(name, image, marks, beside)
  const shown = el('div', { class: 'picture' }, frame, overlay(marks))
  image.addEventListener('error', () =>
    fill(shown, el('div', { class: 'frame unshown' }, 'This picture can’t be shown.')),
  )
  return shown
}

/** The cut of a frame is wider than the face by this factor. */
const cutWidth = 1.8

/** Enlarges a picture until its face fills the cut, so that faces are compared beside each other. */
function cutFace(shown: HTMLElement, face: Capture['found']['face']): HTMLElement {
  if (face === null) return shown
  shown.style.setProperty('--width', `${100 / (cutWidth * face.width)}%`)
  shown.style.setProperty('--x', `${-100 * (face.x + face.width / 2)}%`)
  shown.style.setProperty('--y', `${-100 * (face.y + face.height / 2)}%`)
  return el('div', { class: 'cut' }, shown)
}

/** Cuts a face out of a picture, as wide as those of the frames, and as large as it was taken. */
function drawCut(canvas: HTMLCanvasElement, image: HTMLImageElement, { x, y, width, height }: Box): void {
  const across = cutWidth * width * image.naturalWidth
  canvas.width = across
  canvas.height = across * 1.25
  const left = (x + width / 2) * image.naturalWidth - across / 2
  const top = (y + height / 2) * image.naturalHeight - canvas.height / 2
  canvas.getContext('2d')?.drawImage(image, -left, -top)
}

/** The portrait of the document, cut out of its picture: that is asked for once, as each reading is in the audit log. */
function portraitFigure(place: HTMLElement, named: readonly Named[]): HTMLElement | null {
  const capture = named.find(one => one.capture.found.portrait !== null)?.capture
  const image = place.querySelector<HTMLImageElement>(`img[data-capture="${capture?.id}"]`)
  const portrait = capture?.found.portrait
  if (!image || !portrait) return null
  const canvas = el('canvas', {})
  if (image.complete) drawCut(canvas, image, portrait)
  image.addEventListener('load', () => drawCut(canvas, image, portrait))
  const name = 'Portrait of the document'
  return el(
    'figure',
    { class: 'portrait' },
    enlargeable(name, canvas, [], () => null),
    el('figcaption', {}, el('b', {}, name)),
  )
}

function actionBadge({ shows_action }: Capture): Child {
  if (shows_action === null) return null
  return [' ', shows_action ? toned('good', 'Shown') : toned('bad', 'Not shown')]
}

/** The files of a chip, which are no picture. */
function files(transactionId: string, { capture: { id, kind } }: Named): HTMLElement {
  const href = apiUrl(`/transaction/${transactionId}/capture/${id}`)
  return el('div', { class: 'frame unshown' }, el('a', { href, download: `${kind}.json` }, 'Save the files'))
}

function figure(transactionId: string, named: Named, isShown: boolean): HTMLElement {
  const { capture, name } = named
  const marks = listMarks(capture.found)
  const describe = (): Child => [
    actionBadge(capture),
    el('span', { class: 'soft' }, ` ${bytes(capture.byte_count)}`),
    isPicture && (marks.length === 0 ? el('p', { class: 'soft' }, 'No region recorded') : legend(marks)),
    zoneFacts(capture.found),
  ]
  const beside: Beside = point => {
    const pointer: Pointer = (read, called) => {
      const points = findPlace(capture.found, read)
      return points && (() => point({ kind: 'field', name: called, points }))
    }
    return [describe(), transactionPersonal(transactionId, pointer)]
  }
  const isPicture = capture.kind !== 'document_chip' && capture.kind !== 'document_wallet'
  const content = !isShown
    ? el('div', { class: 'frame unshown' }, icon('eye'))
    : isPicture
      ? cutFace(picture(transactionId, named, marks, beside), capture.found.face)
      : files(transactionId, named)
  return el('figure', {}, content, el('figcaption', {}, el('b', {}, name), describe()))
}

export interface CapturesOptions {
  readonly transactionId: string
  readonly captures: readonly Capture[]
  readonly explanation: Explanation
  readonly mayRead: boolean
  /** Whether the pictures are shown at once: the audit log records each access. */
  readonly isShown: boolean
}

/** Hides the marks: a reviewer also wants to see the picture without them. */
function marksToggle(place: HTMLElement): HTMLElement {
  const marking = button('Mark what was found', () => {
    const isPlain = place.classList.toggle('unmarked')
    marking.setAttribute('aria-pressed', String(!isPlain))
  })
  marking.setAttribute('aria-pressed', 'true')
  return el('p', { class: 'ask' }, marking)
}

/** The selfie stands beside the portrait, then the frames in their order. */
function rankFace({ capture: { kind } }: Named): number {
  return kind === 'selfie' ? 0 : 1
}

/** Shows the pictures with the findings in them: those of the document, then the faces beside each other. */
export function captureGallery(options: CapturesOptions): HTMLElement {
  const { transactionId, captures, explanation, mayRead, isShown } = options
  const place = el('div', {})
  const isFace = ({ capture: { kind } }: Named): boolean => kind === 'selfie' || kind === 'liveness'
  const named = nameAll(captures)
  const gallery = (pictures: readonly Named[], kind: string, shown: boolean): Child =>
    pictures.length > 0 &&
    el(
      'div',
      { class: `gallery ${kind}` },
      pictures.map(one => figure(transactionId, one, shown)),
    )
  const faces = named.filter(isFace).sort((one, other) => rankFace(one) - rankFace(other))
  const hasMarks = captures.some(({ found }) => listMarks(found).length > 0)
  const show = (shown: boolean): void => {
    const asking = button([icon('eye'), 'Show the pictures'], () => show(true))
    fill(
      place,
      !shown &&
        mayRead &&
        el('p', { class: 'ask' }, asking, el('span', { class: 'soft' }, 'The audit log records that you looked.')),
      shown && hasMarks && marksToggle(place),
      !mayRead && el('p', { class: 'soft' }, 'Reviewers and admins may look at the pictures.'),
      gallery(
        named.filter(one => !isFace(one)),
        'documents',
        shown,
      ),
      objections(explanation, 'liveness'),
      gallery(faces, 'faces', shown),
    )
    const portrait = portraitFigure(place, named)
    if (portrait !== null) place.querySelector('.faces')?.prepend(portrait)
  }
  if (captures.length === 0) fill(place, el('p', { class: 'empty' }, 'No pictures are kept.'))
  else show(isShown && mayRead)
  return place
}
