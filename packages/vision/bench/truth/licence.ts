import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { prepareZXingModule, writeBarcode } from 'zxing-wasm/writer'
import { type PrintedDocument, picturedSide, sheets } from './documents.ts'
import { securityPaper } from './paper.ts'
import { type Holder, inventHolder } from './people.ts'
import { type Chance, chance } from './random.ts'
import { textOutline, visualFamilies } from './visual_text.ts'
import { zoneName } from './zone_lines.ts'

const sheet = sheets.TD1

interface Issuer {
  readonly country: 'USA' | 'CAN'
  readonly alpha2: string
  readonly jurisdiction: string
}

const issuers: readonly [Issuer, ...Issuer[]] = [
  { country: 'USA', alpha2: 'US', jurisdiction: 'ZZ' },
  { country: 'USA', alpha2: 'US', jurisdiction: 'OH' },
  { country: 'USA', alpha2: 'US', jurisdiction: 'VT' },
  { country: 'CAN', alpha2: 'CA', jurisdiction: 'MB' },
]

function plain(name: string): string {
  return zoneName(name).replaceAll('<', ' ').trim()
}

/**
 * Writes the text of a barcode (AAMVA DL/ID Card Design Standard 2020, annex D), with the elements in an order of the
 * issuer's own.
 */
function textOf(holder: Holder, { country, jurisdiction }: Issuer, random: Chance): string {
  const day = (date: string): string => {
    const [year, month, of] = date.split('-')
    return country === 'USA' ? `${month}${of}${year}` : `${year}${month}${of}`
  }
  const [first = 'NONE', ...middle] = plain(holder.first_name).split(' ')
  const elements = [
    ['DCA', 'D'],
    ['DCS', plain(holder.last_name)],
    ['DAC', first],
    ['DAD', middle.join(' ') || 'NONE'],
    ['DBD', day(holder.issue_date)],
    ['DBB', day(holder.date_of_birth)],
    ['DBA', day(holder.expiry_date)],
    ['DBC', { M: '1', F: '2', X: '9' }[holder.sex]],
    ['DAY', random.pick(['BRO', 'BLU', 'HAZ'])],
    ['DAU', `${60 + random.below(18)} in`.padStart(6, '0')],
    ['DAG', `${1 + random.below(999)} UTOPIA AVE`],
    ['DAI', 'NOWHERE'],
    ['DAJ', jurisdiction],
    ['DAK', '000010000'],
    ['DCF', `${random.below(1e9)}`],
    ['DCG', country],
    ['DDE', 'N'],
    ['DDF', 'N'],
    ['DDG', 'N'],
  ] as const
  const mixed = elements.map(element => ({ element, key: random.next() })).sort((one, other) => one.key - other.key)
  const all = [['DAQ', holder.document_number] as const, ...mixed.map(({ element }) => element)]
  const body = `DL${all.map(([id, value]) => id + value).join('\n')}\r`
  const four = (value: number): string => String(value).padStart(4, '0')
  const head = `@\n\x1e\rANSI 636999${random.happens(0.5) ? '10' : '08'}0101DL`
  return `${head}${four(head.length + 8)}${four(body.length)}${body}`
}

const program = fileURLToPath(import.meta.resolve('zxing-wasm/writer/zxing_writer.wasm'))

async function barcode(text: string, random: Chance): Promise<string> {
  await prepareZXingModule({ overrides: { wasmBinary: new Uint8Array(await readFile(program)).buffer } })
  const { symbol, error } = await writeBarcode(text, { format: 'PDF417', withQuietZones: false })
  if (error !== '') throw new Error(error)
  const module = random.between(72, 78) / symbol.width
  const bars = Array.from(symbol.data, (value, at) =>
    value === 0 ? `M${at % symbol.width} ${Math.floor(at / symbol.width)}h1v1h-1z` : '',
  ).join('')
  const left = (sheet.width - symbol.width * module) / 2
  const top = random.between(4, 20)
  const ink = Math.round(random.between(10, 60))
  const box = { width: symbol.width * module + 5, height: symbol.height * module + 4 }
  const paper = `<rect x="${left - 2.5}" y="${top - 2}" width="${box.width}" height="${box.height}" fill="#fff"/>`
  return `${paper}<path transform="translate(${left} ${top}) scale(${module})" d="${bars}" fill="rgb(${ink} ${ink} ${ink})"/>`
}

/** Prints a driving licence with its data in the barcode of the back, of a state that the holder does not live in. */
export async function printLicence(seed: number, portrait: Uint8Array | null): Promise<PrintedDocument> {
  const random = chance(seed, 'licence')
  const invented = inventHolder(seed)
  const issuer = random.pick(issuers)
  const holder = { ...invented, document_number: invented.document_number.slice(0, 8) }
  const family = random.pick(visualFamilies)
  const right = random.happens(0.35)
  const note = textOutline('CLASS D  RESTRICTIONS NONE', { family, weight: 400, size: 2 })
  const small = `<path transform="translate(5 51) scale(.01)" d="${note.path}" fill="#334"/>`
  const back =
    securityPaper(sheet, chance(seed, 'back'), family) + small + (await barcode(textOf(holder, issuer, random), random))
  return {
    holder,
    zone: { lines: [] },
    truth: {
      document_type: 'DRIVING_LICENSE',
      issuing_country: issuer.alpha2,
      document_number: holder.document_number,
      last_name: plain(holder.last_name),
      first_name: plain(holder.first_name) || null,
      date_of_birth: holder.date_of_birth,
      sex: holder.sex,
      expiry_date: holder.expiry_date,
    },
    front: {
      ...sheet,
      zone: null,
      content: picturedSide(holder, sheet, { random, family, portrait, below: 2, right }),
    },
    back: { ...sheet, zone: null, content: back },
  }
}
