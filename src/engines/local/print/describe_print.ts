import type { RgbImage } from '../../images/raster.ts'
import { viewPicture } from './page.ts'
import { type PlacedLine, placeLines } from './placed_lines.ts'
import { type PrintReader, searchSide } from './printed_side.ts'
import { identifyLayout, mergeReadings, readOnce } from './read_layout.ts'

function describeLine({ line, text }: PlacedLine): string {
  const sure = Math.min(...line.words.map(word => word.sure))
  return `${sure.toFixed(2)}  ${text}`
}

/** The lines of a picture as they are read, by which layout, and what two readings have alike. */
export async function describePrint(
  { read, layouts }: PrintReader,
  pixels: RgbImage,
  wanted: string | undefined,
): Promise<string> {
  const chosen = layouts.find(({ name }) => name === wanted)
  if (wanted !== undefined && chosen === undefined) throw new Error(`there is no layout ${wanted}`)
  const readings: PlacedLine[][] = []
  for (const side of [searchSide.unknown, searchSide.second])
    readings.push(placeLines((await read(viewPicture(pixels), { side, turns: null })).lines))
  const [first = [], second = []] = readings
  const layout = chosen ?? identifyLayout(layouts, first)
  const lines = ['Lines, each with how sure its least sure character is:', ...first.map(describeLine), '']
  if (layout === null)
    return [...lines, `no layout of ${layouts.length} has its titles here, or several have`].join('\n')
  const { confirmed, not_printed, ...values } = mergeReadings(layout, readOnce(layout, first), readOnce(layout, second))
  const fields = Object.entries(values).flatMap(([field, value]) => {
    if (field in layout.fields || value !== null) return [`${field}: ${value ?? 'not found'}`]
    return []
  })
  const doubts = Object.keys(layout.fields).filter(field => {
    const parts = field === 'full_name' ? ['last_name'] : [field]
    return parts.some(part => !([...confirmed, ...not_printed] as readonly string[]).includes(part))
  })
  return [...lines, ...fields, '', `in doubt: ${doubts.length === 0 ? 'nothing' : doubts.join(', ')}`].join('\n')
}
