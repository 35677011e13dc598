/**
 * Counts how many public attestations are verified, whole and changed, and their CPU:
 * `node packages/credentials/bench/attestation.ts --clones DIR [--peer DIR]`. The files are others', and none is in this
 * repository: clones are looked for as `packages/vision/bench/pictures/collect.ts` looks for pictures. `--peer` is a folder in
 * which `node-app-attest` is installed, to be judged by the same changes.
 */
import { execFileSync } from 'node:child_process'
import { createHash, createPublicKey, X509Certificate } from 'node:crypto'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { cloneOf } from '../../vision/bench/pictures/collect.ts'
import { openRoots, verifyAndroid, verifyApple, verifyAssertion } from '../attestation.ts'
import { findMember, readCbor, requireType } from '../encoding/cbor.ts'

const sources = {
  google: ['android/keyattestation', '47f970d044ae4da7b00da068e7e1a4e952b0fd2f'],
  node: ['uebelack/node-app-attest', '3d92d9187c13796e729e2b71e173446e4b6738f4'],
  kotlin: ['veehaitch/devicecheck-appattest', 'cb26211f63c1e2e7949deafe2efdf352daca27fa'],
} as const

const roots = openRoots()

function git(clones: string, [name, commit]: readonly [string, string], ...command: readonly string[]): string {
  const clone = cloneOf(clones, name)
  if (clone === null) throw new Error(`${name}: no clone`)
  const [verb = '', ...rest] = command
  const options = { encoding: 'utf8', maxBuffer: 1e8 } as const
  return execFileSync('git', ['--git-dir', clone, verb, ...rest.map(one => one.replace('COMMIT', commit))], options)
}

function listFiles(clones: string, source: readonly [string, string], ending: string): readonly string[] {
  const all = git(clones, source, 'ls-tree', '-r', '--name-only', 'COMMIT').split('\n')
  return all.filter(path => path.endsWith(ending))
}

function readFile(clones: string, source: readonly [string, string], path: string): string {
  return git(clones, source, 'show', `COMMIT:${path}`)
}

interface Count {
  tried: number
  accepted: number
}

function newCount(): Count {
  return { tried: 0, accepted: 0 }
}

/** Refusals are errors that the verifier throws on purpose; anything else is a fault of its own. */
function isAccepted(verify: () => unknown): boolean {
  try {
    verify()
    return true
  } catch (error) {
    if (error instanceof Error && ['AttestationError', 'UnreadableFileError'].includes(error.name)) return false
    throw error
  }
}

/** Copies with one bit changed: each byte once, in one of its bits. */
function* changeBits(bytes: Buffer, leftOut: Buffer = Buffer.alloc(0)): Generator<Buffer> {
  const from = leftOut.length === 0 ? bytes.length : bytes.indexOf(leftOut)
  for (let at = 0; at < bytes.length; at++) {
    if (at >= from && at < from + leftOut.length) continue
    const changed = Buffer.from(bytes)
    changed[at] = (changed[at] ?? 0) ^ (1 << (at % 8))
    yield changed
  }
}

function tryChanges(
  count: Count,
  bytes: Buffer,
  verify: (changed: Buffer) => unknown,
  leftOut: Buffer = Buffer.alloc(0),
): void {
  for (const changed of changeBits(bytes, leftOut)) {
    count.tried++
    if (isAccepted(() => verify(changed))) count.accepted++
  }
}

function show(name: string, { tried, accepted }: Count): void {
  console.log(`${name}: ${tried} tried, ${accepted} accepted`)
}

const pem = /-----BEGIN CERTIFICATE-----[\s\S]+?-----END CERTIFICATE-----/g

function readChain(text: string): readonly Buffer[] {
  return (text.match(pem) ?? []).map(one => Buffer.from(one.replace(/-----[^-]+-----/g, ''), 'base64'))
}

interface Expected {
  readonly attestationSecurityLevel: string
  readonly keyMintSecurityLevel: string
  readonly attestationChallenge: string
  readonly softwareEnforced: Enforced
  readonly hardwareEnforced: Enforced
}

interface Enforced {
  readonly creationDateTime?: string
  readonly osVersion?: string
  readonly rootOfTrust?: { readonly deviceLocked: boolean; readonly verifiedBootState: string }
  readonly attestationApplicationId?: {
    readonly packages: readonly { readonly name: string }[]
    readonly signatures: readonly string[]
  }
}

