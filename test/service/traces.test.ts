import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import test, { type ExecutionContext } from 'ava'
import { openTracing } from '../../src/node/tracing/open_tracing.ts'
import { happened, until } from '../awaited.ts'
import { manualClock } from '../clock.ts'
import { oneDialect, sqlite } from '../database.ts'
import { verify } from './outcomes.ts'
import { openRig } from './rig.ts'

interface Attribute {
  readonly key: string
  readonly value: Readonly<Record<string, string | number>>
}

/** A span as OTLP's JSON has it. */
interface OtlpSpan {
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId?: string
  readonly name: string
  readonly kind: number
  readonly attributes: readonly Attribute[]
  readonly links?: readonly { readonly traceId: string; readonly spanId: string }[]
  readonly status: { readonly code?: number }
}

interface OtlpRequest {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: readonly Attribute[] }
    readonly scopeSpans: readonly { readonly spans: readonly OtlpSpan[] }[]
  }[]
}

/** A collector of OTLP over HTTP, in JSON. */
async function openCollector(t: ExecutionContext) {
  const requests: OtlpRequest[] = []
  const paths = new Set<string>()
  const server = createServer(async (request, response) => {
    const parts: Buffer[] = []
    for await (const part of request) parts.push(part)
    paths.add(`${request.method} ${request.url} ${request.headers['content-type']}`)
    requests.push(JSON.parse(Buffer.concat(parts).toString('utf8')) as OtlpRequest)
    response.setHeader('Content-Type', 'application/json').end('{}')
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => void server.close())
  const resources = () => requests.flatMap(({ resourceSpans }) => resourceSpans)
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    paths,
    spans: () => resources().flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans)),
    names: () => resources().flatMap(({ resource }) => resource.attributes.filter(({ key }) => key === 'service.name')),
  }
}

function readAttribute({ attributes }: OtlpSpan, name: string) {
  return Object.values(attributes.find(({ key }) => key === name)?.value ?? {})[0]
}

test.serial('a collector that is away is reported once, and holds up a stop for two seconds at most', async t => {
  // It takes connections, and never answers.
  const silent = createServer(() => happened())
  await new Promise<void>(resolve => silent.listen(0, '127.0.0.1', resolve))
  t.teardown(() => silent.closeAllConnections())
  t.teardown(() => silent.close())
  const url = `http://127.0.0.1:${(silent.address() as AddressInfo).port}`
  const environment = {
    OTEL_EXPORTER_OTLP_ENDPOINT: url,
    OTEL_EXPORTER_OTLP_TIMEOUT: '200',
    OTEL_BSP_SCHEDULE_DELAY: '1',
  }
  Object.assign(process.env, environment)
  t.teardown(() => {
    for (const name of Object.keys(environment)) delete process.env[name]
  })
  const clock = manualClock()
  const tracing = await openTracing(environment, clock)
  if (tracing === null) return t.fail()
  const faults: (string | null)[] = []
  tracing.watch(fault => {
    faults.push(fault)
    happened()
  })
  const span = () => tracing.span({ name: 'work', kind: 'internal' }, async () => {})
  await span()
  await until(() => faults.length > 0)
  await span()
  const stopped = tracing.stop()
  await clock.advance(2000)
  await stopped
  t.is(faults.length, 1)
  t.truthy(faults[0])
})

test.serial('traces are off without an endpoint, and where they are switched off', async t => {
  const OTEL_EXPORTER_OTLP_ENDPOINT = 'http://127.0.0.1:4318'
  for (const environment of [
    {},
    { OTEL_EXPORTER_OTLP_ENDPOINT: '' },
    { OTEL_EXPORTER_OTLP_ENDPOINT, OTEL_SDK_DISABLED: 'true' },
    { OTEL_EXPORTER_OTLP_ENDPOINT, OTEL_TRACES_EXPORTER: 'none' },
  ])
    t.is(await openTracing(environment), null)
})

for (const engine of oneDialect)
  test.serial(`On ${engine.name} one trace leads from a call over the database to its webhook`, async t => {
    const collector = await openCollector(t)
    const environment = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, OTEL_SERVICE_NAME: 'attestor-test' }
    // The SDK reads it by itself.
    Object.assign(process.env, environment)
    const rig = await openRig(engine, environment)
    const { id } = await verify(rig, { webhook: { url: rig.hook.url } })
    await rig.idle()
    await rig.close()
    t.deepEqual([...collector.paths], ['POST /v1/traces application/json'])
    t.true(collector.names().every(({ value }) => value.stringValue === 'attestor-test'))
    const spans = collector.spans()
    const complete = spans.find(({ name }) => name === 'POST /api/sdk/v1/session/complete')
    if (complete === undefined) return t.fail(`no such call: ${[...new Set(spans.map(({ name }) => name))]}`)
    t.is(complete.kind, 2)
    t.is(readAttribute(complete, 'http.response.status_code'), 202)
    t.is(complete.parentSpanId ?? '', '')
    const trace = spans.filter(({ traceId }) => traceId === complete.traceId)
    const byId = new Map(trace.map(span => [span.spanId, span]))
    /** The names of a span and of all that it is part of. */
    const pathOf = (span: OtlpSpan | undefined): readonly string[] =>
      span === undefined ? [] : [...pathOf(byId.get(span.parentSpanId ?? '')), span.name]
    const analyse = trace.find(({ name }) => name === 'analyse')
    const path = pathOf(analyse)
    t.deepEqual([path[0], path.at(-2), path.at(-1)], [complete.name, 'job analysis', 'analyse'])
    t.is(readAttribute(byId.get(analyse?.parentSpanId ?? '') as OtlpSpan, 'actor_id'), id)
    const attempts = trace.filter(({ name }) => name === 'job attempt')
    t.true(attempts.length >= 2, 'COMPLETED, PROCESSING and FINISHED are sent')
    for (const attempt of attempts) t.is(pathOf(attempt)[0], complete.name)
    t.true(spans.filter(({ name }) => name === 'commit').every(({ parentSpanId = '' }) => parentSpanId !== ''))
    for (const secret of [rig.account.client_secret, '127.0.0.1'])
      t.false(JSON.stringify(spans).includes(secret), 'nothing personal, no secret')
  })

test.serial('a caller’s trace is linked and not followed', async t => {
  const collector = await openCollector(t)
  const environment = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url }
  Object.assign(process.env, environment)
  const rig = await openRig(sqlite, environment)
  const traceId = '0af7651916cd43dd8448eb211c80319c'
  const spanId = 'b7ad6b7169203331'
  const { url } = rig.node()
  for (const traceparent of [`00-${traceId}-${spanId}-00`, 'nonsense', `00-${'0'.repeat(32)}-${spanId}-01`])
    t.is((await fetch(`${url}/healthz`, { headers: { traceparent } })).status, 200)
  await rig.close()
  const calls = collector.spans().filter(({ name }) => name === 'GET /healthz')
  t.is(calls.length, 3, 'a caller does not choose what is sampled')
  t.deepEqual(
    calls.map(({ links = [] }) => links.map(link => [link.traceId, link.spanId])),
    [[[traceId, spanId]], [], []],
  )
  for (const call of calls) t.not(call.traceId, traceId)
})
