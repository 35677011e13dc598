import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import { runAll, type Store } from 'durable-xstate-sql'
import { getColumnType } from 'durable-xstate-sql/testing'
import type { ServiceKeys } from '../../../src/base/encryption.ts'
import { newId } from '../../../src/base/ids.ts'
import { decryptColumn, rootColumns, rootTables } from '../../../src/database/root_columns.ts'
import { insert } from '../../../src/database/schema.ts'
import { tables } from '../../../src/database/tables.ts'
import { setFaceSearch } from '../../../src/duplicates/rows.ts'
import { tokenLifetimeSeconds } from '../../../src/identity/accounts/access_token.ts'
import { createCustomerKey } from '../../../src/identity/customers/customer_key.ts'
import { findCustomer } from '../../../src/identity/customers/customers.ts'
import {
  addMasterKey,
  keyId,
  openServiceKeys,
  readServiceKeys,
  retireMasterKey,
} from '../../../src/identity/keys/key_slots.ts'
import { type RotationDeps, readRotation } from '../../../src/identity/keys/root_key_rotation.ts'
import { rotateRootKey } from '../../../src/identity/keys/rotate_root_key.ts'
import { commandLine, createAuditRecord } from '../../../src/identity/operators/audit.ts'
import { createOperator } from '../../../src/identity/operators/operators.ts'
import { oneDialect, openTestStore } from '../../database.ts'
import { type Door, openDoor, openTestDoor } from '../../http/door.ts'
import { bytes, text } from '../../raw_row.ts'
import { kyc, requestToken } from '../../service/client.ts'
import { attestor, urlOf } from '../../service/programs.ts'
import { inLongTier } from '../../tier.ts'

const master = Buffer.alloc(32, 7)
const outstandingMs = tokenLifetimeSeconds * 1000

/** Counts the rows of each table that a root key encrypts, and those that the keys open. */
async function countOpening(
  store: Store,
  keys: ServiceKeys,
): Promise<Readonly<Record<string, [opening: number, all: number]>>> {
  const counts: Record<string, [number, number]> = {}
  for (const table of rootTables) {
    const rows = await store.read({ sql: `SELECT id, ${rootColumns[table]} AS encrypted FROM ${table}`, values: [] })
    const opening = rows.filter(row => {
      try {
        return decryptColumn(keys, table, text(row, 'id'), bytes(row, 'encrypted')).length > 0
      } catch {
        return false
      }
    })
    counts[table] = [opening.length, rows.length]
  }
  return counts
}

/** Whether the keys open all rows, or none. */
async function opensOf(store: Store, keys: ServiceKeys): Promise<'all' | 'none' | 'some'> {
  const counts = Object.values(await countOpening(store, keys))
  if (counts.every(([opening, all]) => opening === all)) return 'all'
  return counts.every(([opening]) => opening === 0) ? 'none' : 'some'
}

async function registerBy(door: Door, external_customer_id: string, key: string) {
  return door.call('POST', `${kyc}/customer`, {
    token: await requestToken(door.call, door.account),
    json: { external_customer_id },
    headers: { 'Idempotency-Key': key },
  })
}

/** Uses the service as clients do meanwhile: one node reads the other's writes. */
async function useBoth(t: ExecutionContext, [one, other]: readonly [Door, Door], round: number): Promise<void> {
  for (const [n, [writer, reader]] of [[one, other] as const, [other, one] as const].entries()) {
    const name = `person-${round}-${n}`
    const made = await registerBy(writer, name, `key-${name}`)
    t.is(made.status, 201)
    const again = await registerBy(reader, name, `key-${name}`)
    t.deepEqual([again.status, again.headers.get('idempotent-replayed')], [201, 'true'])
    const token = await requestToken(writer.call, writer.account)
    const age = { customer_id: made.body.customer_id, transaction_type: 'AGE', config: { age: { over: 18 } } }
    t.is((await writer.call('POST', `${kyc}/transaction`, { token, json: age })).status, 201)
    const first = await reader.call('GET', `${kyc}/customer?external_customer_id=person-0-0`, { token })
    t.deepEqual([first.status, first.body.external_customer_id], [200, 'person-0-0'])
    const read = await reader.call('GET', `${kyc}/customer/${made.body.customer_id}`, { token })
    t.deepEqual([read.status, read.body.external_customer_id], [200, name])
  }
}

function rotationOn(door: Door, pause: RotationDeps['pause']): RotationDeps {
  const { store, clock } = door.service
  const record = createAuditRecord(
    door.service,
    commandLine,
    ({ action, key_id }: { action: 'root_key_added' | 'root_key_removed'; key_id: string }) => ({
      action,
      subject: { type: 'key' as const, id: key_id },
    }),
  )
  return { store, clock, master, pause, record, onProgress: () => {} }
}