function toVersion(number = '0'): string | null {
  const digits = number.padStart(6, '0')
  return number === '0' ? null : [0, 2, 4].map(at => Number(digits.slice(at, at + 2))).join('.')
}

/** The result that a chain should have: the words of its JSON in ours. */
function toExpected({ softwareEnforced, hardwareEnforced, ...all }: Expected) {
  const app = softwareEnforced.attestationApplicationId
  const level = all.attestationSecurityLevel
  const isHardware = level !== 'SOFTWARE'
  const boot = isHardware ? hardwareEnforced.rootOfTrust : undefined
  return {
    level,
    is_locked: boot?.deviceLocked ?? null,
    boot_state: boot?.verifiedBootState ?? null,
    packages: app?.packages.map(({ name }) => name).sort() ?? null,
    signers: app?.signatures.map(one => Buffer.from(one, 'base64').toString('hex')).sort() ?? null,
    os_version: isHardware ? toVersion(hardwareEnforced.osVersion) : null,
  }
}

function toFound({ level, root_of_trust, app, os_version }: ReturnType<typeof verifyAndroid>) {
  const { is_locked = null, boot_state = null } = root_of_trust ?? {}
  const { packages = null, signers = null } = app ?? {}
  return { level, is_locked, boot_state, packages: packages?.toSorted(), signers: signers?.toSorted(), os_version }
}

interface AndroidSample {
  readonly path: string
  readonly chain: readonly Buffer[]
  readonly challenge: Buffer
  readonly expected: Expected | null
  readonly now: number
}

function listAndroid(clones: string): readonly AndroidSample[] {
  const all = new Set(listFiles(clones, sources.google, '.json'))
  const files = listFiles(clones, sources.google, '.pem').filter(path => path.startsWith('testdata/'))
  return files.map(path => {
    const json = path.replace('.pem', '.json')
    const text = all.has(json) ? readFile(clones, sources.google, json).replace(/^\s*\/\/.*$/gm, '') : null
    const expected = text === null ? null : (JSON.parse(text) as Expected)
    const created = expected?.softwareEnforced.creationDateTime ?? expected?.hardwareEnforced.creationDateTime
    return {
      path,
      chain: readChain(readFile(clones, sources.google, path)),
      challenge: Buffer.from(expected?.attestationChallenge ?? '', 'base64'),
      expected,
      now: created === undefined ? Date.UTC(2026, 1, 1) : Number(created),
    }
  })
}

function verifySample({ chain, challenge, now }: Pick<AndroidSample, 'chain' | 'challenge' | 'now'>) {
  return verifyAndroid(chain, challenge, { roots, revoked: null, now })
}

/** @returns whether it was verified */
function tryWhole(sample: AndroidSample): boolean {
  const { path, expected } = sample
  try {
    const found = toFound(verifySample(sample))
    const wanted = expected === null ? null : toExpected(expected)
    const isSame = JSON.stringify(found) === JSON.stringify(wanted)
    const difference = isSame ? '= its JSON' : JSON.stringify([found, wanted])
    console.log(`verified ${path} ${found.level} ${found.boot_state} ${difference}`)
    return true
  } catch (error) {
    console.log(`refused  ${path}: ${error instanceof Error ? error.message : error}`)
    return false
  }
}

/** One certificate left out, doubled, or two exchanged. The root may be left out, as its key is known. */
function* changeOrder(chain: readonly Buffer[]): Generator<readonly Buffer[]> {
  for (let at = 0; at < chain.length - 1; at++) {
    const [one, next] = [chain[at], chain[at + 1]].map(certificate => certificate ?? Buffer.alloc(0))
    yield chain.toSpliced(at, 1)
    yield chain.toSpliced(at, 0, one ?? Buffer.alloc(0))
    yield chain.toSpliced(at, 2, ...[next, one].flatMap(certificate => certificate ?? []))
  }
}

function tryAndroid(clones: string): void {
  const samples = listAndroid(clones)
  const verified = samples.filter(tryWhole)
  const before = process.cpuUsage()
  for (let round = 0; round < 20; round++) for (const sample of verified) verifySample(sample)
  const { user, system } = process.cpuUsage(before)
  const each = (user + system) / 20_000 / verified.length
  console.log(`${verified.length} of ${samples.length} chains verified, ${each.toFixed(2)} ms of CPU each`)
  const [leaves, issuers, challenges, orders] = [newCount(), newCount(), newCount(), newCount()]
  for (const sample of verified) {
    const { chain, challenge } = sample
    chain.slice(0, -1).forEach((certificate, at) => {
      const into = at === 0 ? leaves : issuers
      tryChanges(into, certificate, changed => verifySample({ ...sample, chain: chain.with(at, changed) }))
    })
    tryChanges(challenges, challenge, changed => verifySample({ ...sample, challenge: changed }))
    for (const changed of changeOrder(chain)) {
      orders.tried++
      if (isAccepted(() => verifySample({ ...sample, chain: changed }))) orders.accepted++
    }
  }
  show('leaves with one bit changed', leaves)
  show('issuers with one bit changed', issuers)
  show('challenges with one bit changed', challenges)
  show('chains in another order', orders)
}

