import sharp from 'sharp'
import { textPath } from './lettering.ts'
import { card } from './licence.ts'
import { type Random, seeded } from './random.ts'

/** The data on the card of somebody who does not exist. Dates are `YYYY-MM-DD`; the number is as it is printed. */
export interface CardHolder {
  readonly last_name: string
  readonly first_name: string
  /** The whole name in the script of the state, if the card has no other. */
  readonly own_name: string
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
  /** The back, if it has fields. */
  readonly back?: readonly PlacedText[]
}

const small = 2
const value = 2.7

/** Places a label, and its value a row below. */
function pair(label: string, text: string, x: number, y: number): readonly PlacedText[] {
  return [
    [label, x, y, small],
    [text, x, y + 3.3, value],
  ]
}

/** Places a label, a colon, and its value in one column. */
function row(label: string, text: string, y: number, x = 3): readonly PlacedText[] {
  return [
    [label, x, y, 2.3],
    [`: ${text}`, 24, y, 2.5],
  ]
}

export const cardDesigns: readonly CardDesign[] = [
  {
    layout: 'id_ktp',
    hue: 200,
    portrait: [65, 13, 17],
    number: 'NNNNNN{birth DDMMYY}NNNN',
    texts: [
      ['PROVINSI UTOPIA RAYA', 26, 4.5, 2.9],
      ['KOTA NUSANTARA', 30, 8.3, 2.9],
      ['NIK', 3, 13, 3],
      [': {number}', 20, 13, 3.4],
      ...row('Nama', '{first} {last}', 17),
      ...row('Tempat/Tgl Lahir', 'NUSANTARA, {birth DD-MM-YYYY}', 20),
      ...row('Jenis kelamin', 'LAKI-LAKI', 23),
      ['Gol. Darah : O', 49, 23, 2.4],
      ...row('Alamat', 'JL. MELATI NO. 7', 26),
      ...row('RT/RW', '007/008', 29, 6),
      ...row('Kel/Desa', 'KEBUN RAYA', 32, 6),
      ...row('Kecamatan', 'TANAH BARU', 35, 6),
      ...row('Agama', 'ISLAM', 38),
      ...row('Status Perkawinan', 'KAWIN', 41),
      ...row('Pekerjaan', 'GURU', 44),
      ...row('Kewarganegaraan', 'WNI', 47),
      ...row('Berlaku Hingga', 'SEUMUR HIDUP', 50),
      ['NUSANTARA', 67, 40, 2.3],
      ['{issue DD-MM-YYYY}', 66, 43, 2.3],
    ],
  },
  {
    layout: 'in_pan',
    hue: 190,
    portrait: [4, 14, 14],
    number: 'AAAPANNNNA',
    texts: [
      ['आयकर विभाग', 10, 5, 3],
      ['INCOME TAX DEPARTMENT', 4, 9.5, 2.9],
      ['भारत सरकार', 62, 5, 3],
      ['GOVT. OF INDIA', 58, 9.5, 2.9],
      ['स्थायी लेखा संख्या कार्ड', 28, 14, 2.5],
      ['Permanent Account Number Card', 24, 17.5, 2.4],
      ['{number}', 29, 23, 4],
      ...pair('नाम / Name', '{first} {last}', 4, 35.5),
      ...pair("पिता का नाम / Father's Name", 'KARAN MEHRA', 4, 41.5),
      ...pair('जन्म की तारीख / Date of Birth', '{birth DD/MM/YYYY}', 4, 48),
      ['हस्ताक्षर / Signature', 40, 51, 2],
    ],
  },
  {
    layout: 'in_aadhaar',
    hue: 40,
    portrait: [5, 13, 17],
    number: 'NNNN NNNN NNNN',
    texts: [
      ['भारत सरकार', 36, 5, 3],
      ['Government of India', 31, 9, 2.9],
      ['राजेश कुमार', 27, 16, 2.9],
      ['{First} {Last}', 27, 20, 2.8],
      ['जन्म तिथि/DOB: {birth DD/MM/YYYY}', 27, 24.5, 2.7],
      ['पुरुष/ MALE', 27, 29, 2.7],
      ['{number}', 26, 42, 4.6],
      ['VID : 9132 4567 8901 2345', 27, 45.8, 2],
      ['मेरा आधार, मेरी पहचान', 26, 51, 3],
    ],
  },
  {
    layout: 'in_driving_licence',
    hue: 260,
    portrait: [65, 14, 16],
    number: 'AANN NNNNNNNNNNN',
    texts: [
      ['Indian Union Driving Licence', 18, 4.5, 3],
      ['Issued by Government of Utopia', 22, 8, 2.2],
      ['{number}', 20, 13, 3.4],
      ...pair('Issue Date', '{issue DD-MM-YYYY}', 4, 18),
      ...pair('Validity (NT)', '{expiry DD-MM-YYYY}', 26, 18),
      ...pair('Validity (TR)', '', 48, 18),
      ['Name: {FIRST} {LAST}', 4, 28, 2.7],
      ['Date of Birth: {birth DD-MM-YYYY}', 4, 32.5, 2.7],
      ['Blood Group: O+', 46, 32.5, 2.3],
      ['Organ Donor: N', 4, 36.5, 2.3],
      ['Son/Daughter/Wife of: KARAN MEHRA', 4, 40.5, 2.5],
      ['Address: 7 MARIGOLD LANE, UTOPIA', 4, 44.5, 2.4],
      ['Date of First Issue  {issue DD-MM-YYYY}', 4, 49, 2],
    ],
  },
  {
    layout: 'ph_national_id',
    hue: 210,
    portrait: [4, 18.5, 20],
    number: 'NNNN-NNNN-NNNN-NNNN',
    texts: [
      ['REPUBLIKA NG PILIPINAS', 22, 4.5, 3],
      ['Republic of the Philippines', 26, 7.3, 2],
      ['PAMBANSANG PAGKAKAKILANLAN', 20, 11, 2.8],
      ['Philippine Identification Card', 26, 13.8, 2],
      ['{number}', 4, 17, 2.8],
      ...pair('Apelyido/Last Name', '{LAST}', 29, 20.5),
      ...pair('Mga Pangalan/Given Names', '{FIRST}', 29, 26.8),
      ...pair('Gitnang Apelyido/Middle Name', 'REYES', 29, 33.1),
      ...pair('Petsa ng Kapanganakan/Date of Birth', '{birth MONTH DD, YYYY}', 29, 39.4),
      ...pair('Tirahan/Address', '7 SAMPAGUITA ST., UTOPIA', 4, 47.5),
    ],
  },
  {
    layout: 'my_mykad',
    hue: 200,
    portrait: [60, 14, 20],
    number: '{birth YYMMDD}-NN-NNNN',
    texts: [
      ['KAD PENGENALAN', 4, 5, 3],
      ['MALAYSIA', 4, 9, 3.2],
      ['IDENTITY CARD', 36, 5, 2.7],
      ['MyKad', 64, 7, 4],
      ['{number}', 4, 16, 3.6],
      ['{FIRST} BIN {LAST}', 4, 34, 2.8],
      ['NO 7 JALAN MAWAR', 4, 39.5, 2.3],
      ['TAMAN UTOPIA', 4, 42.7, 2.3],
      ['50480 UTOPIA', 4, 45.9, 2.3],
      ['WARGANEGARA', 62, 44, 2.4],
      ['ISLAM', 56, 48, 2.3],
      ['LELAKI', 70, 48, 2.3],
    ],
  },
  {
    layout: 'th_id_card',
    hue: 195,
    portrait: [67, 26, 14],
    number: 'N NNNN NNNNN NN N',
    texts: [
      ['บัตรประจำตัวประชาชน', 16, 5, 3],
      ['Thai National ID Card', 46, 5, 2.8],
      ['เลขประจำตัวประชาชน', 16, 8.5, 2.1],
      ['Identification Number', 16, 11, 2.1],
      ['{number}', 42, 10.5, 3.2],
      ['ชื่อตัวและชื่อสกุล  นาย สมชาย ใจดี', 16, 16, 3],
      ['Name  Mr. {First}', 24, 20.5, 2.8],
      ['Last name  {Last}', 24, 24.5, 2.8],
      ['เกิดวันที่ 4 มี.ค. 2534', 24, 28.5, 2.4],
      ['Date of Birth  {birth D Mon. YYYY}', 24, 32, 2.6],
      ['ศาสนา พุทธ', 24, 35.5, 2.2],
      ['ที่อยู่ 7 หมู่ที่ 1 ต.ยูโทเปีย', 6, 39, 2.2],
      ['4 มี.ค. 2564', 5, 42, 2],
      ['วันออกบัตร', 5, 44.4, 2],
      ['{issue D Mon. YYYY}', 5, 47.4, 2.2],
      ['Date of Issue', 5, 50.4, 2],
      ['3 มี.ค. 2572', 48, 42, 2],
      ['วันบัตรหมดอายุ', 48, 44.4, 2],
      ['{expiry D Mon. YYYY}', 48, 47.4, 2.2],
      ['Date of Expiry', 48, 50.4, 2],
    ],
  },
  {
    layout: 'vn_citizen_card',
    hue: 160,
    portrait: [4, 17, 18],
    number: 'NNNNNNNNNNNN',
    texts: [
      ['CỘNG HÒA XÃ HỘI CHỦ NGHĨA VIỆT NAM', 22, 3.8, 2.2],
      ['Độc lập - Tự do - Hạnh phúc', 32, 6.4, 2],
      ['SOCIALIST REPUBLIC OF VIET NAM', 26, 9, 2],
      ['CĂN CƯỚC CÔNG DÂN', 30, 13.4, 3.2],
      ['Citizen Identity Card', 36, 16.4, 2.3],
      ['Số / No.: {number}', 27, 21.2, 3.2],
      ...pair('Họ và tên / Full name:', '{LAST} {FIRST}', 27, 25),
      ['Ngày sinh / Date of birth: {birth DD/MM/YYYY}', 27, 32.5, 2.4],
      ['Giới tính / Sex: Nam', 27, 36, 2.2],
      ['Quốc tịch / Nationality: Việt Nam', 50, 36, 2.2],
      ['Quê quán / Place of origin:', 32, 39.5, 2.2],
      ['Xã Không Đâu, Utopia', 32, 42.5, 2.2],
      ['Nơi thường trú / Place of residence: 7 Phố Sen,', 32, 46, 2.2],
      ['Utopia', 32, 49, 2.2],
      ['Có giá trị đến: {expiry DD/MM/YYYY}', 2, 43.5, 1.9],
      ['Date of expiry:', 2, 46, 1.8],
    ],
  },
  {
    layout: 'hk_identity_card',
    hue: 30,
    portrait: [4, 14, 19],
    number: 'ANNNNNN(N)',
    texts: [
      ['香港永久性居民身份證', 24, 4.5, 3],
      ['HONG KONG PERMANENT IDENTITY CARD', 18, 8, 2.7],
      ['樂永晴', 30, 14, 3.4],
      ['{LAST}, {First}', 30, 18, 2.8],
      ['2867  3057  2532', 30, 22, 2.4],
      ['出生日期 Date of Birth', 30, 27, 2.1],
      ['{birth DD-MM-YYYY}', 30, 30.8, 2.8],
      ['女 F', 52, 30.8, 2.8],
      ['***AZ', 30, 35, 2.6],
      ['簽發日期 Date of Issue', 30, 39.5, 2.1],
      ['(06-96)', 62, 43, 2.4],
      ['{issue DD-MM-YY}', 30, 43, 2.8],
      ['{number}', 52, 50, 3.6],
    ],
  },
  {
    layout: 'sg_identity_card',
    hue: 350,
    portrait: [4, 14, 20],
    number: 'SNNNNNNNA',
    texts: [
      ['REPUBLIC OF SINGAPORE', 22, 5, 3],
      ['IDENTITY CARD NO.  {number}', 22, 10, 2.7],
      ...pair('Name', '{FIRST} {LAST}', 28, 16),
      ['(陈伟)', 28, 23, 2.6],
      ...pair('Race', 'CHINESE', 28, 27.5),
      ...pair('Date of birth', '{birth DD-MM-YYYY}', 28, 34.5),
      ...pair('Sex', 'M', 58, 34.5),
      ...pair('Country/Place of birth', 'SINGAPORE', 28, 42),
    ],
  },
  {
    layout: 'za_id_card',
    hue: 120,
    portrait: [62, 14, 19],
    number: '{birth YYMMDD}NNNN08N',
    texts: [
      ['REPUBLIC OF SOUTH AFRICA', 22, 5, 3],
      ['NATIONAL IDENTITY CARD', 26, 9, 2.7],
      ...pair('Surname:', '{LAST}', 4, 13.5),
      ...pair('Names:', '{FIRST}', 4, 20),
      ...pair('Sex:', 'M', 4, 26.5),
      ...pair('Nationality:', 'RSA', 30, 26.5),
      ...pair('Identity Number:', '{number}', 4, 33),
      ...pair('Date of Birth:', '{birth DD MON YYYY}', 4, 39.5),
      ...pair('Country of Birth:', 'RSA', 30, 39.5),
      ...pair('Status:', 'CITIZEN', 4, 46),
      ['Signature', 40, 50, 2],
    ],
  },
  {
    layout: 'ng_nin_slip',
    hue: 100,
    portrait: [4, 15, 18],
    number: 'NNNN NNN NNNN',
    texts: [
      ['FEDERAL REPUBLIC OF NIGERIA', 18, 5, 3],
      ['DIGITAL NIN SLIP', 30, 10, 2.7],
      ...pair('SURNAME/NOM', '{LAST}', 25, 15),
      ...pair('GIVEN NAMES/PRÉNOMS', '{FIRST}', 25, 22),
      ...pair('DATE OF BIRTH', '{birth DD MON YYYY}', 25, 29),
      ...pair('SEX/SEXE', 'M', 50, 29),
      ['NGA', 70, 33, 4],
      ['ISSUE DATE', 68, 37, 1.8],
      ['{issue DD MON YYYY}', 65, 40, 2.2],
      ['National Identification Number (NIN)', 24, 43.5, 2],
      ['{number}', 18, 50, 5],
    ],
  },
  {
    layout: 'gh_card',
    hue: 90,
    portrait: [4, 14, 19],
    number: 'GHA-NNNNNNNNN-N',
    texts: [
      ['REPUBLIC OF GHANA', 28, 4.5, 3],
      ["ECOWAS IDENTITY CARD / CARTE D'IDENTITÉ CEDEAO", 12, 8.2, 2.4],
      ...pair('Surname/Nom', '{LAST}', 26, 12.5),
      ...pair('Firstnames/Prénoms', '{FIRST}', 26, 19),
      ...pair('Nationality/Nationalité', 'GHANAIAN', 26, 25.5),
      ...pair('Sex/Sexe', 'M', 62, 25.5),
      ...pair('Date of Birth/Date de naissance', '{birth DD/MM/YYYY}', 26, 32),
      ...pair('Height/Taille (m)', '1.75', 64, 32),
      ...pair('Personal ID Number/Numéro personnel', '{number}', 26, 38.5),
      ['Document Number/Numéro de document', 3, 45.5, 1.5],
      ['AR1234567', 3, 49, 2.5],
      ['Date of Issuance/Date de délivrance', 34, 45.5, 1.5],
      ['{issue DD/MM/YYYY}', 34, 49, 2.5],
      ["Date of Expiry/Date d'expiration", 61, 45.5, 1.5],
      ['{expiry DD/MM/YYYY}', 61, 49, 2.5],
    ],
  },
  {
    layout: 'ke_id_card',
    hue: 170,
    portrait: [4, 18, 18],
    number: 'NNNNNNNN',
    texts: [
      ['JAMHURI YA KENYA', 8, 5, 2.8],
      ['REPUBLIC OF KENYA', 48, 5, 2.8],
      ['SERIAL NUMBER: 234567890', 4, 12, 2.3],
      ['ID NUMBER: {number}', 48, 12, 2.6],
      ...pair('FULL NAMES', '{FIRST} {LAST}', 26, 16),
      ...pair('DATE OF BIRTH', '{birth DD.MM.YYYY}', 26, 22.5),
      ...pair('SEX', 'MALE', 26, 29),
      ...pair('DISTRICT OF BIRTH', 'UTOPIA', 26, 35.5),
      ...pair('PLACE OF ISSUE', 'NOWHERE', 26, 42),
      ...pair('DATE OF ISSUE', '{issue DD.MM.YYYY}', 54, 42),
      ["HOLDER'S SIGN.", 26, 50, 2],
    ],
  },
  {
    layout: 'br_cnh',
    hue: 110,
    portrait: [4, 18, 18],
    number: 'NNNNNNNNNNN',
    texts: [
      ['REPÚBLICA FEDERATIVA DO BRASIL', 22, 4, 2.4],
      ['MINISTÉRIO DOS TRANSPORTES', 24, 7, 2.1],
      ['SECRETARIA NACIONAL DE TRÂNSITO', 22, 9.8, 2.1],
      ['CARTEIRA NACIONAL DE HABILITAÇÃO / DRIVER LICENSE', 8, 13.5, 2.4],
      ['2 e 1  NOME E SOBRENOME', 25, 17, 1.8],
      ['{FIRST} {LAST}', 25, 20.2, 2.5],
      ['1ª HABILITAÇÃO', 68, 17, 1.8],
      ['{issue DD/MM/YYYY}', 68, 20.2, 2.4],
      ['3  DATA, LOCAL E UF DE NASCIMENTO', 25, 23.5, 1.8],
      ['{birth DD/MM/YYYY}, UTOPIA, UT', 25, 26.7, 2.5],
      ['4a  DATA EMISSÃO', 25, 30, 1.8],
      ['{issue DD/MM/YYYY}', 25, 33.2, 2.5],
      ['4b  VALIDADE', 48, 30, 1.8],
      ['{expiry DD/MM/YYYY}', 48, 33.2, 2.5],
      ['ACC', 70, 30, 1.8],
      ['4c  DOC IDENTIDADE / ÓRG EMISSOR / UF', 25, 36.5, 1.8],
      ['1234567 SSP UT', 25, 39.7, 2.5],
      ['4d  CPF', 25, 43, 1.8],
      ['123.456.789-09', 25, 46.2, 2.5],
      ['5  Nº REGISTRO', 50, 43, 1.8],
      ['{number}', 50, 46.2, 2.5],
      ['9  CAT HAB', 72, 43, 1.8],
      ['AB', 73, 46.2, 2.5],
      ['NACIONALIDADE', 25, 49, 1.8],
      ['BRASILEIRO(A)', 25, 52, 2.4],
    ],
  },
  {
    layout: 'br_cin',
    hue: 140,
    portrait: [4, 15, 19],
    number: 'NNN.NNN.NNN-NN',
    texts: [
      ['REPÚBLICA FEDERATIVA DO BRASIL', 22, 4.5, 2.5],
      ['GOVERNO FEDERAL', 32, 7.6, 2.1],
      ['CARTEIRA DE IDENTIDADE / IDENTITY CARD', 18, 11, 2.5],
      ...pair('Nome / Name', '{FIRST} {LAST}', 26, 15),
      ...pair('Nome Social / Social Name', '', 26, 21.5),
      ...pair('Registro Geral - CPF / Personal Number', '{number}', 26, 26),
      ...pair('Sexo / Sex', 'F', 74, 26),
      ...pair('Data de Nascimento / Date of Birth', '{birth DD/MM/YYYY}', 26, 32.5),
      ...pair('Nacionalidade / Nationality', 'BRA', 26, 39),
      ...pair('Naturalidade / Place of Birth', 'UTOPIA/UT', 56, 39),
      ...pair('Data de Validade / Expiry Date', '{expiry DD/MM/YYYY}', 26, 45.5),
    ],
  },
  {
    layout: 'au_nsw_driver_licence',
    hue: 45,
    portrait: [62, 16, 18],
    number: 'NNNNNNNN',
    texts: [
      ['Driver Licence', 4, 5.5, 4],
      ['New South Wales, Australia', 40, 5.5, 2.6],
      ['{First} {LAST}', 4, 12, 3.1],
      ['Card Number', 44, 10, 1.8],
      ['2 018 123 456', 44, 13, 2.3],
      ['UNIT 7', 4, 20, 2.5],
      ['7 UTOPIA STREET', 4, 23.4, 2.5],
      ['NOWHERE NSW 2000', 4, 26.8, 2.5],
      ...pair('Licence No.', '{number}', 4, 32),
      ...pair('Licence Class', 'C', 34, 32),
      ...pair('Conditions', 'NONE', 4, 38.5),
      ...pair('Donor', 'A', 34, 38.5),
      ...pair('Date of Birth', '{birth DD MON YYYY}', 4, 45),
      ...pair('Expiry Date', '{expiry DD MON YYYY}', 34, 45),
    ],
  },
  {
    layout: 'au_vic_driver_licence',
    hue: 140,
    portrait: [62, 14, 18],
    number: 'NNNNNNNNN',
    texts: [
      ['DRIVER LICENCE', 4, 5.5, 3.6],
      ['VICTORIA AUSTRALIA', 46, 5.5, 2.7],
      ['{FIRST} {LAST}', 4, 12, 2.9],
      ['FLAT 7', 4, 18, 2.5],
      ['7 UTOPIA STREET', 4, 21.4, 2.5],
      ['NOWHERE VIC 3000', 4, 24.8, 2.5],
      ...pair('LICENCE NO.', '{number}', 62, 42),
      ...pair('LICENCE EXPIRY', '{expiry DD-MM-YYYY}', 4, 30),
      ...pair('DATE OF BIRTH', '{birth DD-MM-YYYY}', 30, 30),
      ...pair('LICENCE TYPE', 'CAR', 4, 37.5),
      ...pair('CONDITIONS', 'S B', 30, 37.5),
    ],
  },
  {
    layout: 'nz_driver_licence',
    hue: 150,
    portrait: [4, 14, 20],
    number: 'AANNNNNN',
    texts: [
      ['NEW ZEALAND DRIVER LICENCE', 18, 6, 3.2],
      ['1. {LAST}', 30, 15, 2.9],
      ['2. {FIRST}', 30, 20, 2.9],
      ['3. {birth DD-MM-YYYY}', 30, 25.5, 2.8],
      ['4a. {issue DD-MM-YYYY}', 30, 31, 2.8],
      ['4b. {expiry DD-MM-YYYY}', 30, 36, 2.8],
      ['5a. {number}', 30, 41.5, 2.8],
      ['5b. 123', 60, 41.5, 2.8],
      ['9. 1 L', 30, 47, 2.6],
    ],
  },
  {
    layout: 'pk_cnic',
    hue: 130,
    portrait: [64, 13, 18],
    number: 'NNNNN-NNNNNNN-N',
    texts: [
      ['PAKISTAN', 5, 4.5, 2.9],
      ['National Identity Card', 30, 4.5, 2.7],
      ['ISLAMIC REPUBLIC OF PAKISTAN', 24, 8, 2.1],
      ...pair('Name', '{First} {Last}', 18, 12),
      ['راجیش کمار', 46, 15.5, 3],
      ...pair('Father Name', 'Karan Mehra', 18, 19),
      ['کرن مہرا', 48, 22.5, 3],
      ...pair('Gender', 'M', 18, 26.5),
      ...pair('Country of Stay', 'Pakistan', 34, 26.5),
      ...pair('Identity Number', '{number}', 4, 34),
      ...pair('Date of Birth', '{birth DD.MM.YYYY}', 36, 34),
      ...pair('Date of Issue', '{issue DD.MM.YYYY}', 4, 42),
      ...pair('Date of Expiry', '{expiry DD.MM.YYYY}', 36, 42),
      ["Holder's Signature", 62, 50, 2],
    ],
  },
  {
    layout: 'bd_nid',
    hue: 100,
    portrait: [4, 16, 18],
    number: 'NNN NNN NNNN',
    texts: [
      ['গণপ্রজাতন্ত্রী বাংলাদেশ সরকার', 22, 4.5, 3],
      ["Government of the People's Republic of Bangladesh", 12, 8, 2.4],
      ['National ID Card / জাতীয় পরিচয় পত্র', 22, 12, 2.6],
      ['নাম: রাজেশ কুমার', 26, 18, 2.8],
      ['Name: {FIRST} {LAST}', 26, 22.5, 2.7],
      ['পিতা: করণ মেহরা', 26, 27, 2.8],
      ['মাতা: মীরা', 26, 31, 2.8],
      ['Date of Birth: {birth DD Mon YYYY}', 26, 37, 2.7],
      ['NID No: {number}', 26, 43, 3],
    ],
  },
  {
    layout: 'cn_id_card',
    hue: 210,
    portrait: [58, 8, 22],
    number: 'NNNNNN{birth YYYYMMDD}NNNX',
    texts: [
      ['姓 名', 5, 9, 2.6],
      ['{own}', 17, 9, 3.3],
      ['性 别', 5, 16, 2.6],
      ['男', 17, 16, 3],
      ['民 族', 27, 16, 2.6],
      ['汉', 39, 16, 3],
      ['出 生', 5, 23, 2.6],
      ['{birth YYYY 年 M 月 D 日}', 17, 23, 3],
      ['住 址', 5, 30, 2.6],
      ['乌托邦省无何有市桃源路七号', 17, 30, 2.9],
      ['公民身份号码', 5, 46, 2.6],
      ['{number}', 28, 46, 3.6],
    ],
    back: [
      ['中华人民共和国', 32, 12, 4.6],
      ['居 民 身 份 证', 34, 20, 4.6],
      ['签发机关', 20, 38, 2.7],
      ['无何有市公安局', 37, 38, 3],
      ['有效期限', 20, 45, 2.7],
      ['{issue YYYY.MM.DD}-{expiry YYYY.MM.DD}', 37, 45, 3],
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
    M: String(Number(month)),
    DD: ofMonth,
    D: String(Number(ofMonth)),
  }
  return form.replace(/YYYY|MONTH|MON|Mon|YY|MM|M|DD|D/g, part => parts[part] ?? part)
}

function toTitle(name: string): string {
  return name.toLowerCase().replace(/(?<=^|[ '’-])\p{L}/gu, letter => letter.toUpperCase())
}

function fill(text: string, holder: CardHolder): string {
  const names: Readonly<Record<string, string>> = {
    last: holder.last_name,
    first: holder.first_name,
    LAST: holder.last_name.toUpperCase(),
    FIRST: holder.first_name.toUpperCase(),
    Last: toTitle(holder.last_name),
    First: toTitle(holder.first_name),
    own: holder.own_name,
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
  const signs: Readonly<Record<string, string>> = { N: '0123456789', A: letters, X: '0123456789X' }
  const draw = (kind: string): string => signs[kind]?.[random.below(signs[kind].length)] ?? kind
  for (let tries = 0; tries < 100_000; tries++) {
    const drawn = number
      .split(/\{birth (\w+)\}/)
      .map((part, n) => (n % 2 === 1 ? printDay(date_of_birth, part) : part.replace(/[NAX]/g, draw)))
      .join('')
      .replace(/^..[A-Z]-/, 'GHA-')
    if (isChecked(drawn.replace(/[^A-Z0-9]/g, ''))) return drawn
  }
  throw new Error(`no number has the form ${number}`)
}

/** Draws a text of another script than Latin in the machine's own fonts: without Debian's fonts-noto it is boxes. */
function foreignText(text: string, x: number, y: number, size: number): string {
  return `<text x="${x}" y="${y}" font-size="${size}" font-family="Noto Sans, Noto Sans CJK SC, sans-serif">${text}</text>`
}

/** Returns the width that a text has up to the next one in its row, or to the edge of the card. */
function findRoom([, x, y, size]: PlacedText, texts: readonly PlacedText[]): number {
  const beside = texts.filter(([text, left, at]) => text !== '' && left > x && Math.abs(at - y) < 0.8 * size)
  return Math.min(card.width - 2, ...beside.map(([, left]) => left - 1.5)) - x
}

interface CardOrder {
  readonly design: CardDesign
  readonly holder: CardHolder
  readonly portrait: Uint8Array
  readonly seed: number
}

async function renderSide(
  { design, holder, seed }: Omit<CardOrder, 'portrait'>,
  texts: readonly PlacedText[],
  picture: string,
): Promise<Buffer> {
  const random = seeded(seed)
  const { width, height, corner, pixels } = card
  const face = random.next() < 0.5 ? 'sans' : 'condensed'
  const drawn = texts.map(placed => {
    const [text, x, y, size] = placed
    const filled = fill(text, holder)
    if (/[^\p{Script=Latin}\p{Script=Common}\p{Script=Inherited}]/u.test(filled)) return foreignText(filled, x, y, size)
    return textPath(filled, { x, y, size, face: size > 2.4 ? `${face}_bold` : face, maxWidth: findRoom(placed, texts) })
  })
  const waves = Array.from({ length: 28 }, (_, n) => `M0 ${n * 2}q11 ${n % 2 ? 3 : -3} 22 0t22 0t22 0t22 0`).join('')
  const svg =
    `<svg xmlns="http://www.w3.org/2000/svg" width="${Math.round(width * pixels)}" height="${height * pixels}" ` +
    `viewBox="0 0 ${width} ${height}"><clipPath id="c"><rect width="${width}" height="${height}" rx="${corner}"/></clipPath>` +
    `<g clip-path="url(#c)"><rect width="${width}" height="${height}" fill="hsl(${design.hue} 45% 90%)"/>` +
    `<path d="${waves}" fill="none" stroke="hsl(${random.below(360)} 50% 82%)" stroke-width=".25"/>` +
    `<g fill="#20242c">${drawn.join('')}</g>${picture}</g></svg>`
  return sharp(Buffer.from(svg)).png({ compressionLevel: 3 }).toBuffer()
}

/** Renders the front of a card that belongs to nobody, as PNG. The same order gives the same bytes. */
export async function renderNationalCard({ portrait, ...order }: CardOrder): Promise<Buffer> {
  const [left, top, wide] = order.design.portrait
  const high = wide * 1.28
  const picture = await sharp(portrait)
    .resize(Math.round(wide * 12), Math.round(high * 12), { fit: 'cover' })
    .png()
    .toBuffer()
  const image =
    `<image x="${left}" y="${top}" width="${wide}" height="${high}" ` +
    `href="data:image/png;base64,${picture.toString('base64')}"/>`
  return renderSide(order, order.design.texts, image)
}

/** Renders the back of a card whose design has one. */
export async function renderNationalBack(order: Omit<CardOrder, 'portrait'>): Promise<Buffer | null> {
  return order.design.back === undefined ? null : renderSide(order, order.design.back, '')
}
