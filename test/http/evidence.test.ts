import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test from 'ava'
import { run, type Store } from 'durable-xstate-sql'
import { replayEntry, type Step } from 'durable-xstate-sql/sql'
import { compactVerify, createLocalJWKSet, type FlattenedJWSInput, type JSONWebKeySet } from 'jose'
import { newId } from '../../src/base/ids.ts'
import { commandLine, openAuditLog, recordAudit } from '../../src/identity/operators/audit.ts'
import type { Evidence } from '../../src/verification/evidence/evidence.ts'
import { prove, readLastProof } from '../../src/verification/evidence/prove.ts'
import { verifyEvidence } from '../../src/verification/evidence/verify.ts'
import { manualClock } from '../clock.ts'
import { eachDialect, oneDialect, openTestStore, sqlite } from '../database.ts'
import { kyc, openTransaction, sdk } from '../service/client.ts'
import { attestor } from '../service/programs.ts'
import { smallPhoto } from '../small_photo.ts'
import { inLongTier } from '../tier.ts'
import { type Door, openTestDoor } from './door.ts'

/** A transaction that was begun, with one selfie. */
async function begun(door: Door) {
  const opened = await openTransaction(door.call, door.token, { transaction_type: 'BIOMETRIC_ONLY' })
  const { customer_id, transaction_id: id, sdk_token } = opened
  await door.clock.advance(1234)
  await door.call('POST', `${sdk}/start`, { token: sdk_token, json: { location_permission: 'denied' } })
  const photo = await smallPhoto()
  await door.call('PUT', `${sdk}/selfie`, { token: sdk_token, raw: photo, type: 'image/jpeg' })
  return { id, customer_id, sdk_token, photo }
}

async function exported(door: Door, id: string) {
  const answer = await door.call('GET', `${kyc}/transaction/${id}/evidence`, { token: door.token })
  return { answer, signed: JSON.parse(answer.text) as FlattenedJWSInput }
}

async function keysOf(door: Door): Promise<JSONWebKeySet> {
  return (await door.call('GET', '/.well-known/evidence-jwks.json')).body as unknown as JSONWebKeySet
}

function payloadOf({ payload }: FlattenedJWSInput): Evidence {
  return JSON.parse(Buffer.from(String(payload), 'base64url').toString())
}

async function capturesOf(door: Door, id: string) {
  return (await door.call('GET', `${kyc}/transaction/${id}/captures`, { token: door.token })).body
    .data as readonly Readonly<Record<string, unknown>>[]
}

async function linkOf(door: Door, id: string, capture_id: unknown, token = door.token) {
  return door.call('POST', `${kyc}/transaction/${id}/captures/${capture_id}/link`, { token })
}

async function read(url: unknown) {
  const answer = await fetch(String(url))
  return { status: answer.status, headers: answer.headers, bytes: Buffer.from(await answer.arrayBuffer()) }
}

for (const engine of eachDialect)
  test(`${engine.name}: a change by another program in the database is found, and stops no call`, async t => {
    const door = await openTestDoor(t, engine)
    const { store } = door.service
    const { id } = await begun(door)
    await door.call('POST', `${kyc}/transaction/${id}/cancel`, { token: door.token })
    const proven = async (sample: number | null) => (await prove(door.service, sample)).broken
    t.deepEqual([await proven(null), await proven(2), await proven(1)], [[], [], []])
    const kept = await readLastProof(store)
    t.like(kept, { is_whole: false, transactions: 1, broken: [] })

    const change = (sql: string, values: readonly string[]) => store.commit(() => run({ sql, values: [...values] }))
    await change('UPDATE transactions SET decision = ? WHERE id = ?', ['APPROVED', id])
    t.regex(String(await proven(null)), new RegExp(`transaction ${id}: decision: is not`))
    const { signed } = await exported(door, id)
    await t.throwsAsync(verifyEvidence(signed, await keysOf(door)), { message: /decision: is not/ })
    await change('UPDATE transactions SET decision = ? WHERE id = ?', ['UNDETERMINED', id])
    t.deepEqual(await proven(null), [])

    const copied =
      'sequence + 1, occurred_at, operator_id, client_id, action, address, subject_type, subject_id, account_id'
    const last = 'FROM audit WHERE sequence = (SELECT MAX(sequence) FROM audit)'
    const names = copied.replace(' + 1', '')
    await change(`INSERT INTO audit (${names}, details, hash) SELECT ${copied}, details, hash ${last}`, [])
    t.regex(String(await proven(null)), /audit: entry \d+ was changed/)
    for (let entries = 0; entries < 2; entries++)
      await t.notThrowsAsync(recordAudit(door.service, commandLine, { action: 'audit_exported' }), 'others follow')
    t.regex(String(await proven(null)), /audit: entry \d+ was changed/)
  })