interface AppleSample {
  readonly name: string
  readonly object: Buffer
  readonly key_id: Buffer
  readonly challenge: Buffer
  readonly at: number
  readonly team: string
  readonly bundle: string
}

interface AssertionSample {
  readonly name: string
  readonly assertion: Buffer
  readonly data: Buffer
  readonly public_key: string
  readonly app_id: string
}

/** The one scalar of a line of YAML. */
function scalar(document: string, name: string): string {
  return new RegExp(`^${name}: ['"]?([^'"\\n]+)`, 'm').exec(document)?.[1] ?? ''
}

function decode(text: string): Buffer {
  return Buffer.from(text, 'base64')
}

function listApple(clones: string): { attestations: AppleSample[]; assertions: AssertionSample[] } {
  const attestations: AppleSample[] = []
  const assertions: AssertionSample[] = []
  const app = { team: 'V8H6LQ9448', bundle: 'io.uebelacker.AppAttestExample' }
  for (const name of ['production', 'development']) {
    const json = JSON.parse(readFile(clones, sources.node, `test/fixtures/attestation-${name}.json`))
    const [object, key_id, challenge] = [json.attestation, json.keyId, json.challenge].map(decode) as [
      Buffer,
      Buffer,
      Buffer,
    ]
    attestations.push({ name: `node-app-attest ${name}`, object, key_id, challenge, at: Date.UTC(2024, 1, 8), ...app })
  }
  const text = readFile(clones, sources.node, 'test/verifyAssertion.test.js')
  const [, assertion = ''] = /'(omlz[^']+)'/.exec(text) ?? []
  const [, key = ''] = /'(-----BEGIN PUBLIC KEY[^']+)'/.exec(text) ?? []
  const [, payload = ''] = /payload: '([^']+)'/.exec(text) ?? []
  const own = { name: 'node-app-attest', assertion: decode(assertion), data: Buffer.from(payload) }
  assertions.push({ ...own, public_key: key.replaceAll('\\n', '\n'), app_id: `${app.team}.${app.bundle}` })
  for (const path of listFiles(clones, sources.kotlin, '.yaml').filter(one => one.includes('/resources/ios')))
    for (const document of readFile(clones, sources.kotlin, path).split(/^---$/m)) {
      const name = path.split('/').at(-1) ?? ''
      const [team, bundle] = [scalar(document, 'teamIdentifier'), scalar(document, 'bundleIdentifier')]
      const data = decode(scalar(document, 'clientDataBase64'))
      if (scalar(document, 'type') === 'attestation')
        attestations.push({
          ...{ name, team, bundle, challenge: data, at: Date.parse(scalar(document, 'timestamp')) },
          ...{ object: decode(scalar(document, 'attestationBase64')), key_id: decode(scalar(document, 'keyIdBase64')) },
        })
      if (scalar(document, 'type') === 'assertion') {
        const [block = ''] = /-----BEGIN PUBLIC KEY-----[\s\S]+?-----END PUBLIC KEY-----/.exec(document) ?? []
        const public_key = block.replace(/^ +/gm, '')
        const assertion = decode(scalar(document, 'assertionBase64'))
        assertions.push({ name, assertion, data, public_key, app_id: `${team}.${bundle}` })
      }
    }
  return { attestations, assertions }
}

function receiptOf(object: Buffer): Buffer {
  const statement = findMember(readCbor(object), 'attStmt')
  return statement === null ? Buffer.alloc(0) : requireType(findMember(statement, 'receipt'), 'bytes')
}

