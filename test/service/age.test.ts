import { answerDigital, createWalletIssuer, issueMdoc, specimenPerson } from '@attestor/credentials/synthetic'
import test, { type ExecutionContext } from 'ava'
import { createApprovedFindings } from '../../src/engines/scripted.ts'
import { commandLine } from '../../src/identity/operators/audit.ts'
import { prove } from '../../src/verification/evidence/prove.ts'
import { importWalletTrust } from '../../src/wallet/import_trust.ts'
import { poll } from '../awaited.ts'
import type { Answer } from '../calls.ts'
import { oneDialect } from '../database.ts'
import { isLong } from '../tier.ts'
import { kyc, phoneOf, signalsCall, startCall } from './client.ts'
import {
  canary,
  countFound,
  decryptAll,
  describeCanary,
  drawCanary,
  listCiphertexts,
  listNames,
  listNeedles,
  openTraceSink,
  readAnswers,
  readBackup,
  readServerFiles,
  readStored,
} from './forgotten_person.ts'
import { getResult, listCodes } from './outcomes.ts'
import { type Opened, openTestRig, type Rig } from './rig.ts'

function openAge(rig: Rig, config: object = {}): Promise<Opened> {
  return rig.open({ age: { over: 18 }, ...config }, { transaction_type: 'AGE' })
}

/** A person's document says that they were born on this day. */
function bornOn(rig: Rig, date_of_birth: string): void {
  rig.script(request => {
    const found = createApprovedFindings(request)
    const mrz = found.document?.mrz ?? null
    return { ...found, document: found.document && { ...found.document, mrz: mrz && { ...mrz, date_of_birth } } }
  })
}

/** The wallet of a person, which answers for their age. */
async function openWallet(rig: Rig, credential: 'AGE' | 'MDL', ages: Readonly<Record<number, boolean>>) {
  const issuer = createWalletIssuer(credential, { country: 'SE' })
  await importWalletTrust(rig.node().service, [issuer.anchor.certificate.der], [credential], commandLine)
  const issued = issueMdoc(issuer, { now: rig.clock.now() - 3_600_000, person: { ...specimenPerson, ages } })
  return async ({ phone }: Opened, options: object = {}): Promise<Answer> => {
    const { body, text, status } = await phone.askWallet()
    if (status !== 201) throw new Error(text)
    const [request] = body.requests as readonly { readonly protocol: string; readonly data: object }[]
    if (request === undefined) throw new Error('nothing is asked')
    const data = await answerDigital(issued, request, rig.node().url, { now: rig.clock.now(), ...options })
    return phone.answerWallet(String(body.request_id), { protocol: request.protocol, data })
  }
}

async function finish(rig: Rig, { id, phone }: Opened) {
  const { status, text } = await phone.complete()
  if (status !== 202) throw new Error(text)
  await rig.idle()
  return rig.view(id)
}

/** Nothing is stored of the person but the answer, and all that is stored is proven. */
async function checkForgotten(t: ExecutionContext, rig: Rig, { id }: Opened): Promise<void> {
  t.deepEqual(await rig.rows('SELECT id FROM captures WHERE transaction_id = ?', id), [])
  const [row] = await rig.rows('SELECT snapshot, country, expected_data FROM transactions WHERE id = ?', id)
  const { context } = JSON.parse(String(row?.snapshot)) as { context: Readonly<Record<string, unknown>> }
  for (const name of ['facts', 'front', 'back', 'selfie', 'signals', 'challenge', 'chip', 'wallet', 'wallet_request'])
    t.is(context[name], null, name)
  t.deepEqual([row?.country, row?.expected_data], [null, null])
  t.deepEqual((await prove(rig.node().service, null)).broken, [])
}

for (const engine of oneDialect) {
  test(`${engine.name}: a wallet proves an age, and nothing else is asked or kept`, async t => {
    const rig = await openTestRig(t, engine)
    const present = await openWallet(rig, 'AGE', { 18: true })
    const opened = await openAge(rig, { document_policy: { wallet: 'OFFER' } })
    await opened.phone.start()
    const asked = (await opened.phone.askWallet()).text
    t.true(asked.includes('age_over_18'))
    t.false(/family_name|birth_date|portrait/.test(asked))
    t.like(await present(opened), { status: 200, body: { accepted: true, next_step: null } })
    const session = (await opened.phone.session()).body
    t.deepEqual(
      (session.steps as { step: string }[]).map(({ step }) => step),
      ['document_wallet'],
    )
    t.is((await opened.phone.upload('selfie')).status, 409, 'no face is taken')
    t.is((await opened.phone.challenge()).status, 409)
    const view = await finish(rig, opened)
    t.deepEqual(view.result_data, {
      decision: 'APPROVED',
      issues: getResult(view).issues,
      age: { over: 18, is_over: true, source: 'WALLET' },
    } as never)
    t.true(listCodes(view).every(code => code.endsWith('NOT_EVALUABLE') || code.includes('G')))
    await checkForgotten(t, rig, opened)
    const path = `${kyc}/transaction/${opened.id}`
    const { payload } = JSON.parse((await rig.call('GET', `${path}/evidence`, { token: await rig.token() })).text)
    const evidence = JSON.parse(Buffer.from(payload, 'base64url').toString())
    t.deepEqual(evidence.trace.age, { over: 18, is_over: true, source: 'WALLET' })
    t.deepEqual(evidence.trace.measured, {})
  })
}