for (const engine of eachDialect)
  test(`${engine.name}: an entry that is added during the proof is no fault, nor the first one`, async t => {
    const { store } = await openTestStore(t, engine, 2)
    await openAuditLog(store)
    const clock = manualClock()
    const record = () => recordAudit({ store, clock }, commandLine, { action: 'audit_exported' })
    let added = 0
    const busy: Store = {
      ...store,
      async read(statement) {
        const rows = await store.read(statement)
        if (/FROM audit .*\n.*ORDER BY sequence/.test(statement.sql) && added++ < 2) await record()
        return rows
      },
    }
    t.like(await prove({ store: busy, clock, serviceKeys: { lookup: Buffer.alloc(32) } }, 2), {
      entries: 2,
      broken: [],
    })
    t.is(added, 3)
  })

for (const engine of oneDialect) {
  const on = `On ${engine.name}: `

  test(`${on}evidence is verified by the key set alone, also after the erasure`, async t => {
    const door = await openTestDoor(t, engine)
    const { id, customer_id } = await begun(door)
    const { answer, signed } = await exported(door, id)
    t.is(answer.headers.get('content-type'), 'application/jose+json')
    const evidence = payloadOf(signed)
    t.like(evidence, { evidence_version: 1, issuer: door.url, trace: null })
    t.like(evidence.transaction, { id, customer_id, status: 'INITIATED', erasure_id: null })
    t.deepEqual(
      evidence.journal.map(({ sequence, event, sent_by, status, chart_version }) => [
        sequence,
        event,
        sent_by,
        status,
        chart_version,
      ]),
      [
        [1, 'CREATE', 'integrator', 'CREATED', 1],
        [2, 'START', 'device', 'INITIATED', 1],
        [3, 'SELFIE_CAPTURED', 'device', 'INITIATED', 1],
      ],
    )
    t.is(JSON.parse(evidence.journal[0]?.stored_event ?? '').client_id, door.account.client_id)
    const [row] = await door.service.store.read({
      sql: 'SELECT digest FROM captures WHERE kind = ?',
      values: ['selfie'],
    })
    const named = JSON.parse(evidence.journal[2]?.stored_event ?? '').capture.digest
    t.regex(named, /^hmac:[0-9a-f]{64}$/)
    t.false(evidence.journal.some(({ stored_event }) => stored_event.includes(String(row?.digest))))
    const keys = await keysOf(door)
    const verified = await verifyEvidence(signed, keys)
    t.like(verified, { transaction_id: id, status: 'INITIATED', entries: 3, trace: 'absent' })
    // The entry names its image as older entries do, without the key in it.
    const old = { type: 'SELFIE_CAPTURED', capture: { capture_id: newId(), digest: String(row?.digest) } } as const
    const { host, transactions } = door.service
    await host.send(transactions.definition, id, old)
    t.like(await verifyEvidence((await exported(door, id)).signed, keys), { entries: 4 })
    const compact = [signed.protected, signed.payload, signed.signature].join('.')
    t.is((await compactVerify(compact, createLocalJWKSet(keys))).protectedHeader.kid, verified.signed_by)
    await door.call('DELETE', `${kyc}/customer/${customer_id}`, { token: door.token })
    const after = await exported(door, id)
    t.like(await verifyEvidence(after.signed, keys), { status: 'FAILED', entries: 6, trace: 'absent' })
    const { journal } = payloadOf(after.signed)
    t.deepEqual(journal.slice(0, 3), evidence.journal)
    let step: Step | null = null
    for (const { sequence, stored_event: event, chart_version, status } of journal) {
      step = replayEntry(transactions.definition, step, { sequence, event, chart_version })
      t.is(step.status, status, 'what was exported leads through the chart')
    }
  })

  test(`${on}the keys of webhooks and of evidence are published apart`, async t => {
    const door = await openTestDoor(t, engine)
    const kidsAt = async (path: string): Promise<readonly unknown[]> =>
      ((await door.call('GET', path)).body.keys as readonly { kid: unknown }[]).map(({ kid }) => kid)
    const { kid: webhook } = await door.service.webhookKeys.active()
    const { signed } = await exported(door, (await begun(door)).id)
    const { signed_by } = await verifyEvidence(signed, await keysOf(door))
    t.deepEqual(await kidsAt('/.well-known/jwks.json'), [webhook])
    t.deepEqual(await kidsAt('/.well-known/evidence-jwks.json'), [signed_by])
    const rows = await door.service.store.read({
      sql: 'SELECT id, purpose FROM signing_keys ORDER BY purpose',
      values: [],
    })
    t.deepEqual(
      rows.map(({ id, purpose }) => [id, purpose]),
      [
        [signed_by, 'evidence'],
        [webhook, 'webhook'],
      ],
      'there is no other key',
    )
  })

  inLongTier(test)(`${on}whatever is changed in the journal is seen`, async t => {
    const door = await openTestDoor(t, engine)
    const keys = await keysOf(door)
    const changes: readonly (readonly [sql: string, says: RegExp])[] = [
      [`UPDATE journal SET event = '{"type":"START"}' WHERE actor_id = ? AND sequence = 2`, /entry 2 is not/],
      ['UPDATE journal SET occurred_at = occurred_at + 1 WHERE actor_id = ? AND sequence = 1', /entry 1 is not/],
      [`UPDATE journal SET status = 'FINISHED' WHERE actor_id = ? AND sequence = 3`, /entry 3 is not/],
      ['UPDATE journal SET chart_version = 7 WHERE actor_id = ? AND sequence = 3', /entry 3 is not/],
      ['DELETE FROM journal WHERE actor_id = ? AND sequence = 2', /entry 2 is missing/],
      ['DELETE FROM journal WHERE actor_id = ? AND sequence = 3', /head/],
      [`UPDATE journal SET hash = '' WHERE actor_id = ? AND sequence = 2`, /entry 2 is not/],
      [`UPDATE journal SET hash = '' WHERE actor_id = ? AND sequence = 1`, /entry 1 is not/],
      [`UPDATE transactions SET journal_hash = '' WHERE id = ?`, /head/],
      [`UPDATE transactions SET status = 'FINISHED' WHERE id = ?`, /status/],
      ['UPDATE transactions SET created_at = created_at - 1 WHERE id = ?', /created_at: is not the time/],
      ['UPDATE transactions SET initiated_at = NULL WHERE id = ?', /initiated_at: is not the time/],
      ['UPDATE transactions SET finished_at = created_at WHERE id = ?', /finished_at: is not the time/],
      [`UPDATE transactions SET transaction_type = 'DOCUMENT_AND_BIOMETRIC' WHERE id = ?`, /transaction_type: is not/],
      [`UPDATE transactions SET erasure_id = customer_id WHERE id = ?`, /erasure_id: is not/],
    ]
    for (const [sql, message] of changes) {
      const { id } = await begun(door)
      await door.service.store.commit(function* () {
        yield [{ sql, values: [id] }]
      })
      const { signed } = await exported(door, id)
      await t.throwsAsync(verifyEvidence(signed, keys), { name: 'InvalidEvidenceError', message }, sql)
    }
  })

  test(`${on}an image is read by a link that is short-lived, for itself alone, and every reading is kept`, async t => {
    const door = await openTestDoor(t, engine)
    const { id, customer_id, photo } = await begun(door)
    const [capture, ...more] = await capturesOf(door, id)
    t.deepEqual(more, [])
    t.like(capture, { kind: 'selfie', media_type: 'image/jpeg', byte_count: photo.length })
    const link = await linkOf(door, id, capture?.id)
    t.is(link.status, 201)
    t.is(link.body.expires_at, new Date(door.clock.now() + 300_000).toISOString())
    const before = await door.call('GET', `${kyc}/transaction/${id}/events`, { token: door.token })
    t.is((before.body.data as unknown[]).length, 3, 'a link is no reading')
    for (const _ of [1, 2]) {
      const image = await read(link.body.url)
      t.deepEqual([image.status, image.headers.get('content-type')], [200, 'image/jpeg'])
      t.is(image.headers.get('cache-control'), 'no-store')
      t.is(image.headers.get('content-security-policy'), "default-src 'none';frame-ancestors 'none'")
      t.is(image.headers.get('x-content-type-options'), 'nosniff')
      t.true(image.bytes.equals(photo))
    }
    const { signed } = await exported(door, id)
    t.is((await verifyEvidence(signed, await keysOf(door))).entries, 5)
    const readings = payloadOf(signed).journal.slice(3)
    t.like(readings[1], { event: 'CAPTURE_READ', sent_by: 'integrator', status: 'INITIATED' })
    t.like(JSON.parse(readings[1]?.stored_event ?? ''), { client_id: door.account.client_id, capture_id: capture?.id })
    t.is((await read(`${link.body.url}A`)).status, 404)
    const old = await linkOf(door, id, capture?.id)
    await door.clock.advance(299_999)
    t.is((await read(old.body.url)).status, 200)
    await door.clock.advance(1)
    t.is((await read(old.body.url)).status, 410)
    const last = await linkOf(door, id, capture?.id)
    const { store } = door.service
    const count = async (version: number): Promise<unknown> =>
      store.commit(() => run({ sql: 'UPDATE transactions SET version = ? WHERE id = ?', values: [version, id] }))
    await count(4000)
    t.deepEqual([(await read(last.body.url)).status], [410], 'the journal has an end, and so has its export')
    await count(6)
    await door.call('DELETE', `${kyc}/customer/${customer_id}`, { token: door.token })
    t.is((await read(last.body.url)).status, 404)
    t.false(JSON.stringify(door.lines).includes(String(last.body.url).slice(-40)), 'no link is logged')
  })
}

