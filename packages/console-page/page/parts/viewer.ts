import { type Child, el, fill } from '../dom.ts'
import { openDialog } from './dialog.ts'
import { button } from './form.ts'
import { type Mark, overlay } from './marks.ts'

type Picture = HTMLImageElement | HTMLCanvasElement

interface Size {
  readonly width: number
  readonly height: number
}

/** A scale of 1 shows each pixel of the picture as one of the page. */
const maxScale = 8
const zoomStep = 1.25
/** Zoom of a wheel's pixel: one step of a mouse is about 100 of them, a finger's on a pad a few. */
const wheelZoom = 0.0022
/** A place that is pointed at fills so much of the stage's width. */
const pointedShare = 0.6
/** Pixels that an arrow key moves the picture by. */
const keyStep = 80

function naturalSize(picture: Picture): Size {
  return picture instanceof HTMLImageElement
    ? { width: picture.naturalWidth, height: picture.naturalHeight }
    : { width: picture.width, height: picture.height }
}

/** The picture in a box that scrolls: scaled, and turned by quarters. */
function createStage(picture: Picture, marks: readonly Mark[], onScale: (scale: number) => void) {
  const { width, height } = naturalSize(picture)
  const pointed = el('span', { class: 'contents' })
  const turned = el('div', { class: 'turned' }, picture, overlay(marks), pointed)
  const sheet = el('div', { class: 'sheet' }, turned)
  const stage = el('div', { class: 'stage', tabindex: 0, role: 'group', 'aria-label': 'The picture' }, sheet)
  let scale = 1
  let quarters = 0
  let isWhole = true

  const fitScale = (): number => {
    const [across, down] = quarters % 2 === 0 ? [width, height] : [height, width]
    return Math.min(stage.clientWidth / across, stage.clientHeight / down)
  }
  const place = (): void => {
    const [across, down] = quarters % 2 === 0 ? [width, height] : [height, width]
    sheet.style.width = `${across * scale}px`
    sheet.style.height = `${down * scale}px`
    turned.style.width = `${width * scale}px`
    turned.style.height = `${height * scale}px`
    turned.style.transform = `translate(-50%, -50%) rotate(${quarters * 90}deg)`
    onScale(scale)
  }
  /** `at` is the point of the stage that stays where it is. */
  const setScale = (next: number, at = { x: stage.clientWidth / 2, y: stage.clientHeight / 2 }): void => {
    const bounded = Math.min(maxScale, Math.max(Math.min(1, fitScale()), next))
    const [left, top] = [stage.scrollLeft + at.x, stage.scrollTop + at.y].map(one => (one * bounded) / scale)
    scale = bounded
    isWhole = false
    place()
    stage.scrollTo((left ?? 0) - at.x, (top ?? 0) - at.y)
  }
  const showWhole = (): void => {
    scale = fitScale()
    isWhole = true
    place()
  }
  const pointOf = ({ clientX, clientY }: { clientX: number; clientY: number }) => {
    const { left, top } = stage.getBoundingClientRect()
    return { x: clientX - left, y: clientY - top }
  }

  stage.addEventListener(
    'wheel',
    event => {
      event.preventDefault()
      const pixels = event.deltaY * (event.deltaMode === WheelEvent.DOM_DELTA_PIXEL ? 1 : 40)
      setScale(scale * Math.exp(-Math.max(-100, Math.min(100, pixels)) * wheelZoom), pointOf(event))
    },
    { passive: false },
  )
  // One pointer moves the picture, two zoom it.
  const pointers = new Map<number, PointerEvent>()
  const spread = (): number => {
    const [one, other] = [...pointers.values()]
    return one === undefined || other === undefined
      ? 0
      : Math.hypot(one.clientX - other.clientX, one.clientY - other.clientY)
  }
  stage.addEventListener('pointerdown', event => {
    pointers.set(event.pointerId, event)
    stage.setPointerCapture(event.pointerId)
  })
  stage.addEventListener('pointermove', event => {
    const last = pointers.get(event.pointerId)
    if (last === undefined) return
    const before = spread()
    pointers.set(event.pointerId, event)
    if (pointers.size === 1) stage.scrollBy(last.clientX - event.clientX, last.clientY - event.clientY)
    else if (before > 0) setScale((scale * spread()) / before, pointOf(event))
  })
  for (const type of ['pointerup', 'pointercancel'] as const)
    stage.addEventListener(type, event => pointers.delete(event.pointerId))
  picture.addEventListener('dragstart', event => event.preventDefault())
  return {
    element: stage,
    showWhole,
    /** The window has another size: a whole picture stays whole, and another as large as it is. */
    fitAgain: () => (isWhole ? showWhole() : setScale(scale)),
    zoom: (by: number) => setScale(scale * by),
    showPixels: () => setScale(1),
    turn(): void {
      quarters = (quarters + 1) % 4
      showWhole()
    },
    /** Outlines a place, and brings it into the middle. */
    point(mark: Mark): void {
      fill(pointed, overlay([mark]))
      const place = pointed.querySelector('polygon')
      if (place === null) return
      setScale((scale * stage.clientWidth * pointedShare) / place.getBoundingClientRect().width)
      const [box, found] = [stage, place].map(one => one.getBoundingClientRect()) as [DOMRect, DOMRect]
      stage.scrollBy(
        found.x + found.width / 2 - box.x - box.width / 2,
        found.y + found.height / 2 - box.y - box.height / 2,
      )
    },
    move: (x: number, y: number) => stage.scrollBy(x * keyStep, y * keyStep),
    setLight: (percent: number) => {
      picture.style.filter = percent === 100 ? '' : `brightness(${percent}%)`
    },
  }
}

