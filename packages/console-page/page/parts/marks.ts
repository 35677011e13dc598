import type { PicturePoint } from '@attestor/rules'
import { type ZoneField, zoneLayouts } from '@attestor/rules/page'
import { el, svg } from '../dom.ts'
import type { Capture } from '../shapes.ts'
import { word } from '../words.ts'

/** Something found in a picture, with its corners in shares of the picture. */
export interface Mark {
  readonly kind: 'outline' | 'zone' | 'barcode' | 'print' | 'portrait' | 'face' | 'field'
  readonly name: string
  readonly points: readonly PicturePoint[]
}

function corners({ x, y, width, height }: PicturePoint & { width: number; height: number }): readonly PicturePoint[] {
  return [
    { x, y },
    { x: x + width, y },
    { x: x + width, y: y + height },
    { x, y: y + height },
  ]
}

type Found = Capture['found']

export function listMarks({ outline, zone, barcode, fields, portrait, face }: Found): readonly Mark[] {
  const marks: Mark[] = []
  if (outline !== null) marks.push({ kind: 'outline', name: 'Document', points: outline })
  if (zone?.region) marks.push({ kind: 'zone', name: 'Machine-readable zone', points: zone.region })
  if (barcode !== null) marks.push({ kind: 'barcode', name: 'Barcode', points: barcode })
  for (const [field, points] of Object.entries(fields))
    if (points) marks.push({ kind: 'print', name: word('data', field), points })
  if (portrait !== null) marks.push({ kind: 'portrait', name: 'Portrait', points: corners(portrait) })
  if (face !== null) marks.push({ kind: 'face', name: 'Face', points: corners(face) })
  return marks
}

/** Fields that stand in the zone under another name. */
const zoneNames: Readonly<Record<string, ZoneField>> = { issuing_country: 'issuing_state' }

/** The corners of a field within the zone that was found; null where its format has none. */
function findInZone(
  region: readonly PicturePoint[] | null,
  format: string,
  field: string,
): readonly PicturePoint[] | null {
  const layout = Object.hasOwn(zoneLayouts, format) ? zoneLayouts[format as keyof typeof zoneLayouts] : null
  const [topLeft, topRight, bottomRight, bottomLeft] = region ?? []
  if (layout === null || !topLeft || !topRight || !bottomRight || !bottomLeft) return null
  const { fields, rows, columns } = layout
  const isName = field === 'last_name' || field === 'first_name'
  const span = fields[zoneNames[field] ?? (field as ZoneField)] ?? (isName ? fields.names : undefined)
  if (span === undefined) return null
  const mix = (one: PicturePoint, other: PicturePoint, share: number): PicturePoint => ({
    x: one.x + (other.x - one.x) * share,
    y: one.y + (other.y - one.y) * share,
  })
  const at = (column: number, row: number): PicturePoint =>
    mix(mix(topLeft, topRight, column / columns), mix(bottomLeft, bottomRight, column / columns), row / rows)
  const { row, from, to } = span
  return [at(from, row), at(to, row), at(to, row + 1), at(from, row + 1)]
}

/** A thing that was read from a document: a field, or a line of print by its number. */
export type Read =
  | { readonly field: string; readonly source: string; readonly format: string }
  | { readonly line: number }

/** Returns the place where something was read; null where it is not known. A barcode holds all its fields. */
export function findPlace({ zone, barcode, fields, lines }: Found, read: Read): readonly PicturePoint[] | null {
  if ('line' in read) return lines[read.line] ?? null
  const { field, source, format } = read
  const printed = Object.entries(fields).find(([name]) => name === field)?.[1] ?? null
  return printed ?? findInZone(zone?.region ?? null, format, field) ?? (source === 'BARCODE' ? barcode : null)
}

function polygon({ kind, points }: Mark): SVGElement {
  return svg('polygon', { class: kind, points: points.map(({ x, y }) => `${x * 1000},${y * 1000}`).join(' ') })
}

function clip(share: number): number {
  return Math.min(1, Math.max(0, share))
}

interface Extent {
  readonly left: number
  readonly right: number
  readonly top: number
  readonly bottom: number
}

function findExtent({ points }: Pick<Mark, 'points'>): Extent {
  const xs = points.map(({ x }) => clip(x))
  const ys = points.map(({ y }) => clip(y))
  return { left: Math.min(...xs), right: Math.max(...xs), top: Math.min(...ys), bottom: Math.max(...ys) }
}

/** Its name at its upper left corner. The policy of the page forbids styles in HTML, not those of a script. */
function tag(mark: Mark): HTMLElement {
  const leftmost = mark.points.toSorted((one, other) => one.x - other.x).slice(0, 2)
  const { left, top } = findExtent({ points: leftmost })
  const element = el('span', { class: `tag ${mark.kind}` }, mark.kind === 'zone' ? 'Zone' : mark.name)
  element.style.left = `${left * 100}%`
  element.style.top = `${top * 100}%`
  return element
}

/** Drawn over the picture; the list below it says the same in words. */
export function overlay(marks: readonly Mark[]): HTMLElement {
  return el(
    'span',
    { class: 'overlay', 'aria-hidden': 'true' },
    svg('svg', { viewBox: '0 0 1000 1000', preserveAspectRatio: 'none' }, marks.map(polygon)),
    // The names of printed fields would cover the picture.
    marks.filter(({ kind }) => kind !== 'print').map(tag),
  )
}

function third(share: number, names: readonly [string, string, string]): string {
  return names[share < 1 / 3 ? 0 : share < 2 / 3 ? 1 : 2]
}

/** Describes in words the place of a mark, and how much of the picture it fills. */
function describePlace(mark: Mark): string {
  const { left, right, top, bottom } = findExtent(mark)
  const down = third((top + bottom) / 2, ['upper', 'middle', 'lower'])
  const along = third((left + right) / 2, ['left', 'centre', 'right'])
  const place = down === 'middle' && along === 'centre' ? 'in the centre' : `${down} ${along}`
  return `${place}, ${Math.round((right - left) * 100)}% of the width, ${Math.round((bottom - top) * 100)}% of the height`
}

export function legend(marks: readonly Mark[]): HTMLElement {
  return el(
    'ul',
    { class: 'legend' },
    marks.map(mark =>
      el(
        'li',
        { class: mark.kind, title: describePlace(mark) },
        mark.name,
        el('span', { class: 'hidden' }, `: ${describePlace(mark)}`),
      ),
    ),
  )
}
