import test from 'ava'
import mysql from 'mysql2/promise'
import { createAccountTurns } from '../../../../src/verification/analysis/account_turns.ts'
import { admissionHandler, countFreeSlots } from '../../../../src/verification/analysis/admission.ts'
import { happened, until } from '../../../../test/awaited.ts'
import type { ManualClock } from '../../../../test/clock.ts'
import { eachDialect } from '../../../../test/database.ts'
import { rounds } from '../../../../test/tier.ts'
import type { JobHandler } from '../../jobs/handler.ts'
import { newId } from '../../random.ts'
import { connectionOptions } from '../../store/mysql_address.ts'
import { completed, createHandlers, gate, openWorkerRig, startNode, statusOf, transactionOf } from './rig.ts'

/** Handlers of a node that analyses one at a time. */
function oneAtATime(
  begun: (id: string, signal: AbortSignal) => Promise<void>,
  { now }: ManualClock,
): readonly JobHandler[] {
  return [
    {
      queue: 'analysis',
      lanes: createAccountTurns(now),
      slots: countFreeSlots('admission', () => 1),
      async handle({ actor_id }, signal) {
        await begun(actor_id, signal)
        return { output: { decision: 'APPROVED' } }
      },
    },
    admissionHandler(() => 1, createAccountTurns(now)),
    ...createHandlers().handlers.filter(handlers => handlers.queue === 'attempt'),
  ]
}

for (const engine of eachDialect)
  test(`On ${engine.name} an account with very many waiting analyses delays another’s first by one analysis`, async t => {
    const rig = await openWorkerRig(t, engine)
    const [busy, small] = [newId(), newId()]
    const many = rounds(20, 1000)
    for (let n = 0; n < many; n++) await completed(rig, false, busy)
    const accounts: string[] = []
    const { promise, resolve: release } = gate()
    const analysed = async (id: string): Promise<void> => {
      const { account_id } = await transactionOf(rig, id)
      accounts.push(String(account_id))
      happened()
      if (accounts.length === 1) await promise
    }
    const { worker } = startNode(t, rig, oneAtATime(analysed, rig.clock))
    await until(() => accounts.length === 1)
    await rig.clock.advance(1000)
    for (let n = 0; n < 3; n++) await completed(rig, false, small)
    release()
    await worker.idle()
    const all = Array(many - 4).fill(busy)
    t.deepEqual(accounts, [busy, small, busy, small, busy, small, busy, ...all])
  })

for (const engine of eachDialect.filter(({ name }) => name === 'MariaDB'))
  test('On MariaDB a row that another node had locked is claimed as soon as it is released, without waiting', async t => {
    const rig = await openWorkerRig(t, engine)
    const id = await completed(rig)
    if (rig.database.address.dialect !== 'mysql') return t.fail()
    const other = await mysql.createConnection(connectionOptions(rig.database.address))
    t.teardown(() => other.end())
    await other.query('START TRANSACTION')
    await other.query('SELECT id FROM scheduled_jobs FOR UPDATE')
    const { handlers, done } = createHandlers()
    const { worker } = startNode(t, rig, handlers)
    await worker.idle()
    t.deepEqual(done, [])
    await other.query('ROLLBACK')
    await until(async () => (await statusOf(rig, id)) === 'FINISHED')
    t.pass()
  })
