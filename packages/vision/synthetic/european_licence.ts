import sharp from 'sharp'
import { type Typeface, textPath } from './lettering.ts'
import { card } from './licence.ts'
import { seeded } from './random.ts'

/** The text on the front of a driving licence, as it is printed. */
export interface EuropeanLicenceFields {
  /** The distinguishing sign of the state, in its blue field. */
  readonly sign: string
  /** `Driving licence` in the state's language, and the state's name. */
  readonly title: string
  readonly state: string
  readonly last_name: string
  readonly first_name: string
  /** The date as `DD.MM.YYYY`, or with two digits of the year. */
  readonly date_of_birth: string
  readonly place_of_birth: string
  readonly issue_date: string
  readonly expiry_date: string
  readonly authority: string
  readonly document_number: string
  readonly categories: string
}

/**
 * Lists the lines by Directive 2006/126/EC, annex I, 3, page 1: title and state above, the sign in negative in a blue
 * rectangle within twelve stars at the left, the portrait (6) below it, the numbered fields beside it, the categories
 * (9) at the bottom. States place 4c beside 4a or below 4b.
 */
function lines(fields: EuropeanLicenceFields, isWide: boolean): readonly (readonly [number: string, text: string][])[] {
  return [
    [['1.', fields.last_name]],
    [['2.', fields.first_name]],
    [['3.', `${fields.date_of_birth}  ${fields.place_of_birth}`]],
    ...(isWide
      ? ([
          [
            ['4a.', fields.issue_date],
            ['4c.', fields.authority],
          ],
          [['4b.', fields.expiry_date]],
        ] as const)
      : ([
          [
            ['4a.', fields.issue_date],
            ['4b.', fields.expiry_date],
          ],
          [['4c.', fields.authority]],
        ] as const)),
    [['5.', fields.document_number]],
  ].map(row => row.map(([number, text]) => [number, text] as [string, string]))
}

function stars(x: number, y: number, radius: number): string {
  return Array.from({ length: 12 }, (_, n) => {
    const turn = (n * Math.PI) / 6
    return `<circle cx="${x + radius * Math.sin(turn)}" cy="${y - radius * Math.cos(turn)}" r=".5" fill="#fd0"/>`
  }).join('')
}

/** Draws pale waves over the paper, which is pink by the directive's annex, 2. */
function waves(hue: number): string {
  const path = Array.from({ length: 30 }, (_, n) => {
    const y = n * 2
    return `M0 ${y}q11 ${n % 2 ? 3 : -3} 22 0t22 0t22 0t22 0`
  }).join('')
  return `<path d="${path}" fill="none" stroke="hsl(${hue} 50% 82%)" stroke-width=".25"/>`
}

/**
 * Renders the front of a European driving licence that belongs to nobody, as PNG: it imitates no state's design beyond
 * the directive's rules for all. The same order gives the same bytes.
 */
export async function renderEuropeanLicence(order: {
  readonly fields: EuropeanLicenceFields
  readonly portrait: Uint8Array
  readonly seed: number
}): Promise<Buffer> {
  const { fields, portrait, seed } = order
  const random = seeded(seed)
  const faces: readonly Typeface[] = ['sans', 'sans_bold', 'condensed', 'condensed_bold']
  const face = faces[random.below(faces.length)] ?? 'sans'
  const { width, height, corner, pixels } = card
  const isWide = random.next() < 0.5
  const size = random.between(2.7, 3.2)
  const step = random.between(4.7, 5.3)
  const print = (text: string, x: number, y: number, style: Typeface, em: number, maxWidth = width - x - 2): string =>
    textPath(text, { x, y, size: em, face: style, maxWidth })
  const rows = lines(fields, isWide).map((row, n) =>
    row
      .map(([number, text], at) => {
        const x = 31 + at * 27
        const y = 17 + n * step
        return (
          print(number, x, y, 'sans', size * 0.8) +
          print(text, x + 4.4, y, face, size, at === 0 && row.length > 1 ? 21 : width - x - 6)
        )
      })
      .join(''),
  )
  const title = print(fields.title, 21, 6.5, 'sans_bold', 4.2) + print(fields.state, 21, 10.6, 'sans', 2.6)
  const sign = `<rect x="3" y="2.5" width="15" height="10" fill="#039"/>${stars(10.5, 7.5, 4.1)}`
  const picture = await sharp(portrait).resize(276, 354, { fit: 'cover' }).png().toBuffer()
  const svg =
    `<svg xmlns="http://www.w3.org/2000/svg" width="${Math.round(width * pixels)}" height="${height * pixels}" ` +
    `viewBox="0 0 ${width} ${height}"><clipPath id="c"><rect width="${width}" height="${height}" rx="${corner}"/></clipPath>` +
    `<g clip-path="url(#c)"><rect width="${width}" height="${height}" fill="hsl(${random.between(330, 350)} 45% 90%)"/>` +
    `${waves(random.below(360))}${sign}<g fill="#fff">${print(fields.sign, 9, 8.4, 'sans_bold', 2.6)}</g>` +
    `<g fill="#20242c">${title}${rows.join('')}` +
    `${print(`9. ${fields.categories}`, 31, 17 + 7 * step - 1, 'sans_bold', 2.6)}</g>` +
    `<image x="4" y="15" width="23" height="29.5" href="data:image/png;base64,${picture.toString('base64')}"/></g></svg>`
  return sharp(Buffer.from(svg)).png({ compressionLevel: 3 }).toBuffer()
}
