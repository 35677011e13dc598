import { createGuard } from '@attestor/outbound'
import test, { type ExecutionContext } from 'ava'
import { silentLog } from '../../src/base/log.ts'
import { createApprovedFindings, scriptedEngine } from '../../src/engines/scripted.ts'
import { finishUpgrade } from '../../src/node/chart_versions.ts'
import { type AttestorNode, startNode } from '../../src/node/start_node.ts'
import { happened, until } from '../awaited.ts'
import { callTo } from '../calls.ts'
import { oneDialect } from '../database.ts'
import { sharedImageChecker } from '../image_checker.ts'
import { openTransaction, type Phone, phoneOf } from '../service/client.ts'
import { openTestRig, type Rig } from '../service/rig.ts'
import { migrateToNext, nextCharts } from './next_build.ts'

type Build = 'this' | 'next'

/** A node of either build beside the rig's own. */
function startBeside(rig: Rig, build: Build): Promise<AttestorNode> {
  return startNode({
    config: rig.node().service.config,
    clock: rig.clock,
    log: silentLog,
    guard: createGuard({ allow: [rig.hook.host], ca: rig.hook.ca }),
    imageChecker: sharedImageChecker(),
    lingerMs: 0,
    engine: scriptedEngine(createApprovedFindings, null),
    ...(build === 'next' ? { charts: nextCharts } : {}),
  })
}

/** Calls go to the nodes that are there, in turn, as behind a balancer. */
interface Fleet {
  readonly nodes: AttestorNode[]
  start(build: Build): Promise<AttestorNode>
  stop(node: AttestorNode): Promise<void>
}

function openFleet(rig: Rig): Fleet {
  const nodes: AttestorNode[] = [rig.node()]
  return {
    nodes,
    async start(build) {
      const node = await startBeside(rig, build)
      nodes.push(node)
      return node
    },
    async stop(node) {
      // The node leaves the balancer first.
      nodes.splice(nodes.indexOf(node), 1)
      const stopping = node === rig.node() ? rig.end(true) : node.stop()
      await rig.clock.advance(0)
      await stopping
    },
  }
}

interface Carried {
  readonly id: string
  readonly phone: Phone
}

/** People who are at work all the time: each call may reach another node. */
function startLoad(rig: Rig, fleet: Fleet) {
  let turn = 0
  const call = callTo(() => {
    turn += 1
    return fleet.nodes[turn % fleet.nodes.length]?.url ?? ''
  })
  const finished: Carried[] = []
  const failures: unknown[] = []
  let isRunning = true
  const open = async (): Promise<Carried> => {
    const token = await rig.token()
    const opened = await openTransaction(call, token, { config: { webhook: { url: rig.hook.url } } })
    return { id: opened.transaction_id, phone: phoneOf(call, opened.sdk_token) }
  }
  const running = (async () => {
    while (isRunning)
      try {
        const one = await open()
        await one.phone.capture()
        const { status, text } = await one.phone.complete()
        if (status !== 202) throw new Error(`${status}: ${text}`)
        finished.push(one)
        happened()
      } catch (error) {
        failures.push(error)
        isRunning = false
        happened()
      }
  })()
  return {
    open,
    finished,
    failures,
    /** So many more people have finished. */
    async more(count: number): Promise<void> {
      const wanted = finished.length + count
      await until(() => finished.length >= wanted || !isRunning)
    },
    async stop(): Promise<void> {
      isRunning = false
      await running
    },
  }
}

async function goThrough({ phone }: Carried): Promise<void> {
  await phone.capture()
  await phone.complete()
}

async function versionsOf(rig: Rig): Promise<readonly unknown[]> {
  return (await rig.rows('SELECT DISTINCT chart_version AS v FROM transactions ORDER BY v')).map(({ v }) => v)
}

async function checkNothingLost(t: ExecutionContext, rig: Rig, carried: readonly Carried[]): Promise<void> {
  for (const { id } of carried) {
    const view = await rig.view(id)
    t.is(view.status, 'FINISHED', id)
    const statuses = new Set(
      rig.hook.received.filter(({ body }) => body.transaction_id === id).map(({ body }) => body.status),
    )
    t.deepEqual([...statuses].sort(), ['COMPLETED', 'FINISHED', 'INITIATED', 'PROCESSING'], id)
  }
}

/** Work of a node that has stopped is found at the next poll. */
async function settle(rig: Rig, nodes: readonly AttestorNode[]): Promise<void> {
  await rig.clock.advance(120_000, async () => {
    for (const { worker } of nodes) await worker?.idle()
  })
}

for (const engine of oneDialect)
  test(`${engine.name}: nodes of two builds serve side by side, forwards and back, and nothing is lost`, async t => {
    const rig = await openTestRig(t, engine)
    const fleet = openFleet(rig)
    const first = rig.node()
    const second = await fleet.start('this')
    const load = startLoad(rig, fleet)
    await load.more(2)

    // Forwards: the schema first, then node by node.
    t.deepEqual(await migrateToNext(rig.database.address), ['NotesOfAccounts1899999999999'])
    await load.more(2)
    const third = await fleet.start('next')
    await load.more(2)
    await fleet.stop(second)
    t.deepEqual(await versionsOf(rig), [1], 'both builds know the charts of all actors')
    await load.more(2)
    // Back, while the load goes on: a node of this build starts on the schema of the next.
    const fourth = await fleet.start('this')
    await load.more(2)
    await fleet.stop(third)
    await load.more(2)
    await load.stop()
    t.deepEqual(load.failures, [])
    await settle(rig, fleet.nodes)
    await checkNothingLost(t, rig, load.finished)

    // The upgrade is finished: new transactions get the new chart, and those of before end with theirs.
    const before = await load.open()
    const fifth = await fleet.start('next')
    await fleet.stop(fourth)
    await finishUpgrade(first.service.store, nextCharts)
    await fifth.service.chartVersions.refresh()
    fleet.nodes.splice(fleet.nodes.indexOf(first), 1)
    const after = await load.open()
    t.deepEqual(await versionsOf(rig), [1, 2])
    await goThrough(before)
    await goThrough(after)
    // Too early to go back: this build says so, and steps nothing that it doesn't know.
    const open = await load.open()
    const ready = await callTo(() => first.url)('GET', '/readyz')
    t.deepEqual([ready.status, /version 2 of the transaction chart/.test(ready.text)], [503, true])
    await open.phone.cancel()
    await settle(rig, [fifth])
    await checkNothingLost(t, rig, [before, after])
    // All have ended: it may.
    t.is((await callTo(() => first.url)('GET', '/readyz')).status, 200)
    await fleet.stop(fifth)
  })
