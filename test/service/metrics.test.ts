import { AnalysisError } from '@attestor/vision'
import test from 'ava'
import { createOtherPersonFindings } from '../../packages/vision/test/face_findings.ts'
import { createApprovedFindings } from '../../src/engines/scripted.ts'
import { oneDialect } from '../database.ts'
import { verify } from './outcomes.ts'
import { openTestRig, type Rig } from './rig.ts'

const token = 'a-token-of-the-operators'

async function scrape(rig: Rig): Promise<string> {
  const { status, text, headers } = await rig.call('GET', '/metrics', { token })
  if (status !== 200) throw new Error(`answered ${status}: ${text}`)
  if (!/^text\/plain/.test(String(headers.get('content-type')))) throw new Error('is no text for Prometheus')
  return text
}

/** The value of a sample by its name with its labels as they are written. */
function sample(text: string, name: string): number | undefined {
  const line = text.split('\n').find(candidate => candidate.startsWith(`${name} `))
  return line === undefined ? undefined : Number(line.slice(name.length))
}

for (const engine of oneDialect) {
  const on = `On ${engine.name}: `

  test(`${on}metrics count calls, analyses, stages and webhooks, and name nobody`, async t => {
    const rig = await openTestRig(t, engine, { METRICS_TOKEN: token })
    const approved = await verify(rig)
    rig.script(createOtherPersonFindings)
    await verify(rig)
    let failures = 1
    rig.script(request => {
      if (failures-- > 0) throw new AnalysisError('the first look fails', { stage: 'barcode' })
      return createApprovedFindings(request)
    })
    rig.hook.answer(() => ({ status: 500 }))
    await verify(rig, { webhook: { url: rig.hook.url, events: ['FINISHED'] } })
    await rig.advance(5_000)
    const text = await scrape(rig)
    const jobs = (queue: string, outcome: string) =>
      sample(text, `attestor_job_duration_seconds_count{queue="${queue}",outcome="${outcome}"}`)
    t.deepEqual(
      ['APPROVED', 'REJECTED', 'ANALYSIS_ERROR'].map(outcome => jobs('analysis', outcome)),
      [2, 1, 1],
    )
    t.is(jobs('attempt', 'delivered'), 8)
    t.true((jobs('attempt', 'failed') ?? 0) >= 1)
    for (const stage of ['captures', 'liveness', 'judgement'])
      t.is(sample(text, `attestor_analysis_stage_duration_seconds_count{stage="${stage}"}`), 3, stage)
    t.is(sample(text, 'attestor_analysis_failures_total{stage="barcode"}'), 1)
    const complete = 'method="POST",route="/api/sdk/v1/session/complete",status="202"'
    t.is(sample(text, `attestor_http_request_duration_seconds_count{${complete}}`), 3)
    t.is(sample(text, 'attestor_database_up'), 1)
    t.true((sample(text, 'attestor_database_size_bytes') ?? 0) > 100_000)
    const ready = (await rig.call('GET', '/readyz')).body
    const host = rig.node().service.store.hostName()
    t.deepEqual(ready, { status: 'ready', database_host: host })
    t.is(host === null, engine.name === 'SQLite')
    if (host !== null) t.is(sample(text, `attestor_database_host{host="${host}"}`), 1)
    for (const name of ['nodejs_eventloop_lag_seconds', 'process_resident_memory_bytes', 'process_cpu_seconds_total'])
      t.true(sample(text, name) !== undefined, name)
    for (const secret of [approved.id, approved.sdk_token, rig.account.account_id, '127.0.0.1', rig.hook.host])
      t.false(text.replace(/^attestor_database_host.*$/gm, '').includes(secret))
  })

  test(`${on}transactions that share something with another customer are counted by kind`, async t => {
    const rig = await openTestRig(t, engine, { METRICS_TOKEN: token })
    for (let n = 0; n < 3; n++) await verify(rig, { fraud_policy: { on_document_of_another_customer: 'WARN' } })
    const text = await scrape(rig)
    const count = (kind: string) => sample(text, `attestor_duplicates_total{kind="${kind}"}`)
    t.deepEqual(['document', 'image', 'face'].map(count), [2, undefined, undefined])
  })

  test(`${on}a node shows only metrics of parts that it has, as a 0 would be an alert`, async t => {
    const rig = await openTestRig(t, engine, { METRICS_TOKEN: token, ROLES: 'api' })
    const text = await scrape(rig)
    for (const name of ['attestor_analysis_processes', 'attestor_analysis_capacity']) {
      t.regex(text, new RegExp(`^# TYPE ${name} gauge$`, 'm'))
      t.is(sample(text, name), undefined, name)
    }
    t.is(sample(text, 'attestor_disk_free_bytes') === undefined, engine.name !== 'SQLite')
  })

  test(`${on}an undelivered webhook is seen with its age, and its receiver as one that is left alone`, async t => {
    const rig = await openTestRig(t, engine, { METRICS_TOKEN: token })
    const readAge = async () => sample(await scrape(rig), 'attestor_webhook_oldest_undelivered_seconds')
    const readOpen = async () => sample(await scrape(rig), 'attestor_webhook_breakers_open')
    await verify(rig)
    t.deepEqual([await readAge(), await readOpen()], [0, 0])
    rig.hook.answer(() => ({ status: 500 }))
    await verify(rig)
    t.deepEqual([await readAge(), await readOpen()], [0, 0])
    await rig.advance(36_000)
    t.is(await readAge(), 36)
    // The fifth failure in a row opens the breaker, for ten seconds at first.
    for (let more = 0; more < 3; more++) await verify(rig)
    t.is(await readOpen(), 1)
    rig.hook.answer(() => ({ status: 200 }))
    await rig.advance(3_600_000)
    t.deepEqual([await readAge(), await readOpen()], [0, 0])
  })

  test(`${on}transactions that wait for an analyser are seen with their age, while uploads go on`, async t => {
    const rig = await openTestRig(t, engine, { METRICS_TOKEN: token, ANALYSIS_PROCESSES: '1' })
    const done = Promise.withResolvers<void>()
    rig.script(async request => {
      await done.promise
      return createApprovedFindings(request)
    })
    const waiting = [await rig.open(), await rig.open(), await rig.open()]
    for (const { phone } of waiting) {
      await phone.capture()
      await phone.complete()
    }
    await rig.until(async () => (await rig.view(waiting[0]?.id ?? '')).status === 'PROCESSING')
    await rig.advanceBusy(20_000)
    const later = await rig.open()
    await later.phone.capture()
    t.is((await later.phone.upload('selfie')).status, 200)
    const text = await scrape(rig)
    t.is(sample(text, 'attestor_queue_depth{queue="admission"}'), 2)
    t.is(sample(text, 'attestor_queue_oldest_seconds{queue="admission"}'), 20)
    t.deepEqual(await Promise.all(waiting.map(async ({ id }) => (await rig.view(id)).status)), [
      'PROCESSING',
      'COMPLETED',
      'COMPLETED',
    ])
    done.resolve()
    await rig.idle()
    const after = await scrape(rig)
    t.is(sample(after, 'attestor_queue_depth{queue="admission"}'), 0)
    t.is(sample(after, 'attestor_queue_oldest_seconds{queue="admission"}'), 0)
  })
}
