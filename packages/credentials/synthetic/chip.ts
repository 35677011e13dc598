import { constants, createHash, privateEncrypt, sign } from 'node:crypto'
import { composeMrz, type DocumentFields, type DocumentFormat, specimenFields } from '@attestor/rules/synthetic'
import { integer, octets, sequence, text, tlv } from './der_writer.ts'
import { type Algorithm, type Digest, digestAlgorithm, generateKeys, type KeyPair } from './keys.ts'
import { type SigningOptions, type State, signContent } from './state.ts'

/** The files of a chip, as a reader reads them, by their names in the API. */
type SyntheticFiles = Readonly<Record<'sod' | 'dg1' | 'dg2', Buffer>> &
  Readonly<Partial<Record<'dg11' | 'dg12' | 'dg15', Buffer>>>

/** The chip of a driving licence. */
export interface SyntheticLicenceChip {
  readonly files: Readonly<Record<'sod' | 'dg1' | 'dg6', Buffer>> & Readonly<Partial<Record<'dg13', Buffer>>>
  readonly answer: ((challenge: Buffer) => Buffer) | null
}

/** A chip: its readable files, and its answer to a challenge. */
export interface SyntheticChip {
  readonly files: SyntheticFiles
  /** Active authentication; null where it has no key. */
  readonly answer: ((challenge: Buffer) => Buffer) | null
}

export interface ChipContent {
  readonly format: DocumentFormat
  readonly fields: DocumentFields
  /** JPEG or JPEG 2000. */
  readonly portrait: Buffer
  readonly full_name?: string
  readonly issue_date?: string
  /** A key for active authentication. */
  readonly authentication?: Algorithm
}

/** The passport of ICAO's specimen. The portrait is not a picture: it only begins like one. */
export const specimenPassport: ChipContent = {
  format: 'TD3',
  fields: specimenFields,
  portrait: Buffer.from('ffd8ffe000104a464946000101', 'hex'),
}

export const specimenCard: ChipContent = {
  ...specimenPassport,
  format: 'TD1',
  fields: { ...specimenFields, document_code: 'I' },
}

/** DG2 with one face (ISO/IEC 19794-5:2005, 5.4). */
export function composePortraitGroup(portrait: Buffer): Buffer {
  const face = Buffer.alloc(32)
  face.writeUInt32BE(32 + portrait.length, 0)
  const header = Buffer.alloc(14)
  header.write('FAC\x010\0', 'latin1')
  header.writeUInt32BE(14 + face.length + portrait.length, 8)
  header.writeUInt16BE(1, 12)
  const biometric = tlv(0x5f2e, header, face, portrait)
  const template = tlv(0x7f60, tlv(0xa1, tlv(0x87, Buffer.from([1, 1])), tlv(0x88, Buffer.from([0, 8]))), biometric)
  return tlv(0x75, tlv(0x7f61, integer(1), template))
}

function listTags(...tags: readonly number[]): Buffer {
  return tlv(0x5c, ...tags.map(tag => Buffer.from([tag >> 8, tag & 0xff])))
}

const nonceOfChip = Buffer.from('synthetic chip')

/** ISO/IEC 9796-2, scheme 1, with partial recovery. */
function answerByRsa({ private_key, algorithm }: KeyPair, challenge: Buffer): Buffer {
  const trailer = { sha1: 'bc', sha224: '38cc', sha256: '34cc', sha384: '36cc', sha512: '35cc' }[algorithm.digest]
  const end = Buffer.from(trailer, 'hex')
  const length = (private_key.asymmetricKeyDetails?.modulusLength ?? 0) / 8
  const digestLength = createHash(algorithm.digest).digest().length
  const nonce = Buffer.alloc(length - 1 - digestLength - end.length, nonceOfChip)
  const digest = createHash(algorithm.digest).update(nonce).update(challenge).digest()
  const message = Buffer.concat([Buffer.from([0x6a]), nonce, digest, end])
  return privateEncrypt({ key: private_key, padding: constants.RSA_NO_PADDING }, message)
}

function answerWith(keys: KeyPair): (challenge: Buffer) => Buffer {
  const { algorithm, private_key } = keys
  if (algorithm.type === 'ecdsa')
    return challenge => sign(algorithm.digest, challenge, { key: private_key, dsaEncoding: 'ieee-p1363' })
  return challenge => answerByRsa(keys, challenge)
}

function composeGroups(
  { format, fields, portrait, full_name, issue_date }: ChipContent,
  keys: KeyPair | null,
): Omit<SyntheticFiles, 'sod'> {
  return {
    dg1: tlv(0x61, tlv(0x5f1f, Buffer.from(composeMrz(format, fields).join('')))),
    dg2: composePortraitGroup(portrait),
    ...(full_name === undefined ? {} : { dg11: tlv(0x6b, listTags(0x5f0e), tlv(0x5f0e, Buffer.from(full_name))) }),
    ...(issue_date === undefined
      ? {}
      : { dg12: tlv(0x6c, listTags(0x5f26), tlv(0x5f26, Buffer.from(issue_date.replaceAll('-', '')))) }),
    ...(keys === null ? {} : { dg15: tlv(0x6f, keys.spki) }),
  }
}

