import {
  answerDigital,
  createWalletIssuer,
  issueMdoc,
  type SyntheticCredential,
  specimenPerson,
  type WalletIssuer,
} from '@attestor/credentials/synthetic'
import test, { type ExecutionContext } from 'ava'
import { runAll } from 'durable-xstate-sql'
import { computeCoveredMac } from '../../src/database/forged_rows.ts'
import { deriveRowKey } from '../../src/database/row_mac.ts'
import { insert } from '../../src/database/schema.ts'
import { createApprovedFace, createApprovedFindings } from '../../src/engines/scripted.ts'
import { sweepCaptures } from '../../src/verification/erasure/retention.ts'
import { eachDialect, oneDialect, type TestEngine } from '../database.ts'
import { type Answer, kyc } from './client.ts'
import { type Opened, openTestRig, type Rig } from './rig.ts'

/** Not a picture that anything here reads: the scripted engine looks at none. */
const portrait = Buffer.from('a portrait')

async function trust(rig: Rig, issuers: readonly WalletIssuer[]): Promise<void> {
  const now = rig.clock.now()
  const { store, serviceKeys } = rig.node().service
  const rowKey = deriveRowKey(serviceKeys)
  await store.commit(function* () {
    yield* runAll(
      issuers.map(({ anchor: { certificate, may_sign } }) => {
        const { fingerprint, country, subject, not_after, der } = certificate
        const named = { fingerprint, kind: 'WALLET', country, subject, valid_until: not_after, der } as const
        const row = { ...named, imported_at: now, may_sign: may_sign.join(',') }
        return insert('trust_anchors', { ...row, mac: computeCoveredMac(rowKey, 'trust_anchors', row) })
      }),
    )
  })
}

interface WalletRig {
  readonly rig: Rig
  readonly issuer: WalletIssuer
  readonly credential: SyntheticCredential
}

async function open(t: ExecutionContext, engine: TestEngine): Promise<WalletRig> {
  const rig = await openTestRig(t, engine)
  const now = rig.clock.now()
  const issuer = createWalletIssuer('MDL', { country: 'SE' })
  await trust(rig, [issuer])
  rig.script(request => {
    const found = createApprovedFindings({ ...request, transaction_type: 'DOCUMENT_AND_BIOMETRIC' })
    const face = createApprovedFace(request)
    // The engine has the wallet's portrait where it has the printed one of others.
    const hasPortrait = request.chip_portrait != null
    const compared = hasPortrait ? { chip: { distance: 0.2, similarity: null, same_picture: false } } : {}
    return request.document_front === null
      ? { ...found, document: null, face: { ...face, reference: null, distance: null, similarity: null, ...compared } }
      : found
  })
  const credential = issueMdoc(issuer, { now: now - 3_600_000, person: { ...specimenPerson, portrait } })
  return { rig, issuer, credential }
}

interface OpenRequest {
  readonly request_id: string
  readonly requests: readonly { readonly protocol: string; readonly data: object }[]
  readonly link: string
}

async function begin(rig: Rig, config: object = { wallet: 'OFFER' }): Promise<Opened> {
  const opened = await rig.open({ document_policy: config })
  await opened.phone.start({})
  return opened
}

async function present(
  { rig, credential }: WalletRig,
  opened: Opened,
  options: object = {},
  protocol = 'openid4vp-v1-unsigned',
): Promise<Answer> {
  const { body } = await opened.phone.askWallet()
  const { request_id, requests } = body as unknown as OpenRequest
  const request = requests.find(one => one.protocol === protocol)
  if (request === undefined) throw new Error(`${protocol} is not offered`)
  const data = await answerDigital(credential, request, rig.node().url, { now: rig.clock.now(), ...options })
  return opened.phone.answerWallet(request_id, { protocol, data })
}

async function decide(rig: Rig, { id, phone }: Opened) {
  await phone.upload('selfie')
  await phone.liveness()
  const { status, text } = await phone.complete()
  if (status !== 202) throw new Error(text)
  await rig.idle()
  const { result_data } = (await rig.view(id)) as {
    result_data: {
      decision: string
      issues: { code: string }[]
      document: { status: string; data: Record<string, unknown> & { wallet?: object } }
      face_comparison: { status: string; data: { reference: string | null } }
    }
  }
  const codes = result_data.issues.map(({ code }) => code).filter(code => /WALLET|DOCUMENT/.test(code))
  return { ...result_data, codes }
}

for (const engine of eachDialect)
  test(`${engine.name}: a wallet answers in place of photographs, and its answer is kept like pictures`, async t => {
    const wallet = await open(t, engine)
    const { rig } = wallet
    const opened = await begin(rig)
    t.like((await opened.phone.session()).body, { wallet: { policy: 'OFFER', state: 'missing', attempts_left: 10 } })
    const answer = await present(wallet, opened)
    t.like(answer, { status: 200, body: { accepted: true, next_step: 'selfie', attempts_left: 9 } }, answer.text)
    t.like((await opened.phone.session()).body, { wallet: { state: 'captured', request_id: null } })
    const stored = await rig.rows(
      "SELECT content FROM captures WHERE transaction_id = ? AND kind = 'wallet'",
      opened.id,
    )
    t.is(stored.length, 1)
    const { decision, codes, document, face_comparison } = await decide(rig, opened)
    t.deepEqual([decision, codes], ['APPROVED', []])
    t.like(document.data, {
      source: 'WALLET',
      document_type: 'DRIVING_LICENSE',
      last_name: 'Eriksson',
      first_name: 'Anna Maria',
      date_of_birth: '1990-08-12',
      document_number: 'L898902C3',
      issuing_country: 'SE',
      expiry_date: '2034-02-01',
      mrz: null,
    })
    t.like(document.data.wallet, { status: 'PASSED', format: 'MDOC', credential_type: 'org.iso.18013.5.1.mDL' })
    t.like(face_comparison, { status: 'PASSED', data: { reference: 'DOCUMENT_WALLET' } })
    const token = await rig.token()
    const listed = (await rig.call('GET', `${kyc}/transaction/${opened.id}/captures`, { token })).body as {
      data: { kind: string }[]
    }
    t.deepEqual(
      listed.data.map(({ kind }) => kind).filter(kind => kind.includes('wallet')),
      ['document_wallet'],
    )
    await sweepCaptures(rig.node().service.store, rig.clock.now() + 1)
    t.is((await rig.rows("SELECT id FROM captures WHERE kind LIKE 'wallet%'")).length, 0)
  })

for (const engine of oneDialect) {
  test(`${engine.name}: a request is used once, in time, and by its own answer alone`, async t => {
    const wallet = await open(t, engine)
    const { rig, credential } = wallet
    const opened = await begin(rig)
    for (const options of [{ nonce: 'another' }, { origin: 'https://evil.example' }]) {
      t.is((await present(wallet, opened, options)).status, 422)
      t.like((await opened.phone.session()).body, { wallet: { state: 'missing' } })
    }
    const { request_id, requests } = (await opened.phone.askWallet()).body as unknown as OpenRequest
    const [request] = requests
    const data = await answerDigital(credential, request as OpenRequest['requests'][0], rig.node().url, {
      now: rig.clock.now(),
    })
    const sent = { protocol: request?.protocol, data }
    const newer = (await opened.phone.askWallet()).body as unknown as OpenRequest
    t.is((await opened.phone.answerWallet(request_id, sent)).status, 410, 'a newer request voids it')
    await rig.advance(301_000)
    t.is((await opened.phone.answerWallet(newer.request_id, sent)).status, 410, 'its time is over')
    t.is((await present(wallet, opened)).status, 200)
  })
}
