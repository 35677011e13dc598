import test, { type ExecutionContext } from 'ava'
import { switchAccount } from '../../src/identity/accounts/accounts.ts'
import { setApps } from '../../src/identity/accounts/apps.ts'
import { eachDialect, oneDialect } from '../database.ts'
import { rounds } from '../tier.ts'
import { type AttestedKey, attest, attestIos, makerSettings, signUpload, toChallenge } from './attested_phone.ts'
import { anotherTake, handoff, phoneOf, picture, sdk, startCall } from './client.ts'
import { type Opened, openTestRig, type Rig } from './rig.ts'

const android = { ...startCall.device, sdk_platform: 'android', os_version: '14' }
const ios = { ...startCall.device, sdk_platform: 'ios', os_version: '17.2.1' }

interface Attested {
  readonly key: AttestedKey
  readonly key_id: string
}

/** Starts a session, and attests its phone's key. */
async function attestPhone(
  t: ExecutionContext,
  { phone }: Opened,
  make: (challenge: Buffer) => AttestedKey = attest,
  device: object = android,
): Promise<Attested> {
  await phone.start({ ...startCall, device })
  const { challenge_id, challenge } = toChallenge(await phone.attestationChallenge())
  const key = make(challenge)
  const answer = await phone.attest({ challenge_id, ...key.json })
  t.is(answer.status, 200, answer.text)
  return { key, key_id: challenge_id }
}

let drawn = 0

/** Headers that sign an upload of the rig's present. */
function sign(rig: Rig, { key, key_id }: Attested, path: string, content: Uint8Array, change: object = {}) {
  const created = Math.floor(rig.clock.now() / 1000)
  const nonce = `nonce-of-a-capture-${++drawn}`
  return signUpload(content, { key, key_id, path: `${sdk}/${path}`, created, nonce, ...change })
}

type Signs = (path: string) => boolean

/** Captures everything but the last call; `signs` says which uploads are signed. */
async function capture(t: ExecutionContext, rig: Rig, { phone }: Opened, attested: Attested | null, signs: Signs) {
  const image = await picture(++drawn)
  const put = async (path: string, content: Buffer): Promise<void> => {
    const headers = attested !== null && signs(path) ? sign(rig, attested, path, content) : {}
    const answer = await phone.upload(path, content, headers)
    t.is(answer.status, 200, `${path}: ${answer.text}`)
  }
  await put('document/front', image)
  await put('selfie', await picture(++drawn))
  const { body } = await phone.challenge()
  for (const n of (body.actions as unknown[]).keys())
    await put(`liveness/${body.challenge_id}/${n}`, anotherTake(image))
}

interface Result {
  readonly decision: string
  readonly issues: readonly { readonly type: string; readonly code: string; readonly details?: object }[]
  readonly metadata: { readonly device: Record<string, unknown>; readonly attestation?: Record<string, unknown> }
}

async function finish(rig: Rig, { id, phone }: Opened): Promise<Result> {
  await phone.complete()
  await rig.idle()
  return (await rig.view(id)).result_data as Result
}

/** The scripted engine reads no printed surname, and the service has no database of addresses. */
const ofTheRig = ['SURNAME_NOT_EVALUABLE', 'GEO_IP_MISMATCH_NOT_EVALUABLE']

function listCodes({ issues }: Result): readonly string[] {
  return issues.map(({ code }) => code).filter(code => !ofTheRig.includes(code))
}

