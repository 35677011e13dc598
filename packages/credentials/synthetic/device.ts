import { createHash, sign } from 'node:crypto'
import type { BootState, SecurityLevel } from '../attestation/key_description.ts'
import { bootStates, securityLevels } from '../attestation/key_description.ts'
import { writeCbor } from '../encoding/cbor_writer.ts'
import { bits, integer, octets, oid, sequence, setOf, text, time, tlv } from './der_writer.ts'
import { type Algorithm, generateKeys, type KeyPair, signatureAlgorithm, signWith } from './keys.ts'

/** Devices of invented makers, which attest keys as Android's and Apple's do. */

interface Issuer {
  readonly name: Buffer
  readonly keys: KeyPair
}

interface DeviceMaker extends Issuer {
  readonly certificate: Buffer
  /** The root in PEM, as an operator would import it. */
  readonly pem: string
}

const p256: Algorithm = { type: 'ecdsa', digest: 'sha256', curve: 'prime256v1' }

/** The times of certificates that are not a device's. */
const usual = { not_before: Date.UTC(2020, 0, 1), not_after: Date.UTC(2045, 0, 1) }

function nameOf(...parts: readonly (readonly [id: string, value: string])[]): Buffer {
  return sequence(...parts.map(([id, value]) => setOf(sequence(oid(id), text(0x0c, value)))))
}

interface Subject {
  readonly name: Buffer
  readonly keys: KeyPair
  readonly serial: number
  readonly is_authority: boolean
  readonly extensions?: readonly Buffer[]
  readonly not_before?: number
  readonly not_after?: number
}

function issue(subject: Subject, issuer: Issuer): Buffer {
  const algorithm = signatureAlgorithm(issuer.keys.algorithm)
  const truth = tlv(0x01, Buffer.from([0xff]))
  const constraints = octets(sequence(...(subject.is_authority ? [truth] : [])))
  const signed = sequence(
    tlv(0xa0, integer(2)),
    integer(subject.serial),
    algorithm,
    issuer.name,
    sequence(time(subject.not_before ?? usual.not_before), time(subject.not_after ?? usual.not_after)),
    subject.name,
    subject.keys.spki,
    tlv(0xa3, sequence(sequence(oid('2.5.29.19'), truth, constraints), ...(subject.extensions ?? []))),
  )
  return sequence(signed, algorithm, bits(signWith(issuer.keys, signed)))
}

export function createMaker(name: string): DeviceMaker {
  const maker = { name: nameOf(['2.5.4.3', name]), keys: generateKeys(p256) }
  const certificate = issue({ ...maker, serial: 1, is_authority: true }, maker)
  const lines = certificate.toString('base64').match(/.{1,64}/g) ?? []
  const pem = ['-----BEGIN CERTIFICATE-----', ...lines, '-----END CERTIFICATE-----', ''].join('\n')
  return { ...maker, certificate, pem }
}

/** An explicit tag of KeyMint's, of one to three bytes. */
function explicit(tag: number, ...parts: readonly Buffer[]): Buffer {
  if (tag < 31) return tlv(0xa0 | tag, ...parts)
  const inner = sequence(...parts)
  const number = tag < 128 ? [tag] : [0x80 | (tag >> 7), tag & 0x7f]
  return Buffer.concat([Buffer.from([0xbf, ...number]), inner.subarray(1)])
}

/** The statements of an invented Android device about a key. */
export interface AndroidFacts {
  readonly challenge: Uint8Array
  readonly level?: SecurityLevel
  readonly is_locked?: boolean
  readonly boot_state?: BootState
  readonly packages?: readonly string[]
  /** SHA-256 of the certificate that signed the app, in hex. */
  readonly signers?: readonly string[]
  /** `140000` is 14.0.0. */
  readonly os_version?: number
  /** A number of `KeyOrigin`; 2 is imported. */
  readonly origin?: number
  readonly version?: number
  readonly algorithm?: Algorithm
  /** The number of certificates between root and leaf: two of the factory, three that are sent. */
  readonly inner?: 0 | 2 | 3
  /** The certificates but the root and the leaf end at this instant. */
  readonly not_after?: number
  /** Parts of the hardware's list in another order, or more of them. */
  readonly rearrange?: (parts: readonly Buffer[]) => readonly Buffer[]
}

