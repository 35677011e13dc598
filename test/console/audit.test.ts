import test from 'ava'
import { readFirst, run } from 'durable-xstate-sql'
import { columnsOf } from '../../src/database/schema.ts'
import { createAccount } from '../../src/identity/accounts/accounts.ts'
import type { TestEngine } from '../database.ts'
import { oneDialect } from '../database.ts'
import { kyc, openTransaction, registerCustomer, tokenForm } from '../service/client.ts'
import { openConsole } from './rig.ts'

async function openAudited(engine: TestEngine) {
  const rig = await openConsole(engine)
  const { door, as } = rig
  const { store } = door.service
  const headQuery = {
    sql: `SELECT value FROM facts WHERE name = 'audit_head'`,
    values: [],
    columns: columnsOf('facts', 'value'),
  }
  return {
    ...rig,
    /** The entries about something, the newest first. */
    entriesOf: async (subject_id: string) =>
      (await as.admin('GET', `/audit?subject_id=${subject_id}`)).body.data as {
        readonly action: string
        readonly client_id: string | null
        readonly operator_name: string | null
      }[],
    /** While the log can't be written, nothing that it would record may happen. */
    async withoutLog(work: () => Promise<void>) {
      const head = (await readFirst(store, headQuery))?.value ?? ''
      await store.commit(() => run({ sql: `DELETE FROM facts WHERE name = 'audit_head'`, values: [] }))
      await work()
      const insertion = { sql: `INSERT INTO facts (name, value) VALUES ('audit_head', ?)`, values: [head] }
      await store.commit(() => run(insertion))
    },
    /** All rows of a table, to compare. */
    rowsOf: (table: string, column: string) =>
      store.read({ sql: `SELECT ${column} AS value FROM ${table} ORDER BY 1`, values: [] }),
  }
}

for (const engine of oneDialect) {
  test(`On ${engine.name} an operator's act and its entry are one commit`, async t => {
    const { door, as, entriesOf, withoutLog, rowsOf } = await openAudited(engine)
    t.teardown(door.close)
    const { customer_id, transaction_id: id } = await openTransaction(door.call, door.token)
    const { account_id, client_id } = await createAccount(door.service, { name: 'Other' })
    const changes = [
      ['POST', `/transaction/${id}/cancel`, {}, id, 'transaction_cancelled', ['transactions', 'status']],
      [
        'PATCH',
        `/account/${account_id}`,
        { json: { review: true } },
        account_id,
        'account_changed',
        ['accounts', 'review'],
      ],
      ['POST', `/client/${client_id}/revoke`, {}, client_id, 'client_revoked', ['clients', 'revoked_at']],
      ['DELETE', `/customer/${customer_id}`, {}, customer_id, 'customer_erased', ['customers', 'id']],
    ] as const
    for (const [method, path, call, subject, action, [table, column]] of changes) {
      const before = await rowsOf(table, column)
      await withoutLog(async () => void t.is((await as.admin(method, path, call)).status, 500, path))
      t.deepEqual(await rowsOf(table, column), before, `${path}: not recorded, and so not done`)
      t.is((await as.admin(method, path, call)).status, 200, path)
      t.notDeepEqual(await rowsOf(table, column), before)
      t.deepEqual(
        (await entriesOf(subject)).map(one => [one.action, one.operator_name]),
        [[action, 'the.admin']],
      )
    }
    const made = [
      [`/account`, { name: 'New', mode: 'live', review: false }, 'accounts', 'account_id'],
      [`/account/${account_id}/client`, undefined, 'clients', 'client_id'],
      [`/key/rotate`, { in_hours: 1 }, 'signing_keys', 'kid'],
    ] as const
    for (const [path, json, table, name] of made) {
      const call = json === undefined ? {} : { json }
      const before = await rowsOf(table, 'id')
      await withoutLog(async () => void t.is((await as.admin('POST', path, call)).status, 500, path))
      t.deepEqual(await rowsOf(table, 'id'), before, path)
      const { status, body } = await as.admin('POST', path, call)
      t.is(status, 201, path)
      t.is((await entriesOf(String(body[name]))).length, 1, path)
    }
  })

  test(`On ${engine.name} the log has clients' actions too, and is exported whole`, async t => {
    const { door, as, entriesOf } = await openAudited(engine)
    t.teardown(door.close)
    const customer_id = await registerCustomer(door.call, door.token)
    const { client_id, client_secret } = door.account
    const ask = (secret: string, id = client_id) =>
      door.call('POST', '/oauth2/token', { form: tokenForm({ client_id: id, client_secret: secret }) })
    t.deepEqual(
      [(await ask('wrong')).status, (await ask('x', 'nobody')).status, (await ask(client_secret)).status],
      [401, 401, 200],
    )
    t.is((await door.call('DELETE', `${kyc}/customer/${customer_id}`, { token: door.token })).status, 200)
    t.like((await entriesOf(customer_id))[0], { action: 'customer_erased', client_id, operator_name: null })
    const byClient = (await as.admin('GET', `/audit?client_id=${client_id}`)).body.data as { action: string }[]
    t.deepEqual(
      byClient.map(({ action }) => action),
      ['customer_erased', 'token_issued', 'token_refused', 'token_issued'],
    )
    const { text, headers } = await as.admin('GET', '/audit/export')
    t.is(headers.get('content-type'), 'application/x-ndjson')
    const lines = text
      .trimEnd()
      .split('\n')
      .map(line => JSON.parse(line) as Record<string, unknown>)
    t.deepEqual(
      lines.map(({ sequence }) => sequence),
      lines.map((_, index) => index + 1),
    )
    t.like(lines.at(-1), { action: 'audit_exported' })
    t.like(
      lines.find(({ action, client_id: by }) => action === 'token_refused' && by === null),
      { operator_id: null },
    )
    for (const secret of [client_secret, door.token, 'nobody']) t.false(text.includes(secret))
    const removal = { sql: 'DELETE FROM audit WHERE sequence = 3', values: [] }
    await door.service.store.commit(() => run(removal))
    t.true((await as.admin('GET', '/audit/export')).text.endsWith('{"error":"audit: entry 3 is missing"}\n'))
  })
}
