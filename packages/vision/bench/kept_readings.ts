import { createHash } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { locateCorners, type Page, turnPage } from '../print/page.ts'
import type { PrintedText, ReadingOrder, TextReader } from '../print/text_reader.ts'

type Kept = Record<string, PrintedText>

const names = new WeakMap<Uint8Array, string>()

/** Returns the digest of a picture, which is made once. */
function namePicture(data: Uint8Array): string {
  const name = names.get(data) ?? createHash('sha256').update(data).digest('hex').slice(0, 12)
  names.set(data, name)
  return name
}

/** Names what a reading depends on: the picture, the page in it, and the order. */
function nameReading({ picture, width, height }: Page, { side, turns, again }: ReadingOrder): string {
  const boxes = again?.map(({ box }) => [box.x, box.y, box.width, box.height].map(one => one.toFixed(2)).join())
  return [namePicture(picture.data), width.toFixed(1), height.toFixed(1), side, turns, boxes?.join(' ') ?? 'all'].join(
    ' ',
  )
}

/** The page shows where kept lines are in the picture: files that were kept before corners were measured stay of use. */
function locateAgain(page: Page, known: PrintedText): PrintedText {
  const upright = turnPage(page, known.turns)
  return { ...known, lines: known.lines.map(line => ({ ...line, corners: locateCorners(upright, line.box) })) }
}

/**
 * Returns a reader that keeps in a file what it read, so that a change of what is made of the lines is measured within
 * seconds. Lines that are read again are kept one by one. Without a file nothing is kept.
 */
export function keepReadings(read: TextReader, file: string | null): TextReader {
  const kept: Kept = file !== null && existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Kept) : {}
  const readOnce = async (page: Page, order: ReadingOrder): Promise<PrintedText> => {
    const name = nameReading(page, order)
    const known = kept[name]
    if (known !== undefined) return locateAgain(page, known)
    const made = await read(page, order)
    kept[name] = made
    if (file !== null) writeFileSync(file, JSON.stringify(kept))
    return made
  }
  return async (page, { isEnough: _, ...order }) => {
    const { again } = order
    if (again === undefined) return readOnce(page, order)
    const parts: PrintedText[] = []
    for (const line of again) parts.push(await readOnce(page, { ...order, again: [line] }))
    const lines = parts.flatMap(part => part.lines).sort((one, other) => other.box.height - one.box.height)
    return { lines, turns: order.turns ?? 0, linePixels: parts[0]?.linePixels ?? 0, isAll: true, isWhole: true }
  }
}