for (const engine of oneDialect) {
  test(`${engine.name}: a document with a face proves an age, and is gone with the decision`, async t => {
    const rig = await openTestRig(t, engine)
    for (const [born, decision, is_over] of [
      ['800101', 'APPROVED', true],
      ['200101', 'REJECTED', false],
    ] as const) {
      bornOn(rig, born)
      const opened = await openAge(rig)
      await opened.phone.capture()
      const held = await rig.rows('SELECT id FROM captures WHERE transaction_id = ?', opened.id)
      t.true(held.length > 5)
      const token = await rig.token()
      const path = `${kyc}/transaction/${opened.id}/captures`
      t.deepEqual((await rig.call('GET', path, { token })).body, { data: [] }, 'shown to nobody')
      t.is((await rig.call('GET', `${path}/${held[0]?.id}`, { token })).status, 404)
      const view = await finish(rig, opened)
      t.like(view.result_data, { decision, age: { over: 18, is_over, source: 'ZONE' } })
      t.deepEqual(Object.keys(view.result_data as object), ['decision', 'issues', 'age'])
      await checkForgotten(t, rig, opened)
    }
  })
}

for (const engine of oneDialect) {
  test(`${engine.name}: an age that nobody answered leaves nothing behind either`, async t => {
    const rig = await openTestRig(t, engine)
    const cancelled = await openAge(rig)
    await cancelled.phone.capture()
    t.is((await cancelled.phone.cancel()).status, 200)
    t.is((await rig.view(cancelled.id)).status, 'FAILED')
    await checkForgotten(t, rig, cancelled)
    const expired = await openAge(rig, { transaction_ttl_minutes: 5 })
    await expired.phone.capture()
    await rig.advance(301_000)
    t.is((await rig.view(expired.id)).status, 'EXPIRED')
    await checkForgotten(t, rig, expired)
  })

  test(`${engine.name}: a test account scripts each answer`, async t => {
    const rig = await openTestRig(t, engine, {}, 'test')
    const play = async (script: object): Promise<readonly unknown[]> => {
      const opened = await openAge(rig, { test: script })
      await opened.phone.capture()
      const { decision, age } = (await finish(rig, opened)).result_data as {
        decision: string
        age: { is_over: unknown }
      }
      await checkForgotten(t, rig, opened)
      return [decision, age.is_over]
    }
    t.deepEqual(await play({ decision: 'APPROVED' }), ['APPROVED', true])
    t.deepEqual(await play({ decision: 'REJECTED' }), ['REJECTED', false])
    t.deepEqual(await play({ decision: 'UNDETERMINED' }), ['UNDETERMINED', null])
    t.deepEqual(await play({ issues: ['FACE_MISMATCH'] }), ['REJECTED', null])
    const [token, customer_id] = [await rig.token(), await rig.customer()]
    const json = { customer_id, transaction_type: 'BIOMETRIC_ONLY', config: { test: { issues: ['AGE_NOT_REACHED'] } } }
    const { body } = await rig.call('POST', `${kyc}/transaction`, { token, json })
    t.is(body.error, 'config.test.issues: AGE_NOT_REACHED needs transaction_type AGE')
  })

  test(`${engine.name}: an AGE transaction asks for an age and for nothing else`, async t => {
    const rig = await openTestRig(t, engine)
    const token = await rig.token()
    const customer_id = await rig.customer()
    const refused = async (config: object, transaction_type = 'AGE'): Promise<unknown> => {
      const json = { customer_id, transaction_type, config }
      const { status, body } = await rig.call('POST', `${kyc}/transaction`, { token, json })
      return status === 400 ? body.error : status
    }
    const age = { over: 18 }
    const cases: readonly (readonly [object, string | number])[] = [
      [{}, 'config.age.over: is required'],
      [
        { age, expected_data: { last_name: 'X' } },
        'config.expected_data: must be absent: an AGE transaction compares no identity',
      ],
      [
        { age, document_policy: { wallet_claims: ['portrait'] } },
        'config.document_policy.wallet_claims: must be absent: an AGE transaction asks a wallet for the age alone',
      ],
      [
        { age, document_policy: { unknown_document: 'MATCH_EXPECTED' } },
        'config.document_policy.unknown_document: must be IGNORE: an AGE transaction compares no identity',
      ],
      [
        { age, fraud_policy: { on_document_of_another_customer: 'WARN' } },
        'config.fraud_policy.on_document_of_another_customer: must be IGNORE: an AGE transaction keeps nothing to compare with',
      ],
      [{ age, document_policy: { wallet: 'REQUIRE' }, fraud_policy: { on_face_of_another_customer: 'IGNORE' } }, 201],
    ]
    for (const [config, error] of cases) t.is(await refused(config), error)
    t.is(
      await refused({ age }, 'DOCUMENT_AND_BIOMETRIC'),
      'config.age: must be absent: only an AGE transaction asks for an age',
    )
  })
}

