/**
 * CPU of verifying a chip, by algorithm, and what real master lists come to: `node bench/chip/main.ts [--clones DIR]`. The
 * lists are named in `master_lists.json`, and are found in clones as `bench/pictures/collect.ts` finds pictures. They are
 * others': none is in this repository.
 */
import { readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { z } from 'zod'
import { readCertificate } from '../../src/engines/chip/certificates.ts'
import type { TrustAnchors } from '../../src/engines/chip/chain.ts'
import {
  checkMasterList,
  classifyCertificate,
  readMasterList,
  readTrustFile,
} from '../../src/engines/chip/trust_files.ts'
import { verifyChip } from '../../src/engines/chip/verify_chip.ts'
import { personalise, specimenPassport } from '../../synthetic/chip/chip.ts'
import type { Algorithm } from '../../synthetic/chip/keys.ts'
import { createRoot, createState, usualAlgorithm } from '../../synthetic/chip/state.ts'
import { cloneOf, fileOf } from '../pictures/collect.ts'
import { type Source, sourceSchema } from '../pictures/manifest.ts'

const rounds = 200
const signedAt = Date.UTC(2024, 5, 1)
const now = Date.UTC(2026, 10, 1)

const algorithms: readonly Algorithm[] = [
  { type: 'rsa', digest: 'sha256', bits: 2048 },
  { type: 'pss', digest: 'sha256', bits: 4096 },
  { type: 'ecdsa', digest: 'sha256', curve: 'prime256v1' },
  { type: 'ecdsa', digest: 'sha256', curve: 'brainpoolP256r1', explicit: true },
  { type: 'ecdsa', digest: 'sha512', curve: 'brainpoolP512r1' },
]

/** Milliseconds of CPU of one verification, its certificates read from their bytes as they come from the database. */
function measure(algorithm: Algorithm): number {
  const state = createState(algorithm)
  const portrait = Buffer.concat([Buffer.from('ffd8ffe0', 'hex'), Buffer.alloc(20_000, 7)])
  const { files } = personalise(
    state,
    { ...specimenPassport, portrait },
    { digest: algorithm.digest, signed_at: signedAt },
  )
  const { sod, ...data_groups } = files
  // A state has had some ten roots and links.
  const others = Array.from({ length: 9 }, (_, at) => createRoot('UT', usualAlgorithm, { name: `Root ${at}` }))
  const stored = [state.root, ...others].map(({ certificate }) => certificate)
  const before = process.cpuUsage()
  for (let round = 0; round < rounds; round++) {
    const anchors = { authorities: stored.map(readCertificate), signers: [], revocation_lists: [] }
    const { checks } = verifyChip({ sod, data_groups, answer: null }, anchors, now)
    if (checks.some(({ status }) => status !== 'PASSED')) throw new Error(`${JSON.stringify(algorithm)} did not pass`)
  }
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1000 / rounds
}

function readLists(clones: string): readonly { readonly source: Source; readonly bytes: Buffer }[] {
  const text = readFileSync(new URL('master_lists.json', import.meta.url), 'utf8')
  return z
    .array(sourceSchema)
    .parse(JSON.parse(text))
    .map(source => {
      const clone = cloneOf(clones, source.repository)
      if (clone === null) throw new Error(`${source.repository}: no clone`)
      return { source, bytes: fileOf(clone, source) }
    })
}

function describeList(bytes: Buffer, anchors: TrustAnchors): string {
  const [list] = readTrustFile(bytes).master_lists
  if (list === undefined) return 'unreadable'
  const { certificates, unreadable } = readMasterList(list)
  const kinds = Map.groupBy(certificates, one => classifyCertificate(one) ?? 'USELESS')
  const counts = [...kinds].map(([kind, of]) => `${of.length} ${kind}`).join(', ')
  const states = new Set(certificates.map(({ country }) => country)).size
  return `${checkMasterList(list, anchors, now)}: ${counts}, ${unreadable} unreadable, ${states} states`
}

const { values } = parseArgs({ options: { clones: { type: 'string' } } })
for (const algorithm of algorithms)
  console.log(`${JSON.stringify(algorithm)}: ${measure(algorithm).toFixed(2)} ms of CPU`)
if (values.clones !== undefined) {
  const files = readLists(values.clones)
  const isList = ({ source }: { readonly source: Source }): boolean => source.path.endsWith('.ml')
  const authorities = files.filter(one => !isList(one)).flatMap(({ bytes }) => readTrustFile(bytes).certificates)
  const anchors = { authorities, signers: [], revocation_lists: [] }
  for (const { source, bytes } of files.filter(isList)) console.log(`${source.path}: ${describeList(bytes, anchors)}`)
}
