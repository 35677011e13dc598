/** Nodes with different roles on one database: each does its own work, and leaves the others' to them. */

import { AnalysisError } from '@attestor/vision'
import test, { type ExecutionContext } from 'ava'
import { silentLog } from '../../src/base/log.ts'
import type { Config } from '../../src/config/settings.ts'
import { type CaptureScript, createApprovedFindings, scriptedEngine } from '../../src/engines/scripted.ts'
import { type AttestorNode, startNode } from '../../src/node/start_node.ts'
import { callTo } from '../calls.ts'
import { oneDialect, sqlite } from '../database.ts'
import { sharedImageChecker } from '../image_checker.ts'
import { openTransaction, phoneOf, picture, sdk } from './client.ts'
import { getResult, listNotified } from './outcomes.ts'
import { type Opened, openRig, openTestRig, type Rig, type Script } from './rig.ts'

const hourMs = 3_600_000
const pollMs = 60_000

/** Records the requests that reach the engine of a node. */
function createRecorder(find: Script = createApprovedFindings) {
  const seen = { analyses: 0, captures: 0 }
  const script: Script = request => {
    seen.analyses++
    return find(request)
  }
  const captureScript: CaptureScript = request => {
    seen.captures++
    return { findings: createApprovedFindings(request), kept: {} }
  }
  return { seen, script, captureScript }
}

/** A node with other roles beside the rig's own. */
async function startBeside(
  t: ExecutionContext,
  rig: Rig,
  ROLES: Config['ROLES'],
  { script, captureScript } = createRecorder(),
): Promise<AttestorNode> {
  const node = await startNode({
    config: { ...rig.node().service.config, ROLES },
    clock: rig.clock,
    log: silentLog,
    imageChecker: sharedImageChecker(),
    lingerMs: 0,
    engine: scriptedEngine(async request => script(request), captureScript),
  })
  t.teardown(async () => {
    const stopping = node.stop()
    await rig.clock.advance(0)
    await stopping
  })
  return node
}

/** Advances the clock until every node has looked for the others' leftovers. */
function settle(rig: Rig, nodes: readonly AttestorNode[], ms = 5 * pollMs): Promise<void> {
  return rig.clock.advance(ms, async () => {
    for (const { worker } of nodes) await worker?.idle()
  })
}

async function complete({ phone }: Opened): Promise<void> {
  await phone.capture()
  const { status, text } = await phone.complete()
  if (status !== 202) throw new Error(`${status}: ${text}`)
}

function readJobs(rig: Rig, queue: string) {
  return rig.rows('SELECT actor_id, claims, lease FROM scheduled_jobs WHERE queue = ?', queue)
}

