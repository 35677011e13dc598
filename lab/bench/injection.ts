/**
 * Injection attacks on an account that asks for attested devices: `node lab/bench/injection.ts [TRIES, 20 by default]`. Each
 * attacker has pictures that every rule over pixels takes, as the scripted engine does: what is left to stop them is that the
 * device proves what it is and signs each picture. Phones are of an invented maker. Each try is a session over HTTP, beside
 * the same attacker on an account that asks for nothing; as nothing is left to chance, all tries of a row should end alike.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { written } from '../../src/cli/intervals.ts'
import { switchAccount } from '../../src/identity/accounts/accounts.ts'
import { setApps } from '../../src/identity/accounts/apps.ts'
import { callTo } from '../../test/calls.ts'
import {
  type AttestationChallenge,
  type AttestedKey,
  attest,
  attestByNobody,
  attestIos,
  makerSettings,
  signUpload,
  toChallenge,
} from '../../test/service/attested_phone.ts'
import { kyc, type Phone, phoneOf, picture, sdk, startCall } from '../../test/service/client.ts'
import { startBenchNode } from './lifecycle_node.ts'
import { machine } from './measure.ts'

const tries = Number(process.argv[2] ?? 20)

const android = { ...startCall.device, sdk_platform: 'android', os_version: '14' }
const ios = { ...startCall.device, sdk_platform: 'ios', os_version: '17.2.1' }

type Attests = (challenge: AttestationChallenge) => AttestedKey

/** A phone that its owner changed says that it did not. */
interface Device {
  /** The way into the session; null for honest people. */
  readonly method: string | null
  readonly name: string
  readonly reports: object
  readonly attests: Attests | null
  /** Returns the picture that is signed instead of the one that is sent; null: none is signed. */
  readonly signs: ((sent: Buffer) => Promise<Buffer>) | null
}

let drawn = 0

async function itself(sent: Buffer): Promise<Buffer> {
  return sent
}

function another(): Promise<Buffer> {
  return picture(++drawn)
}

/** An honest phone's attestation, which it made for another session. */
const recorded = attest(Buffer.alloc(32, 5))

function byAndroid(facts: Parameters<typeof attest>[1] = {}): Attests {
  return ({ challenge }) => attest(challenge, facts)
}

const client = 'the device’s API, by a program'
const hook = 'a hooked app on a changed phone'

const devices: readonly Device[] = [
  { method: null, name: 'Android, its app signs', reports: android, attests: byAndroid(), signs: itself },
  {
    method: null,
    name: 'Android with a StrongBox',
    reports: android,
    attests: byAndroid({ level: 'STRONG_BOX' }),
    signs: itself,
  },
  { method: null, name: 'iOS', reports: ios, attests: ({ challenge }) => attestIos(challenge), signs: itself },
  { method: client, name: 'attests nothing', reports: android, attests: null, signs: null },
  {
    method: client,
    name: 'a chain of its own making',
    reports: android,
    attests: ({ challenge }) => attestByNobody(challenge),
    signs: itself,
  },
  {
    method: client,
    name: 'an attestation of another session',
    reports: android,
    attests: () => recorded,
    signs: itself,
  },
  {
    method: client,
    name: 'a key imported into the hardware',
    reports: android,
    attests: byAndroid({ origin: 2 }),
    signs: itself,
  },
  {
    method: 'an emulator',
    name: 'a key in software',
    reports: android,
    attests: byAndroid({ level: 'SOFTWARE' }),
    signs: itself,
  },
  {
    method: hook,
    name: 'bootloader unlocked',
    reports: android,
    attests: byAndroid({ is_locked: false, boot_state: 'UNVERIFIED' }),
    signs: itself,
  },
  {
    method: hook,
    name: 'a system of its own, locked',
    reports: android,
    attests: byAndroid({ boot_state: 'FAILED' }),
    signs: itself,
  },
  {
    method: 'an app of the attacker’s',
    name: 'another package',
    reports: android,
    attests: byAndroid({ packages: ['org.attacker.app'] }),
    signs: itself,
  },
  {
    method: 'an app of the attacker’s',
    name: 'the same package, signed by another',
    reports: android,
    attests: byAndroid({ signers: ['cd'.repeat(32)] }),
    signs: itself,
  },
  {
    method: 'an app of the attacker’s',
    name: 'another bundle, iOS',
    reports: ios,
    attests: ({ challenge }) => attestIos(challenge, { app_id: 'ZYXWV98765.org.attacker.app' }),
    signs: itself,
  },
  {
    method: 'between app and service',
    name: 'pictures exchanged after they were signed',
    reports: android,
    attests: byAndroid(),
    signs: another,
  },
  {
    method: 'between app and service',
    name: 'signatures taken away',
    reports: android,
    attests: byAndroid(),
    signs: null,
  },
  {
    method: 'the camera’s pictures, on a phone that boots as it should',
    name: 'a broken kernel, or a jailbreak',
    reports: android,
    attests: byAndroid(),
    signs: itself,
  },
  {
    method: 'none: a screen before the camera',
    name: 'an honest phone',
    reports: android,
    attests: byAndroid(),
    signs: itself,
  },
]

