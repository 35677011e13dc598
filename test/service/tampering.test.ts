import { createState } from '@attestor/credentials/synthetic'
import test from 'ava'
import { run } from 'durable-xstate-sql'
import { importTrust } from '../../src/chip/import_trust.ts'
import { switchOrigin } from '../../src/console/list_origins.ts'
import { createOperator } from '../../src/identity/operators/operators.ts'
import { prove } from '../../src/verification/evidence/prove.ts'
import { oneDialect } from '../database.ts'
import { kyc, sdk } from './client.ts'
import { verify } from './outcomes.ts'
import { openTestRig } from './rig.ts'

type Changed = string | number | Uint8Array | null

/** Table, id, column, and the value that somebody writes there in place of the true one. */
type Change = readonly [title: string, table: string, id: string, column: string, write: (was: Changed) => Changed]

function replace(text: string | RegExp, by: string) {
  return (was: Changed): string => {
    const changed = String(was).replace(text, by)
    if (changed === was) throw new Error(`${text} is not in ${was}`)
    return changed
  }
}

function always(value: Changed): () => Changed {
  return () => value
}

for (const engine of oneDialect)
  test(`On ${engine.name}: every change of a transaction, an account or an operator by SQL is found, and affects no others`, async t => {
    const rig = await openTestRig(t, engine)
    const finished = await verify(rig)
    const other = await verify(rig)
    const open = await rig.open()
    await open.phone.start()
    const { service } = rig.node()
    const { store } = service
    const by = { operator_id: null, address: 'command_line' }
    const { operator_id } = await createOperator(service, { name: 'eve', role: 'viewer' }, by)
    const broken = async (): Promise<readonly string[]> => (await prove(service, null)).broken
    const one = async (sql: string, ...values: readonly string[]): Promise<Changed> =>
      Object.values((await rig.rows(sql, ...values))[0] ?? {})[0] as Changed
    const write = (sql: string, ...values: readonly Changed[]) => store.commit(() => run({ sql, values: [...values] }))
    t.deepEqual(await broken(), [])

    const otherResult = await one('SELECT result FROM transactions WHERE id = ?', other.id)
    const otherToken = await one('SELECT token_hash FROM transactions WHERE id = ?', other.id)
    await write('UPDATE transactions SET token_hash = ? WHERE id = ?', 'elsewhere', other.id)
    const account = await rig.newAccount()
    const person = String(await one('SELECT customer_id FROM transactions WHERE id = ?', finished.id))
    const stranger = await rig.customer()
    const origin = String(await one('SELECT id FROM origins'))
    const changes: readonly Change[] = [
      ['limits', 'transactions', open.id, 'snapshot', replace(/"ttl_ms":\d+/, '"ttl_ms":1')],
      ['takes', 'transactions', open.id, 'snapshot', replace(/"selfie":0/, '"selfie":-9')],
      ['state', 'transactions', finished.id, 'snapshot', replace(/"value":"\w+"/, '"value":"CREATED"')],
      ['garbage', 'transactions', open.id, 'snapshot', always('}{')],
      ['script', 'transactions', open.id, 'config', replace(/\}$/, ',"test":{"decision":"APPROVED","issues":[]}}')],
      ['expiry', 'transactions', open.id, 'expires_at', was => Number(was) + 86_400_000],
      ['token', 'transactions', open.id, 'token_hash', always(otherToken)],
      ['result', 'transactions', finished.id, 'result', always(otherResult)],
      ['reason', 'transactions', finished.id, 'reason', always('FACE_MISMATCH')],
      ['country', 'transactions', finished.id, 'country', always('XX')],
      ['decision', 'transactions', finished.id, 'decision', always('REJECTED')],
      ['status', 'transactions', open.id, 'status', always('COMPLETED')],
      ['time', 'transactions', finished.id, 'finished_at', was => Number(was) - 1],
      ['clock', 'transactions', open.id, 'version', was => Number(was) + 1],
      ['customer', 'transactions', open.id, 'customer_id', always(String(await rig.customer()))],
      ['mode', 'accounts', rig.account.account_id, 'mode', always('test')],
      ['review', 'accounts', rig.account.account_id, 'review', always('on')],
      ['client', 'clients', rig.account.client_id, 'account_id', always(account.account_id)],
      ['role', 'operators', operator_id, 'role', always('admin')],
      ['external id', 'customers', person, 'lookup', always('another')],
      [
        'profile',
        'customers',
        person,
        'profile',
        always(await one('SELECT profile FROM customers WHERE id = ?', stranger)),
      ],
      ['owner', 'customers', stranger, 'account_id', always(account.account_id)],
      ['face', 'customers', person, 'face', always(null)],
      ['face', 'customers', person, 'face_transaction_id', always(other.id)],
      ['pause', 'origins', origin, 'paused_at', always(1)],
      ['pause', 'origins', origin, 'paused_by', always(operator_id)],
      ['receiver', 'origins', origin, 'origin', always('https://elsewhere.example:443')],
    ]
    await write('UPDATE transactions SET token_hash = ? WHERE id = ?', otherToken, other.id)
    for (const [title, table, id, column, change] of changes) {
      const was = await one(`SELECT ${column} FROM ${table} WHERE id = ?`, id)
      if (title === 'token') await write('UPDATE transactions SET token_hash = ? WHERE id = ?', 'elsewhere', other.id)
      await write(`UPDATE ${table} SET ${column} = ? WHERE id = ?`, change(was), id)
      t.true(
        (await broken()).some(message => message.includes(id)),
        title,
      )
      if (title === 'garbage') {
        const session = await rig.call('GET', sdk, { token: open.sdk_token })
        t.is(session.status, 410)
        t.is(session.headers.get('x-error-code'), 'damaged')
        const token = await rig.token()
        const cancelled = await rig.call('POST', `${kyc}/transaction/${open.id}/cancel`, { token })
        t.is(cancelled.headers.get('x-error-code'), 'damaged', cancelled.text)
        t.is((await rig.view(finished.id)).status, 'FINISHED')
      }
      if (title === 'script') {
        await write('UPDATE transactions SET config = ? WHERE id = ?', '}{', id)
        t.is((await rig.call('GET', sdk, { token: open.sdk_token })).headers.get('x-error-code'), 'damaged')
        const token = await rig.token()
        const deliveries = await rig.call('GET', `${kyc}/transaction/${id}/deliveries`, { token })
        t.is(deliveries.headers.get('x-error-code'), 'damaged', deliveries.text)
      }
      await write(`UPDATE ${table} SET ${column} = ? WHERE id = ?`, was, id)
      if (title === 'token') await write('UPDATE transactions SET token_hash = ? WHERE id = ?', otherToken, other.id)
      t.deepEqual(await broken(), [], title)
    }

    await importTrust(service, [createState().root.certificate], by)
    await open.phone.offerHandoff()
    t.deepEqual(await broken(), [])
    const rows: readonly (readonly [
      table: 'signing_keys' | 'trust_anchors' | 'handoffs',
      column: string,
      value: Changed,
    ])[] = [
      ['signing_keys', 'public_jwk', '{"kty":"RSA"}'],
      ['signing_keys', 'retired_at', 1],
      ['trust_anchors', 'country', 'XX'],
      ['trust_anchors', 'kind', 'LINK'],
      ['trust_anchors', 'der', Buffer.from('another root')],
      ['handoffs', 'token_hash', 'another'],
      ['handoffs', 'expires_at', 9e12],
    ]
    const keys = { signing_keys: 'id', trust_anchors: 'fingerprint', handoffs: 'code_hash' } as const
    for (const [table, column, value] of rows) {
      const key = keys[table]
      const id = String(await one(`SELECT ${key} FROM ${table} ORDER BY ${key} LIMIT 1`))
      const was = await one(`SELECT ${column} FROM ${table} WHERE ${key} = ?`, id)
      await write(`UPDATE ${table} SET ${column} = ? WHERE ${key} = ?`, value, id)
      t.regex(String(await broken()), /was added or changed by something else/, `${table}.${column}`)
      await write(`UPDATE ${table} SET ${column} = ? WHERE ${key} = ?`, was, id)
      t.deepEqual(await broken(), [], table)
    }

    // Every write of the service to these rows leaves them sound, and sound rows only become so.
    const token = await rig.token()
    const change = (id: string) =>
      rig.call('PATCH', `${kyc}/customer/${id}`, { token, json: { email: 'other@example.org' } })
    t.is((await change(person)).status, 200)
    const url = rig.hook.url
    const sender = { ...by, operator_id }
    const switchTo = (isPaused: boolean) =>
      switchOrigin(service, sender, { account_id: rig.account.account_id, origin: url }, isPaused)
    t.is((await switchTo(true)).state, 'paused')
    t.deepEqual(await broken(), [], 'paused by an operator')
    await write('UPDATE origins SET paused_at = NULL, paused_by = NULL')
    t.regex(String(await broken()), /origin .* was added or changed/, 'a pause was ended')
    await switchTo(true)
    t.is((await switchTo(false)).state, 'healthy')
    t.deepEqual(await broken(), [], 'resumed')
    const lookup = await one('SELECT lookup FROM customers WHERE id = ?', person)
    const profile = await one('SELECT profile FROM customers WHERE id = ?', person)
    await write('UPDATE customers SET lookup = ? WHERE id = ?', 'another', person)
    t.is((await change(person)).status, 200)
    t.true(
      (await broken()).some(message => message.includes(person)),
      'a change makes no forged row sound',
    )
    await write('UPDATE customers SET lookup = ?, profile = ? WHERE id = ?', lookup, profile, person)
    const erased = await rig.call('DELETE', `${kyc}/transaction/${other.id}`, { token })
    t.is(erased.status, 200, erased.text)
    t.deepEqual(await broken(), [], 'its face was erased')

    await write('UPDATE scheduled_jobs SET ready_at = ready_at + 86400000 WHERE actor_id = ?', open.id)
    t.regex(String(await broken()), /timer .*: is due at another time/)
    await write('DELETE FROM scheduled_jobs WHERE actor_id = ?', open.id)
    t.regex(String(await broken()), /timer .*: is missing/)
    await write('DELETE FROM journal WHERE actor_id = ? AND sequence = 2', finished.id)
    t.true((await broken()).some(message => message.includes(finished.id)))

    // Damaged transactions can still be erased.
    for (const column of ['snapshot', 'config']) {
      const damaged = await rig.open()
      await damaged.phone.start()
      await write(`UPDATE transactions SET ${column} = ? WHERE id = ?`, '}{', damaged.id)
      const erased = await rig.call('DELETE', `${kyc}/transaction/${damaged.id}`, { token: await rig.token() })
      t.is(erased.status, 200, erased.text)
      t.is((await rig.call('GET', sdk, { token: damaged.sdk_token })).headers.get('x-error-code'), 'gone')
    }
  })
