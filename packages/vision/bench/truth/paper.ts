import type { Chance } from './random.ts'
import { type Family, textOutline } from './visual_text.ts'

/** Size of a sheet or card, in millimetres. */
export interface Sheet {
  readonly width: number
  readonly height: number
}

function tone(random: Chance, low: number, high: number, hue = random.below(360)): string {
  return `hsl(${Math.round(hue) % 360} ${Math.round(random.between(10, 60))}% ${Math.round(random.between(low, high))}%)`
}

/** Draws closed curves around a centre, as an engraver's lathe does. */
function rosette({ width, height }: Sheet, random: Chance): string {
  const cx = random.between(0.2, 0.8) * width
  const cy = random.between(0.2, 0.8) * height
  const size = random.between(0.2, 0.6) * height
  const petals = 5 + random.below(9)
  const rings = Array.from({ length: 9 }, (_, ring) => {
    const points = Array.from({ length: 120 }, (_, step) => {
      const angle = (step / 120) * Math.PI * 2
      const reach = size * (0.55 + ring * 0.05 + 0.25 * Math.sin(petals * angle + ring * 0.3))
      return `${(cx + reach * Math.cos(angle)).toFixed(2)} ${(cy + reach * Math.sin(angle)).toFixed(2)}`
    })
    return `<path d="M${points.join('L')}Z"/>`
  })
  return rings.join('')
}

/** Draws two crossing families of straight or bent lines. */
function lattice({ width, height }: Sheet, random: Chance): string {
  const gap = random.between(1.1, 2.6)
  const rise = random.between(-0.5, 0.5)
  const bend = random.between(-8, 8)
  const count = Math.ceil((height + width) / gap)
  return Array.from({ length: count }, (_, at) => {
    const y = at * gap - width / 2
    const down = `M0 ${y.toFixed(2)}Q${width / 2} ${(y + rise * width * 0.5 + bend).toFixed(2)} ${width} ${(y + rise * width).toFixed(2)}`
    const up = `M0 ${(y + rise * width).toFixed(2)}Q${width / 2} ${(y + rise * width * 0.5 - bend).toFixed(2)} ${width} ${y.toFixed(2)}`
    return `<path d="${down}${at % 2 === 0 ? up : ''}"/>`
  }).join('')
}

/** Draws a line of tiny words, again and again. */
function microtext({ width, height }: Sheet, random: Chance, family: Family): string {
  const word = textOutline('SPECIMEN UTOPIA ', { family, weight: 400, size: 0.55 })
  const rows = 3 + random.below(5)
  const repeated = Array.from(
    { length: Math.ceil(width / word.width) },
    (_, at) => `<use href="#micro" x="${(at * word.width * 100).toFixed(0)}"/>`,
  ).join('')
  const lines = Array.from(
    { length: rows },
    (_, row) => `<g transform="translate(0 ${(((row + 0.7) * height) / rows).toFixed(2)}) scale(.01)">${repeated}</g>`,
  )
  return `<defs><path id="micro" d="${word.path}"/></defs><g fill="#000" stroke="none">${lines.join('')}</g>`
}

/** Draws the pattern of a document: a gradient with curves and tiny words on it, paler or stronger by the seed. */
export function securityPaper(sheet: Sheet, random: Chance, family: Family): string {
  const { width, height } = sheet
  const hue = random.below(360)
  // The paper of documents is printed in inks that run into each other.
  const stops = [0, random.between(50, 130), random.between(140, 260)].map(
    (turn, at) => `<stop offset="${at / 2}" stop-color="${tone(random, 74, 95, hue + turn)}"/>`,
  )
  const gradient = `<linearGradient id="tint" x1="${random.next().toFixed(2)}" x2="${random.next().toFixed(2)}" y1="0" y2="1">${stops.join('')}</linearGradient>`
  const curves = random.happens(0.5) ? rosette(sheet, random) : lattice(sheet, random)
  const more = random.happens(0.4) ? rosette(sheet, random) : ''
  const ink = `fill="none" stroke="${tone(random, 35, 65)}" stroke-width="${random.between(0.07, 0.2).toFixed(2)}"`
  const strength = random.between(0.2, 0.65).toFixed(2)
  const words = random.happens(0.5) ? microtext(sheet, random, family) : ''
  return `${gradient}<rect width="${width}" height="${height}" fill="url(#tint)"/><g ${ink} opacity="${strength}">${curves}${more}${words}</g>`
}