const folder = mkdtempSync(join(tmpdir(), 'attestor-injection-'))

/** A service whose account asks for nothing, or for an attested device that signs. */
async function open(asks: boolean) {
  const { node, access_token, account_id } = await startBenchNode({
    ...makerSettings,
    PORT: '0',
    LOG_LEVEL: 'error',
    MASTER_KEY: Buffer.alloc(32, 7).toString('base64'),
    DATABASE_URL: `sqlite:${folder}/${asks ? 'asks' : 'plain'}.sqlite`,
    RATE_LIMIT_REJECTED_IMAGES: '0',
  })
  const call = callTo(() => node.url)
  while ((await call('GET', '/readyz')).status !== 200) await new Promise(setImmediate)
  if (asks) {
    await switchAccount(node.service, account_id, 'signed_captures', true)
    await setApps(node.service, account_id, {
      android: [{ package: 'org.example.app', signer: 'ab'.repeat(32) }],
      ios: ['ABCDE12345.org.example.app'],
    })
  }
  const device_policy = asks
    ? { on_unattested_device: 'REJECT', on_unlocked_bootloader: 'REJECT', on_other_app: 'REJECT' }
    : {}
  return {
    node,
    openSession: async (): Promise<Phone> => {
      const json = { external_customer_id: crypto.randomUUID() }
      const { customer_id } = (await call('POST', `${kyc}/customer`, { token: access_token, json })).body
      const body = { customer_id, transaction_type: 'DOCUMENT_AND_BIOMETRIC', config: { device_policy } }
      const { sdk_token } = (await call('POST', `${kyc}/transaction`, { token: access_token, json: body })).body
      return phoneOf(call, String(sdk_token))
    },
  }
}

/**
 * Returns the outcome of a session, or the error that ended it. A phone whose attestation is refused goes on without
 * one.
 */
async function run(phone: Phone, { reports, attests, signs }: Device): Promise<string> {
  await phone.start({ ...startCall, device: reports })
  const challenge = attests && toChallenge(await phone.attestationChallenge())
  let key = challenge && attests(challenge)
  if (challenge && key) {
    const answer = await phone.attest({ challenge_id: challenge.challenge_id, ...key.json })
    if (answer.status !== 200) key = null
  }
  await phone.signals()
  const put = async (path: string): Promise<string | null> => {
    const content = await picture(++drawn)
    const headers =
      key && challenge && signs
        ? signUpload(await signs(content), {
            key,
            key_id: challenge.challenge_id,
            path: `${sdk}/${path}`,
            created: Math.floor(Date.now() / 1000),
            nonce: `nonce-of-a-capture-${++drawn}`,
          })
        : {}
    const answer = await phone.upload(path, content, headers)
    return answer.status === 200 ? null : String(answer.headers.get('x-error-code'))
  }
  for (const path of ['document/front', 'selfie']) {
    const refused = await put(path)
    if (refused) return refused
  }
  const { body } = await phone.challenge()
  for (const n of (body.actions as unknown[]).keys()) {
    const refused = await put(`liveness/${body.challenge_id}/${n}`)
    if (refused) return refused
  }
  await phone.complete()
  return String((await phone.result('60')).body.outcome)
}

async function count(device: Device, openSession: () => Promise<Phone>) {
  const outcomes: string[] = []
  for (let n = 0; n < tries; n++) outcomes.push(await run(await openSession(), device))
  return {
    approved: outcomes.filter(outcome => outcome === 'APPROVED').length,
    otherwise: [...new Set(outcomes.filter(outcome => outcome !== 'APPROVED'))],
  }
}

const [plain, asking] = [await open(false), await open(true)]
console.log(`${machine()}\n`)
const attackers = [
  '| Method | Species | Plain account: approved | Asking account: approved | Otherwise |',
  '| - | - | - | - | - |',
]
const honest = ['| Honest people with | Plain account: not approved | Asking account: not approved |', '| - | - | - |']
for (const device of devices) {
  const [before, after] = [await count(device, plain.openSession), await count(device, asking.openSession)]
  if (device.method === null) {
    const refused = [before, after].map(({ approved }) => written(tries - approved, tries))
    honest.push(`| ${device.name} | ${refused.join(' | ')} |`)
  } else {
    const approved = [before, after].map(one => written(one.approved, tries))
    const codes = after.otherwise.map(code => `\`${code}\``).join(', ')
    attackers.push(`| ${device.method} | ${device.name} | ${approved.join(' | ')} | ${codes} |`)
  }
}
console.log([...attackers, '', ...honest].join('\n'))
await plain.node.stop()
await asking.node.stop()
rmSync(folder, { recursive: true, force: true })