interface AttestedKey extends Issuer {
  /** The leaf first. */
  readonly chain: readonly Buffer[]
}

function enumerated(value: number): Buffer {
  return tlv(0x0a, Buffer.from([value]))
}

function describeKey(facts: AndroidFacts): Buffer {
  const { challenge, level = 'TRUSTED_ENVIRONMENT', is_locked = true, boot_state = 'VERIFIED', origin = 0 } = facts
  const { packages = ['org.example.app'], signers = ['ab'.repeat(32)], os_version = 140_000, version = 300 } = facts
  const app = sequence(
    setOf(...packages.map(one => sequence(octets(Buffer.from(one)), integer(7)))),
    setOf(...signers.map(one => octets(Buffer.from(one, 'hex')))),
  )
  const boot = sequence(
    octets(Buffer.alloc(32, 3)),
    tlv(0x01, Buffer.from([is_locked ? 0xff : 0])),
    enumerated(bootStates.indexOf(boot_state)),
    ...(version >= 3 ? [octets(Buffer.alloc(32, 4))] : []),
  )
  const ofKey = [
    explicit(1, setOf(integer(2))),
    explicit(2, integer(3)),
    explicit(3, integer(256)),
    explicit(503, tlv(0x05)),
  ]
  const origins = [explicit(702, integer(origin))]
  const ofDevice = [explicit(704, boot), explicit(705, integer(os_version)), explicit(706, integer(202_406))]
  const created = explicit(701, integer(1_700_000_000_000))
  const ofApp = explicit(709, octets(app))
  const isHardware = level !== 'SOFTWARE'
  const { rearrange = (parts: readonly Buffer[]) => parts } = facts
  return sequence(
    integer(version),
    enumerated(securityLevels.indexOf(level)),
    integer(version),
    enumerated(securityLevels.indexOf(level)),
    octets(challenge),
    octets(Buffer.alloc(0)),
    sequence(...(isHardware ? [created, ofApp] : [...ofKey, created, ...origins, ofApp])),
    sequence(...rearrange(isHardware ? [...ofKey, ...origins, ...ofDevice] : [])),
  )
}

const organisations: Readonly<Record<SecurityLevel, string>> = {
  SOFTWARE: 'Software',
  TRUSTED_ENVIRONMENT: 'TEE',
  STRONG_BOX: 'StrongBox',
}

/** A key that an invented Android device has made, and the chain that attests it. */
export function attestAndroid(maker: DeviceMaker, facts: AndroidFacts): AttestedKey {
  const { level = 'TRUSTED_ENVIRONMENT', inner = 2, algorithm = p256, not_after } = facts
  const keys = generateKeys(algorithm)
  const times = not_after === undefined ? {} : { not_after }
  let issuer: Issuer = maker
  const chain = [maker.certificate]
  for (let left: number = inner; left > 0; left--) {
    const name = left === 1 ? nameOf(['2.5.4.10', organisations[level]]) : nameOf(['2.5.4.3', `CA ${left}`])
    const own = { name, keys: generateKeys(p256) }
    chain.unshift(issue({ ...own, serial: 100 + left, is_authority: true, ...times }, issuer))
    issuer = own
  }
  const description = sequence(oid('1.3.6.1.4.1.11129.2.1.17'), octets(describeKey(facts)))
  const leaf = { name: nameOf(['2.5.4.3', 'Android Keystore Key']), keys, serial: 1, is_authority: false }
  chain.unshift(issue({ ...leaf, extensions: [description] }, issuer))
  return { name: leaf.name, keys, chain }
}

function sha256(...parts: readonly Uint8Array[]): Buffer {
  return createHash('sha256').update(Buffer.concat(parts)).digest()
}

