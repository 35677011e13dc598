import { AnalysisError } from '@attestor/vision'
import test, { type ExecutionContext } from 'ava'
import { createApprovedFindings } from '../../src/engines/scripted.ts'
import { oneDialect } from '../database.ts'
import type { Reply } from './hook.ts'
import { getResult, listNotified } from './outcomes.ts'
import { type Opened, openTestRig, type Rig } from './rig.ts'

const allNotified = ['INITIATED', 'COMPLETED', 'PROCESSING', 'FINISHED']
const maxWaitMs = 200_000

/** A transaction in mid-flight, and the remaining calls of its phone. */
interface Flight {
  readonly state: string
  readonly opened: Opened
  goOn(): Promise<void>
}

async function captureAll({ phone }: Opened): Promise<void> {
  await phone.capture()
  await phone.complete()
}

async function statusOf(rig: Rig, id: string): Promise<unknown> {
  return (await rig.rows('SELECT status FROM transactions WHERE id = ?', id))[0]?.status
}

/** One transaction in each state that waits for its phone. */
async function openFlights(rig: Rig): Promise<Flight[]> {
  const rest =
    ({ phone }: Opened, ...steps: (() => Promise<unknown>)[]) =>
    async (): Promise<void> => {
      for (const step of steps) await step()
      await phone.complete()
    }
  const flights: Flight[] = []
  const add = async (state: string, done: number, hasChallenge = false): Promise<void> => {
    const opened = await rig.open()
    const { phone } = opened
    const steps = [() => phone.start(), () => phone.upload('document/front'), () => phone.upload('selfie')]
    for (const step of steps.slice(0, done)) await step()
    const { challenge_id, actions } = hasChallenge ? (await phone.challenge()).body : {}
    const left = hasChallenge
      ? (actions as unknown[]).map((_, n) => n).map(n => () => phone.upload(`liveness/${challenge_id}/${n}`))
      : [...steps.slice(done), () => phone.liveness()]
    if (state === 'one frame answered') await left.shift()?.()
    flights.push({ state, opened, goOn: rest(opened, ...left) })
  }
  await add('CREATED', 0)
  await add('INITIATED', 1)
  await add('front captured', 2)
  await add('selfie captured', 3)
  await add('challenge issued', 3, true)
  await add('one frame answered', 3, true)
  const captured = await rig.open()
  await captured.phone.capture()
  flights.push({ state: 'everything captured', opened: captured, goOn: rest(captured) })
  return flights
}

/** Transactions whose job, timer or delivery is under way when the node ends. */
async function startJobs(rig: Rig, release: Promise<void>): Promise<Flight[]> {
  const opened = await Promise.all(Array.from({ length: 5 }, () => rig.open()))
  const states = ['delivery backing off', 'analysis backing off', 'analysing', 'COMPLETED', 'delivery attempting']
  const flights = opened.map((one, index) => {
    const state = states[index] ?? ''
    return { state, opened: one, goOn: state.startsWith('delivery') ? () => captureAll(one) : async () => {} }
  })
  const [retried, failing, analysing, resting, attempting] = opened
  if (!retried || !failing || !analysing || !resting || !attempting) throw new Error('five were opened')
  rig.hook.answer(async ({ body }, seen): Promise<Reply> => {
    if (body.transaction_id === attempting.id) await release
    return { status: body.transaction_id === retried.id && seen === 1 ? 500 : 204 }
  })
  rig.script(async request => {
    if (request.transaction_id === failing.id) throw new AnalysisError('as the test says')
    await release
    return createApprovedFindings(request)
  })
  const submit = async ({ phone, id }: Opened, status: string): Promise<void> => {
    await phone.capture()
    await phone.complete()
    await rig.until(async () => (await statusOf(rig, id)) === status)
  }
  await retried.phone.start()
  await submit(failing, 'PROCESSING')
  await rig.idle()
  await submit(analysing, 'PROCESSING')
  // One analyser: the next waits for it.
  await submit(resting, 'COMPLETED')
  await attempting.phone.start()
  await rig.hook.seen(({ body }) => body.transaction_id === attempting.id)
  return flights
}

async function checkArrived(t: ExecutionContext, rig: Rig, { state, opened }: Flight): Promise<void> {
  const view = await rig.view(opened.id)
  t.is(view.status, 'FINISHED', state)
  t.is(getResult(view).decision, 'APPROVED', state)
  const events = new Map<unknown, unknown>()
  const seen = rig.hook.received.filter(({ body }) => body.transaction_id === opened.id)
  for (const { body, refused } of seen) {
    t.is(refused, null)
    t.is(events.get(body.sequence) ?? body.event_id, body.event_id, `${state}: one event, however often it is sent`)
    events.set(body.sequence, body.event_id)
  }
  const firsts = seen.filter(({ body }, index) => seen.findIndex(one => one.body.sequence === body.sequence) === index)
  t.deepEqual(
    firsts.map(({ body }) => [body.sequence, body.status]),
    allNotified.map((status, index) => [index + 1, status]),
    state,
  )
  const journal = await rig.rows('SELECT sequence, event FROM journal WHERE actor_id = ? ORDER BY sequence', opened.id)
  t.deepEqual(
    journal.map(({ sequence }) => sequence),
    journal.map((_, index) => index + 1),
  )
  const types = journal.map(({ event }) => (JSON.parse(String(event)) as { type: string }).type)
  for (const once of ['START', 'COMPLETE', 'xstate.done.actor.admission', 'xstate.done.actor.analysis'])
    t.is(types.filter(type => type === once).length, 1, `${state}: ${once}`)
}

for (const engine of oneDialect)
  for (const drained of [true, false]) {
    const how = drained ? 'is stopped' : 'is gone without a word'
    test.serial(`On ${engine.name} a node ${how} in the middle of everything, and the next one goes on`, async t => {
      const rig = await openTestRig(t, engine)
      const release = Promise.withResolvers<void>()
      const waiting = await openFlights(rig)
      await rig.idle()
      const flights = [...waiting, ...(await startJobs(rig, release.promise))]
      const forgotten = await rig.open({ transaction_ttl_minutes: 1 })
      await rig.end(drained, 20_000)
      release.resolve()
      rig.script(createApprovedFindings)
      rig.hook.answer(() => ({ status: 204 }))
      await rig.clock.advance(60_000)
      await rig.begin()
      await rig.until(async () => (await statusOf(rig, forgotten.id)) === 'EXPIRED')
      for (const { goOn } of flights) await goOn()
      await rig.advance(maxWaitMs)
      for (const flight of flights) await checkArrived(t, rig, flight)
      t.deepEqual(listNotified(rig, forgotten.id), ['EXPIRED'], 'its time was over while no node ran')
      t.deepEqual(await rig.rows('SELECT name FROM scheduled_jobs'), [])
    })
  }
