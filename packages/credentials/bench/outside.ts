import { spawnSync } from 'node:child_process'
import { X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { decodePortrait } from '@attestor/vision/testing'
import { z } from 'zod'
import { cloneOf, fileOf } from '../../vision/bench/pictures/collect.ts'
import { sourceSchema } from '../../vision/bench/pictures/manifest.ts'
import { isSelfSigned, type StateCertificate } from '../chip/certificates.ts'
import type { TrustAnchors } from '../chip/chain.ts'
import { readPortraitGroup } from '../chip/data_groups.ts'
import { unwrapFile } from '../chip/der.ts'
import { checkMasterList, classifyCertificate, readMasterList, readTrustFile } from '../chip/trust_files.ts'
import { verifyChip } from '../chip/verify_chip.ts'

interface OutsideFile {
  readonly path: string
  readonly bytes: Buffer
}

function readSources(clones: string): readonly OutsideFile[] {
  const text = readFileSync(new URL('sources.json', import.meta.url), 'utf8')
  return z
    .array(sourceSchema)
    .parse(JSON.parse(text))
    .map(source => {
      const clone = cloneOf(clones, source.repository)
      if (clone === null) throw new Error(`${source.repository}: no clone`)
      return { path: source.path, bytes: fileOf(clone, source) }
    })
}

/** Whether OpenSSL's own CMS finds a signature good by the certificate that is in it. */
function isSignedByOpenssl(cms: Buffer): boolean {
  const options = ['cms', '-verify', '-inform', 'DER', '-binary', '-noverify', '-out', '/dev/null']
  return spawnSync('openssl', options, { input: cms }).status === 0
}

/** Whether OpenSSL's own X.509 finds that a root signed itself; null: it cannot read its key. */
function isOwnByOpenssl({ der }: StateCertificate): boolean | null {
  const certificate = new X509Certificate(der)
  try {
    return certificate.verify(certificate.publicKey)
  } catch {
    // An algorithm that it does not know is no opinion.
    return null
  }
}

function describeList(bytes: Buffer, anchors: TrustAnchors, now: number): string {
  const [list] = readTrustFile(bytes).master_lists
  if (list === undefined) return 'unreadable'
  const { certificates, unreadable } = readMasterList(list)
  const kinds = Map.groupBy(certificates, one => classifyCertificate(one) ?? 'USELESS')
  const counts = [...kinds].map(([kind, of]) => `${of.length} ${kind}`).join(', ')
  const states = new Set(certificates.map(({ country }) => country)).size
  const openssl = isSignedByOpenssl(bytes) ? 'signed' : 'not signed'
  return `${checkMasterList(list, anchors, now)} (OpenSSL: ${openssl}): ${counts}, ${unreadable} unreadable, ${states} states`
}

function compareRoots(certificates: readonly StateCertificate[]): string {
  const roots = certificates.filter(isSelfSigned)
  const opinions = roots.map(root => [classifyCertificate(root) === 'ROOT', isOwnByOpenssl(root)] as const)
  const differ = opinions.filter(([ours, theirs]) => theirs !== null && ours !== theirs).length
  const silent = opinions.filter(([, theirs]) => theirs === null).length
  const good = opinions.filter(([ours]) => ours).length
  return `${roots.length} distinct roots, ${good} signed themselves; OpenSSL differs about ${differ}, and has no opinion of ${silent}`
}

/** EF.SOD as hexadecimal digits in tests of another program. */
function findSecurityObjects(files: readonly OutsideFile[]): Buffer[] {
  const found = files.flatMap(({ bytes }) => [...bytes.toString('latin1').matchAll(/"(7782[0-9a-f]{1000,})"/gi)])
  return [...new Set(found.map(([, digits = '']) => digits.toUpperCase()))].map(digits => Buffer.from(digits, 'hex'))
}

/**
 * Describes the checks of an EF.SOD. Without DG1 its issuing state is unknown, so the best result of its issuer is
 * `ANOTHER_STATE`.
 */
function describeObject(sod: Buffer, anchors: TrustAnchors, now: number): string {
  const { checks, signed_at, signer } = verifyChip({ sod, data_groups: {}, answer: null }, anchors, now)
  const outcomes = checks.map(({ name, status, reason }) => `${name} ${reason ?? status}`).join(', ')
  const openssl = isSignedByOpenssl(unwrapFile('EF.SOD', sod, 0x77)) ? 'signed' : 'not signed'
  return `EF.SOD ${signed_at?.slice(0, 10) ?? '–'} signer ${signer?.slice(0, 8)}: ${outcomes} (OpenSSL: ${openssl})`
}

/** Verifies files of real states, and of ICAO; OpenSSL is the second opinion on each signature. */
export async function tryOutside(clones: string, now: number): Promise<void> {
  const files = readSources(clones)
  const ending = (...ends: readonly string[]) => files.filter(({ path }) => ends.some(end => path.endsWith(end)))
  const single = ending('.cer').flatMap(({ bytes }) => readTrustFile(bytes).certificates)
  const anchors = { authorities: single, signers: [], revocation_lists: [] }
  for (const { path, bytes } of ending('.ml')) console.log(`${path}: ${describeList(bytes, anchors, now)}`)
  const lists = ending('.ml').flatMap(({ bytes }) => readTrustFile(bytes).master_lists)
  const all = [...single, ...lists.flatMap(list => readMasterList(list).certificates)]
  const distinct = [...new Map(all.map(one => [one.fingerprint, one])).values()]
  console.log(compareRoots(distinct))
  const authorities = distinct.filter(one => ['ROOT', 'LINK'].includes(classifyCertificate(one) ?? ''))
  for (const sod of findSecurityObjects(ending('_test.go')))
    console.log(describeObject(sod, { ...anchors, authorities }, now))
  for (const { path, bytes } of ending('.dat')) {
    const { media_type, image } = readPortraitGroup(bytes)
    const { width, height } = await decodePortrait(image, 1280)
    console.log(`${path}: ${media_type}, ${width} × ${height}`)
  }
}