/** Makes the content beside the picture. `point` outlines a place in it. */
export type Beside = (point: (mark: Mark) => void) => Child

/**
 * Shows a picture as large as the window, to be zoomed, moved, turned and lit. The picture itself is moved into the
 * dialog and back, as each reading of a picture is in the audit log.
 */
export function openViewer(title: string, picture: Picture, marks: readonly Mark[], beside: Beside): void {
  const gap = el('span', {})
  picture.replaceWith(gap)
  const scaleText = el('output', { class: 'soft' })
  const stage = createStage(picture, marks, scale => {
    scaleText.textContent = `${Math.round(scale * 100)}%`
  })
  const light = el('input', { type: 'range', min: 40, max: 250, value: 100, 'aria-label': 'Brightness' })
  light.addEventListener('input', () => stage.setLight(light.valueAsNumber))
  const marking = button('Marks', () => {
    const isPlain = stage.element.classList.toggle('unmarked')
    marking.setAttribute('aria-pressed', String(!isPlain))
  })
  marking.setAttribute('aria-pressed', 'true')
  const acts: readonly (readonly [key: string, name: string, act: () => void])[] = [
    ['+', 'Zoom in', () => stage.zoom(zoomStep)],
    ['-', 'Zoom out', () => stage.zoom(1 / zoomStep)],
    ['0', 'Whole picture', stage.showWhole],
    ['1', 'Each pixel', stage.showPixels],
    ['r', 'Turn', stage.turn],
  ]
  const moves: Readonly<Record<string, readonly [number, number]>> = {
    ArrowLeft: [-1, 0],
    ArrowRight: [1, 0],
    ArrowUp: [0, -1],
    ArrowDown: [0, 1],
  }
  const bar = el(
    'div',
    { class: 'viewer-bar', role: 'toolbar', 'aria-label': 'View' },
    acts.map(([key, name, act]) => button([name, ' ', el('kbd', {}, key)], act)),
    scaleText,
    el('label', { class: 'light' }, el('span', {}, 'Light'), light),
    marks.length > 0 && marking,
    button('Close', () => dialog.close(), { kind: 'primary' }),
  )
  const dialog = openDialog(
    title,
    bar,
    el('div', { class: 'viewer-body' }, stage.element, el('aside', {}, beside(stage.point))),
  )
  dialog.classList.add('viewer')
  dialog.addEventListener('keydown', event => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target === light) return
    const act = acts.find(([key]) => key === event.key)?.[2]
    const move = event.target === stage.element ? moves[event.key] : undefined
    if (act === undefined && move === undefined) return
    event.preventDefault()
    act?.()
    if (move !== undefined) stage.move(...move)
  })
  const over = new AbortController()
  addEventListener('resize', stage.fitAgain, { signal: over.signal })
  dialog.addEventListener('close', () => {
    over.abort()
    stage.setLight(100)
    gap.replaceWith(picture)
  })
  stage.showWhole()
  stage.element.focus()
}