/** A driving licence on a chip (regulation (EU) 383/2012, annex I). Dates are `YYYY-MM-DD`. */
export interface LicenceContent {
  readonly issuing_state: string
  readonly last_name: string
  readonly first_name: string
  readonly date_of_birth: string
  readonly place_of_birth: string
  readonly issue_date: string
  readonly expiry_date: string
  readonly document_number: string
  readonly portrait: Buffer
  readonly authentication?: Algorithm
  /** Encoding of names; UTF-8 by default. */
  readonly encoding?: 'latin1' | 'utf8'
}

/** An invented licence. */
export const specimenLicence: LicenceContent = {
  issuing_state: 'UTO',
  last_name: 'Quist-Zammit',
  first_name: 'Zoë Björk',
  date_of_birth: '1984-07-09',
  place_of_birth: 'Zenith',
  issue_date: '2023-02-28',
  expiry_date: '2033-02-28',
  document_number: '4711007815',
  portrait: specimenPassport.portrait,
}

function packDate(day: string): Buffer {
  const [year = '', month = '', date = ''] = day.split('-')
  return Buffer.from(`${date}${month}${year}`, 'hex')
}

function composeLicenceGroup(content: LicenceContent): Buffer {
  const { encoding = 'utf8' } = content
  const member = (tag: number, value: string): Buffer => tlv(tag, Buffer.from(value, encoding))
  const person = tlv(
    0x5f02,
    member(0x5f03, content.issuing_state),
    member(0x5f04, content.last_name),
    member(0x5f05, content.first_name),
    tlv(0x5f06, packDate(content.date_of_birth)),
    member(0x5f07, content.place_of_birth),
    tlv(0x5f0a, packDate(content.issue_date)),
    tlv(0x5f0b, packDate(content.expiry_date)),
    member(0x5f0c, 'Office of Zenith'),
    member(0x5f0e, content.document_number),
  )
  const category = tlv(
    0x87,
    Buffer.from('B;'),
    packDate(content.issue_date),
    Buffer.from(';'),
    packDate(content.expiry_date),
  )
  return tlv(0x61, member(0x5f01, 'e1-00001'), person, tlv(0x7f63, integer(1), category))
}

/** LDS security object (ICAO 9303 part 10, 4.6.2.2): version 1 adds the version of the data structure. */
function composeSecurityObject(
  groups: Readonly<Record<string, Buffer>>,
  { digest, named_file_digest = digest }: PersonalisationOptions,
  version: 0 | 1,
): Buffer {
  const digests = Object.entries(groups).map(([name, file]) =>
    sequence(integer(Number(name.slice(2))), octets(createHash(digest).update(file).digest())),
  )
  const versions = version === 0 ? [] : [sequence(text(0x13, '0108'), text(0x13, '040000'))]
  return sequence(integer(version), digestAlgorithm(named_file_digest), sequence(...digests), ...versions)
}

export interface PersonalisationOptions extends SigningOptions {
  /** Version of the LDS security object. */
  readonly version?: 0 | 1
  readonly content_type?: string
  /** The digest of the files that is named, where it is not the one that was used. */
  readonly named_file_digest?: Digest
}

/** Writes the chip of a driving licence. */
export function personaliseLicence(
  { root, signer }: State,
  content: LicenceContent,
  { version = 0, content_type = '2.23.136.1.1.1', ...options }: PersonalisationOptions,
): SyntheticLicenceChip {
  const keys = content.authentication === undefined ? null : generateKeys(content.authentication)
  const groups = {
    dg1: composeLicenceGroup(content),
    dg6: composePortraitGroup(content.portrait),
    ...(keys === null ? {} : { dg13: tlv(0x6f, keys.spki) }),
  }
  const object = composeSecurityObject(groups, options, version)
  const sod = tlv(0x77, signContent(signer, root, content_type, object, options))
  return { files: { sod, ...groups }, answer: keys === null ? null : answerWith(keys) }
}

/** Writes a chip, and has it signed by a signer of a state. */
export function personalise(
  { root, signer }: State,
  content: ChipContent,
  { version = 0, content_type = '2.23.136.1.1.1', ...options }: PersonalisationOptions,
): SyntheticChip {
  const keys = content.authentication === undefined ? null : generateKeys(content.authentication)
  const groups = composeGroups(content, keys)
  const object = composeSecurityObject(groups, options, version)
  const sod = tlv(0x77, signContent(signer, root, content_type, object, options))
  return { files: { sod, ...groups }, answer: keys === null ? null : answerWith(keys) }
}