test('a link leads to images of its transaction alone', async t => {
  const door = await openTestDoor(t, sqlite)
  const { id } = await begun(door)
  const { id: another } = await begun(door)
  const [of_another] = await capturesOf(door, another)
  const answer = await linkOf(door, id, of_another?.id)
  t.deepEqual([answer.status, answer.body], [404, { error: 'capture_id: not found' }])
  const [facts] = await door.service.store.read({ sql: "SELECT id FROM captures WHERE kind = 'facts'", values: [] })
  t.is((await linkOf(door, id, facts?.id)).status, 404, 'what the device reported is no image')
})

test('the command line verifies a file, and says what is wrong with one', async t => {
  const door = await openTestDoor(t, sqlite)
  const { id } = await begun(door)
  const within = mkdtempSync(join(tmpdir(), 'attestor-test-'))
  t.teardown(() => rmSync(within, { recursive: true, force: true }))
  const { signed } = await exported(door, id)
  const file = (name: string, content: unknown): string => {
    writeFileSync(join(within, name), JSON.stringify(content))
    return join(within, name)
  }
  const jwks = file('jwks.json', await keysOf(door))
  const good = file('good.json', signed)
  const verify = (name: string, keys: string) => attestor(['evidence', 'verify', name, '--jwks', keys], {})
  t.like(JSON.parse((await verify(good, jwks)).stdout), { transaction_id: id, entries: 3, trace: 'absent' })
  const payload = Buffer.from(JSON.stringify({ ...payloadOf(signed), head: 'x' })).toString('base64url')
  const forged = file('forged.json', { ...signed, payload })
  const failed = { code: 1, stdout: '' }
  t.deepEqual(await verify(forged, jwks), { ...failed, stderr: 'signature: signature verification failed\n' })
  const strangers = file('strangers.json', { keys: [] })
  t.regex((await verify(good, strangers)).stderr, /^signature: no applicable key/)
})
