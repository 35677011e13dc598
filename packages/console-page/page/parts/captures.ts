import { apiUrl } from '../api.ts'
import { type Child, el, fill } from '../dom.ts'
import { icon } from '../icons.ts'
import type { Capture } from '../shapes.ts'
import { word } from '../words.ts'
import { toned } from './badges.ts'
import { findPlace, legend, listMarks, type Mark, overlay } from './marks.ts'
import { type Pointer, transactionPersonal } from './personal.ts'
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

export interface Named {
  readonly capture: Capture
  readonly name: string
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

function picture(image: HTMLImageElement, name: string, marks: readonly Mark[], beside: Beside): HTMLElement {
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
export function portraitFigure(image: HTMLImageElement, portrait: Box): HTMLElement {
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

export type ImageOf = (capture: Capture, name: string) => HTMLImageElement

/** A capture with what was found in it. Without `imageOf` the picture itself is not shown. */
export function figure(transactionId: string, named: Named, imageOf: ImageOf | null): HTMLElement {
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
  const content = !imageOf
    ? el('div', { class: 'frame unshown' }, icon('eye'))
    : isPicture
      ? cutFace(picture(imageOf(capture, name), name, marks, beside), capture.found.face)
      : files(transactionId, named)
  return el('figure', {}, content, el('figcaption', {}, el('b', {}, name), describe()))
}
