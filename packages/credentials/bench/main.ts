/**
 * CPU of verifying a chip, by algorithm, and what files of real states come to: `node packages/credentials/bench/main.ts [--clones DIR]`.
 * The files are named in `sources.json`, and are found in clones as `packages/vision/bench/pictures/collect.ts` finds pictures. They are
 * others': none is in this repository.
 */
import { parseArgs } from 'node:util'
import { readCertificate } from '../chip/certificates.ts'
import { verifyChip } from '../chip/verify_chip.ts'
import { personalise, specimenPassport } from '../synthetic/chip.ts'
import type { Algorithm } from '../synthetic/keys.ts'
import { createRoot, createState, usualAlgorithm } from '../synthetic/state.ts'
import { tryOutside } from './outside.ts'

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

const { values } = parseArgs({ options: { clones: { type: 'string' } } })
for (const algorithm of algorithms)
  console.log(`${JSON.stringify(algorithm)}: ${measure(algorithm).toFixed(2)} ms of CPU`)
if (values.clones !== undefined) await tryOutside(values.clones, now)
