/** Captures that kill, hang or fill the process that looks at them, in a running node with real processes. */

import { type AnalysisRequest, EngineUnavailableError, localEngine } from '@attestor/vision'
import test from 'ava'
import { systemClock } from '../../src/base/clock.ts'
import { createApprovedFindings } from '../../src/engines/scripted.ts'
import { readFailure } from '../../src/verification/transactions/failure.ts'
import { oneDialect } from '../database.ts'
import { patientLimits } from '../image_checker.ts'
import { inLongTier } from '../tier.ts'
import { checkFailed } from './outcomes.ts'
import { type Opened, openRig, openTestRig } from './rig.ts'

const never = new AbortController().signal

for (const engine of oneDialect) {
  const on = `On ${engine.name}: `

  inLongTier(test)(
    `${on}captures that kill their process each time fail their own transactions and nothing else`,
    async t => {
      const rig = await openRig(engine, { ANALYSIS_PROCESSES: '2' })
      const children = localEngine({
        clock: systemClock,
        children: 2,
        limits: { ...patientLimits, heapLimitMb: 64, memoryLimitMb: 300 },
        entry: new URL('../../packages/vision/test/processes/pool_child.ts', import.meta.url),
      })
      t.teardown(async () => {
        await rig.close()
        await children.stop()
      })
      const deeds = new Map<string, string>()
      const seen: string[] = []
      rig.script(async (request: AnalysisRequest) => {
        seen.push(request.transaction_id)
        // The children of the pool's tests read the deed alone.
        const poisoned = { ...request, deed: deeds.get(request.transaction_id) ?? 'fine' }
        await children.analyse(poisoned, never)
        return createApprovedFindings(request)
      })
      const complete = async (deed: string | null): Promise<Opened> => {
        const opened = await rig.open()
        if (deed !== null) deeds.set(opened.id, deed)
        await opened.phone.capture()
        await opened.phone.complete()
        return opened
      }
      const poisons: Opened[] = []
      for (const deed of ['abort', 'exit', 'heap', 'outside_the_heap']) poisons.push(await complete(deed))
      const honest = await Promise.all(Array.from({ length: 4 }, () => complete(null)))
      await rig.idle()
      for (const { id } of honest) {
        t.is((await rig.view(id)).status, 'FINISHED')
        t.is(seen.filter(one => one === id).length, 1)
      }
      for (const { id } of poisons) t.is((await rig.view(id)).status, 'PROCESSING')
      await rig.advance(5_000)
      const later = await complete(null)
      await rig.idle()
      t.is((await rig.view(later.id)).status, 'FINISHED')
      await rig.advance(5_000)
      for (const opened of poisons) {
        await checkFailed(t, rig, opened, 'ANALYSIS_ERROR')
        t.is(seen.filter(one => one === opened.id).length, 3)
        const failure = await readFailure(rig.node().service.transactions, opened.id)
        t.deepEqual(
          failure?.attempts.map(({ attempt, stage }) => [attempt, stage]),
          [1, 2, 3].map(attempt => [attempt, 'document']),
        )
      }
      t.is((await children.processes())?.restarts, 12)
    },
  )

  test(`${on}an engine that can look at nothing uses up no attempt of whom it was asked about`, async t => {
    const rig = await openTestRig(t, engine, { ANALYSIS_ATTEMPTS: '2' })
    let asked = 0
    rig.script(request => {
      if (++asked <= 5) throw new EngineUnavailableError('no process starts')
      if (asked === 6) throw new Error('it looks, and fails')
      return createApprovedFindings(request)
    })
    const { id, phone } = await rig.open()
    await phone.capture()
    await phone.complete()
    await rig.idle()
    for (let n = 0; n < 8; n++) await rig.advance(5_000)
    t.deepEqual([asked, (await rig.view(id)).status], [7, 'FINISHED'])
  })

  test(`${on}the transaction that waits longest is analysed first, after a retry too, and a retry waits for no younger one`, async t => {
    const rig = await openTestRig(t, engine, { ANALYSIS_PROCESSES: '1' })
    const order: string[] = []
    const gates = new Map<string, PromiseWithResolvers<void>>()
    let failed = false
    rig.script(async request => {
      order.push(request.transaction_id)
      await gates.get(request.transaction_id)?.promise
      if (request.transaction_id === order[0] && !failed) {
        failed = true
        throw new Error('the first look fails')
      }
      return createApprovedFindings(request)
    })
    const waiting: Opened[] = []
    for (let n = 0; n < 4; n++) {
      const opened = await rig.open()
      gates.set(opened.id, Promise.withResolvers())
      await opened.phone.capture()
      waiting.push(opened)
    }
    for (const { phone } of waiting) {
      await phone.complete()
      await rig.advanceBusy(1000)
    }
    const [first, second, third, fourth] = waiting.map(({ id }) => id)
    await rig.until(async () => order.length === 1)
    gates.get(first ?? '')?.resolve()
    await rig.until(async () => order.length === 2)
    // The first one's wait ends while the second is looked at.
    await rig.advanceBusy(5_000)
    for (const gate of gates.values()) gate.resolve()
    await rig.idle()
    t.deepEqual(order, [first, second, first, third, fourth])
  })
}
