import { X509Certificate } from 'node:crypto'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  answerDigital,
  answerLink,
  createWalletIssuer,
  createWalletParty,
  issueMdoc,
  type SyntheticCredential,
  specimenPerson,
  type WalletIssuer,
} from '@attestor/credentials/synthetic'
import test, { type ExecutionContext } from 'ava'
import type { Environment } from '../../src/config/settings.ts'
import { createApprovedFace, createApprovedFindings } from '../../src/engines/scripted.ts'
import { commandLine } from '../../src/identity/operators/audit.ts'
import { sweepCaptures } from '../../src/verification/erasure/retention.ts'
import { importWalletTrust } from '../../src/wallet/import_trust.ts'
import type { Answer } from '../calls.ts'
import { eachDialect, oneDialect, type TestEngine } from '../database.ts'
import { kyc } from '../service/client.ts'
import { type Opened, openTestRig, type Rig } from '../service/rig.ts'

/** Not a picture that anything here reads: the scripted engine looks at none. */
const portrait = Buffer.from('a portrait')

async function trust(rig: Rig, issuers: readonly WalletIssuer[]): Promise<void> {
  for (const { anchor, credential } of issuers)
    await importWalletTrust(rig.node().service, [anchor.certificate.der], [credential], commandLine)
}

interface WalletRig {
  readonly rig: Rig
  readonly issuer: WalletIssuer
  readonly credential: SyntheticCredential
}

