import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  createRoot,
  issueLink,
  issueMasterList,
  issueRevocationList,
  issueSigner,
  usualAlgorithm,
} from '@attestor/credentials/synthetic'
import test from 'ava'
import { now, signedAt } from '../../packages/credentials/test/chip/invented_chip.ts'
import { readTrustAnchors } from '../../src/chip/read_trust_anchors.ts'
import type { Finding } from '../../src/cli/doctor/finding.ts'
import { eachDialect } from '../database.ts'
import { attestor, urlOf } from '../service/programs.ts'
import { openTestRig } from '../service/rig.ts'

const folder = mkdtempSync(join(tmpdir(), 'attestor-csca-'))
test.after.always(() => rmSync(folder, { recursive: true }))

function write(name: string, bytes: Buffer): string {
  const file = join(folder, name)
  writeFileSync(file, bytes)
  return file
}

const root = createRoot('UT', usualAlgorithm)
const neighbour = createRoot('DE', usualAlgorithm)
const next = createRoot('UT', usualAlgorithm, { name: 'CSCA UT 2' })
const lists = issueSigner(root, usualAlgorithm, { purpose: '2.23.136.1.1.3' })
const certificates = [root, neighbour, issueLink(root, next)].map(({ certificate }) => certificate)
const rootFile = write('root.cer', root.certificate)
const listFile = write('list.ml', issueMasterList({ root, signer: lists, signed_at: signedAt }, certificates))
const revocations = write('ut.crl', issueRevocationList(root, [9], now))

interface Anchor {
  readonly country?: string
  readonly kind?: string
  readonly fingerprint?: string
  readonly without_root?: readonly string[]
}

for (const engine of eachDialect)
  test(`${engine.name}: certificates of states are imported, listed and removed, each time with an entry in the log`, async t => {
    const rig = await openTestRig(t, engine)
    const environment = { DATABASE_URL: urlOf(rig.database), MASTER_KEY: Buffer.alloc(32, 7).toString('base64') }
    const csca = (...words: string[]) => attestor(['csca', ...words], environment)
    const list = async (): Promise<readonly Anchor[]> =>
      (await csca('list', '--json')).stdout
        .trim()
        .split('\n')
        .map(line => JSON.parse(line))

    const strange = await csca('import', listFile)
    t.deepEqual([strange.code, /import that first/.test(strange.stdout)], [1, true], strange.stdout)
    t.deepEqual((await list()).length, 1)
    t.is((await csca('import', write('text', Buffer.from('nothing')))).code, 1)

    const stray = await csca(
      'import',
      write('stray.crl', issueRevocationList(createRoot('UT', usualAlgorithm), [9], now)),
    )
    t.regex(stray.stdout, /revocation list of UT is signed by nobody who is imported: it revokes nothing/)
    t.is((await csca('remove', 'ut')).code, 0)

    const imported = await csca('import', listFile, rootFile, revocations, '--json')
    t.like(JSON.parse(imported.stdout), {
      added: { ROOT: 2, LINK: 1, SIGNER: 0, REVOCATION_LIST: 1 },
      lists: 1,
      unsigned_lists: [],
      refused_lists: [],
    })
    const again = await csca('import', listFile, '--json')
    t.like(JSON.parse(again.stdout), { added: { ROOT: 0 }, known: 3, lists: 1 })
    const anchors = await list()
    t.deepEqual(
      anchors.slice(0, -1).map(({ country, kind }) => `${country} ${kind}`),
      ['DE ROOT', 'UT LINK', 'UT REVOCATION_LIST', 'UT ROOT'],
    )
    const missing = anchors.at(-1)?.without_root ?? []
    t.deepEqual([missing.includes('FR'), missing.includes('DE')], [true, false])

    const { store } = rig.node().service
    const read = await readTrustAnchors(store, ['UT'])
    t.deepEqual([read.authorities.length, read.signers.length, read.revocation_lists.length], [2, 0, 1])

    const doctor = JSON.parse((await attestor(['doctor', '--json'], environment)).stdout) as { findings: Finding[] }
    t.deepEqual(
      doctor.findings
        .filter(({ check }) => check === 'csca')
        .map(({ level, message }) => [level, message.slice(0, 17)]),
      [
        ['ok', 'roots of 2 states'],
        ['warning', '1 revocation list'],
      ],
    )

    t.is((await csca('remove', 'ut')).stdout, 'Removed 3.\n')
    t.is((await csca('remove', anchors[0]?.fingerprint ?? '')).stdout, 'Removed 1.\n')
    t.is((await csca('remove', 'UT')).code, 1)
    const log = (await attestor(['audit', 'export'], environment)).stdout
    const actions = log.split('\n').filter(line => line.includes('trust_anchors_'))
    t.is(actions.length, 5)
  })
