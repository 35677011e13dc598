import type { ExecutionContext } from 'ava'
import { systemClock } from '../src/base/clock.ts'
import { silentLog } from '../src/base/log.ts'
import { createRotationRecord } from '../src/cli/root_key.ts'
import { findMasterKey } from '../src/identity/keys/master_key.ts'
import { rotateRootKey } from '../src/identity/keys/rotate_root_key.ts'
import { createObjectContents } from '../src/verification/captures/object_contents.ts'
import type { TestEngine } from './database.ts'
import { handoff, kyc } from './service/client.ts'
import { verify } from './service/outcomes.ts'
import { attestor, urlOf } from './service/programs.ts'
import { openTestRig, type Rig } from './service/rig.ts'

/** Tables that have a few rows in every service. */
export const smallTables = ['facts', 'nodes', 'signing_keys', 'operators', 'operator_sessions']

/**
 * Lists that a command reads to their end, from tables that grow with integrators and their receivers, and not with
 * verifications.
 */
export const wholeLists: readonly RegExp[] = [
  /FROM accounts ORDER BY id$/,
  /FROM account_settings ORDER BY id$/,
  // These check the MACs of rows that the service wrote. A hand-off exists for minutes.
  /, mac FROM (trust_anchors|handoffs)$/,
  /, mac FROM clients ORDER BY id$/,
  /FROM origins WHERE paused_at IS NOT NULL ORDER BY id$/,
]

/** Sorts of one account's, or one transaction's, rows. */
export const ownSorts: readonly RegExp[] = [
  /FROM clients WHERE account_id = \+?\? ORDER BY id$/,
  /FROM deliveries d LEFT JOIN origins o ON .* AND d\.transaction_id = \+?\?.* ORDER BY d\.id LIMIT 500$/,
]

/** Whether a text is a statement of the service; migrations and inspections are left out. */
export function isStatement(sql: string): boolean {
  return (
    /^\s*(SELECT|WITH|INSERT|UPDATE|DELETE)/i.test(sql) &&
    !/sqlite_master|pragma_|migrations|information_schema/i.test(sql)
  )
}

const lists = [
  '',
  '?status=FINISHED',
  '?status=FINISHED&status=FAILED',
  '?transaction_type=BIOMETRIC_ONLY',
  '?decision=APPROVED',
  '?reference=order',
  '?created_from=2026-01-01T00:00:00.000Z&created_to=2027-01-01T00:00:00.000Z',
]

/** Commands that read or write the database, of which each makes statements of its own. */
const commands = [
  'account list',
  'customer list',
  'transaction list',
  'keys list',
  'operator list',
  'root-key list',
  'webhook list',
  'webhook list --status DELIVERED',
  'webhook paused',
  'webhook redeliver --from 2020-01-01',
  'webhook list --from 2020-01-01 --to 2030-01-01',
  'webhook redeliver --status DELIVERED --from 2020-01-01',
  'audit export',
  'operator create the.admin --role admin',
  'operator show the.admin',
  'operator disable the.admin',
]

/** Works as operators do: by the command line, and by a new root key. */
async function operate(t: ExecutionContext, rig: Rig, transaction_id: string, customer_id: string): Promise<void> {
  const { account } = rig
  const { store, config } = rig.node().service
  const master = await findMasterKey(config)
  const environment = { DATABASE_URL: urlOf(rig.database), MASTER_KEY: master.toString('base64') }
  for (const line of [
    ...commands,
    `account show ${account.account_id}`,
    `account review ${account.account_id} on`,
    `client list ${account.account_id}`,
    `client create ${account.account_id}`,
    `customer show ${customer_id}`,
    `transaction show ${transaction_id}`,
    `transaction trace ${transaction_id}`,
    `webhook list --transaction ${transaction_id}`,
    `webhook redeliver --transaction ${transaction_id}`,
    'keys rotate',
    `account review ${account.account_id} off`,
  ])
    t.like(await attestor(line.split(' '), environment), { code: 0, stderr: '' }, line)
  const record = createRotationRecord({ store, clock: systemClock })
  const deps = { store, clock: rig.clock, master, pause: rig.advance, onProgress: () => {}, record }
  await rotateRootKey(deps, { outstandingMs: 0, now: true })
}

