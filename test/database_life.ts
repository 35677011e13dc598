import type { ExecutionContext } from 'ava'
import type { TestEngine } from './database.ts'
import { kyc } from './service/client.ts'
import { verify } from './service/outcomes.ts'
import { openRig, type Rig } from './service/rig.ts'

/** Tables of which there are a few rows, whatever the service does. */
export const smallTables = ['facts', 'nodes', 'signing_keys', 'operators', 'operator_sessions', 'accounts', 'clients']

/** What the service asks of its database; not what migrations and inspections do. */
export const isStatement = (sql: string): boolean =>
  /^\s*(SELECT|WITH|INSERT|UPDATE|DELETE)/i.test(sql) &&
  !/sqlite_master|pragma_|migrations|information_schema/i.test(sql)

const lists = [
  '',
  '?status=FINISHED',
  '?status=FINISHED&status=FAILED',
  '?transaction_type=BIOMETRIC_ONLY',
  '?decision=APPROVED',
  '?reference=order',
  '?created_from=2026-01-01T00:00:00.000Z&created_to=2027-01-01T00:00:00.000Z',
]

/** Has the service do most of what it can: verify, list, read, expire, erase, and remove what is old. */
export const liveThrough = async (t: ExecutionContext, engine: TestEngine): Promise<Rig> => {
  const rig = await openRig(engine, { RETENTION_CAPTURES_DAYS: '1', RETENTION_TRANSACTIONS_DAYS: '2' })
  t.teardown(rig.close)
  const token = await rig.token()
  const get = (path: string) => rig.call('GET', `${kyc}${path}`, { token })
  const finished = await verify(rig)
  for (const query of lists) t.is((await get(`/transaction${query}`)).status, 200, query)
  for (const path of ['', '/events', '/deliveries', '/captures', '/evidence'])
    t.is((await get(`/transaction/${finished.id}${path}`)).status, 200, path)
  for (const path of ['/customer', '/delivery']) t.is((await get(path)).status, 200, path)
  const { customer_id } = await rig.view(finished.id)
  t.is((await get(`/transaction?customer_id=${customer_id}`)).status, 200)
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
