import { readFileSync } from 'node:fs'
import { isDeepStrictEqual } from 'node:util'
import { createInspector, type StatelyInspectionEvent } from '@statelyai/inspect'
import test, { type ExecutionContext } from 'ava'
import { run, type Store, type Unit } from 'durable-xstate-sql'
import { type AnyEventObject, createActor, createMachine } from 'xstate'
import { cancelled, ended, only } from '../../../packages/durable/test/actors/attempts.ts'
import { deliveriesOf, journalOf, readScheduledJobs, rowOf } from '../../../packages/durable/test/actors/charts.ts'
import { newId } from '../../../src/base/ids.ts'
import type { Inspected, InspectedStep } from '../../../src/console/inspect/inspected.ts'
import { openJournal } from '../../../src/console/inspect/journal.ts'
import { inspectionMessages, protocolVersion } from '../../../src/console/inspect/protocol.ts'
import { oneDialect, sqlite, type TestEngine } from '../../database.ts'
import { documentInput, transactionEvents } from '../../machines/events.ts'
import { transactionPaths } from '../../machines/generated_paths.ts'
import { covering } from '../../machines/paths.ts'
import { text } from '../../raw_row.ts'
import { openReading, type Reading } from './rig.ts'

const paths = covering(transactionPaths().filter(({ input }) => isDeepStrictEqual(input, documentInput)))

const [start] = transactionEvents('a')
if (start === undefined) throw new Error('no event')

function isStep(one: Inspected): one is InspectedStep {
  return one.type === 'step'
}

function stepsOf(inspected: readonly Inspected[], id: string): readonly InspectedStep[] {
  return inspected.filter(isStep).filter(({ actor }) => actor.id === id)
}

/** Whether the inspector reports of an actor what the database stores. */
async function matchesRows(rig: Reading, inspected: readonly Inspected[], id: string): Promise<boolean> {
  const steps = stepsOf(inspected, id)
  const journal = await journalOf(rig.store, id)
  const { status, snapshot } = await rowOf(rig.store, 'transactions', id)
  const sameEntries = journal.every(({ sequence, event, status: after }, index) => {
    const step = steps[index]
    return step !== undefined && step.sequence === sequence && step.event === event && step.step.status === after
  })
  const last = steps.at(-1)?.step
  return (
    sameEntries &&
    steps.length === journal.length &&
    last?.status === status &&
    JSON.stringify(last?.snapshot) === snapshot
  )
}

/** Whether the inspector reports each state that a delivery's row had, as a delivery has no journal. */
async function matchesDelivery(rig: Reading, inspected: readonly Inspected[], id: string): Promise<boolean> {
  const steps = stepsOf(inspected, id)
  const { version, status, snapshot } = await rowOf(rig.store, 'deliveries', id)
  const last = steps.at(-1)
  return (
    steps.every(({ sequence }, index) => sequence === index + 1) &&
    last?.sequence === version &&
    last?.step.status === status &&
    JSON.stringify(last?.step.snapshot) === snapshot
  )
}

function eventOf({ event }: InspectedStep): string {
  return JSON.parse(event).type
}

async function walked(
  engine: TestEngine,
  t: ExecutionContext,
): Promise<{ rig: Reading; inspected: readonly Inspected[]; ids: readonly string[] }> {
  const rig = await openReading(t, engine)
  const inspected: Inspected[] = []
  const ids: string[] = []
  for (const path of paths.slice(0, 12)) {
    const id = await rig.open()
    ids.push(id)
    for (const event of path.events) {
      await rig.send(id, event)
      inspected.push(...(await rig.readJournal()))
    }
  }
  return { rig, inspected, ids }
}

