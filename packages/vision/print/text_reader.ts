import { findLines } from './find_lines.ts'
import { type Box, type Page, turnPage } from './page.ts'
import { areUpsideDown, type ReadLine, readLine } from './read_lines.ts'
import type { TextNetworks } from './text_networks.ts'

/** The text of a page, the highest lines first: names and numbers are larger than their labels. */
export interface PrintedText {
  readonly lines: readonly ReadLine[]
  /** Number of quarters by which the page was turned clockwise: the lines' places are those of the turned one. */
  readonly turns: number
  /**
   * `isAll` means that no more lines would be read, `isWhole` that these are all of the page: a busy table may look
   * like any number.
   */
  readonly isAll: boolean
  readonly isWhole: boolean
  /** Median height of a line in the picture, in pixels; 0 if there is none. */
  readonly linePixels: number
}

/** Reads a page, or some lines of it again. */
export type TextReader = (page: Page, order: ReadingOrder) => Promise<PrintedText>

export interface ReadingOrder {
  /** The page is searched for lines at this many pixels of its longer side. */
  readonly side: number
  /** Number of quarters by which the page must be turned clockwise to be upright; null if the reader must find it. */
  readonly turns: number | null
  /** Returns whether these lines suffice, so that no more are read. */
  readonly isEnough?: (lines: readonly ReadLine[]) => boolean
  /** Lines that were found before and are read again with a closer cut; if they are given, no search is made. */
  readonly again?: readonly ReadLine[]
}

/** The most lines of a page that are read. Of 40 specimens the fullest page has 38. */
const maxLines = 40
/**
 * The most that the widths of all lines may add up to, each in its own heights: one costs some 2.6 CPU ms. The fullest
 * of 45 specimens has 287, its zone's lines among them, which take some 60 and are not read; the fullest drawn card has
 * 143.
 */
const maxWidth = 240
/** This many lines are read at a time; the reader stops as soon as they suffice. */
const step = 3
/** No letter of a line lower than this can be read, in pixels of the picture. */
const minHeight = 7
/** A line that is read again is cut closer, by about as much as a search at 1.6 times the pixels would. */
const closer = 0.84

function measureHeight(page: Page, { x, y, height, along: [ux, uy] }: Box): number {
  const places = Float64Array.of(
    x + (uy * height) / 2,
    y - (ux * height) / 2,
    x - (uy * height) / 2,
    y + (ux * height) / 2,
  )
  page.locate(places)
  const [ax = 0, ay = 0, bx = 0, by = 0] = places
  return Math.hypot(bx - ax, by - ay)
}

/** Lists the lines of a page that can be read, the highest first. */
function sortBoxes(boxes: readonly Box[], page: Page): Box[] {
  return boxes.filter(box => measureHeight(page, box) >= minHeight).sort((one, other) => other.height - one.height)
}

/** Returns the first boxes, up to the most that are read. */
function boundBoxes(boxes: readonly Box[]): Box[] {
  let width = 0
  return boxes.slice(0, maxLines).filter(box => {
    width += box.width / box.height
    return width <= maxWidth
  })
}

interface FoundBoxes {
  readonly page: Page
  readonly turns: number
  readonly boxes: readonly Box[]
}

/** Finds the lines of a page turned upright, by its longest ones. */
async function findUpright(networks: TextNetworks, page: Page, side: number): Promise<FoundBoxes> {
  const boxes = await findLines(networks, page, side)
  const longest = boxes.toSorted((one, other) => other.width - one.width).slice(0, 5)
  const standing = longest.filter(({ along: [ux, uy] }) => Math.abs(uy) > Math.abs(ux))
  const isLevel = 2 * standing.length <= longest.length
  const isDown = await areUpsideDown(networks, page, isLevel ? longest : standing)
  if (isLevel && !isDown) return { page, turns: 0, boxes }
  const turns = isLevel ? 2 : isDown ? 3 : 1
  const upright = turnPage(page, turns)
  return { page: upright, turns, boxes: await findLines(networks, upright, side) }
}

async function findBoxes(
  networks: TextNetworks,
  found: Page,
  { side, turns, again }: ReadingOrder,
): Promise<FoundBoxes> {
  if (turns === null) return findUpright(networks, found, side)
  const page = turnPage(found, turns)
  if (again === undefined) return { page, turns, boxes: await findLines(networks, page, side) }
  const cut = ({ box }: ReadLine): Box => ({
    ...box,
    width: box.width - (1 - closer) * box.height,
    height: closer * box.height,
  })
  return { page, turns, boxes: again.map(cut) }
}

export function createTextReader(networks: TextNetworks): TextReader {
  return async (found, order) => {
    const { isEnough = () => false } = order
    const { page, turns, boxes: all } = await findBoxes(networks, found, order)
    const boxes = sortBoxes(all, page)
    const wanted = boundBoxes(boxes)
    const lines: ReadLine[] = []
    while (lines.length < wanted.length && !isEnough(lines))
      for (const box of wanted.slice(lines.length, lines.length + step)) lines.push(await readLine(networks, page, box))
    const heights = boxes.map(box => measureHeight(page, box)).sort((one, other) => one - other)
    const linePixels = heights[heights.length >> 1] ?? 0
    return { lines, turns, linePixels, isAll: lines.length === wanted.length, isWhole: lines.length === boxes.length }
  }
}