function tryApple({ attestations, assertions }: ReturnType<typeof listApple>): void {
  const objects: Count = { tried: 0, accepted: 0 }
  const challenges: Count = { tried: 0, accepted: 0 }
  let cpu = 0
  for (const { name, object, key_id, challenge, at, team, bundle } of attestations) {
    const verify = (changed: Buffer, given: Buffer = challenge) =>
      verifyApple(changed, { key_id, challenge: given }, { roots, now: at })
    const { environment, app_id, os_version } = verify(object)
    console.log(
      `verified ${name}: ${environment} iOS ${os_version ?? '–'}, app ${app_id === null ? 'not named' : app_id === `${team}.${bundle}`}`,
    )
    const before = process.cpuUsage()
    for (let round = 0; round < 20; round++) verify(object)
    const { user, system } = process.cpuUsage(before)
    cpu += (user + system) / 20_000
    tryChanges(objects, object, changed => verify(changed), receiptOf(object))
    tryChanges(challenges, challenge, changed => verify(object, changed))
  }
  console.log(`${attestations.length} attestations verified, ${(cpu / attestations.length).toFixed(2)} ms of CPU each`)
  show('objects with one bit changed, but for the receipt, which is not read', objects)
  show('challenges with one bit changed', challenges)
  const changedAssertions: Count = { tried: 0, accepted: 0 }
  const changedData: Count = { tried: 0, accepted: 0 }
  for (const { name, assertion, data, public_key, app_id } of assertions) {
    const app_id_sha256 = createHash('sha256').update(app_id).digest('hex')
    const key = { public_key: createPublicKey(public_key), app_id_sha256 }
    console.log(`verified assertion of ${name}, counter ${verifyAssertion(assertion, data, key)}`)
    tryChanges(changedAssertions, assertion, changed => verifyAssertion(changed, data, key))
    tryChanges(changedData, data, changed => verifyAssertion(assertion, changed, key))
  }
  show('assertions with one bit changed', changedAssertions)
  show('data with one bit changed', changedData)
}

/** The parts of an object that no signature and no digest covers, by what this package accepts. */
async function tryPeer(peer: string, { attestations, assertions }: ReturnType<typeof listApple>): Promise<void> {
  const module = await import(join(peer, 'node_modules/node-app-attest/src/index.js'))
  const count: Count = { tried: 0, accepted: 0 }
  const outside: Count = { tried: 0, accepted: 0 }
  for (const { object, key_id, challenge, at, team, bundle } of attestations) {
    const accepts = (changed: Buffer): boolean => {
      try {
        const names = { keyId: key_id.toString('base64'), bundleIdentifier: bundle, teamIdentifier: team }
        module.verifyAttestation({ ...names, attestation: changed, challenge, allowDevelopmentEnvironment: true })
        return true
      } catch {
        return false
      }
    }
    if (!accepts(object)) console.log('the peer refuses an attestation that is whole')
    for (const changed of changeBits(object, receiptOf(object))) {
      const isOurs = isAccepted(() => verifyApple(changed, { key_id, challenge }, { roots, now: at }))
      count.tried++
      if (accepts(changed)) count.accepted++
      if (accepts(changed) && !isOurs) outside.accepted++
      outside.tried++
    }
  }
  show('node-app-attest, objects with one bit changed', count)
  show('of them, those that this package refuses', outside)
  const after: Count = { tried: 0, accepted: 0 }
  for (const { assertion, data, public_key, app_id } of assertions) {
    after.tried++
    const [teamIdentifier, ...bundle] = app_id.split('.')
    try {
      const trailing = Buffer.from([...assertion, 0])
      const names = { bundleIdentifier: bundle.join('.'), teamIdentifier, signCount: 0 }
      module.verifyAssertion({ ...names, assertion: trailing, payload: data, publicKey: public_key })
      after.accepted++
    } catch {
      // It is counted as refused.
    }
  }
  show('node-app-attest, assertions with bytes behind them', after)
  const expired = attestations.filter(
    ({ object }) => new X509Certificate(leafOf(object)).validToDate.getTime() < Date.now(),
  )
  console.log(`node-app-attest accepted ${expired.length} whose certificate has expired: it looks at no time`)
}

function leafOf(object: Buffer): Buffer {
  const from = object.indexOf(Buffer.from('x5c')) + 4
  return object.subarray(from + 3, from + 3 + object.readUInt16BE(from + 1))
}

const { values } = parseArgs({
  options: { clones: { type: 'string' }, peer: { type: 'string' }, only: { type: 'string' } },
})
if (values.clones === undefined) throw new Error('--clones: names the folder of the clones')
if (values.only !== 'apple') tryAndroid(values.clones)
const apple = listApple(values.clones)
tryApple(apple)
if (values.peer !== undefined) await tryPeer(values.peer, apple)
