import { eachMark } from '../images/connected_pixels.ts'
import { type Box, type Page, type Scale, samplePage } from './page.ts'
import type { TextNetworks } from './text_networks.ts'

/** The network was trained on this scale: the mean and deviation of ImageNet's pictures. */
const scale: Scale = {
  mean: [0.485 * 255, 0.456 * 255, 0.406 * 255],
  deviation: [0.229 * 255, 0.224 * 255, 0.225 * 255],
}
/** Both sides of the network's input are multiples of this, in pixels. */
const grain = 32
/**
 * PaddleOCR's own values: the least chance of a pixel of text, the least mean chance of a line, and the growth of its
 * box.
 */
const minText = 0.3
const minSure = 0.5
const growth = 1.6
/** Marks of fewer pixels of the search are specks. */
const minPixels = 8
/** A mark this many times as long as it is high has a direction of its own. */
const minLong = 3

interface Spot {
  readonly x: number
  readonly y: number
  readonly along: readonly [number, number]
  readonly isLong: boolean
  readonly pixels: readonly (readonly [number, number])[]
}

/** Measures the middle and the main direction of a mark's pixels. */
function measureSpot(at: readonly number[], width: number): Spot {
  const pixels = at.map(one => [(one % width) + 0.5, Math.floor(one / width) + 0.5] as const)
  let [x, y] = [0, 0]
  for (const [px, py] of pixels) {
    x += px / pixels.length
    y += py / pixels.length
  }
  let [xx, xy, yy] = [0, 0, 0]
  for (const [px, py] of pixels) {
    xx += (px - x) ** 2
    xy += (px - x) * (py - y)
    yy += (py - y) ** 2
  }
  const turn = Math.atan2(2 * xy, xx - yy) / 2
  const root = Math.hypot(xx - yy, 2 * xy)
  const isLong = xx + yy + root > minLong ** 2 * (xx + yy - root)
  const along = [Math.cos(turn), Math.sin(turn)] as const
  return { x, y, along, isLong, pixels }
}

/** Returns the rectangle around a mark in a direction, grown as PaddleOCR grows it, in units of the page. */
function toBox({ x, y, pixels }: Spot, [ux, uy]: readonly [number, number], step: number): Box {
  let [left, right, top, bottom] = [0, 0, 0, 0]
  for (const [px, py] of pixels) {
    const along = (px - x) * ux + (py - y) * uy
    const down = (py - y) * ux - (px - x) * uy
    left = Math.min(left, along)
    right = Math.max(right, along)
    top = Math.min(top, down)
    bottom = Math.max(bottom, down)
  }
  const width = right - left + 1
  const height = bottom - top + 1
  const grown = ((width * height) / (2 * (width + height))) * growth
  const [mx, my] = [(left + right) / 2, (top + bottom) / 2]
  return {
    x: (x + mx * ux - my * uy) * step,
    y: (y + mx * uy + my * ux) * step,
    width: (width + 2 * grown) * step,
    height: (height + 2 * grown) * step,
    along: [ux, uy],
  }
}

/** Returns the median direction of the long marks; level if there is none. */
function findLean(spots: readonly Spot[]): readonly [number, number] {
  const leans = spots
    .filter(({ isLong }) => isLong)
    .map(({ along: [ux, uy] }) => Math.atan2(uy, ux))
    .sort((one, other) => one - other)
  const lean = leans[leans.length >> 1] ?? 0
  return [Math.cos(lean), Math.sin(lean)]
}

/** Finds the lines of text on a page, which is searched at so many pixels of its longer side. */
export async function findLines({ find }: TextNetworks, page: Page, side: number): Promise<Box[]> {
  const step = Math.max(page.width, page.height) / side
  const width = Math.max(grain, Math.ceil(page.width / step / grain) * grain)
  const height = Math.max(grain, Math.ceil(page.height / step / grain) * grain)
  const input = new Float32Array(3 * width * height)
  const whole: Box = {
    x: (width * step) / 2,
    y: (height * step) / 2,
    width: width * step,
    height: height * step,
    along: [1, 0],
  }
  samplePage(page, whole, { data: input, stride: width, width, height }, scale)
  const { data } = await find(input, [1, 3, height, width])
  const marked = new Uint8Array(width * height)
  for (let at = 0; at < marked.length; at++) marked[at] = (data[at] as number) > minText ? 1 : 0
  const spots: Spot[] = []
  eachMark(marked, width, 'side', (mark, pixels) => {
    let sum = 0
    for (const at of pixels) sum += data[at] as number
    if (pixels.length < minPixels || sum < minSure * pixels.length || mark.width < 2) return
    spots.push(measureSpot(pixels, width))
  })
  const lean = findLean(spots)
  return spots
    .map(spot => toBox(spot, spot.isLong ? spot.along : lean, step))
    .filter(({ x, y }) => x < page.width && y < page.height)
}
