import { apiUrl } from '../api.ts'
import { arrange, el } from '../dom.ts'
import { icon } from '../icons.ts'
import type { Capture, Explanation } from '../shapes.ts'
import { captureWord } from '../words.ts'
import { figure, type ImageOf, type Named, portraitFigure } from './captures.ts'
import { button } from './form.ts'
import { listMarks } from './marks.ts'
import { objections } from './rules.ts'

/** Frames of the challenge are numbered in the order in which they were taken. */
function nameAll(captures: readonly Capture[]): readonly Named[] {
  const counts = new Map<string, number>()
  return captures.map(capture => {
    const number = (counts.get(capture.kind) ?? 0) + 1
    counts.set(capture.kind, number)
    return { capture, name: captureWord(capture, number) }
  })
}

/** The pictures of a transaction, and what may be said about them. */
interface Taken {
  readonly captures: readonly Capture[]
  readonly explanation: Explanation
  readonly mayRead: boolean
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

function isFace({ capture: { kind } }: Named): boolean {
  return kind === 'selfie' || kind === 'liveness'
}

/** Makes each element once for its data, so that it stays as somebody sees it while others change. */
function createKeeper() {
  const kept = new Map<string, { readonly data: string; readonly element: HTMLElement }>()
  return (key: string, data: unknown, make: () => HTMLElement): HTMLElement => {
    const wanted = JSON.stringify(data)
    const old = kept.get(key)
    if (old?.data === wanted) return old.element
    const element = make()
    kept.set(key, { data: wanted, element })
    return element
  }
}

/** Each picture is asked for once: the audit log records each access. */
function createImages(transactionId: string): ImageOf {
  const images = new Map<string, HTMLImageElement>()
  return ({ id }, alt) => {
    const image =
      images.get(id) ?? el('img', { src: apiUrl(`/transaction/${transactionId}/capture/${id}`), 'data-capture': id })
    image.alt = alt
    images.set(id, image)
    return image
  }
}

/** Gives an element these children. Those that are there already stay. */
function place(element: HTMLElement, children: readonly (HTMLElement | false)[]): void {
  const wanted = children.filter(one => one !== false)
  for (const child of [...element.children]) if (!wanted.some(one => one === child)) child.remove()
  arrange(element, wanted, element.firstElementChild)
}

/**
 * Shows the pictures with the findings in them: those of the document, then the faces beside each other. What somebody has
 * opened stays while more pictures come. `isShown` shows them at once.
 */
export function captureGallery(transactionId: string, isShown: boolean) {
  const element = el('div', {})
  const [documents, faces] = [el('div', { class: 'gallery documents' }), el('div', { class: 'gallery faces' })]
  const keep = createKeeper()
  const findImage = createImages(transactionId)
  let taken: Taken | null = null
  let isOpen = isShown
  const asking = button([icon('eye'), 'Show the pictures'], () => {
    isOpen = true
    show()
  })
  const ask = el('p', { class: 'ask' }, asking, el('span', { class: 'soft' }, 'The audit log records that you looked.'))
  const toggle = marksToggle(element)
  const closed = el('p', { class: 'soft' }, 'Reviewers and admins may look at the pictures.')
  const empty = el('p', { class: 'empty' }, 'No pictures are kept.')

  /** The portrait of the document, then the faces. */
  const listFigures = (named: readonly Named[], imageOf: ImageOf | null) => {
    const figures = (some: readonly Named[]): readonly HTMLElement[] =>
      some.map(one => keep(one.capture.id, [one, imageOf !== null], () => figure(transactionId, one, imageOf)))
    const own = named.find(({ capture }) => capture.found.portrait !== null)
    const box = own?.capture.found.portrait
    const portrait =
      own && box && imageOf
        ? [keep('portrait', [own.capture.id, box], () => portraitFigure(imageOf(own.capture, own.name), box))]
        : []
    const sorted = named.filter(isFace).sort((one, other) => rankFace(one) - rankFace(other))
    return {
      ofDocument: figures(named.filter(one => !isFace(one))),
      ofFaces: sorted.length === 0 ? [] : [...portrait, ...figures(sorted)],
    }
  }
  const show = (): void => {
    if (taken === null) return
    // The viewer has the picture itself.
    const viewer = document.querySelector('dialog.viewer')
    viewer?.addEventListener('close', show, { once: true })
    if (viewer !== null) return
    const { captures, explanation, mayRead } = taken
    const imageOf = isOpen && mayRead ? findImage : null
    const { ofDocument, ofFaces } = listFigures(nameAll(captures), imageOf)
    place(documents, ofDocument)
    place(faces, ofFaces)
    const against = objections(explanation, 'liveness')
    const hasMarks = captures.some(({ found }) => listMarks(found).length > 0)
    place(element, [
      captures.length === 0 && empty,
      captures.length > 0 && imageOf === null && (mayRead ? ask : closed),
      imageOf !== null && hasMarks && toggle,
      ofDocument.length > 0 && documents,
      against && keep('against', explanation.rules, () => against),
      ofFaces.length > 0 && faces,
    ])
  }
  return {
    element,
    render(now: Taken): void {
      taken = now
      show()
    },
  }
}