/** Objects that no commit names are deleted in time. The store that has them changes no statement. */
async function collectObjects(
  t: ExecutionContext,
  { node, clock, account }: Rig,
  transaction_id: string,
): Promise<void> {
  const held = new Map<string, Buffer>()
  const contents = createObjectContents({
    store: node().service.store,
    clock,
    log: silentLog,
    objects: {
      url: 's3://held/in-memory',
      put: async (name, pieces) => void held.set(name, Buffer.concat(pieces)),
      get: async name => held.get(name) ?? null,
      delete: async name => void held.delete(name),
      close() {},
    },
  })
  const id = crypto.randomUUID()
  await contents.put(
    { id, account_id: account.account_id, transaction_id },
    { size: 7, encrypt: async () => ({ head: Buffer.alloc(0), pieces: [Buffer.from('content')] }) },
  )
  t.is(await contents.collect(), 0)
  await clock.advance(2 * 3_600_000)
  t.is(await contents.collect(), 1)
  t.is(held.size, 0)
}

/** Another device takes a capture over. */
async function handOff(t: ExecutionContext, rig: Rig): Promise<void> {
  const { phone } = await rig.open()
  await phone.start()
  const { body } = await phone.offerHandoff()
  t.is((await rig.call('POST', handoff, { json: { code: body.code } })).status, 200)
  t.is((await phone.session()).status, 200)
}

/** Lets the service do most of its work: verify, list, read, expire, erase, and remove old data. */
export async function liveThrough(t: ExecutionContext, engine: TestEngine): Promise<Rig> {
  const rig = await openTestRig(t, engine, { RETENTION_CAPTURES_DAYS: '1', RETENTION_TRANSACTIONS_DAYS: '2' })
  const token = await rig.token()
  const get = (path: string) => rig.call('GET', `${kyc}${path}`, { token })
  const finished = await verify(rig)
  for (const query of lists) t.is((await get(`/transaction${query}`)).status, 200, query)
  for (const path of ['', '/events', '/deliveries', '/captures', '/evidence'])
    t.is((await get(`/transaction/${finished.id}${path}`)).status, 200, path)
  for (const path of ['/customer', '/delivery']) t.is((await get(path)).status, 200, path)
  const { customer_id } = await rig.view(finished.id)
  t.is((await get(`/transaction?customer_id=${customer_id}`)).status, 200)
  const post = (path: string) => rig.call('POST', `${kyc}${path}`, { token })
  const deliveries = (await get(`/transaction/${finished.id}/deliveries`)).body.data as { delivery_id: string }[]
  const again = await post(`/transaction/${finished.id}/deliveries/${deliveries[0]?.delivery_id}/redeliver`)
  t.is(again.status, 202, again.text)
  const since = '?from=2020-01-01T00:00:00.000Z'
  for (const query of [since, `${since}&state=DELIVERED`, `${since}&state=GONE&to=2030-01-01T00:00:00.000Z`])
    t.is((await post(`/delivery/redeliver${query}`)).status, 202, query)
  await rig.idle()
  await handOff(t, rig)
  const { id: kept } = await rig.open()
  await operate(t, rig, finished.id, String(customer_id))
  await collectObjects(t, rig, kept)
  const expiring = await rig.open()
  await expiring.phone.start()
  await rig.advance(3_600_000)
  t.is((await rig.view(expiring.id)).status, 'EXPIRED')
  const erased = await verify(rig)
  await rig.call('DELETE', `${kyc}/transaction/${erased.id}`, { token: await rig.token() })
  await rig.call('DELETE', `${kyc}/customer/${customer_id}`, { token: await rig.token() })
  await rig.advance(3 * 86_400_000)
  return rig
}