for (const engine of eachDialect) {
  test.serial(
    `On ${engine.name} an attested phone that signs its captures is approved, and proven in the result`,
    async t => {
      const rig = await openTestRig(t, engine, makerSettings)
      const { service } = rig.node()
      await switchAccount(service, rig.account.account_id, 'signed_captures', true)
      await setApps(service, rig.account.account_id, {
        android: [{ package: 'org.example.app', signer: 'ab'.repeat(32) }],
        ios: ['ABCDE12345.org.example.app'],
      })
      const policy = { on_unattested_device: 'REJECT', on_unlocked_bootloader: 'REJECT', on_other_app: 'REJECT' }
      for (const [make, device, level] of [
        [attest, android, 'TRUSTED_ENVIRONMENT'],
        [attestIos, ios, 'SECURE_ENCLAVE'],
      ] as const) {
        const opened = await rig.open({ device_policy: policy })
        const attested = await attestPhone(t, opened, make, device)
        await opened.phone.signals()
        await capture(t, rig, opened, attested, () => true)
        const result = await finish(rig, opened)
        t.deepEqual([result.decision, listCodes(result)], ['APPROVED', []])
        t.like(result.metadata.attestation, { security_level: level, is_own_app: true, signed_captures: 'ALL' })
      }
      // A maker's signatures are gone with their transaction, and encrypted until then.
      const stored = await rig.rows("SELECT content FROM captures WHERE kind = 'attestation'")
      t.is(stored.length, 2)
      t.false(stored.some(({ content }) => Buffer.from(content as Uint8Array).includes('org.example.app')))
    },
  )
}

