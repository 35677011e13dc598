import { createHash, createPrivateKey, createPublicKey, diffieHellman, X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { z } from 'zod'
import { cloneOf, fileOf } from '../../vision/bench/pictures/collect.ts'
import { sourceSchema } from '../../vision/bench/pictures/manifest.ts'
import { readCertificate } from '../chip/certificates.ts'
import { readOrNull } from '../chip/unreadable_file_error.ts'
import { readCbor } from '../encoding/cbor.ts'
import { type CborValue, embed, writeCbor } from '../encoding/cbor_writer.ts'
import { isCoseAuthenticated } from '../wallet/cose.ts'
import { macKeyOf } from '../wallet/device_key.ts'
import { readDeviceResponse } from '../wallet/mdoc.ts'
import type { Proof } from '../wallet/proof.ts'
import type { WalletRequest } from '../wallet/request_types.ts'
import { transcriptOfBrowser, transcriptOfLink } from '../wallet/session_transcript.ts'
import { verifyMdoc } from '../wallet/verify_mdoc.ts'
import type { WalletTrust } from '../wallet/wallet_trust.ts'
import { readWalletTrustFile } from '../wallet/wallet_trust_file.ts'

function sha256(value: CborValue): Buffer {
  return createHash('sha256').update(writeCbor(value)).digest()
}

function withHandover(handover: CborValue): Buffer {
  return writeCbor([null, null, handover])
}

/** Draft 24 of OpenID4VP, by the browser. */
function ofDraft24(origin: string, client: string, nonce: string): Buffer {
  return withHandover(['OpenID4VPDCAPIHandover', sha256([origin, client, nonce])])
}

/** ISO/IEC 18013-7, annex B. */
function ofAnnexB(client: string, responseUri: string, nonces: readonly [string, string]): Buffer {
  const [nonce, own] = nonces
  return withHandover([sha256([client, own]), sha256([responseUri, own]), nonce])
}

interface RealResponse {
  readonly name: string
  readonly bytes: Buffer
  readonly transcript: Buffer
  readonly certificates: readonly Buffer[]
  readonly now: number
}

type Read = (ending: string) => string

/** The longest text of a test file: base64url, or hexadecimal. */
function bytesOf(text: string): Buffer {
  const texts = [...text.matchAll(/['"`]([A-Za-z0-9_\-\s]{200,})['"`]/g)].map(([, found = '']) =>
    found.replace(/\s/g, ''),
  )
  const [longest = ''] = texts.sort((one, other) => other.length - one.length)
  return Buffer.from(longest, /^[0-9a-f]+$/i.test(longest) ? 'hex' : 'base64url')
}

function certificatesOf(text: string): readonly Buffer[] {
  const blocks = text.match(/-----BEGIN CERTIFICATE-----[\s\S]*?-----END CERTIFICATE-----/g) ?? []
  return blocks.map(block => new X509Certificate(block).raw)
}

function listResponses(read: Read): readonly RealResponse[] {
  const origin = 'https://ellis-occurrence-ac-smoking.trycloudflare.com'
  const certificates = (...files: readonly string[]): readonly Buffer[] =>
    files.flatMap(file => certificatesOf(read(file)))
  const ubique = 'http://localhost:4000/api/presentation_request/dc8999df-d6ea-4c84-9985-37a8b81a82ec/callback'
  return [
    {
      name: 'Google Wallet',
      bytes: bytesOf(read('google/deviceResponse.ts')),
      transcript: ofDraft24(origin, `web-origin:${origin}`, 'UwQek7MemM55VM2Lc7UPPsdsxa-vejebSUo75B_G7vk'),
      certificates: certificates('google/rootCertificate.ts', 'google/signingCertificate.ts'),
      now: Date.UTC(2025, 1, 20),
    },
    {
      name: 'France (annex D)',
      bytes: bytesOf(read('france/deviceResponse.ts')),
      transcript: ofAnnexB('example.com', 'https://example.com/12345/response', ['abcdefgh1234567890', '']),
      certificates: certificates('france/issuerCertificate.ts'),
      now: Date.UTC(2021, 8, 25),
    },
    {
      name: 'Ubique',
      bytes: bytesOf(read('ubique/deviceResponse.ts')),
      transcript: ofAnnexB('Cq1anPb8vZU5j5C0d7hcsbuJLBpIawUJIDQRi2Ebwb4', ubique, ['abcdefg', '123456']),
      certificates: certificates('ubique/issuerCertificate.ts'),
      now: Date.UTC(2025, 1, 1),
    },
    {
      name: 'Paradym (OpenID4VP 1.0)',
      bytes: bytesOf(read('animo-mdoc-05/deviceResponse.ts')),
      transcript: transcriptOfLink({
        client_id: 'x509_san_dns:playground.animo.id',
        nonce: 'LMGPB6k--THpBUSkEBvLxmdMIi3Ee1fjHXXUUzBVa04',
        thumbprint: Buffer.from('61a29f269176244d397cae26f7f80ab196bffcb65fe3052b540c78073dab7c1e', 'hex'),
        response_uri:
          'https://playground.animo.id/oid4vp/8caaebcc-d48c-471b-86b0-a534e15c4774/authorize?session=6c115dbc-1364-4e9f-a325-173eeec01a5a',
      }),
      certificates: certificates('animo-mdoc-05/issuerCertificate.ts'),
      now: Date.UTC(2026, 0, 12),
    },
  ]
}

const none = { x: '', y: '', d: '', kty: 'EC', crv: 'P-256' } as const

/** Everything is asked. The requests were others', so this one has nothing but the query. */
const request: WalletRequest = {
  created_at: 0,
  nonce: '',
  key: none,
  query: {
    credentials: ['MDL', 'PID'],
    claims: [
      ...(['last_name', 'first_name', 'date_of_birth', 'sex', 'nationality', 'document_number', 'portrait'] as const),
      ...(['personal_number', 'issue_date', 'expiry_date', 'issuing_country'] as const),
    ],
    age_over: null,
  },
  origin: '',
  response_uri: '',
  client_id: '',
  is_encrypted: false,
}

function trustOf({ certificates }: RealResponse): WalletTrust {
  const anchors = certificates.map(der => ({ certificate: readCertificate(der), may_sign: ['MDL', 'PID'] as const }))
  return { anchors, revocation_lists: [], status_lists: new Map() }
}

function prove({ transcript, now }: RealResponse, bytes: Buffer, trust: WalletTrust): Proof {
  const answer = {
    kind: 'PRESENTATION',
    protocol: 'direct_post',
    format: 'MDOC',
    credential: null,
    presentation: bytes.toString('base64url'),
    received_at: now,
  } as const
  return verifyMdoc(request, answer, { transcript, trust, now })
}

function describeChecks({ checks }: Proof): string {
  return checks.map(({ name, status, reason }) => `${name} ${reason ?? status}`).join(', ')
}

function describeClaims({ disclosed }: Proof): string {
  return JSON.stringify(disclosed)
}

/** Every bit changed, one at a time. Returns how many changed answers were proven alike, and of those how many say another thing. */
function flipBits(response: RealResponse, whole: Proof): { tried: number; accepted: number; other: number } {
  const [checks, claims, trust] = [describeChecks(whole), describeClaims(whole), trustOf(response)]
  let [accepted, other] = [0, 0]
  for (let bit = 0; bit < response.bytes.length * 8; bit++) {
    const bytes = Buffer.from(response.bytes)
    bytes[bit >> 3] = (bytes[bit >> 3] ?? 0) ^ (1 << (bit & 7))
    const proof = readOrNull(() => prove(response, bytes, trust))
    if (proof === null || describeChecks(proof) !== checks) continue
    accepted++
    if (describeClaims(proof) !== claims) other++
  }
  return { tried: response.bytes.length * 8, accepted, other }
}

function measure(run: () => unknown, rounds: number): number {
  const before = process.cpuUsage()
  for (let round = 0; round < rounds; round++) run()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1000 / rounds
}

export interface OutsideOptions {
  /** The answers of which every bit is changed: how their names begin, '' for all; null: none. */
  readonly bits: string | null
}

function tryResponses(read: Read, { bits }: OutsideOptions): void {
  for (const response of listResponses(read)) {
    const whole = prove(response, response.bytes, trustOf(response))
    const cpu = measure(() => prove(response, response.bytes, trustOf(response)), 100)
    console.log(
      `${response.name}: ${response.bytes.length} bytes, ${cpu.toFixed(2)} ms of CPU: ${describeChecks(whole)}`,
    )
    console.log(`  ${whole.disclosed.disclosed.join(', ')}`)
    const wrong = prove({ ...response, transcript: withHandover(['another']) }, response.bytes, trustOf(response))
    console.log(`  another session: ${describeChecks(wrong)}`)
    // The first letters of a name: an answer takes a minute.
    if (bits === null || !response.name.startsWith(bits)) continue
    const { tried, accepted, other } = flipBits(response, whole)
    console.log(`  ${tried} bits changed one at a time: ${accepted} proven alike, ${other} with another claim`)
  }
}

/** A constant of a file in Kotlin, whose value is hexadecimal digits in pieces. */
function constantOf(text: string, name: string): Buffer {
  const value = new RegExp(`${name} =([\\s\\S]*?)(?:const val|\\n\\n|\\n})`).exec(text)?.[1] ?? ''
  return Buffer.from([...value.matchAll(/"([0-9a-f]+)"/g)].map(([, digits]) => digits).join(''), 'hex')
}

/** ISO/IEC 18013-5, annex D: its device authenticates by a MAC, for the reader's key that the annex prints. */
function tryAnnexD(text: string): void {
  const [document] = readDeviceResponse(constantOf(text, 'ISO_18013_5_ANNEX_D_DEVICE_RESPONSE'))
  if (document === undefined) throw new Error('annex D has no document')
  const part = (name: string): string => constantOf(text, `ISO_18013_5_ANNEX_D_${name}`).toString('base64url')
  const jwk = (name: string) => ({ kty: 'EC', crv: 'P-256', x: part(`${name}_X`), y: part(`${name}_Y`) })
  const privateKey = createPrivateKey({
    key: { ...jwk('EPHEMERAL_READER_KEY'), d: part('EPHEMERAL_READER_KEY_D') },
    format: 'jwk',
  })
  const publicKey = createPublicKey({ key: jwk('STATIC_DEVICE_KEY'), format: 'jwk' })
  const embedded = readCbor(constantOf(text, 'ISO_18013_5_ANNEX_D_SESSION_TRANSCRIPT_BYTES'), { shortest: false })
  if (embedded.type !== 'tag' || embedded.value.type !== 'bytes') throw new Error('annex D has no transcript')
  const transcript = embedded.value.value
  const payload = writeCbor(
    embed(['DeviceAuthentication', { written: transcript }, document.doctype, { written: document.device_namespaces }]),
  )
  const key = macKeyOf(diffieHellman({ privateKey, publicKey }), transcript)
  console.log(`annex D: ${document.device_auth.type} ${isCoseAuthenticated(document.device_auth.object, payload, key)}`)
}

/** The hexadecimal digits that follow a heading of OpenID4VP's text. */
function vectorsOf(text: string, name: string): readonly string[] {
  const blocks = text.split(`non-normative example of the \`${name}\` structure:`).slice(1)
  return blocks.map(block => (/Hex:\s+([0-9a-f\s]+)/.exec(block)?.[1] ?? '').replace(/\s/g, ''))
}

/** OpenID4VP 1.0, B.2.6: both transcripts, from the parameters that it prints. */
function tryTranscripts(text: string): void {
  const thumbprint = Buffer.from('4283ec927ae0f208daaa2d026a814f2b22dca52cf85ffa8f3f8626c6bd669047', 'hex')
  const nonce = 'exc7gBkxjx1rdc9udRrveKvSsJIq80avlXeLHhGwqtA'
  const shared = { nonce, thumbprint }
  const link = { client_id: 'x509_san_dns:example.com', response_uri: 'https://example.com/response', ...shared }
  const ours = [transcriptOfLink(link), transcriptOfBrowser({ origin: 'https://example.com', ...shared })]
  const theirs = vectorsOf(text, 'SessionTranscript')
  for (const [at, expected] of theirs.entries())
    console.log(
      `OpenID4VP, SessionTranscript ${at + 1} of ${theirs.length}: ${ours[at]?.toString('hex') === expected ? 'alike' : 'differs'}`,
    )
}

/** A VICAL of the Netherlands' for tests; its own signer is trusted for the second reading. */
function tryVical(bytes: Buffer): void {
  const options = { may_sign: [], anchors: [], now: Date.UTC(2025, 2, 1) }
  const list = readWalletTrustFile(bytes, options)
  const counts = Map.groupBy(list.anchors, ({ may_sign }) => may_sign.join(' '))
  const kinds = [...counts].map(([kind, of]) => `${of.length} ${kind}`).join(', ')
  console.log(`VICAL: ${kinds}, ${list.unreadable} unreadable, ${list.signature}`)
}

/** Tries answers and vectors of others. None of them is in this repository. */
export function tryOutsideWallets(clones: string, options: OutsideOptions): void {
  const text = readFileSync(new URL('wallet_sources.json', import.meta.url), 'utf8')
  const files = z
    .array(sourceSchema)
    .parse(JSON.parse(text))
    .map(source => {
      const clone = cloneOf(clones, source.repository)
      if (clone === null) throw new Error(`${source.repository}: no clone`)
      return { path: source.path, bytes: fileOf(clone, source) }
    })
  const find = (ending: string): Buffer => {
    const found = files.find(({ path }) => path.endsWith(ending))
    if (found === undefined) throw new Error(`${ending} is not among the sources`)
    return found.bytes
  }
  const read: Read = ending => find(ending).toString('utf8')
  tryResponses(read, options)
  tryVical(find('.vical'))
  tryAnnexD(read('TestVectors.kt'))
  tryTranscripts(read('openid-4-verifiable-presentations-1_0.md'))
}
