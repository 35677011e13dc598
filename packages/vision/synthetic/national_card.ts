import sharp from 'sharp'
import { textPath } from './lettering.ts'
import { card } from './licence.ts'
import { type Random, seeded } from './random.ts'

/** The data on the card of somebody who does not exist. Dates are `YYYY-MM-DD`; the number is as it is printed. */
export interface CardHolder {
  readonly last_name: string
  readonly first_name: string
  readonly date_of_birth: string
  readonly issue_date: string
  readonly expiry_date: string
  readonly document_number: string
}

/**
 * One text: `{last}`, `{number}`, `{birth DD-MM-YYYY}` and so on stand for the holder's. Places are in millimetres; the
 * size is that of an em.
 */
type PlacedText = readonly [text: string, x: number, y: number, size: number]

/** The places of everything on a card, after its published design. */
export interface CardDesign {
  readonly layout: string
  /** Hue of the paper, in degrees. */
  readonly hue: number
  /** The portrait's left and upper edge, and its width. */
  readonly portrait: readonly [x: number, y: number, width: number]
  /** Form of the number: `N` is a digit, `A` a letter; `{birth YYMMDD}` is the holder's. */
  readonly number: string
  readonly texts: readonly PlacedText[]
}

const small = 2.1
const value = 2.9

/** Places a label, and its value a row below. */
function pair(label: string, text: string, x: number, y: number): readonly PlacedText[] {
  return [
    [label, x, y, small],
    [text, x, y + 3.6, value],
  ]
}

/** Places a label, a colon, and its value in one column. */
function row(
  label: string,
  text: string,
  y: number,
  [x, to]: readonly [number, number] = [3, 24],
): readonly PlacedText[] {
  return [
    [label, x, y, 2.5],
    [`: ${text}`, to, y, 2.7],
  ]
}

