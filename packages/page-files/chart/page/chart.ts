import { type ChartStep, lightStates, parseDrawing, writeCounts } from './drawing.ts'

/** The drawing of a chart in a page: active states lit, the last transition marked, or actors counted. */
export interface Chart {
  zoomIn(): void
  zoomOut(): void
  zoomToFit(): void
  clear(): void
  /** Lights the states after a step; `before` is the step before it, undefined for the first. */
  showStep(name: string, step: ChartStep, before?: ChartStep | undefined): Promise<void>
  /** Writes into each state the number of actors that are in it now. */
  showCounts(name: string, counts: ReadonlyMap<string, number>): Promise<void>
}

const zoomStep = 1.25

function bringIntoView(box: Element, element: Element | undefined): void {
  if (element === undefined) return
  const inner = element.getBoundingClientRect()
  const outer = box.getBoundingClientRect()
  const isSeen =
    inner.top >= outer.top && inner.bottom <= outer.bottom && inner.left >= outer.left && inner.right <= outer.right
  if (isSeen) return
  box.scrollBy({
    top: (inner.top + inner.bottom - outer.top - outer.bottom) / 2,
    left: (inner.left + inner.right - outer.left - outer.right) / 2,
  })
}

/** Controls the size at which a drawing is shown in its box. */
function createZoom(box: HTMLElement) {
  // At the scale that it is drawn in, its texts are as large as those of the page.
  let zoom: 'fit' | number = 1
  const computeScale = (width: number): number => (zoom === 'fit' ? Math.min(1, (box.clientWidth - 24) / width) : zoom)
  return {
    resize(svg: SVGSVGElement) {
      const { width, height } = svg.viewBox.baseVal
      const scale = computeScale(width)
      svg.setAttribute('width', String(Math.round(width * scale)))
      svg.setAttribute('height', String(Math.round(height * scale)))
    },
    multiply(svg: SVGSVGElement, factor: number) {
      zoom = Math.min(3, Math.max(0.1, (svg.clientWidth / svg.viewBox.baseVal.width) * factor))
    },
    fit() {
      zoom = 'fit'
    },
  }
}

/** Fetches a drawing's text by its name; null where that failed. */
type LoadDrawing = (name: string) => Promise<string | null>

/** The drawings by name, each loaded once; one that could not be loaded is asked for again. */
function keepDrawings(load: LoadDrawing): (name: string) => Promise<SVGSVGElement | null> {
  const drawings = new Map<string, Promise<SVGSVGElement | null>>()
  const read = async (name: string): Promise<SVGSVGElement | null> => {
    const text = await load(name)
    if (text !== null) return parseDrawing(text)
    drawings.delete(name)
    return null
  }
  return name => {
    const drawing = drawings.get(name) ?? read(name)
    drawings.set(name, drawing)
    return drawing
  }
}

/** Controls the drawing that a box shows. */
function createStage(box: HTMLElement, load: LoadDrawing) {
  const find = keepDrawings(load)
  const zoom = createZoom(box)
  let shown: SVGSVGElement | null = null
  let wanted: string | null = null
  let changed: Element | undefined
  const resize = (): void => {
    if (shown === null) return
    zoom.resize(shown)
    bringIntoView(box, changed)
  }
  new ResizeObserver(resize).observe(box)
  return {
    resize,
    fit: zoom.fit,
    multiply(factor: number) {
      if (shown !== null) zoom.multiply(shown, factor)
      resize()
    },
    show(name: string | null, svg: SVGSVGElement | null) {
      wanted = name
      shown = svg
      box.replaceChildren(...(svg === null ? [] : [svg]))
      resize()
    },
    setChanged(element: Element | undefined) {
      changed = element
      bringIntoView(box, changed)
    },
    /** Null where there is no drawing, or another one is wanted meanwhile. */
    async display(name: string): Promise<SVGSVGElement | null> {
      wanted = name
      const svg = await find(name)
      if (wanted !== name) return null
      if (svg !== shown) this.show(name, svg)
      return svg
    },
  }
}

/** Draws charts into a box that scrolls. */
export function createChart(box: HTMLElement, load: LoadDrawing): Chart {
  const stage = createStage(box, load)
  return {
    zoomIn: () => stage.multiply(zoomStep),
    zoomOut: () => stage.multiply(1 / zoomStep),
    zoomToFit() {
      stage.fit()
      stage.resize()
    },
    clear: () => stage.show(null, null),
    async showStep(name, step, before) {
      const svg = await stage.display(name)
      if (svg === null) return
      svg.classList.remove('counted')
      stage.setChanged(lightStates(svg, step, before))
    },
    async showCounts(name, counts) {
      const svg = await stage.display(name)
      if (svg === null) return
      svg.classList.add('counted')
      lightStates(svg, { event: null, states: [] }, undefined)
      stage.setChanged(undefined)
      writeCounts(svg, counts)
    },
  }
}