/** Everything that could show the person after the end, by its name. */
async function readPlaces(rig: Rig, opened: Opened, traces: () => Buffer): Promise<Readonly<Record<string, Buffer>>> {
  const decrypted = (await decryptAll(rig)).map(([, plain]) => plain)
  return {
    stored: await readStored(rig),
    decrypted: Buffer.concat(decrypted),
    backup: await readBackup(rig),
    log: Buffer.from(JSON.stringify(rig.lines)),
    metrics: Buffer.from((await rig.call('GET', '/metrics', { token: metricsToken })).text),
    traces: traces(),
    webhooks: Buffer.from(JSON.stringify(rig.hook.received)),
    answers: await readAnswers(rig, opened),
  }
}

const metricsToken = 'the-token-of-the-canary-test-metrics'

for (const engine of oneDialect)
  test.serial(`${engine.name}: after the decision no search finds the person, with every key at hand`, async t => {
    const sink = await openTraceSink(t)
    const environment = { OTEL_EXPORTER_OTLP_ENDPOINT: sink.url, OTEL_BSP_SCHEDULE_DELAY: '1' }
    // The SDK reads it by itself.
    Object.assign(process.env, environment)
    t.teardown(() => {
      for (const name of Object.keys(environment)) delete process.env[name]
    })
    const settings = { ...environment, METRICS_TOKEN: metricsToken, TRUSTED_PROXY_HOPS: '1' }
    const rig = await openTestRig(t, engine, settings)
    rig.script(request => describeCanary(createApprovedFindings(request)))
    const [front, selfie] = [await drawCanary(), await drawCanary()]
    const pictures = [front, selfie]
    const capture = async ({ sdk_token }: Opened): Promise<void> => {
      const headers = { 'X-Forwarded-For': canary.ip_address }
      const phone = phoneOf((method, path, options) => rig.call(method, path, { ...options, headers }), sdk_token)
      const { device_model, latitude, longitude } = canary
      await phone.start({ ...startCall, device: { ...startCall.device, device_model } })
      const place = { latitude: Number(latitude), longitude: Number(longitude) }
      await phone.signals({ ...signalsCall, geolocation: { ...signalsCall.geolocation, ...place } })
      t.is((await phone.upload('document/front', front)).status, 200)
      t.is((await phone.upload('selfie', selfie)).status, 200)
      await phone.liveness()
    }
    const opened = await openAge(rig)
    await capture(opened)
    const needles = listNeedles(pictures)
    const ciphertexts = await listCiphertexts(rig, opened.id)
    const names = await listNames(rig, opened, pictures)
    t.true(ciphertexts.length > 16)
    // The search is one that finds: what is encrypted is there, and with the keys so is the person.
    const before = await readPlaces(rig, opened, sink.bytes)
    t.is(countFound(before.stored as Buffer, ciphertexts), ciphertexts.length)
    t.is(countFound(before.decrypted as Buffer, [front, selfie, Buffer.from(canary.ip_address)]), 3)
    t.is((await finish(rig, opened)).status, 'FINISHED')
    const isCleared = async () => countFound(await readStored(rig), ciphertexts) === 0
    await poll(isCleared, undefined, 'the database forgets')
    const files = engine.name === 'MariaDB' && isLong ? await readServerFiles(rig) : new Map<string, Buffer>()
    for (const [file, bytes] of files) {
      t.is(countFound(bytes, needles), 0, file)
      // Freed pages and logs keep what was encrypted until they are written again.
      const kept = countFound(bytes, ciphertexts)
      if (kept > 0) t.log(`${file.split('/').at(-1)}: ${kept} of ${ciphertexts.length} pieces`)
    }
    const after = await readPlaces(rig, opened, sink.bytes)
    for (const [place, bytes] of Object.entries(after)) {
      t.true(bytes.length > 100, place)
      const found = needles.filter(needle => bytes.includes(needle)).map(needle => needle.toString('latin1'))
      t.deepEqual(found, [], `${place}: what was captured`)
      t.is(countFound(bytes, ciphertexts), 0, `${place}: what was encrypted`)
      t.is(countFound(bytes, names), 0, `${place}: the names of the pictures in the journal`)
    }
    await checkForgotten(t, rig, opened)
    // The same person in a transaction that says who they are: each of these searches finds them.
    const known = await rig.open()
    await capture(known)
    await finish(rig, known)
    const control = await readPlaces(rig, known, sink.bytes)
    t.true(countFound(control.decrypted as Buffer, needles) > 8)
    t.true(countFound(control.answers as Buffer, needles) > 5)
    t.is(countFound(control.stored as Buffer, await listNames(rig, known, pictures)), 2)
  })