export const cardDesigns: readonly CardDesign[] = [
  {
    layout: 'id_ktp',
    hue: 200,
    portrait: [64, 14, 18],
    number: 'NNNNNN{birth DDMMYY}NNNN',
    texts: [
      ['PROVINSI UTOPIA RAYA', 26, 5, 3],
      ['KOTA NUSANTARA', 30, 9, 3],
      ['NIK', 3, 14, 3.2],
      [': {number}', 20, 14, 3.6],
      ...row('Nama', '{first} {last}', 18.5),
      ...row('Tempat/Tgl Lahir', 'NUSANTARA, {birth DD-MM-YYYY}', 22),
      ...row('Jenis kelamin', 'LAKI-LAKI', 25.5),
      ...row('Alamat', 'JL. MELATI', 29),
      ...row('Agama', 'ISLAM', 32.5),
      ...row('Status Perkawinan', 'KAWIN', 36),
      ...row('Pekerjaan', 'GURU', 39.5),
      ...row('Kewarganegaraan', 'WNI', 43),
      ...row('Berlaku Hingga', 'SEUMUR HIDUP', 46.5),
    ],
  },
  {
    layout: 'in_pan',
    hue: 190,
    portrait: [4, 15, 16],
    number: 'AAAPANNNNA',
    texts: [
      ['INCOME TAX DEPARTMENT', 6, 7, 3.4],
      ['GOVT. OF INDIA', 58, 7, 3],
      ['Permanent Account Number Card', 26, 14, 2.6],
      ['{number}', 32, 20, 4.2],
      ...pair('Name', '{first} {last}', 24, 27),
      ...pair("Father's Name", 'KARAN MEHRA', 24, 35),
      ...pair('Date of Birth', '{birth DD/MM/YYYY}', 24, 43),
    ],
  },
  {
    layout: 'in_aadhaar',
    hue: 40,
    portrait: [5, 14, 18],
    number: 'NNNN NNNN NNNN',
    texts: [
      ['Government of India', 30, 7, 3.2],
      ['{First} {Last}', 27, 19, 2.9],
      ['DOB: {birth DD/MM/YYYY}', 27, 24, 2.9],
      ['MALE', 27, 29, 2.9],
      ['{number}', 26, 44, 5],
    ],
  },
  {
    layout: 'in_driving_licence',
    hue: 260,
    portrait: [65, 12, 17],
    number: 'AANN NNNNNNNNNNN',
    texts: [
      ['Indian Union Driving Licence', 18, 5, 3.2],
      ['{number}', 20, 13, 3.6],
      ...pair('Issue Date', '{issue DD-MM-YYYY}', 4, 19),
      ...pair('Validity (NT)', '{expiry DD-MM-YYYY}', 32, 19),
      ['Name: {FIRST} {LAST}', 4, 30, 2.8],
      ['Date Of Birth: {birth DD-MM-YYYY}', 4, 35, 2.8],
      ['Blood Group: O+', 4, 40, 2.8],
      ['Son/Daughter/Wife of: KARAN MEHRA', 4, 45, 2.8],
    ],
  },
  {
    layout: 'ph_national_id',
    hue: 210,
    portrait: [4, 17, 21],
    number: 'NNNN-NNNN-NNNN-NNNN',
    texts: [
      ['REPUBLIKA NG PILIPINAS', 22, 5, 3],
      ['PAMBANSANG PAGKAKAKILANLAN', 20, 11, 3],
      ['{number}', 4, 15.5, 3],
      ...pair('Apelyido/Last Name', '{LAST}', 29, 18),
      ...pair('Mga Pangalan/Given Names', '{FIRST}', 29, 26),
      ...pair('Gitnang Apelyido/Middle Name', 'REYES', 29, 34),
      ...pair('Petsa ng Kapanganakan/Date of Birth', '{birth MONTH DD, YYYY}', 29, 42),
    ],
  },
  {
    layout: 'my_mykad',
    hue: 200,
    portrait: [58, 12, 22],
    number: '{birth YYMMDD}-NN-NNNN',
    texts: [
      ['KAD PENGENALAN', 4, 5, 3.2],
      ['MALAYSIA', 4, 9, 3.4],
      ['IDENTITY CARD', 30, 5, 2.8],
      ['MyKad', 62, 7, 4],
      ['{number}', 4, 16, 3.8],
      ['{FIRST} BIN {LAST}', 4, 36, 2.9],
      ['NO 7 JALAN MAWAR', 4, 41, 2.5],
      ['WARGANEGARA', 58, 46, 2.6],
    ],
  },
  {
    layout: 'th_id_card',
    hue: 195,
    portrait: [67, 25, 14],
    number: 'N NNNN NNNNN NN N',
    texts: [
      ['Thai National ID Card', 40, 5, 3],
      ['Identification Number', 20, 10, 2.4],
      ['{number}', 46, 10, 3.2],
      ['Name  Mr. {First}', 26, 18, 3],
      ['Last name  {Last}', 26, 23, 3],
      ['Date of Birth {birth D Mon. YYYY}', 22, 31, 2.6],
      ['{issue D Mon. YYYY}', 4, 44, 2.4],
      ['Date of Issue', 4, 47.5, 2.2],
      ['{expiry D Mon. YYYY}', 44, 44, 2.4],
      ['Date of Expiry', 44, 47.5, 2.2],
    ],
  },
  {
    layout: 'vn_citizen_card',
    hue: 160,
    portrait: [4, 16, 19],
    number: 'NNNNNNNNNNNN',
    texts: [
      ['CỘNG HÒA XÃ HỘI CHỦ NGHĨA VIỆT NAM', 20, 4, 2.4],
      ['CĂN CƯỚC CÔNG DÂN', 28, 11, 3.4],
      ['Citizen Identity Card', 34, 15, 2.4],
      ['Số / No.: {number}', 27, 21, 3.4],
      ...pair('Họ và tên / Full name:', '{LAST} {FIRST}', 27, 26),
      ['Ngày sinh / Date of birth: {birth DD/MM/YYYY}', 27, 35, 2.5],
      ['Giới tính / Sex: Nam', 27, 39, 2.3],
      ['Quê quán / Place of origin: Utopia', 27, 43, 2.3],
      ['Có giá trị đến / Date of expiry: {expiry DD/MM/YYYY}', 4, 50, 2.3],
    ],
  },
  {
    layout: 'hk_identity_card',
    hue: 30,
    portrait: [4, 14, 19],
    number: 'ANNNNNN(N)',
    texts: [
      ['HONG KONG PERMANENT IDENTITY CARD', 14, 5, 3],
      ['{LAST}, {First}', 30, 14, 3],
      ...pair('Date of Birth', '{birth DD-MM-YYYY}', 30, 22),
      ...pair('Date of Issue', '{issue DD-MM-YY}', 30, 34),
      ['{number}', 54, 49, 3.8],
    ],
  },
  {
    layout: 'sg_identity_card',
    hue: 350,
    portrait: [4, 14, 20],
    number: 'SNNNNNNNA',
    texts: [
      ['REPUBLIC OF SINGAPORE', 22, 5, 3.2],
      ['IDENTITY CARD NO.  {number}', 20, 10, 2.8],
      ...pair('Name', '{FIRST} {LAST}', 28, 17),
      ...pair('Race', 'UTOPIAN', 28, 26),
      ...pair('Date of birth', '{birth DD-MM-YYYY}', 28, 34),
      ...pair('Sex', 'M', 58, 34),
      ...pair('Country/Place of birth', 'UTOPIA', 28, 43),
    ],
  },
  {
    layout: 'za_id_card',
    hue: 120,
    portrait: [60, 14, 21],
    number: '{birth YYMMDD}NNNN08N',
    texts: [
      ['REPUBLIC OF SOUTH AFRICA', 20, 5, 3.2],
      ['NATIONAL IDENTITY CARD', 24, 9.5, 2.8],
      ...pair('Surname', '{LAST}', 4, 14),
      ...pair('Names', '{FIRST}', 4, 21.5),
      ...pair('Sex', 'M', 4, 29),
      ...pair('Nationality', 'UTO', 30, 29),
      ...pair('Identity Number', '{number}', 4, 36.5),
      ...pair('Date of Birth', '{birth DD MON YYYY}', 4, 44),
    ],
  },
  {
    layout: 'ng_nin_slip',
    hue: 100,
    portrait: [4, 15, 19],
    number: 'NNNN NNN NNNN',
    texts: [
      ['FEDERAL REPUBLIC OF NIGERIA', 18, 5, 3],
      ['DIGITAL NIN SLIP', 28, 10, 2.8],
      ...pair('SURNAME/NOM', '{LAST}', 27, 16),
      ...pair('GIVEN NAMES/PRÉNOMS', '{FIRST}', 27, 24),
      ...pair('DATE OF BIRTH', '{birth DD MON YYYY}', 27, 32),
      ...pair('SEX/SEXE', 'M', 56, 32),
      ['{number}', 22, 49, 5],
    ],
  },
  {
    layout: 'gh_card',
    hue: 90,
    portrait: [4, 14, 20],
    number: 'GHA-NNNNNNNNN-N',
    texts: [
      ['REPUBLIC OF GHANA', 26, 5, 3.2],
      ['ECOWAS IDENTITY CARD', 28, 9.5, 2.8],
      ...pair('Surname/Nom', '{LAST}', 28, 14),
      ...pair('Firstnames/Prénoms', '{FIRST}', 28, 21.5),
      ...pair('Date of Birth/Date de naissance', '{birth DD/MM/YYYY}', 28, 29),
      ...pair('Personal ID Number/Numéro personnel', '{number}', 28, 36.5),
      ...pair('Date of Issuance/Date de délivrance', '{issue DD/MM/YYYY}', 4, 44.5),
      ...pair("Date of Expiry/Date d'expiration", '{expiry DD/MM/YYYY}', 46, 44.5),
    ],
  },
  {
    layout: 'ke_id_card',
    hue: 170,
    portrait: [4, 18, 19],
    number: 'NNNNNNNN',
    texts: [
      ['JAMHURI YA KENYA', 8, 5, 2.8],
      ['REPUBLIC OF KENYA', 48, 5, 2.8],
      ['SERIAL NUMBER: 234567890', 4, 12, 2.4],
      ['ID NUMBER: {number}', 48, 12, 2.6],
      ...pair('FULL NAMES', '{FIRST} {LAST}', 27, 17),
      ...pair('DATE OF BIRTH', '{birth DD.MM.YYYY}', 27, 25),
      ...pair('SEX', 'MALE', 27, 33),
      ...pair('DATE OF ISSUE', '{issue DD.MM.YYYY}', 27, 41),
    ],
  },
  {
    layout: 'br_cnh',
    hue: 110,
    portrait: [4, 16, 20],
    number: 'NNNNNNNNNNN',
    texts: [
      ['REPÚBLICA FEDERATIVA DO BRASIL', 20, 4.5, 2.6],
      ['CARTEIRA NACIONAL DE HABILITAÇÃO', 18, 9, 2.8],
      ...pair('NOME E SOBRENOME', '{FIRST} {LAST}', 27, 14),
      ...pair('DATA, LOCAL E UF DE NASCIMENTO', '{birth DD/MM/YYYY}, UTOPIA, UT', 27, 21.5),
      ...pair('DATA EMISSÃO', '{issue DD/MM/YYYY}', 27, 29),
      ...pair('VALIDADE', '{expiry DD/MM/YYYY}', 55, 29),
      ...pair('CPF', '123.456.789-09', 27, 36.5),
      ...pair('Nº REGISTRO', '{number}', 55, 36.5),
      ...pair('NACIONALIDADE', 'UTOPIANA', 27, 44),
    ],
  },
  {
    layout: 'br_cin',
    hue: 140,
    portrait: [4, 15, 20],
    number: 'NNN.NNN.NNN-NN',
    texts: [
      ['REPÚBLICA FEDERATIVA DO BRASIL', 20, 4.5, 2.6],
      ['CARTEIRA DE IDENTIDADE', 26, 9, 2.8],
      ...pair('Nome / Name', '{FIRST} {LAST}', 27, 14),
      ...pair('Registro Geral - CPF / Personal Number', '{number}', 27, 21.5),
      ...pair('Data de Nascimento / Date of Birth', '{birth DD/MM/YYYY}', 27, 29),
      ...pair('Nacionalidade / Nationality', 'UTO', 27, 36.5),
      ...pair('Data de Validade / Expiry Date', '{expiry DD/MM/YYYY}', 27, 44),
    ],
  },
  {
    layout: 'au_nsw_driver_licence',
    hue: 45,
    portrait: [60, 12, 20],
    number: 'NNNNNNNN',
    texts: [
      ['Driver Licence', 4, 5.5, 4],
      ['New South Wales, Australia', 40, 5.5, 2.7],
      ['{First} {LAST}', 4, 12, 3.2],
      ['7 UTOPIA STREET', 4, 24, 2.7],
      ...pair('Licence No.', '{number}', 4, 34),
      ...pair('Date of Birth', '{birth DD MON YYYY}', 4, 43),
      ...pair('Expiry Date', '{expiry DD MON YYYY}', 34, 43),
    ],
  },
  {
    layout: 'au_vic_driver_licence',
    hue: 140,
    portrait: [60, 14, 20],
    number: 'NNNNNNNNN',
    texts: [
      ['DRIVER LICENCE', 4, 5.5, 3.6],
      ['VICTORIA AUSTRALIA', 46, 5.5, 2.8],
      ['{FIRST} {LAST}', 4, 13, 3],
      ['7 UTOPIA STREET', 4, 21, 2.7],
      ...pair('LICENCE NO.', '{number}', 4, 29),
      ...pair('LICENCE EXPIRY', '{expiry DD-MM-YYYY}', 4, 37),
      ...pair('DATE OF BIRTH', '{birth DD-MM-YYYY}', 32, 37),
    ],
  },
  {
    layout: 'nz_driver_licence',
    hue: 150,
    portrait: [4, 14, 20],
    number: 'AANNNNNN',
    texts: [
      ['NEW ZEALAND DRIVER LICENCE', 18, 6, 3.2],
      ['1. {LAST}', 30, 15, 3],
      ['2. {FIRST}', 30, 20, 3],
      ['3. {birth DD-MM-YYYY}', 30, 26, 2.9],
      ['4a. {issue DD-MM-YYYY}', 30, 32, 2.9],
      ['4b. {expiry DD-MM-YYYY}', 30, 37, 2.9],
      ['5a. {number}', 30, 43, 2.9],
      ['5b. 123', 60, 43, 2.9],
    ],
  },
  {
    layout: 'pk_cnic',
    hue: 130,
    portrait: [62, 13, 20],
    number: 'NNNNN-NNNNNNN-N',
    texts: [
      ['PAKISTAN', 6, 5, 3],
      ['National Identity Card', 30, 5, 2.8],
      ...pair('Name', '{First} {Last}', 20, 11),
      ...pair('Father Name', 'Karan Mehra', 20, 19),
      ...pair('Gender', 'M', 20, 27),
      ...pair('Identity Number', '{number}', 4, 35),
      ...pair('Date of Birth', '{birth DD.MM.YYYY}', 36, 35),
      ...pair('Date of Issue', '{issue DD.MM.YYYY}', 4, 43),
      ...pair('Date of Expiry', '{expiry DD.MM.YYYY}', 36, 43),
    ],
  },
  {
    layout: 'bd_nid',
    hue: 100,
    portrait: [4, 16, 19],
    number: 'NNN NNN NNNN',
    texts: [
      ["Government of the People's Republic of Bangladesh", 12, 5, 2.6],
      ['National ID Card', 30, 10, 2.8],
      ['Name: {FIRST} {LAST}', 27, 22, 2.8],
      ['Date of Birth: {birth DD Mon YYYY}', 27, 32, 2.8],
      ['NID No: {number}', 27, 42, 3],
    ],
  },
]

