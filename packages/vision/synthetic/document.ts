import { composeMrz, type DocumentFields, type DocumentFormat } from '@attestor/rules/synthetic'
import sharp from 'sharp'
import { capitalMm, pageMeasures, pitchMm } from '../document_measures.ts'
import { ocrB, ocrBLine, type PrintStyle, textPath } from './lettering.ts'
import { type Random, seeded } from './random.ts'
import { visualZone } from './visual_zone.ts'

/** The order for one printed document. */
export interface DocumentOrder {
  readonly format: DocumentFormat
  readonly fields: DocumentFields
  /** The holder's picture, PNG, JPEG or SVG; cropped to 35 by 45 parts. */
  readonly portrait: Uint8Array
  readonly seed: number
  /** These lines are printed instead of the right ones: a forged or foreign zone. */
  readonly mrz?: readonly string[]
}

/** A printed document, 10 pixels a millimetre. Only a `TD1` card has its zone on the back. */
export interface RenderedDocument {
  readonly front: Buffer
  readonly back: Buffer | null
  readonly mrz: string[]
}

const pixelsPerMm = 10

interface Layout {
  readonly width: number
  readonly height: number
  readonly corner: number
  readonly portrait: readonly [x: number, y: number, width: number, height: number]
  readonly textX: number
}

function toSize(format: DocumentFormat) {
  return { width: pageMeasures[format].width, height: pageMeasures[format].height }
}

/** The layout of each format, in millimetres from the upper left corner. */
export const layouts: Readonly<Record<DocumentFormat, Layout>> = {
  TD1: { ...toSize('TD1'), corner: 3.2, portrait: [4, 13, 26, 33.4], textX: 34 },
  TD2: { ...toSize('TD2'), corner: 3.2, portrait: [5, 14, 28, 36], textX: 38 },
  TD3: { ...toSize('TD3'), corner: 2, portrait: [6, 17, 33, 42.4], textX: 44 },
}

/**
 * Range of the distance of the last line's middle from the lower edge, in millimetres. It is narrower than real
 * documents' (`pageMeasures`), which would leave no space for the portrait.
 */
const belowMm: Readonly<Record<DocumentFormat, readonly [from: number, to: number]>> = {
  TD1: [6.2, 7.8],
  TD2: [7.4, 10],
  TD3: [7.4, 10],
}

function tint(hue: number, random: Random): string {
  return `hsl(${Math.round(hue) % 360} ${Math.round(random.between(25, 55))}% ${Math.round(random.between(76, 90))}%)`
}

/** Draws tints that run into each other, as the paper of documents has them: no scanner's grey copy does. */
function paper(random: Random): string {
  const hue = random.below(360)
  const stops = [hue, hue + random.between(70, 140), hue + random.between(180, 250)].map(
    (shade, at) => `<stop offset="${at / 2}" stop-color="${tint(shade, random)}"/>`,
  )
  return `<linearGradient id="paper" x2="1" y2="${random.next().toFixed(2)}">${stops.join('')}</linearGradient>`
}

/** Draws a guilloche: many thin waves, pale enough to stay out of the print's way. */
function guilloche({ width, height }: Layout, random: Random): string {
  const hue = random.below(360)
  const amplitude = random.between(1.5, 5)
  const length = random.between(12, 30)
  const waves = Array.from({ length: Math.ceil(height / 1.6) + 4 }, (_, row) => {
    const y = row * 1.6 - 3
    const points = Array.from({ length: 60 }, (_, step) => {
      const x = (step * width) / 59
      return `${x.toFixed(2)},${(y + amplitude * Math.sin(x / length + row * 0.35)).toFixed(2)}`
    })
    return `<polyline points="${points.join(' ')}"/>`
  })
  return `<g fill="none" stroke="hsl(${hue} 40% ${Math.round(random.between(62, 74))}%)" stroke-width="0.16" opacity="0.8">${waves.join('')}</g>`
}

function page(layout: Layout, random: Random, content: string): string {
  const { width, height, corner } = layout
  const size = `width="${width * pixelsPerMm}" height="${height * pixelsPerMm}"`
  const clip = `<clipPath id="c"><rect width="${width}" height="${height}" rx="${corner}"/></clipPath>`
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" ${size} viewBox="0 0 ${width} ${height}">${clip}<g clip-path="url(#c)">` +
    `${paper(random)}<rect width="${width}" height="${height}" fill="url(#paper)"/>${guilloche(layout, random)}${content}</g></svg>`
  )
}

