import { createHash, sign } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openRoots } from '@attestor/credentials/attestation'
import {
  type AndroidFacts,
  type AppleFacts,
  attestAndroid,
  attestApple,
  createMaker,
} from '@attestor/credentials/synthetic'
import type { Answer } from '../calls.ts'

/** Phones of an invented maker, which attest keys and sign their uploads. */

const google = createMaker('Invented root of Android')
const apple = createMaker('Invented App Attestation Root CA')

const folder = mkdtempSync(join(tmpdir(), 'attestor-makers-'))
process.on('exit', () => rmSync(folder, { recursive: true, force: true }))

function writePem(name: string, pem: string): string {
  const file = join(folder, name)
  writeFileSync(file, pem)
  return file
}

/** Settings of a service that trusts the invented maker. */
export const makerSettings = {
  ATTESTATION_GOOGLE_ROOTS: writePem('google.pem', google.pem),
  ATTESTATION_APPLE_ROOTS: writePem('apple.pem', apple.pem),
}

export const makerRoots = openRoots({ google_hardware: google.pem, apple: apple.pem })

/** The certificates of a key that a phone of the invented maker attests. */
export function attestedChain(challenge: Uint8Array): readonly Buffer[] {
  return attestAndroid(google, { challenge }).chain
}

export interface AttestationChallenge {
  readonly challenge_id: string
  readonly challenge: Buffer
}

export function toChallenge({ status, text, body }: Answer): AttestationChallenge {
  if (status !== 201) throw new Error(`answered ${status}: ${text}`)
  return { challenge_id: String(body.challenge_id), challenge: Buffer.from(String(body.challenge), 'base64') }
}

/** An attested key: the data that its device sends, and the function that signs the bytes of a signature base. */
export interface AttestedKey {
  readonly json: object
  readonly sign: (base: Buffer) => Buffer
}

/** Android's Keystore signs in DER: HTTP Message Signatures want both numbers, of 32 bytes each. */
function toRaw(der: Buffer): Buffer {
  const first = der.subarray(4, 4 + (der[3] ?? 0))
  const second = der.subarray(6 + first.length)
  const pad = (number: Buffer): Buffer => {
    const digits = number.subarray(number.findIndex(byte => byte !== 0))
    return Buffer.concat([Buffer.alloc(32 - digits.length), digits])
  }
  return Buffer.concat([pad(first), pad(second)])
}

/** A key of an Android device. */
export function attest(challenge: Uint8Array, facts: Partial<AndroidFacts> = {}, maker = google): AttestedKey {
  const { keys, chain } = attestAndroid(maker, { challenge, ...facts })
  return {
    json: { platform: 'android', certificates: chain.map(one => one.toString('base64')) },
    sign: base => toRaw(sign('sha256', base, keys.private_key)),
  }
}

/** A key whose chain leads to a root that nobody trusts. */
export function attestByNobody(challenge: Uint8Array): AttestedKey {
  return attest(challenge, {}, createMaker('Root of nobody'))
}

/** A key of an iOS device, which signs assertions alone. */
export function attestIos(challenge: Uint8Array, facts: Partial<AppleFacts> = {}): AttestedKey {
  const { key_id, object, assert } = attestApple(apple, { challenge, ...facts })
  let counter = 0
  return {
    json: { platform: 'ios', attestation: object.toString('base64'), key_id: key_id.toString('base64') },
    sign: base => assert(base, ++counter),
  }
}

export interface Signing {
  readonly key_id: string
  readonly key: AttestedKey
  readonly path: string
  /** Epoch seconds. */
  readonly created: number
  readonly nonce: string
  readonly method?: string
  readonly components?: string
  readonly more?: string
}

/** The headers of a signed upload, written as the samples of the guide do. */
export function signUpload(
  content: Uint8Array,
  { key_id, key, path, created, nonce, method = 'PUT', components, more = '' }: Signing,
): Record<string, string> {
  const digest = `sha-256=:${createHash('sha256').update(content).digest('base64')}:`
  const covered = components ?? '("@method" "@path" "content-digest")'
  const parameters = `${covered};created=${created};nonce="${nonce}";keyid="${key_id}"${more}`
  const values: Readonly<Record<string, string>> = { '@method': method, '@path': path, 'content-digest': digest }
  const lines = [...covered.matchAll(/"([^"]+)"/g)].map(([, name = '']) => `"${name}": ${values[name] ?? ''}`)
  const base = [...lines, `"@signature-params": ${parameters}`].join('\n')
  return {
    'Content-Digest': digest,
    'Signature-Input': `capture=${parameters}`,
    Signature: `capture=:${key.sign(Buffer.from(base)).toString('base64')}:`,
  }
}