const monthNames = 'January February March April May June July August September October November December'.split(' ')

function printDay(day: string, form: string): string {
  const [year = '', month = '', ofMonth = ''] = day.split('-')
  const name = monthNames[Number(month) - 1] ?? ''
  const parts: Readonly<Record<string, string>> = {
    YYYY: year,
    YY: year.slice(2),
    MONTH: name.toUpperCase(),
    MON: name.slice(0, 3).toUpperCase(),
    Mon: name.slice(0, 3),
    MM: month,
    DD: ofMonth,
    D: String(Number(ofMonth)),
  }
  return form.replace(/YYYY|MONTH|MON|Mon|YY|MM|DD|D/g, part => parts[part] ?? part)
}

function toTitle(name: string): string {
  return name.toLowerCase().replace(/(?<=^|[ '-])\p{L}/gu, letter => letter.toUpperCase())
}

function fill(text: string, holder: CardHolder): string {
  const names: Readonly<Record<string, string>> = {
    last: holder.last_name,
    first: holder.first_name,
    LAST: holder.last_name.toUpperCase(),
    FIRST: holder.first_name.toUpperCase(),
    Last: toTitle(holder.last_name),
    First: toTitle(holder.first_name),
    number: holder.document_number,
  }
  return text
    .replace(/\{(birth|issue|expiry) ([^}]+)\}/g, (_, of: string, form: string) =>
      printDay(of === 'birth' ? holder.date_of_birth : of === 'issue' ? holder.issue_date : holder.expiry_date, form),
    )
    .replace(/\{(\w+)\}/g, (whole, name: string) => names[name] ?? whole)
}

const letters = 'ABCDEFGHJKLMNPQRSTUVWXYZ'

/** Draws a number of a design until `isChecked` accepts it. */
export function inventNumber(
  { number }: CardDesign,
  date_of_birth: string,
  random: Random,
  isChecked: (number: string) => boolean,
): string {
  const form = number.replace(/\{birth (\w+)\}/, (_, order: string) => printDay(date_of_birth, order))
  for (let tries = 0; tries < 100_000; tries++) {
    const drawn = number
      .split(/(\{[^}]+\})/)
      .map(part =>
        part.startsWith('{')
          ? fill(part, {
              last_name: '',
              first_name: '',
              issue_date: '',
              expiry_date: '',
              document_number: '',
              date_of_birth,
            })
          : part.replace(/[NA]/g, kind =>
              kind === 'N' ? String(random.below(10)) : (letters[random.below(24)] ?? 'A'),
            ),
      )
      .join('')
      .replace(/^GH[A-Z]-/, 'GHA-')
    if (isChecked(drawn.replace(/[^A-Z0-9]/g, ''))) return drawn
  }
  throw new Error(`no number fits ${form}`)
}

/** Renders the front of a card that belongs to nobody, as PNG. The same order gives the same bytes. */
export async function renderNationalCard(order: {
  readonly design: CardDesign
  readonly holder: CardHolder
  readonly portrait: Uint8Array
  readonly seed: number
}): Promise<Buffer> {
  const { design, holder, portrait, seed } = order
  const random = seeded(seed)
  const { width, height, corner, pixels } = card
  const face = random.next() < 0.5 ? 'sans' : 'condensed'
  const texts = design.texts.map(([text, x, y, size]) =>
    textPath(fill(text, holder), { x, y, size, face: size > 2.5 ? `${face}_bold` : face, maxWidth: width - x - 2 }),
  )
  const [left, top, wide] = design.portrait
  const high = wide * 1.28
  const picture = await sharp(portrait)
    .resize(Math.round(wide * 12), Math.round(high * 12), { fit: 'cover' })
    .png()
    .toBuffer()
  const waves = Array.from({ length: 28 }, (_, n) => `M0 ${n * 2}q11 ${n % 2 ? 3 : -3} 22 0t22 0t22 0t22 0`).join('')
  const svg =
    `<svg xmlns="http://www.w3.org/2000/svg" width="${Math.round(width * pixels)}" height="${height * pixels}" ` +
    `viewBox="0 0 ${width} ${height}"><clipPath id="c"><rect width="${width}" height="${height}" rx="${corner}"/></clipPath>` +
    `<g clip-path="url(#c)"><rect width="${width}" height="${height}" fill="hsl(${design.hue} 45% 90%)"/>` +
    `<path d="${waves}" fill="none" stroke="hsl(${random.below(360)} 50% 82%)" stroke-width=".25"/>` +
    `<g fill="#20242c">${texts.join('')}</g><image x="${left}" y="${top}" width="${wide}" height="${high}" ` +
    `href="data:image/png;base64,${picture.toString('base64')}"/></g></svg>`
  return sharp(Buffer.from(svg)).png({ compressionLevel: 3 }).toBuffer()
}