function printedText(order: DocumentOrder, layout: Layout, random: Random): string {
  const [x, y, , height] = layout.portrait
  const bottom = order.format === 'TD1' ? layout.height - 3 : y + height
  const place = { left: layout.textX, right: layout.width - 3, top: y + 1, bottom }
  const state = textPath(order.fields.issuing_state, { x, y: y - 4, size: 4.4, face: 'sans_bold' })
  return `<g fill="#1c2a4c">${state}</g>${visualZone(order, place, random)}`
}

async function picture(portrait: Uint8Array, layout: Layout): Promise<string> {
  const [x, y, width, height] = layout.portrait
  const wide = Math.round(width * pixelsPerMm)
  const high = Math.round(height * pixelsPerMm)
  const png = await sharp(portrait).resize(wide, high, { fit: 'cover' }).png().toBuffer()
  const data = `data:image/png;base64,${png.toString('base64')}`
  return `<image x="${x}" y="${y}" width="${width}" height="${height}" href="${data}" preserveAspectRatio="none"/>`
}

/** Draws a dark ink: mostly black, sometimes bluish or brownish. */
function inkColour(random: Random): string {
  const ink = random.between(10, 60)
  return `rgb(${[0, 0, 0].map(() => Math.round(ink + random.between(0, 18))).join(',')})`
}

/** Makes print heavier (a stroke around it) or lighter (a stroke cut off) than the norm, by `weight` millimetres. */
function weighted(glyphs: string, weight: number, { width, height }: Layout): string {
  const stroke = ((Math.abs(weight) * ocrB.advance) / pitchMm).toFixed(1)
  if (weight >= 0) return `<g stroke="currentColor" stroke-width="${stroke}" fill="currentColor">${glyphs}</g>`
  const area = `x="0" y="0" width="${width}" height="${height}"`
  const mask = `<mask id="thin" maskUnits="userSpaceOnUse" ${area}><g fill="#fff" stroke="#000" stroke-width="${stroke}">`
  return `${mask}${glyphs}</g></mask><rect ${area} fill="currentColor" mask="url(#thin)"/>`
}

function zone(lines: readonly string[], format: DocumentFormat, random: Random): string {
  const layout = layouts[format]
  const columns = Math.max(...lines.map(line => line.length))
  const pitch = random.between(0.99, 1.01)
  const style: PrintStyle = {
    cut: random.next() < 0.4 ? 'sharp' : 'regular',
    wide: random.between(0.95, 1.05),
    high: random.between(0.95, 1.05),
    pitch,
    stray: () => random.normal() * 0.025,
  }
  const left = (layout.width - columns * pitchMm * pitch) / 2 + random.between(-0.8, 0.8)
  const last = layout.height - random.between(...belowMm[format]) + capitalMm / 2
  const { from, to } = pageMeasures[format].lineSpacing
  const spacing = random.between(from, to)
  const rows = lines.map((line, row) =>
    ocrBLine(line, { x: left, y: last - (lines.length - 1 - row) * spacing }, style),
  )
  const glyphs = weighted(rows.join(''), random.between(-0.09, 0.1), layout)
  const turn = `rotate(${random.between(-0.25, 0.25).toFixed(3)} ${layout.width / 2} ${last})`
  return `<g color="${inkColour(random)}" transform="${turn}">${glyphs}</g>`
}

function png(svg: string): Promise<Buffer> {
  return sharp(Buffer.from(svg)).png({ compressionLevel: 3 }).toBuffer()
}

/**
 * Renders a document that belongs to nobody: portrait, visual zone and a machine-readable zone with right check digits,
 * as PNG. It carries no security feature and imitates no state's design. The same order gives the same bytes.
 */
export async function renderDocument(order: DocumentOrder): Promise<RenderedDocument> {
  const random = seeded(order.seed)
  const layout = layouts[order.format]
  const mrz = [...(order.mrz ?? composeMrz(order.format, order.fields))]
  // The text has a seed of its own: its draws move neither the page nor the zone.
  const text = printedText(order, layout, seeded(order.seed ^ 0x7e97))
  const printed = `${await picture(order.portrait, layout)}${text}`
  const lines = zone(mrz, order.format, random)
  if (order.format !== 'TD1') return { front: await png(page(layout, random, printed + lines)), back: null, mrz }
  return { front: await png(page(layout, random, printed)), back: await png(page(layout, random, lines)), mrz }
}
