/**
 * CPU microseconds of one event: `node lab/bench/event.ts`. The step alone, beside XState's public `transition` and a
 * live actor; then `host.send` with its commit on SQLite, and on the server that `TEST_MYSQL_URL` names.
 */

import { createHost, openStore } from 'durable-xstate-sql'
import type { PersistedSnapshot } from 'durable-xstate-sql/sql'
import { firstStep, nextStep } from 'durable-xstate-sql/testing'
import { type AnyEventObject, createActor, initialTransition, transition } from 'xstate'
import { transactionMachine } from '../../machines/transaction.ts'
import { untyped } from '../../packages/durable/test/actors/charts.ts'
import { systemClock } from '../../src/base/clock.ts'
import { newId } from '../../src/base/ids.ts'
import { createTransactionDefinition } from '../../src/verification/transactions/definition.ts'
import { createDeliveries } from '../../src/webhooks/delivery.ts'
import { eachDialect, type TestEngine } from '../../test/database.ts'
import { documentInput, transactionEvents } from '../../test/machines/events.ts'
import { cpuMilliseconds, machine, median, table } from './measure.ts'
import { storedConfig } from './open_transactions.ts'
import { shares, startProfile } from './profile.ts'

const rounds = 5
const roundMs = 700
const at_once = 16

const wanted = ['START', 'SIGNALS', 'FRONT_CAPTURED', 'SELFIE_CAPTURED', 'CHALLENGE_ISSUED']
const all = transactionEvents('019a0000-0000-7000-8000-000000000000')
/** The events that a device sends until everything is captured, each once. */
const events: readonly AnyEventObject[] = [
  ...wanted.map(name => all.find(({ type }) => type === name)),
  ...[0, 1].map(position => all.find(event => event.type === 'FRAME_CAPTURED' && event.position === position)),
].filter(event => event !== undefined)

function ours(): void {
  let snapshot = JSON.stringify(firstStep(transactionMachine, documentInput).snapshot)
  for (const event of events) {
    const step = nextStep(transactionMachine, JSON.parse(snapshot) as PersistedSnapshot, event)
    if (step === null) throw new Error(`${event.type} was refused`)
    snapshot = JSON.stringify(step.snapshot)
  }
}

/** Each event with the snapshot that it meets. */
const met: (readonly [PersistedSnapshot, AnyEventObject])[] = []
let reached: PersistedSnapshot | undefined = firstStep(transactionMachine, documentInput).snapshot
for (const event of events) {
  if (reached === undefined) throw new Error(`${event.type} was not reached`)
  met.push([reached, event])
  reached = nextStep(transactionMachine, reached, event)?.snapshot
}

function alone(): void {
  for (const [snapshot, event] of met) nextStep(transactionMachine, snapshot, event)
}

function theirs(): void {
  let [snapshot] = initialTransition(transactionMachine, documentInput)
  let persisted = JSON.stringify(transactionMachine.getPersistedSnapshot(snapshot))
  for (const event of events) {
    const restored = transactionMachine.resolveState(JSON.parse(persisted))
    ;[snapshot] = transition(transactionMachine, restored, event as never)
    persisted = JSON.stringify(transactionMachine.getPersistedSnapshot(snapshot))
  }
}

function live(): void {
  const actor = createActor(transactionMachine, {
    input: documentInput,
    clock: { setTimeout: () => 0, clearTimeout() {} },
  }).start()
  for (const event of events) {
    actor.send(event as never)
    JSON.stringify(actor.getPersistedSnapshot())
  }
  actor.stop()
}

const contenders: Readonly<Record<string, () => void>> = {
  'step, with JSON both ways': ours,
  'step alone': alone,
  'transition() with JSON both ways': theirs,
  'live actor, with JSON out': live,
}

/** CPU microseconds of one event in one round. */
function timed(path: () => void): number {
  const until = performance.now() + roundMs / 4
  const before = cpuMilliseconds()
  let count = 0
  while (performance.now() < until) {
    path()
    count += events.length
  }
  return ((cpuMilliseconds() - before) / count) * 1000
}

function measureSteps(): void {
  const figures = new Map(Object.keys(contenders).map(name => [name, [] as number[]]))
  for (let round = -1; round < rounds; round++)
    for (const [name, path] of Object.entries(contenders)) {
      const figure = timed(path)
      if (round >= 0) figures.get(name)?.push(figure)
    }
  const base = median(figures.get('step, with JSON both ways') ?? [])
  const rows = [...figures].map(([name, values]) => [
    name,
    median(values).toFixed(0),
    (median(values) / base).toFixed(2),
  ])
  console.log(table([['', 'CPU µs an event', '÷ step'], ...rows]))
}

function newTransaction() {
  const id = newId()
  const columns = {
    customer_id: newId(),
    transaction_type: 'DOCUMENT_AND_BIOMETRIC' as const,
    config: storedConfig,
    expected_data: null,
  }
  return { id, account_id: id, input: documentInput, columns: { ...columns, token_hash: id, expires_at: 0 } }
}

/** Sends new transactions their events, `at_once` at a time; prints CPU microseconds and the split. */
async function measureSend(engine: TestEngine): Promise<void> {
  const database = await engine.fresh()
  const store = await openStore(database.address, 10)
  const host = createHost(store, systemClock)
  const transaction = createTransactionDefinition(host.dialect, createDeliveries(host, [0]))
  const until = (ms: number): Promise<number[]> => {
    const end = performance.now() + ms
    const one = async (): Promise<number> => {
      let sent = 0
      while (performance.now() < end) {
        const { id } = await host.create(transaction, newTransaction())
        for (const event of events) await host.send(untyped(transaction), id, event)
        sent += events.length + 1
      }
      return sent
    }
    return Promise.all(Array.from({ length: at_once }, one))
  }
  await until(roundMs)
  const figures: number[] = []
  const rates: number[] = []
  for (let round = 0; round < rounds; round++) {
    const cpu = cpuMilliseconds()
    const began = performance.now()
    const sent = (await until(roundMs)).reduce((sum, count) => sum + count, 0)
    figures.push(((cpuMilliseconds() - cpu) / sent) * 1000)
    rates.push((sent / (performance.now() - began)) * 1000)
  }
  const end = await startProfile()
  await until(roundMs)
  const split = shares(await end())
  const figure = median(figures).toFixed(0)
  const rate = median(rates).toFixed(0)
  console.log(`host.send on ${engine.name}: ${figure} CPU µs an event; ${rate} events a second at ${at_once} at once`)
  console.log(`  ${split}`)
  await store.close()
  await database.drop()
}

console.log(machine())
measureSteps()
for (const engine of eachDialect) await measureSend(engine)