/** The statements of an invented device of Apple's about a key. */
export interface AppleFacts {
  readonly challenge: Uint8Array
  /** `TEAM.bundle`. */
  readonly app_id?: string
  readonly environment?: 'production' | 'development'
  readonly os_version?: string
  readonly counter?: number
  readonly not_after?: number
}

interface AttestedAppleKey {
  readonly key_id: Buffer
  readonly object: Buffer
  /** Signs some data, as `generateAssertion` does over its SHA-256. */
  readonly assert: (data: Uint8Array, counter: number) => Buffer
}

const specimenApp = 'ABCDE12345.org.example.app'

function authenticatorData(app_id: string, counter: number, rest: Uint8Array = Buffer.alloc(0)): Buffer {
  const count = Buffer.alloc(4)
  count.writeUInt32BE(counter)
  return Buffer.concat([sha256(Buffer.from(app_id)), Buffer.from([0x40]), count, rest])
}

function credential(environment: string, key_id: Buffer, [x, y]: readonly [Buffer, Buffer]): Buffer {
  const key = new Map<number, number | Buffer>([
    [1, 2],
    [3, -7],
    [-1, 1],
    [-2, x],
    [-3, y],
  ])
  return Buffer.concat([Buffer.from(environment), Buffer.from([0, key_id.length]), key_id, writeCbor(key)])
}

function appleExtensions(nonce: Buffer, app_id: string, os_version: string): readonly Buffer[] {
  const extension = (id: string, ...parts: readonly Buffer[]): Buffer => sequence(oid(id), octets(sequence(...parts)))
  return [
    extension('1.2.840.113635.100.8.5', explicit(1204, octets(Buffer.from(app_id)))),
    extension('1.2.840.113635.100.8.7', explicit(1400, octets(Buffer.from(os_version)))),
    extension('1.2.840.113635.100.8.2', tlv(0xa1, octets(nonce))),
  ]
}

/** A key that an invented device of Apple's has made, with the object that attests it. */
export function attestApple(maker: DeviceMaker, facts: AppleFacts): AttestedAppleKey {
  const { challenge, app_id = specimenApp, environment = 'production', os_version = '17.2.1', counter = 0 } = facts
  const keys = generateKeys(p256)
  const point = keys.spki.subarray(-65)
  const key_id = sha256(point)
  const name = environment === 'production' ? 'appattest\0\0\0\0\0\0\0' : 'appattestdevelop'
  const parts = [point.subarray(1, 33), point.subarray(33)] as const
  const data = authenticatorData(app_id, counter, credential(name, key_id, parts))
  const issuer = { name: nameOf(['2.5.4.3', 'Invented App Attestation CA 1']), keys: generateKeys(p256) }
  const issuing = issue({ ...issuer, serial: 2, is_authority: true }, maker)
  const times = facts.not_after === undefined ? {} : { not_after: facts.not_after }
  const leaf = issue(
    {
      name: nameOf(['2.5.4.3', key_id.toString('hex')]),
      keys,
      serial: 3,
      is_authority: false,
      extensions: appleExtensions(sha256(data, sha256(challenge)), app_id, os_version),
      ...times,
    },
    issuer,
  )
  const statement = new Map<string, Buffer | Buffer[]>([
    ['x5c', [leaf, issuing]],
    ['receipt', Buffer.from('none')],
  ])
  const object = writeCbor(
    new Map<string, string | Buffer | typeof statement>([
      ['fmt', 'apple-appattest'],
      ['attStmt', statement],
      ['authData', data],
    ]),
  )
  return {
    key_id,
    object,
    assert(signed, count) {
      const authenticator = authenticatorData(app_id, count)
      const signature = sign('sha256', sha256(authenticator, sha256(signed)), keys.private_key)
      return writeCbor(
        new Map([
          ['signature', signature],
          ['authenticatorData', authenticator],
        ]),
      )
    },
  }
}
