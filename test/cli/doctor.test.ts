import test from 'ava'
import { run } from 'durable-xstate-sql'
import type { Finding } from '../../src/cli/doctor/finding.ts'
import { findWorst } from '../../src/cli/doctor/finding.ts'
import { createAccount, switchAccount } from '../../src/identity/accounts/accounts.ts'
import { commandLine } from '../../src/identity/operators/audit.ts'
import { createOperator, disableOperator } from '../../src/identity/operators/operators.ts'
import { oneDialect } from '../database.ts'
import { attestor, urlOf } from '../service/programs.ts'
import { openTestRig, type Rig } from '../service/rig.ts'

const master = Buffer.alloc(32, 7).toString('base64')

async function doctor(rig: Rig, more: Record<string, string> = {}) {
  const environment = { DATABASE_URL: urlOf(rig.database), MASTER_KEY: master, ...more }
  const { code, stdout, stderr } = await attestor(['doctor', '--json'], environment)
  const { state, findings } = JSON.parse(stdout) as { state: string; findings: readonly Finding[] }
  return { code, stderr, state, findings, of: (check: string) => findings.filter(finding => finding.check === check) }
}

/** A paused receiver, an actor of a later build's, and a timer that nobody fires. */
async function fallIll(rig: Rig, transaction_id: string): Promise<void> {
  const { store, clock } = rig.node().service
  const origin = { sql: 'INSERT INTO origins (id, account_id, origin, paused_at) VALUES (?, ?, ?, ?)' }
  const { account_id } = rig.account
  const values = [`${account_id}/x`, account_id, 'https://hooks.example.com:443', clock.now()]
  await store.commit(() => run({ ...origin, values }))
  const later = { sql: 'UPDATE transactions SET chart_version = 7 WHERE id = ?', values: [transaction_id] }
  await store.commit(() => run(later))
  const due = {
    sql: 'UPDATE scheduled_jobs SET ready_at = ? WHERE actor_id = ?',
    // The commands have the machine's clock.
    values: [Date.now() - 3_600_000, transaction_id],
  }
  await store.commit(() => run(due))
}

for (const engine of oneDialect) {
  test(`${engine.name}: the doctor finds every fault, and none in a healthy service`, async t => {
    const rig = await openTestRig(t, engine)
    const { service } = rig.node()
    const fine = await doctor(rig)
    t.deepEqual([fine.stderr, fine.of('webhooks').map(({ level }) => level)], ['', ['ok']])
    t.deepEqual(
      fine.findings.filter(({ level }) => level === 'error'),
      [],
    )
    t.regex(fine.of('clock')[0]?.message ?? '', engine.name === 'SQLite' ? /this machine/ : /\d+ ms/)

    const opened = await rig.open()
    await rig.idle()
    const account = await createAccount(service, { name: 'b', mode: 'live' })
    await switchAccount(service, account.account_id, 'review', true)
    const { operator_id } = await createOperator(service, { name: 'ada', role: 'admin' }, commandLine)
    const reviewed = await doctor(rig)
    t.deepEqual(
      reviewed.of('roles').map(({ level }) => level),
      ['ok'],
    )
    t.like(
      reviewed.of('charts').find(({ message }) => message.includes('transaction')),
      { level: 'ok', message: 'version 1 of the transaction chart has 1 live actors' },
    )
    await disableOperator(service, operator_id, commandLine)
    await fallIll(rig, opened.id)

    const ill = await doctor(rig)
    t.deepEqual([ill.code, ill.state, findWorst(ill.findings)], [4, 'error', 'error'])
    t.deepEqual(
      ill.of('roles').map(({ level }) => level),
      ['error', 'warning'],
    )
    t.like(
      ill.of('charts').find(({ level }) => level === 'error'),
      {
        message: 'version 7 of the transaction chart has 1 live actors, and this build does not know it',
        remedy: 'Run the newer build that wrote them.',
      },
    )
    t.regex(ill.of('webhooks')[0]?.remedy ?? '', /attestor webhook resume https:\/\/hooks\.example\.com:443 --account/)
    t.regex(ill.of('queues')[0]?.message ?? '', /^1 wait in the queue timer/)
    t.regex(ill.of('queues')[0]?.remedy ?? '', /role worker/)
  })

  test(`${engine.name}: that no node analyses is found by what waits, and by the settings of an SQLite file's one node`, async t => {
    const ROLES = 'api,worker'
    const rig = await openTestRig(t, engine, { ROLES })
    const { phone } = await rig.open()
    await phone.capture()
    await phone.complete()
    await rig.idle()
    const sql = "UPDATE scheduled_jobs SET ready_at = ? WHERE queue = 'admission'"
    await rig.node().service.store.commit(() => run({ sql, values: [Date.now() - 61_000] }))
    const found = await doctor(rig, { ROLES })
    t.regex(found.of('queues')[0]?.message ?? '', /^1 wait in the queue admission/)
    t.regex(found.of('queues')[0]?.remedy ?? '', /role analysis/)
    t.deepEqual(
      found.of('settings').filter(({ message }) => message.startsWith('ROLES is without analysis')).length,
      engine.name === 'SQLite' ? 1 : 0,
    )
    t.like(found.of('models'), [{ level: 'ok', message: 'this node does not have the role analysis' }])
  })

  test(`${engine.name}: a wrong key, a missing database and a bad setting are findings too`, async t => {
    const rig = await openTestRig(t, engine)
    const other = await doctor(rig, { MASTER_KEY: Buffer.alloc(32, 8).toString('base64') })
    t.is(other.code, 4)
    t.like(other.of('database')[0], {
      level: 'error',
      message: 'MASTER_KEY: is not the key that this database is encrypted with',
    })
    const away = engine.name === 'SQLite' ? 'sqlite:/nowhere/none.sqlite' : 'mysql://root@127.0.0.1:1/none'
    t.is((await doctor(rig, { DATABASE_URL: away })).of('database')[0]?.level, 'error')
    const bad = await doctor(rig, { PORT: 'x', POLL_MS: '0' })
    t.deepEqual([bad.code, bad.findings.map(({ check }) => check)], [4, ['settings', 'settings']])
  })
}
