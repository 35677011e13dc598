import test from 'ava'
import type { AnyStateMachine } from 'xstate'
import { type TransactionInput, transactionMachine } from '../../machines/transaction.ts'
import { switchAccount } from '../../src/identity/accounts/accounts.ts'
import { oneDialect } from '../database.ts'
import { limits, transactionEvents } from '../machines/events.ts'
import { transactionPaths } from '../machines/generated_paths.ts'
import { covering, declaredTransitions } from '../machines/paths.ts'
import { heldEngine, nobody, pathSettings, walkPath } from './path_walk.ts'
import { openTestRig } from './rig.ts'

const machine = transactionMachine as AnyStateMachine

const events = transactionEvents('a')
const others = events.filter(({ type }) => !type.startsWith('xstate.'))
const paths = covering(transactionPaths())

test('The paths that are walked take every transition of the transaction chart', t => {
  const taken = new Set(paths.flatMap(({ transitions }) => transitions))
  t.deepEqual(
    declaredTransitions(machine).filter(name => !taken.has(name)),
    [],
  )
})

for (const engine of oneDialect)
  test.serial(
    `On ${engine.name} the running service walks every path, and keeps the rows that its states imply`,
    async t => {
      const rig = await openTestRig(t, engine, pathSettings)
      for (const name of ['review', 'resubmission'] as const)
        await switchAccount(rig.node().service, rig.account.account_id, name, true)
      const held = heldEngine()
      rig.script(held.script)
      for (const path of paths) {
        const held = heldEngine()
        rig.script(held.script)
        const input = path.input as TransactionInput
        const opened = await rig.open(
          { webhook: null, document_policy: { chip: 'PREFER', wallet: 'OFFER' } },
          { transaction_type: input.transaction_type },
        )
        await walkPath(
          { t, rig, engine: held, opened, input, challenge_id: nobody, wallet: null, blocker: null },
          path.events,
          others,
        )
        // One that still backs off ends before the next begins, or it would want the analyser then.
        await rig.advance(limits.analysis_backoff_ms)
      }
      t.log(`${paths.length} paths, ${paths.reduce((sum, path) => sum + path.events.length, 0)} events`)
    },
  )