for (const engine of oneDialect) {
  test.serial(`On ${engine.name} a challenge is answered once, in time, by the device that captures`, async t => {
    const rig = await openTestRig(t, engine, makerSettings)
    const opened = await rig.open()
    const { phone } = opened
    t.is((await phone.attestationChallenge()).status, 409, 'before the start')
    const { key_id, key } = await attestPhone(t, opened)
    t.is((await phone.attest({ challenge_id: key_id, ...key.json })).status, 410, 'a second time')
    const late = toChallenge(await phone.attestationChallenge())
    await rig.advance(120_000)
    t.is((await phone.attest({ challenge_id: late.challenge_id, ...attest(late.challenge).json })).status, 410)
    const earlier = toChallenge(await phone.attestationChallenge())
    const later = toChallenge(await phone.attestationChallenge())
    t.is((await phone.attest({ challenge_id: earlier.challenge_id, ...attest(earlier.challenge).json })).status, 410)
    const wrong = await phone.attest({ challenge_id: later.challenge_id, ...attest(earlier.challenge).json })
    t.deepEqual([wrong.status, wrong.body.error], [422, 'attestation: is of another challenge'])
    t.is(wrong.headers.get('x-error-code'), 'attestation_refused')
    const again = await phone.attest({ challenge_id: later.challenge_id, ...attest(later.challenge).json })
    t.is(again.status, 410, 'what attests nothing uses a challenge up')
    for (const json of [{ platform: 'android' }, { platform: 'ios' }, { platform: 'web' }, { certificates: [] }, {}])
      t.is((await phone.attest({ challenge_id: later.challenge_id, ...json })).status, 400)
    // Another device has attested nothing.
    const { body } = await phone.offerHandoff()
    const claimed = await rig.call('POST', handoff, { json: { code: body.code } })
    const other = { ...opened, phone: phoneOf(rig.call, String(claimed.body.sdk_token)) }
    const content = await picture(++drawn)
    const signed = sign(rig, { key, key_id }, 'selfie', content)
    const refused = await other.phone.upload('selfie', content, signed)
    t.is(refused.body.error, 'signature: this device has attested no key')
    await other.phone.signals()
    await capture(t, rig, other, null, () => false)
    t.is((await finish(rig, other)).metadata.attestation, undefined)
  })

  test.serial(`On ${engine.name} an upload that is not signed as it must be is refused, with the reason`, async t => {
    const rig = await openTestRig(t, engine, { ...makerSettings, RATE_LIMIT_REJECTED_IMAGES: '0' })
    await switchAccount(rig.node().service, rig.account.account_id, 'signed_captures', true)
    const opened = await rig.open()
    const attested = await attestPhone(t, opened)
    const content = await picture(++drawn)
    const now = Math.floor(rig.clock.now() / 1000)
    const refuse = async (error: string, headers: Record<string, string>, image: Uint8Array = content) => {
      const answer = await opened.phone.upload('selfie', image, headers)
      t.deepEqual([answer.status, answer.body.error], [422, error])
      t.is(answer.headers.get('x-error-code'), 'signature_refused')
    }
    const signed = (change: object = {}) => sign(rig, attested, 'selfie', content, change)
    await refuse('signature: is required, by the key that the device has attested', {})
    await refuse('signature: is wrong', signed({ path: `${sdk}/document/front` }))
    await refuse('signature: is wrong', signed({ method: 'POST' }))
    await refuse('signature: is wrong', signed({ key: attest(Buffer.alloc(32)) }))
    await refuse('content-digest: is not that of the body', signed(), await picture(++drawn))
    await refuse('signature-input: keyid must be the challenge_id that was attested', signed({ key_id: 'another' }))
    const time = 'signature-input: created must be within five minutes of server_time'
    for (const created of [now - 301, now + 301]) await refuse(time, signed({ created }))
    await refuse(
      'signature-input: nonce must be 16 to 64 characters of A-Z, a-z, 0-9, - and _',
      signed({ nonce: 'short' }),
    )
    const covers = 'signature-input: must cover @method, @path, content-digest, and may cover content-type'
    for (const components of [
      '("@method" "@path")',
      '("@method" "@path" "content-digest" "date")',
      '("@method";req "@path" "content-digest")',
    ])
      await refuse(covers, signed({ components }))
    await refuse(
      'signature-input: alg must be ecdsa-p256-sha256, and absent for App Attest',
      signed({ more: ';alg="rsa-pss-sha512"' }),
    )
    await refuse('signature-input: other is no parameter that is read', signed({ more: ';other=1' }))
    await refuse('signature-input: expires has passed', signed({ more: `;expires=${now - 1}` }))
    const { Signature, ...without } = signed()
    await refuse('signature: is required', without)
    await refuse('signature: must be one, of the label capture', { ...without, Signature: `other=:AAAA:` })
    await refuse('signature: must be a dictionary of RFC 9651', { ...without, Signature: 'capture=:AAAA' })
    await refuse('signature-input: must be one signature’s', { ...signed(), 'Signature-Input': 'capture' })
    const used = signed({ nonce: 'nonce-that-is-used-once', more: ';alg="ecdsa-p256-sha256"' })
    t.is((await opened.phone.upload('selfie', content, used)).status, 200)
    t.is((await opened.phone.upload('selfie', content, used)).status, 200, 'the same upload, repeated')
    const other = await picture(++drawn)
    const again = sign(rig, attested, 'document/front', other, { nonce: 'nonce-that-is-used-once' })
    const repeated = await opened.phone.upload('document/front', other, again)
    t.is(repeated.body.error, 'signature-input: the nonce was used before')
  })

  test.serial(`On ${engine.name} wrong signatures are counted, and limited`, async t => {
    const rig = await openTestRig(t, engine, {
      ...makerSettings,
      RATE_LIMIT_REJECTED_IMAGES: '2',
      METRICS_TOKEN: 'a-token-of-metrics',
    })
    const opened = await rig.open()
    const attested = await attestPhone(t, opened)
    const content = await picture(++drawn)
    const send = async () => {
      const headers = sign(rig, attested, 'document/front', content)
      return (await opened.phone.upload('selfie', content, headers)).status
    }
    t.deepEqual([await send(), await send(), await send()], [422, 422, 429])
    const metrics = await rig.call('GET', '/metrics', { token: 'a-token-of-metrics' })
    t.regex(metrics.text, /attestor_refused_proofs_total\{kind="signature"\} 3/)
  })
}