for (const engine of oneDialect) {
  test(`On ${engine.name} every step of transactions and deliveries is read once, in order, with the state after it`, async t => {
    const { rig, inspected, ids } = await walked(engine, t)
    for (const id of ids) {
      t.true(await matchesRows(rig, inspected, id), id)
      for (const delivery of await deliveriesOf(rig.store, id)) {
        t.true(await matchesDelivery(rig, inspected, text(delivery, 'id')))
        t.is(stepsOf(inspected, text(delivery, 'id'))[0]?.actor.parent_id, id)
      }
    }
    t.deepEqual(await rig.readJournal(), [], 'nothing is read twice')
  })

  test(`On ${engine.name} a delivery is shown in every state that is read of it, by the attempt that led there`, async t => {
    const rig = await openReading(t, engine)
    const id = await cancelled(rig)
    const inspected = [...(await rig.readJournal())]
    const untilRetry = async () => {
      const timer = (await readScheduledJobs(rig.store, first)).find(({ queue }) => queue === 'timer')
      if (timer === undefined) throw new Error('no retry is planned')
      const fence = { job_id: text(timer, 'id'), lease: null }
      await rig.host.send(rig.delivery, first, JSON.parse(text(timer, 'payload')), { fence })
    }
    const [first = '', second = ''] = (await deliveriesOf(rig.store, id)).map(row => text(row, 'id'))
    const changes = [
      async () => ended(rig, await only(rig), { outcome: 'failed' }),
      untilRetry,
      async () => ended(rig, await only(rig), {}),
      async () => rig.host.send(rig.delivery, first, { type: 'REDELIVER' }),
      async () => ended(rig, await only(rig), { outcome: 'gone' }),
    ]
    for (const change of changes) {
      await change()
      inspected.push(...(await rig.readJournal()))
    }
    const shown = (delivery: string) =>
      stepsOf(inspected, delivery).map(one => `${eventOf(one).replace(/^xstate\.(\w+)\..*/, '$1')} ${one.step.status}`)
    t.deepEqual(shown(first), [
      'CREATE ATTEMPTING',
      'done BACKING_OFF',
      'after ATTEMPTING',
      'done DELIVERED',
      'REDELIVER PENDING',
      'TURN ATTEMPTING',
    ])
    t.deepEqual(shown(second), ['CREATE PENDING', 'TURN ATTEMPTING', 'done GONE'])
    for (const delivery of [first, second]) t.true(await matchesDelivery(rig, inspected, delivery))
    t.deepEqual(await journalOf(rig.store, first), [])
  })

  test(`On ${engine.name} a commit between the reader's statements is read in order, next time`, async t => {
    const rig = await openReading(t, engine)
    for (const statement of [1, 2]) {
      const other = await rig.open()
      let count = 0
      const store: Pick<Store, 'read'> = {
        async read(query) {
          const rows = await rig.store.read(query)
          count += 1
          if (count === statement) await rig.send(other, start)
          return rows
        },
      }
      const { transaction: transactionDefinition } = rig
      const readJournal = openJournal({ store: store as Store, transactionDefinition }, { transaction_ids: [other] })
      const read = [await readJournal(), await readJournal()].map(inspected =>
        inspected.filter(isStep).map(({ event, actor }) => `${actor.kind} ${JSON.parse(event).type}`),
      )
      t.deepEqual(
        read,
        [['transaction CREATE'], ['transaction START', 'delivery CREATE']],
        `after statement ${statement}`,
      )
    }
  })

  test(`On ${engine.name} one transaction is read alone, and of all the newest`, async t => {
    const rig = await openReading(t, engine, { newest: 2 })
    const one = await rig.open()
    const two = await rig.open()
    t.deepEqual(
      (await rig.readJournal()).filter(isStep).map(({ actor }) => actor.id),
      [one, two],
    )
    const three = await rig.open()
    await rig.send(one, start)
    const then = await rig.readJournal()
    t.deepEqual(
      then.filter(isStep).map(({ actor }) => actor.id),
      [three],
      'the oldest is read no more',
    )
    const alone = await openReading(t, engine)
    const mine = await alone.open()
    const other = await alone.open()
    await alone.send(mine, start)
    await alone.send(other, start)
    const read = await alone.reading({ transaction_ids: [mine] })()
    t.deepEqual(new Set(read.filter(isStep).map(({ actor }) => actor.parent_id ?? actor.id)), new Set([mine]))
    t.is(read.length, 3, 'two steps of its own, and one of its delivery')
  })

  test(`On ${engine.name} a journal that can't be replayed is said to be so, and others are shown`, async t => {
    const rig = await openReading(t, engine)
    const broken = await rig.open()
    const whole = await rig.open()
    await rig.send(broken, start)
    await rig.store.commit(function* (): Unit<void> {
      const event = JSON.stringify({ type: '<img src=x>' })
      yield* run({ sql: 'UPDATE journal SET event = ? WHERE actor_id = ? AND sequence = 2', values: [event, broken] })
    })
    const read = await rig.readJournal()
    const reason = 'entry 2: <img src=x> is not possible in CREATED'
    t.deepEqual(
      read.flatMap(one => (one.type === 'unshown' ? [[one.actor.id, one.reason]] : [])),
      [[broken, reason]],
    )
    t.is(stepsOf(read, whole).length, 1)
    await rig.send(broken, { type: 'CANCEL' })
    t.false(
      (await rig.readJournal()).some(one => one.actor.id === broken),
      'said once',
    )
  })
}