/** Checks the command line's report of a replacement that waits. */
async function checkCommands(t: ExecutionContext, { database }: Door, [next, old]: readonly [Uint8Array, Uint8Array]) {
  const environment = { DATABASE_URL: urlOf(database), MASTER_KEY: master.toString('base64') }
  const { stdout } = await attestor(['root-key', 'list'], environment)
  const waits = 'rotation: encrypted'
  t.is(stdout, `${keyId(next)}  encrypts and decrypts  ${waits}\n${keyId(old)}  decrypts  ${waits}\n`)
  const doctor = await attestor(['doctor', '--json'], environment)
  t.regex(doctor.stdout, /the root key is being replaced \(encrypted\); the new one encrypts since/)
}

for (const engine of oneDialect) {
  test(`${engine.name}: the root key is replaced while two nodes run, and the old one opens nothing afterwards`, async t => {
    const one = await openDoor(engine)
    const other = await openDoor(engine, {}, { beside: one })
    t.teardown(async () => {
      await other.close()
      await one.close()
    })
    const { store } = one.service
    await createOperator(one.service, { name: 'the.admin', role: 'admin' }, commandLine)
    await setFaceSearch(one.service, one.account.account_id, true)
    await useBoth(t, [one, other], 0)
    const before = await readServiceKeys(store, master)
    t.is(await opensOf(store, before), 'all')
    for (const [table, [, all]] of Object.entries(await countOpening(store, before))) t.true(all > 0, table)

    let round = 1
    const seen: (string | undefined)[] = []
    const deps = rotationOn(one, async ms => {
      // The last moment at which a node may not know of the step before.
      await useBoth(t, [one, other], round++)
      await one.clock.advance(ms / 2)
      // One node knows of the step, the other does not yet: each decrypts the other's data.
      await one.service.serviceKeys.refresh()
      const made = await registerBy(one, `early-${round}`, `early-${round}`)
      const found = await findCustomer(other.service, other.account.account_id, `early-${round}`)
      t.is(found.customer_id, String(made.body.customer_id))
      await one.clock.advance(ms / 2)
      await useBoth(t, [one, other], round++)
      seen.push((await readRotation(store))?.step)
    })
    const rotated = await rotateRootKey(deps, { outstandingMs, now: false })
    const between = await readServiceKeys(store, master)
    const [next = Buffer.alloc(0), old] = between.roots
    t.deepEqual([old, between.lookup], [before.roots[0], before.lookup])
    const switchedAt = (await readRotation(store))?.switched_at ?? 0
    t.deepEqual(rotated, { key_id: keyId(next), removable_at: switchedAt + outstandingMs })
    t.deepEqual(seen, ['announced', 'switched'])
    t.is(await opensOf(store, { ...between, roots: [next] }), 'all')
    t.is(await opensOf(store, before), 'none')
    await useBoth(t, [one, other], round++)
    // Too early: nothing is done.
    t.deepEqual(await rotateRootKey(deps, { outstandingMs, now: false }), rotated)

    await checkCommands(t, one, [next, old ?? next])

    await one.clock.advance(outstandingMs)
    t.deepEqual(await rotateRootKey(deps, { outstandingMs, now: false }), { key_id: keyId(next), removable_at: null })
    t.deepEqual(await readServiceKeys(store, master), { ...before, roots: [next] })
    t.is(await readRotation(store), null)
    await one.clock.advance(20_000)
    for (const door of [one, other]) {
      const token = await requestToken(door.call, door.account)
      t.is((await door.call('GET', `${kyc}/transaction`, { token })).status, 200)
      t.deepEqual(door.service.serviceKeys.roots, [next])
    }
    const actions = await store.read({
      sql: "SELECT action, subject_id FROM audit WHERE action LIKE 'root%'",
      values: [],
    })
    t.deepEqual(
      actions.map(row => [row.action, row.subject_id]),
      [
        ['root_key_added', keyId(next)],
        ['root_key_removed', keyId(old ?? next)],
      ],
    )
  })

  test(`${engine.name}: access tokens of the old root key end at once with --now`, async t => {
    const door = await openTestDoor(t, engine)
    const read = async (token: string) => (await door.call('GET', `${kyc}/transaction`, { token })).status
    t.is(await read(door.token), 200)
    const deps = rotationOn(door, ms => door.clock.advance(ms))
    t.is((await rotateRootKey(deps, { outstandingMs, now: true })).removable_at, null)
    // The verified token is trusted for a minute.
    await door.clock.advance(60_000)
    t.is(await read(door.token), 401)
    t.is(await read((await door.newAccount()).token), 200)
  })

  inLongTier(test)(
    `${engine.name}: killed at any step, a replacement goes on where it stopped, and everything opens meanwhile`,
    async t => {
      const { store, database } = await openTestStore(t, engine, 2)
      const first = await openServiceKeys(store, master)
      await store.commit(() => runAll(Array.from({ length: 201 }, () => customerRow(first))))
      const child = join(import.meta.dirname, 'root_key_child.ts')
      const kill = async (when: 'start' | 'removal', point: string): Promise<void> => {
        const args = [child, when, point, urlOf(database), master.toString('base64')]
        const [, signal] = await once(spawn(process.execPath, args, { stdio: 'inherit' }), 'close')
        t.is(signal, 'SIGKILL', point)
      }
      const steps = new Set<string>()
      let known: string | undefined = 'none yet'
      const killed = async (when: 'start' | 'removal'): Promise<void> => {
        const { step } = (await readRotation(store)) ?? {}
        // Each kind of commit is undone once.
        const points = step === known ? ['commit.durable'] : ['commit.written', 'commit.durable']
        known = step
        for (const point of points) {
          const before = JSON.stringify(await readRotation(store))
          await kill(when, point)
          const after = JSON.stringify(await readRotation(store))
          t.is(before === after, point === 'commit.written', `${point} ${before} ${after}`)
          t.is(await opensOf(store, await readServiceKeys(store, master)), 'all')
          steps.add(after)
        }
      }
      do await killed('start')
      while ((await readRotation(store))?.step !== 'encrypted')
      // Announced, switched, begun, two batches of customers, an empty one of each table, ended.
      t.is(steps.size, 6 + rootTables.length)
      await killed('removal')
      const last = await readServiceKeys(store, master)
      t.deepEqual(
        [last.roots.length, await opensOf(store, last), await opensOf(store, { ...last, roots: first.roots })],
        [1, 'all', 'none'],
      )
    },
  )

  test(`${engine.name}: the master key and the root key are replaced one after the other, by one command at a time`, async t => {
    const door = await openTestDoor(t, engine)
    const { store } = door.service
    const deps = rotationOn(door, ms => door.clock.advance(ms))
    const next = Buffer.alloc(32, 9)
    const renewed = { ...deps, master: next }
    const keys = await readServiceKeys(store, master)
    await addMasterKey(store, keys, next)
    await t.throwsAsync(rotateRootKey(deps, { outstandingMs, now: true }), {
      message: /two master keys open the database/,
    })
    await retireMasterKey(store, next, keyId(master))
    const both = await Promise.allSettled([1, 2].map(() => rotateRootKey(renewed, { outstandingMs, now: false })))
    t.deepEqual(both.map(({ status }) => status).toSorted(), ['fulfilled', 'rejected'])
    for (const lost of both)
      if (lost.status === 'rejected') t.is(lost.reason.message, 'root key: another command is replacing it right now')
    const message = 'master key: the root key is being replaced: run `attestor root-key rotate` first'
    for (const known of [keys, await readServiceKeys(store, next)])
      await t.throwsAsync(addMasterKey(store, known, master), { message })
    // A node that has only the retired master key can't follow, and must not encrypt with the old root key.
    const refused = await door.call('GET', `${kyc}/transaction`, { token: door.token })
    t.deepEqual([refused.status, refused.headers.get('x-error-code')], [503, 'unavailable'])
    t.regex(String(refused.body.error), /the master key of this node opens the database no more/)
  })
}