/** A device by its attestation, by its signatures, and by its reports. */
const attestations: Readonly<Record<string, ((challenge: Buffer) => AttestedKey) | null>> = {
  none: null,
  verified: attest,
  unlocked: challenge => attest(challenge, { is_locked: false, boot_state: 'UNVERIFIED' }),
  failed: challenge => attest(challenge, { boot_state: 'FAILED' }),
  ios: attestIos,
}
const signing: Readonly<Record<string, Signs>> = {
  none: () => false,
  some: path => path === 'selfie',
  all: () => true,
}
const reports: Readonly<Record<string, object>> = {
  clean: {},
  emulator: { is_emulator: true },
  rooted: { root_detected: true },
  'of an iPhone': { sdk_platform: 'ios' },
  'of Android': { sdk_platform: 'android' },
  'of another system': { os_version: '9' },
  silent: { is_emulator: null, root_detected: null, jailbreak_detected: null, os_version: null },
}

/** Returns the issues for a device of these three values, by the contradictions of each pair. */
function expectIssues(attestation: string, signed: string, report: string): readonly string[] {
  const isAttested = attestation !== 'none'
  const isCompromised = attestation === 'unlocked' || attestation === 'failed'
  const contradicts =
    isAttested &&
    (report === 'emulator' ||
      (report === 'rooted' && attestation === 'verified') ||
      (isCompromised && !['rooted', 'silent'].includes(report)) ||
      (report === 'of an iPhone' && attestation !== 'ios') ||
      (report === 'of Android' && attestation === 'ios') ||
      report === 'of another system' ||
      signed === 'some')
  return [
    ...(isCompromised || report === 'rooted' ? ['COMPROMISED_DEVICE'] : []),
    ...(report === 'emulator' ? ['EMULATOR_DETECTED'] : []),
    ...(attestation === 'unlocked' ? ['BOOTLOADER_UNLOCKED'] : []),
    ...(isAttested ? [] : ['DEVICE_NOT_ATTESTED']),
    ...(contradicts ? ['ATTESTATION_CONTRADICTED'] : []),
    // Only debuggers are reported then; the other facts about a device without an attestation are unknown.
    ...(report === 'silent' && !isAttested ? ['EMULATOR_NOT_EVALUABLE'] : []),
    ...(isAttested ? [] : ['BOOTLOADER_NOT_EVALUABLE']),
  ]
}

type Case = readonly [attestation: string, signed: string, report: string]

/** Each value of one beside each of another: without an attestation nothing can be signed. */
function listCases(): readonly Case[] {
  return Object.keys(attestations).flatMap(attestation =>
    Object.keys(signing)
      .filter(signed => attestation !== 'none' || signed === 'none')
      .flatMap(signed => Object.keys(reports).map(report => [attestation, signed, report] as const)),
  )
}

const warnings = {
  on_unattested_device: 'WARN',
  on_unlocked_bootloader: 'WARN',
  on_compromised_device: 'WARN',
  on_emulator: 'WARN',
}

async function tryCase(t: ExecutionContext, rig: Rig, [attestation, signed, report]: Case): Promise<readonly string[]> {
  const opened = await rig.open({ device_policy: warnings })
  const device = { ...(attestation === 'ios' ? ios : android), ...reports[report] }
  const make = attestations[attestation] ?? null
  const attested = make === null ? null : await attestPhone(t, opened, make, device)
  if (attested === null) await opened.phone.start({ ...startCall, device })
  await opened.phone.signals()
  await capture(t, rig, opened, attested, signing[signed] ?? (() => false))
  return listCodes(await finish(rig, opened))
}

for (const engine of oneDialect)
  test.serial(
    `On ${engine.name} attestation, signatures and reports that contradict each other are found, in every pair`,
    async t => {
      const rig = await openTestRig(t, engine, makerSettings)
      const every = rounds(37, 1)
      const cases = listCases().filter((_, at) => at % every === 0)
      for (const [attestation, signed, report] of cases) {
        const codes = await tryCase(t, rig, [attestation, signed, report])
        const expected = [...expectIssues(attestation, signed, report)].sort()
        t.deepEqual([...codes].sort(), expected, `${attestation}, ${signed} signed, ${report}`)
      }
    },
  )
