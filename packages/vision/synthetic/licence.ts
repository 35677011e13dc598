import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import sharp from 'sharp'
import { prepareZXingModule, writeBarcode } from 'zxing-wasm/writer'
import { pageMeasures } from '../document_measures.ts'
import { textPath } from './lettering.ts'
import { seeded } from './random.ts'

/** The data that an issuer of driving licences has of the holder. Dates are `YYYY-MM-DD`. */
export interface LicenceFields {
  readonly country: 'USA' | 'CAN'
  /** The state or province, in two letters. */
  readonly jurisdiction: string
  readonly document_number: string
  readonly last_name: string
  readonly first_name: string
  readonly middle_name: string | null
  readonly date_of_birth: string
  readonly issue_date: string
  readonly expiry_date: string
  readonly sex: 'F' | 'M' | 'X'
}

/** The design standard's version, 1 to 10, and `ID` for an identification card. */
export interface LicenceStandard {
  readonly version: number
  readonly subfile?: 'DL' | 'ID'
}

function digits(version: number, country: string, date: string): string {
  const [year, month, day] = date.split('-')
  return version === 1 || country === 'CAN' ? `${year}${month}${day}` : `${month}${day}${year}`
}

function nameElements(fields: LicenceFields, version: number): string[] {
  const middle = fields.middle_name ?? 'NONE'
  if (version === 1) return [`DAA${fields.last_name},${fields.first_name},${fields.middle_name ?? ''}`]
  if (version < 4) return [`DCS${fields.last_name}`, `DCT${fields.first_name},${fields.middle_name ?? ''}`]
  return [`DCS${fields.last_name}`, 'DDEN', `DAC${fields.first_name}`, 'DDFN', `DAD${middle}`, 'DDGN']
}

const sexes = { M: '1', F: '2', X: '9' } as const

/** Composes the text that AAMVA's standard (annex D) puts into the barcode of a licence that belongs to nobody. */
export function composeAamva(fields: LicenceFields, { version, subfile = 'DL' }: LicenceStandard): string {
  const date = (day: string): string => digits(version, fields.country, day)
  const elements = [
    `DAQ${fields.document_number}`,
    ...nameElements(fields, version),
    `DBD${date(fields.issue_date)}`,
    `DBB${date(fields.date_of_birth)}`,
    `DBA${date(fields.expiry_date)}`,
    `DBC${version === 1 ? fields.sex : sexes[fields.sex]}`,
    'DAU068 in',
    'DAYBRO',
    'DAG1 NOWHERE STREET',
    'DAINOWHERE',
    `DAJ${fields.jurisdiction}`,
    'DAK000000000  ',
    ...(version === 1 ? [] : [`DCG${fields.country}`, 'DCF00000000NOBODY0000001', 'DCAD', 'DCBNONE', 'DCDNONE']),
  ]
  const body = `${subfile}${elements.join('\n')}\r`
  const two = (value: number): string => String(value).padStart(2, '0')
  const start = `@\n\x1e\r${version === 1 ? 'AAMVA' : 'ANSI '}636000${two(version)}${version === 1 ? '' : '00'}01`
  const four = (value: number): string => String(value).padStart(4, '0')
  return `${start}${subfile}${four(start.length + 10)}${four(body.length)}${body}`
}

const program = fileURLToPath(import.meta.resolve('zxing-wasm/writer/zxing_writer.wasm'))

/** Draws a PDF417 symbol: a byte a module, 0 for black, and its rows three modules high. */
async function drawSymbol(text: string): Promise<{ data: Uint8ClampedArray; width: number; height: number }> {
  await prepareZXingModule({ overrides: { wasmBinary: new Uint8Array(await readFile(program)).buffer } })
  const { symbol, error } = await writeBarcode(text, { format: 'PDF417', withQuietZones: false, ecLevel: '5' })
  if (error !== '') throw new Error(error)
  return symbol
}

/** The measures of the card, ID-1 (ISO/IEC 7810), in millimetres, and the pixels in each. */
export const card = { width: pageMeasures.TD1.width, height: pageMeasures.TD1.height, corner: 3.2, pixels: 12 } as const

function page(tint: string, content: string): string {
  const { width, height, corner, pixels } = card
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" width="${Math.round(width * pixels)}" height="${height * pixels}" ` +
    `viewBox="0 0 ${width} ${height}"><clipPath id="c"><rect width="${width}" height="${height}" rx="${corner}"/></clipPath>` +
    `<g clip-path="url(#c)"><rect width="${width}" height="${height}" fill="${tint}"/>${content}</g></svg>`
  )
}

/** Draws the barcode as wide as the card allows: 77 mm, or 22 mm high. */
async function barcodeOn(text: string): Promise<string> {
  const { data, width, height } = await drawSymbol(text)
  const size = Math.min(77 / width, 22 / height)
  const left = (card.width - width * size) / 2
  let bars = ''
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) if (data[y * width + x] === 0) bars += `M${x} ${y}h1v1h-1z`
  }
  const white = `<rect x="${left - 2}" y="6" width="${width * size + 4}" height="${height * size + 4}" fill="#fff"/>`
  return `${white}<path transform="translate(${left} 8) scale(${size})" d="${bars}" fill="#111"/>`
}

function lines(fields: LicenceFields): string {
  return [
    `4d ${fields.document_number}`,
    `1 ${fields.last_name}`,
    `2 ${fields.first_name} ${fields.middle_name ?? ''}`,
    `3 DOB ${fields.date_of_birth}`,
    `4a ISS ${fields.issue_date}`,
    `4b EXP ${fields.expiry_date}`,
    `15 SEX ${fields.sex}`,
  ]
    .map((line, row) => textPath(line, { x: 34, y: 16 + row * 5, size: 3.1, face: 'sans_bold' }))
    .join('')
}

/**
 * Renders a driving licence that belongs to nobody: portrait and print in front, the barcode on the back, as PNG. It
 * imitates no state's design. The same order gives the same bytes.
 */
export async function renderLicence(order: {
  readonly fields: LicenceFields
  readonly standard: LicenceStandard
  readonly portrait: Uint8Array
  readonly seed: number
}): Promise<{ readonly front: Buffer; readonly back: Buffer; readonly text: string }> {
  const { fields, standard, portrait, seed } = order
  const random = seeded(seed)
  const tint = `hsl(${random.below(360)} ${Math.round(random.between(15, 45))}% ${Math.round(random.between(78, 92))}%)`
  const text = composeAamva(fields, standard)
  const face = await sharp(portrait).resize(300, 386, { fit: 'cover' }).png().toBuffer()
  const picture = `<image x="4" y="13" width="26" height="33.4" href="data:image/png;base64,${face.toString('base64')}"/>`
  const title = textPath(`DRIVER LICENSE  ${fields.jurisdiction}`, { x: 5, y: 8, size: 4.4, face: 'sans_bold' })
  const png = (svg: string): Promise<Buffer> => sharp(Buffer.from(svg)).png({ compressionLevel: 3 }).toBuffer()
  return {
    front: await png(page(tint, `<g fill="#151515">${title}${lines(fields)}</g>${picture}`)),
    back: await png(page(tint, await barcodeOn(text))),
    text,
  }
}
