import { findLines } from './find_lines.ts'
import { type Box, type Page, turnPage } from './page.ts'
import { areUpsideDown, type ReadLine, readLine } from './read_lines.ts'
import type { TextNetworks } from './text_networks.ts'

/** What is read of a page, the highest lines first: names and numbers are larger than what names them. */
export interface PrintedText {
  readonly lines: readonly ReadLine[]
  /** How often the page was turned clockwise by quarters: the lines' places are those of the turned one. */
  readonly turns: number
  /** Whether no more lines would be read, and whether these are all of the page: a busy table may look like any number. */
  readonly isAll: boolean
  readonly isWhole: boolean
  /** How high a line is in the picture, in pixels: the median; 0 where there is none. */
  readonly linePixels: number
}

/** Reads a page: `side` is at how many pixels of its longer side its lines are looked for. */
export type TextReader = (page: Page, order: ReadingOrder) => Promise<PrintedText>

export interface ReadingOrder {
  readonly side: number
  /** Whether the page may lie in any direction. */
  readonly isTurned?: boolean
  /** Whether these lines suffice, so that no more are read. */
  readonly isEnough?: (lines: readonly ReadLine[]) => boolean
}

/** A line costs some 10 to 40 CPU ms. Of 40 specimens the fullest page has 38 lines. */
const maxLines = 40
/** Lines are read by so many, and may suffice after each. */
const step = 3
/** In pixels of the picture: no letter of a lower line can be read. */
const minHeight = 7

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

/** The lines of a page that can be read, the highest first. */
async function listLines(networks: TextNetworks, page: Page, side: number): Promise<Box[]> {
  const boxes = await findLines(networks, page, side)
  return boxes.filter(box => measureHeight(page, box) >= minHeight).sort((one, other) => other.height - one.height)
}

/** How often the page must be turned clockwise to be upright, by its longest lines. */
async function findTurns(networks: TextNetworks, page: Page, side: number): Promise<number> {
  const boxes = (await findLines(networks, page, side)).sort((one, other) => other.width - one.width).slice(0, 5)
  const standing = boxes.filter(({ along: [ux, uy] }) => Math.abs(uy) > Math.abs(ux))
  if (2 * standing.length <= boxes.length) return (await areUpsideDown(networks, page, boxes)) ? 2 : 0
  return (await areUpsideDown(networks, page, standing)) ? 3 : 1
}

export function createTextReader(networks: TextNetworks): TextReader {
  return async (found, { side, isTurned = false, isEnough = () => false }) => {
    const turns = isTurned ? await findTurns(networks, found, side) : 0
    const page = turnPage(found, turns)
    const boxes = await listLines(networks, page, side)
    const wanted = boxes.slice(0, maxLines)
    const lines: ReadLine[] = []
    while (lines.length < wanted.length && !isEnough(lines))
      for (const box of wanted.slice(lines.length, lines.length + step)) lines.push(await readLine(networks, page, box))
    const heights = boxes.map(box => measureHeight(page, box)).sort((one, other) => one - other)
    const linePixels = heights[heights.length >> 1] ?? 0
    return { lines, turns, linePixels, isAll: lines.length === wanted.length, isWhole: lines.length === boxes.length }
  }
}