function customerRow(keys: ServiceKeys) {
  const id = newId()
  const { data_key } = createCustomerKey(keys, id)
  return insert('customers', { id, account_id: newId(), lookup: id, profile: Buffer.alloc(1), data_key, created_at: 0 })
}

/** Columns that keys of customers and accounts encrypt: a new root key leaves them as they are. */
const ownColumns: Readonly<Record<string, readonly string[]>> = {
  customers: ['profile', 'face'],
  transactions: ['expected_data', 'result', 'encrypted_reference', 'trace', 'review_reason', 'review_template'],
  captures: ['content'],
  content_pieces: ['piece'],
  delivery_attempts: ['answer'],
  face_vectors: ['vector'],
}

/** Certificates of states are public, and so are the logos of accounts. */
const publicColumns = ['trust_anchors.der', 'account_settings.logo']

test('each column of bytes is one of the root key, which a new key encrypts again, of keys of customers and accounts, or public', t => {
  const found = Object.entries(tables).flatMap(([table, { columns }]) =>
    Object.entries(columns)
      .filter(([, column]) => getColumnType(column) === 'bytes')
      .map(([column]) => `${table}.${column}`),
  )
  const known = [
    ...publicColumns,
    ...Object.entries(rootColumns).map(([table, column]) => `${table}.${column}`),
    ...Object.entries(ownColumns).flatMap(([table, columns]) => columns.map(column => `${table}.${column}`)),
  ]
  t.deepEqual(found.toSorted(), known.toSorted())
})
