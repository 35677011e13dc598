import { openMemory } from '../capture_memory.ts'
import type { RgbImage } from '../images/raster.ts'
import { type PlacedLine, placeLines } from './placed_lines.ts'
import { type Looks, lookAt, type PrintReader, placeWhole, readByLayout } from './printed_side.ts'
import { identifyLayout } from './read_layout.ts'

function describeLine({ line, text }: PlacedLine): string {
  const sure = Math.min(...line.words.map(word => word.sure))
  return `${sure.toFixed(2)}  ${text}`
}

/** The sides of a document. */
interface Pictures {
  readonly front: RgbImage
  readonly back: RgbImage | null
}

/** Describes the lines of a picture as they are read, their layout, and the fields on which two readings agree. */
export async function describePrint(
  { read, layouts }: PrintReader,
  { front, back }: Pictures,
  wanted: string | undefined,
): Promise<string> {
  const chosen = layouts.find(({ name }) => name === wanted)
  if (wanted !== undefined && chosen === undefined) throw new Error(`there is no layout ${wanted}`)
  const memory = openMemory()
  const look = (pixels: RgbImage, capture: 'document_front' | 'document_back'): Promise<Looks> =>
    lookAt(
      read,
      memory,
      placeWhole(capture, 'side', async () => pixels),
    )
  const looks = await look(front, 'document_front')
  const placed = placeLines(looks.first.lines)
  const layout = chosen ?? identifyLayout(layouts, placed)
  const lines = ['Lines, each with how sure its least sure character is:', ...placed.map(describeLine), '']
  if (layout === null)
    return [...lines, `no layout of ${layouts.length} has its titles here, or several have`].join('\n')
  const { reading, needsBack } = await readByLayout(layout, looks, back && (() => look(back, 'document_back')))
  const { confirmed, not_printed, ...values } = reading
  const unprinted: readonly string[] = not_printed
  const fields = Object.entries(values).flatMap(([field, value]) => {
    if (!(field in layout.fields) && value === null) return []
    return [`${field}: ${value ?? (unprinted.includes(field) ? 'none' : 'not found')}`]
  })
  const doubts = Object.keys(layout.fields).filter(field => {
    const parts = field === 'full_name' ? ['last_name'] : [field]
    return parts.some(part => ![...confirmed, ...unprinted].includes(part))
  })
  const missing = needsBack && back === null ? ['the back is needed'] : []
  return [...lines, ...fields, ...missing, '', `in doubt: ${doubts.length === 0 ? 'nothing' : doubts.join(', ')}`].join(
    '\n',
  )
}