async function open(t: ExecutionContext, engine: TestEngine, settings: Environment = {}): Promise<WalletRig> {
  const rig = await openTestRig(t, engine, settings)
  const now = rig.clock.now()
  const issuer = createWalletIssuer('MDL', { country: 'SE' })
  await trust(rig, [issuer])
  rig.script(request => {
    const found = createApprovedFindings({ ...request, transaction_type: 'DOCUMENT_AND_BIOMETRIC' })
    const face = createApprovedFace(request)
    // The engine has the wallet's portrait where it has the printed one of others.
    const hasPortrait = request.signed_portrait != null
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

for (const engine of oneDialect)
  test(`${engine.name}: a request survives a killed node, and so does its answer`, async t => {
    const wallet = await open(t, engine)
    const { rig, credential } = wallet
    const opened = await begin(rig, { wallet: 'REQUIRE' })
    const { request_id, requests } = (await opened.phone.askWallet()).body as unknown as OpenRequest
    const request = requests.find(({ protocol }) => protocol === 'org-iso-mdoc') as OpenRequest['requests'][0]
    const data = await answerDigital(credential, request, rig.node().url, { now: rig.clock.now() })
    const sent = { protocol: request.protocol, data }
    await rig.end(false)
    await rig.begin()
    const answers = await Promise.all([1, 2, 3].map(() => opened.phone.answerWallet(request_id, sent)))
    t.true(
      answers.every(({ status }) => status === 200),
      answers.map(({ text }) => text).join(),
    )
    await rig.end(false)
    await rig.begin()
    const journal = await rig.rows(
      "SELECT sequence FROM journal WHERE actor_id = ? AND event LIKE '%WALLET_ANSWERED%'",
      opened.id,
    )
    t.is(journal.length, 1, 'used once')
    t.is((await opened.phone.answerWallet(request_id, sent)).status, 200, 'the same answer again')
    t.like(await decide(rig, opened), { decision: 'APPROVED', codes: [] })
  })

/** The status that an answer gets whose body never comes, though it is announced. */
function answerWithoutBody(rig: Rig, path: string): Promise<number | undefined> {
  const { promise, resolve, reject } = Promise.withResolvers<number | undefined>()
  const headers = { 'Content-Type': 'application/x-www-form-urlencoded', 'Content-Length': 1024 * 1024 }
  const sent = request(new URL(path, rig.node().url), { method: 'POST', headers }, response => {
    resolve(response.statusCode)
    response.destroy()
  })
  sent.on('error', reject).flushHeaders()
  return promise
}

for (const engine of oneDialect) {
  test(`${engine.name}: photographs are taken if the wallet gives no answer, unless it is required`, async t => {
    const { rig } = await open(t, engine)
    const offered = await begin(rig)
    await offered.phone.askWallet()
    t.is((await offered.phone.upload('document/front')).status, 409, 'the wallet is asked')
    t.is((await offered.phone.drop('document_wallet')).status, 204)
    t.is((await offered.phone.upload('document/front')).status, 200)
    const required = await begin(rig, { wallet: 'REQUIRE' })
    t.is((await required.phone.upload('document/front')).status, 409)
    t.like((await required.phone.session()).body, { next_step: 'document_wallet' })
    await required.phone.upload('selfie')
    await required.phone.liveness()
    t.like(await required.phone.complete(), { status: 409, body: { error: 'steps: document_wallet missing' } })
    const ignored = await begin(rig, {})
    t.is((await ignored.phone.askWallet()).status, 409)
    const { body } = await ignored.phone.session()
    t.is(body.wallet, null)
    t.false(JSON.stringify(body.steps).includes('wallet'))
  })

  test(`${engine.name}: a wallet elsewhere answers by the link, signed or not`, async t => {
    const folder = mkdtempSync(join(tmpdir(), 'wallet-'))
    const party = createWalletParty('localhost')
    const certificate = new X509Certificate(party.certificates[0] as Buffer).toString()
    writeFileSync(join(folder, 'party.pem'), certificate)
    writeFileSync(join(folder, 'key.pem'), party.key.export({ format: 'pem', type: 'pkcs8' }))
    const files = { WALLET_CERTIFICATE_FILE: join(folder, 'party.pem'), WALLET_KEY_FILE: join(folder, 'key.pem') }
    for (const settings of [{}, files]) {
      const { rig, credential } = await open(t, engine, settings)
      const opened = await begin(rig)
      const { link, requests } = (await opened.phone.askWallet()).body as unknown as OpenRequest
      t.is(
        requests.some(({ protocol }) => protocol === 'openid4vp-v1-signed'),
        settings === files,
      )
      const by = new URL(link).searchParams.get('request_uri')
      const form = { wallet_nonce: 'of the wallet' }
      const fetched = by === null ? link : (await rig.call('POST', new URL(by).pathname, { form })).text
      if (by !== null) t.is((await rig.call('GET', new URL(by).pathname)).status, 200, 'as often as it wants')
      const answer = await answerLink(credential, fetched, { now: rig.clock.now() })
      const path = new URL(answer.response_uri).pathname
      t.is(
        (await rig.call('POST', path.replace(/.{8}\/response/, '00000000/response'), { form: answer.form })).status,
        410,
      )
      t.is(await answerWithoutBody(rig, path.replace(/.{8}\/response/, '00000000/response')), 410, 'none is awaited')
      const many = Object.fromEntries(Array.from({ length: 51 }, (_, n) => [`m${n}`, '']))
      for (const [costly, error] of [
        [many, 'body: must have at most 50 parameters'],
        [{ vp_token: '['.repeat(100) }, 'body: is nested too deeply'],
      ] as const)
        t.like(await rig.call('POST', path, { form: costly }), { status: 400, body: { error } }, 'and is no answer')
      if (by !== null)
        t.is((await rig.call('POST', new URL(by).pathname, { form: many })).status, 400, 'before it is looked for')
      const posted = await rig.call('POST', path, { form: answer.form })
      t.is(posted.status, 200, posted.text)
      t.is(posted.body.redirect_uri, `${rig.node().url}/verify#wallet`, 'OpenID4VP 1.0, 8.2')
      t.like((await opened.phone.session()).body, { wallet: { state: 'captured' } })
      t.like(await decide(rig, opened), { decision: 'APPROVED', codes: [] })
      await rig.close()
    }
  })

  test(`${engine.name}: a claim that a wallet’s answer leaves out is named, and decides where it was needed`, async t => {
    const wallet = await open(t, engine)
    const elements = wallet.credential.format === 'MDOC' ? [...wallet.credential.items.keys()] : []
    const without = (name: string): readonly string[] => elements.filter(one => one !== name)
    const asked = ['last_name', 'date_of_birth', 'portrait']
    const few = { wallet: 'OFFER', wallet_claims: asked }
    // A driving licence has no personal number.
    const always = ['personal_number']
    for (const [disclose, config, decision, codes, withheld] of [
      [without('birth_date'), undefined, 'UNDETERMINED', ['DOCUMENT_INCOMPLETE'], ['date_of_birth', ...always]],
      [without('document_number'), undefined, 'APPROVED', [], ['document_number', ...always]],
      [without('portrait'), undefined, 'UNDETERMINED', ['WALLET_WITHOUT_PORTRAIT'], [...always, 'portrait']],
      [['expiry_date'], few, 'UNDETERMINED', ['DOCUMENT_INCOMPLETE', 'WALLET_WITHOUT_PORTRAIT'], asked],
      [elements, few, 'APPROVED', [], []],
    ] as const) {
      const opened = await begin(wallet.rig, config)
      t.is((await present(wallet, opened, { disclose })).status, 200)
      const found = await decide(wallet.rig, opened)
      t.like(found, { decision, codes }, withheld.join())
      const { wallet: shown, ...data } = found.document.data
      t.like(shown, { status: 'PASSED', withheld }, 'it is proven all the same')
      for (const claim of withheld) if (claim !== 'portrait') t.is(data[claim], null, claim)
      if (config === few) t.is(data.expiry_date, null, 'what was not asked for is not kept')
    }
  })

  test(`${engine.name}: a wallet with an unknown issuer is not believed`, async t => {
    const wallet = await open(t, engine)
    const { rig } = wallet
    const stranger = createWalletIssuer('MDL', { country: 'SE' })
    const credential = issueMdoc(stranger, { now: rig.clock.now() - 1000, person: { ...specimenPerson, portrait } })
    const opened = await begin(rig)
    t.is((await present({ ...wallet, credential }, opened)).status, 200)
    const { decision, codes } = await decide(rig, opened)
    t.is(decision, 'UNDETERMINED')
    t.true(codes.includes('WALLET_ISSUER_UNKNOWN'), codes.join())
  })
}