for (const engine of oneDialect) {
  const on = `On ${engine.name}: `

  test(`${on}a node without the role analysis leaves analyses to one that has it, and this one leaves all else`, async t => {
    const own = createRecorder()
    const rig = await openRig(engine, { ROLES: 'api,worker' }, 'live', own.captureScript)
    rig.script(own.script)
    t.teardown(rig.close)
    const opened = await rig.open()
    await complete(opened)
    await rig.advance(hourMs)
    t.is((await rig.view(opened.id)).status, 'COMPLETED')
    t.deepEqual(await readJobs(rig, 'admission'), [{ actor_id: opened.id, claims: 0, lease: null }])
    t.deepEqual(listNotified(rig, opened.id), ['INITIATED', 'COMPLETED'])

    let failures = 1
    const other = createRecorder(request => {
      if (failures-- > 0) throw new AnalysisError('the first look fails')
      return createApprovedFindings(request)
    })
    const analysis = await startBeside(t, rig, ['analysis'], other)
    await settle(rig, [rig.node(), analysis])
    const view = await rig.view(opened.id)
    t.deepEqual([view.status, getResult(view).decision], ['FINISHED', 'APPROVED'])
    t.deepEqual(listNotified(rig, opened.id), ['INITIATED', 'COMPLETED', 'PROCESSING', 'FINISHED'])
    // The timer of the second attempt is the worker's, the attempt itself is not.
    t.deepEqual(other.seen, { analyses: 2, captures: 0 })
    t.deepEqual(own.seen, { analyses: 0, captures: 0 })

    const call = callTo(() => analysis.url)
    t.is((await call('GET', '/readyz')).status, 200)
    t.is((await call('GET', '/healthz')).status, 200)
    t.is((await call('GET', '/oauth2/token')).status, 404)
  })

  test(`${on}a node with analysis alone fires no timer, sends no webhook and removes nothing`, async t => {
    const rig = await openTestRig(t, engine, { ROLES: 'api,worker', RETENTION_TRANSACTIONS_DAYS: '1' })
    const expiring = await rig.open()
    await expiring.phone.start()
    const done = await rig.open()
    await complete(done)
    await rig.idle()
    const analysis = await startBeside(t, rig, ['analysis'])
    const { store } = analysis.service
    await rig.end(true)
    const sql = 'SELECT status FROM transactions WHERE id = ?'
    const readStatuses = async () =>
      Promise.all([expiring, done].map(async ({ id }) => (await store.read({ sql, values: [id] }))[0]?.status))
    await settle(rig, [analysis], 2 * hourMs)
    t.deepEqual(await readStatuses(), ['INITIATED', 'FINISHED'])
    t.deepEqual(listNotified(rig, done.id), ['INITIATED', 'COMPLETED'])

    await rig.begin()
    await settle(rig, [rig.node(), analysis], 2 * pollMs)
    t.deepEqual(listNotified(rig, done.id), ['INITIATED', 'COMPLETED', 'PROCESSING', 'FINISHED'])
    t.deepEqual(listNotified(rig, expiring.id), ['INITIATED', 'EXPIRED'])
    t.deepEqual(await readStatuses(), ['EXPIRED', 'FINISHED'])

    await rig.end(true)
    await settle(rig, [analysis], 26 * hourMs)
    t.deepEqual(await readStatuses(), ['EXPIRED', 'FINISHED'])
    await rig.begin()
    await settle(rig, [rig.node(), analysis], hourMs)
    t.deepEqual(await readStatuses(), [undefined, undefined])
  })

  test(`${on}accounts take turns at the analyses of a node, in any order of completion`, async t => {
    const rig = await openTestRig(t, engine)
    const analysed: string[] = []
    const first = Promise.withResolvers<void>()
    rig.script(async request => {
      analysed.push(request.transaction_id)
      if (analysed.length === 1) await first.promise
      return createApprovedFindings(request)
    })
    const busy = [await rig.open(), await rig.open(), await rig.open()]
    for (const opened of busy) await complete(opened)
    const token = await rig.token(await rig.newAccount())
    const { transaction_id: id, sdk_token } = await openTransaction(rig.call, token)
    const only = { id, phone: phoneOf(rig.call, sdk_token) }
    await only.phone.capture()
    t.is((await only.phone.complete()).status, 202)
    first.resolve()
    await rig.idle()
    t.deepEqual(
      analysed.map(id => [...busy, only].findIndex(opened => opened.id === id)),
      [0, 3, 1, 2],
    )
  })

  test(`${on}a node with api and without analysis only checks whether an image can be accepted`, async t => {
    const { script, captureScript, seen } = createRecorder()
    const rig = await openRig(engine, { ROLES: 'api' }, 'live', captureScript)
    rig.script(script)
    t.teardown(rig.close)
    const { phone } = await rig.open()
    await phone.start()
    const taken = await phone.upload('document/front')
    t.deepEqual([taken.status, taken.body.accepted], [200, true])
    const malformed = await phone.upload('document/front', Buffer.from('no picture'))
    t.true([415, 422].includes(malformed.status), malformed.text)
    t.deepEqual(seen, { analyses: 0, captures: 0 })

    const both = createRecorder()
    const node = await startBeside(t, rig, ['api', 'analysis'], both)
    const beside = callTo(() => node.url)
    const opened = await rig.open()
    await opened.phone.start()
    const image = await picture(3)
    const answer = await beside('PUT', `${sdk}/document/front`, { token: opened.sdk_token, image })
    t.is(answer.status, 200)
    t.deepEqual(both.seen, { analyses: 0, captures: 1 })
  })
}

/** The processes of a node show whether it loads models; none has to become ready for that. */
test('Analysis processes are started by the role analysis, and by no other', async t => {
  const token = 'a-token-of-the-operators'
  const look = async (ROLES: string) => {
    const rig = await openRig(sqlite, { ROLES, ANALYSIS_ENGINE: 'local', METRICS_TOKEN: token })
    const metrics = (await rig.call('GET', '/metrics', { token })).text
    const ready = await rig.call('GET', '/readyz')
    await rig.close()
    const hasProcesses = /^attestor_analysis_processes \d/m.test(metrics)
    const hasCapacity = /^attestor_analysis_capacity \d/m.test(metrics)
    return [hasProcesses, hasCapacity, ready.status, ready.text.includes('the analysis engine is starting')]
  }
  t.deepEqual(await look('api,worker'), [false, false, 200, false])
  t.deepEqual(await look('worker'), [false, false, 200, false])
  t.deepEqual(await look('analysis'), [true, true, 503, true])
})