test('Only names and counts leave the program: no reference, digest, decision or word of a person', async t => {
  const rig = await openReading(t, sqlite)
  const id = await rig.open()
  const capture = { capture_id: newId(), digest: 'canary-digest' }
  const done = (job: string, output: unknown): AnyEventObject => ({
    type: `xstate.done.actor.${job}`,
    output,
    actorId: job,
  })
  const frame = { type: 'FRAME_CAPTURED', challenge_id: 'canary-challenge', capture }
  const issued = {
    type: 'CHALLENGE_ISSUED',
    challenge_id: 'canary-challenge',
    actions: ['BLINK', 'Canary Person'],
    expires_at: 1,
  }
  const events = [
    { type: 'START', declared_document: 'PASSPORT', facts: capture },
    { type: 'SIGNALS', capture },
    { type: 'FRONT_CAPTURED', capture },
    { type: 'SELFIE_CAPTURED', capture },
    issued,
    { ...frame, position: 0 },
    { ...frame, position: 1 },
    { type: 'COMPLETE' },
    done('admission', null),
    { type: 'xstate.error.actor.analysis', error: { code: 'Canary said', message: 'canary' }, actorId: 'analysis' },
    { type: 'xstate.after.ANALYSIS_BACKOFF.transaction.submitted.PROCESSING.under_analysis.backing_off' },
    done('analysis', { decision: 'REJECTED', trace_sha256: 'canary-trace' }),
  ]
  await rig.send(id, ...events)
  const messages = (await rig.readJournal()).filter(isStep).flatMap(inspectionMessages)
  const said = JSON.stringify(messages.map(message => ({ ...message, definition: undefined })))
  t.is(messages.filter(({ type, sessionId }) => type === '@xstate.event' && sessionId === id).length, events.length + 1)
  for (const secret of ['anary', 'PASSPORT', 'REJECTED', 'receiver.example']) t.false(said.includes(secret), secret)
  const { customer_id, account_id } = await rowOf(rig.store, 'transactions', id)
  for (const other of [customer_id, account_id, capture.capture_id]) t.false(said.includes(String(other)))
  t.true(said.includes('"actions":["BLINK"]'))
})

/** Returns the members that the package itself sends for a running actor: its page may expect them. */
async function membersMadeByPackage(): Promise<ReadonlyMap<string, readonly string[]>> {
  const sent: StatelyInspectionEvent[] = []
  const { promise, resolve } = Promise.withResolvers<void>()
  const send = (event: StatelyInspectionEvent): void => {
    sent.push(event)
    if (event.type === '@xstate.snapshot' && event.event.type === 'GO') resolve()
  }
  const { inspect } = createInspector({ send })
  const machine = createMachine({ id: 'sample', initial: 'a', states: { a: { on: { GO: 'b' } }, b: {} } })
  const actor = createActor(machine, { inspect }).start()
  actor.send({ type: 'GO' })
  await promise
  return new Map(sent.map(event => [event.type, Object.keys(event).sort()]))
}

test('The messages are those of @statelyai/inspect, in its version', async t => {
  const folder = new URL('../../../node_modules/@statelyai/inspect/', import.meta.url)
  t.is(protocolVersion, JSON.parse(readFileSync(new URL('package.json', folder), 'utf8')).version)
  const rig = await openReading(t, sqlite)
  const id = await rig.open()
  await rig.send(id, start)
  const read = (await rig.readJournal()).filter(isStep)
  const messages = read.flatMap(inspectionMessages)
  // The compiler checks that our message is one of theirs.
  const theirs: readonly StatelyInspectionEvent[] = messages
  t.deepEqual(
    theirs.slice(0, 5).map(({ type, sessionId, rootId }) => [type, sessionId, rootId]),
    [
      ['@xstate.actor', id, id],
      ['@xstate.event', id, id],
      ['@xstate.snapshot', id, id],
      ['@xstate.event', id, id],
      ['@xstate.snapshot', id, id],
    ],
  )
  const made = await membersMadeByPackage()
  for (const message of messages)
    t.deepEqual(
      made.get(message.type)?.filter(member => !(member in message)),
      [],
      message.type,
    )
  const [actor] = messages
  const config = actor?.type === '@xstate.actor' ? JSON.parse(actor.definition ?? '') : null
  t.is(createMachine(config).id, 'transaction', 'the definition is a chart')
})
