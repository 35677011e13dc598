import type { RequestListener, Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Guard } from '@attestor/outbound'
import { type AnalysisEngine, type ImageChecker, startImageChecker } from '@attestor/vision'
import type { Worker } from 'durable-xstate-sql'
import { asError } from '../base/api_error.ts'
import { wait } from '../base/clock.ts'
import { contextLog } from '../base/log.ts'
import { ConfigError } from '../base/setting.ts'
import { version } from '../base/version.ts'
import { type Config, listCalledUrls } from '../config/settings.ts'
import { signOnCallback } from '../console/endpoints/sign_on.ts'
import { createConsoleEndpoints } from '../console/endpoints/table.ts'
import { consoleEndpoints } from '../feature_parts.ts'
import { createApp } from '../http/app.ts'
import { createCloser, createHttpServer, serveWhileStarting } from '../http/server.ts'
import { openSignOn, type SignOn } from '../identity/operators/single_sign_on.ts'
import { prove } from '../verification/evidence/prove.ts'
import { watchChartVersions } from './chart_versions.ts'
import { pollsApart, startHeartbeat } from './heartbeat.ts'
import { createHttpDeps } from './http_deps.ts'
import { openEngine } from './open_engine.ts'
import { type NodeOptions, openServiceContext, type ServiceContext } from './open_service.ts'
import { announceReadiness, createLifecycle } from './readiness.ts'
import { openAnalysis, openGuard, startNodeWorker } from './start_worker.ts'
import { traceCalls } from './tracing/trace_work.ts'

/** Parts that tests replace. */
export interface NodeParts extends NodeOptions {
  readonly engine?: AnalysisEngine
  readonly imageChecker?: ImageChecker
  /** A stopping node serves kept connections for so long; a second by default. */
  readonly lingerMs?: number
}

const defaultLingerMs = 1000

export interface AttestorNode {
  /** The public URL, without a trailing slash. */
  readonly url: string
  readonly service: ServiceContext
  /** Null without the roles `worker` and `analysis`. */
  readonly worker: Worker | null
  /** Accepts no more calls, waits at most `DRAIN_SECONDS` for running calls and jobs, and closes the database. */
  stop(): Promise<void>
}

function listen(server: Server, config: Config): Promise<AddressInfo> {
  return new Promise((resolve, reject) => {
    server.once('error', cause => {
      reject(new ConfigError(`HOST, PORT: cannot listen there: ${cause.message}`, { cause }))
    })
    server.listen(config.PORT, config.HOST, () => resolve(server.address() as AddressInfo))
  })
}

/** Wildcard addresses cannot be opened in a browser: print loopback instead. */
const loopback: Readonly<Record<string, string>> = { '0.0.0.0': '127.0.0.1', '::': '::1' }

/** The address that this node listens on. Behind a proxy the public URL is another. */
function getAddress({ HOST }: Config, { port }: AddressInfo): string {
  const host = loopback[HOST] ?? HOST
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`
}

/** The HTTP server, which listens before the application exists. */
interface OpenServer {
  readonly server: Server
  /** The public URL. */
  readonly url: string
  readonly address: string
  /** Sends calls to the application. */
  readonly serve: (application: RequestListener) => void
  readonly close: ReturnType<typeof createCloser>
}

/** Until the application exists, every call gets a 503 instead of waiting. */
async function openServer(config: Config): Promise<OpenServer> {
  const server = createHttpServer({
    connectionsPerAddress: config.TRUSTED_PROXY_HOPS === 0 ? config.CONNECTIONS_PER_ADDRESS : 0,
    keepAliveSeconds: config.KEEP_ALIVE_SECONDS,
    requestSeconds: config.REQUEST_SECONDS,
  })
  const close = createCloser(server)
  const serve = serveWhileStarting(server)
  const address = getAddress(config, await listen(server, config))
  return { server, close, serve, address, url: config.BASE_URL ?? address }
}

/** The number of journals that a start proves: `attestor doctor --all` proves everything. */
const provenAtStart = 200

/** Proves the latest records: otherwise tampering is only found if somebody looks. */
async function proveLatest(
  { store, clock, log, serviceKeys }: ServiceContext,
  draining: AbortController,
): Promise<void> {
  try {
    const { broken } = await prove({ store, clock, serviceKeys }, provenAtStart)
    for (const message of broken) log.error({ message }, 'the database was changed by something else')
  } catch (error) {
    if (!draining.signal.aborted) log.warn({ error: asError(error).message }, 'the chains could not be proven')
  }
}

async function openNode(
  parts: NodeParts,
  { url, serve, close }: OpenServer,
  guard: Guard | null,
): Promise<AttestorNode> {
  const { config, log } = parts
  const service = await openServiceContext({ ...parts, guard })
  const { clock } = service
  // Their child processes start concurrently with the rest.
  const engine = config.ROLES.includes('analysis') ? (parts.engine ?? (await openEngine(parts))) : null
  const imageChecker = config.ROLES.includes('api')
    ? (parts.imageChecker ?? startImageChecker({ clock, log, children: config.IMAGE_PROCESSES }))
    : null
  const lifecycle = createLifecycle(service, { engine, imageChecker })
  const { draining, metrics } = lifecycle
  const { observedEngine, feedback } = openAnalysis(service, engine, metrics)
  const deps = await createHttpDeps(service, lifecycle, { imageChecker, feedback }, url)
  const ofConsole = createConsoleEndpoints({
    algorithm: config.WEBHOOK_ALGORITHM,
    signOn: openProvider(config, url),
    ofFeatures: consoleEndpoints,
    ...(metrics && { onStreams: metrics.setStreams }),
  })
  const app = createApp(deps, config.ROLES, [...service.features.endpoints, ...ofConsole])
  if (service.tracing !== null) app.middleware.unshift(traceCalls(service.tracing))
  serve(app.callback())
  const workerGuard = config.ROLES.includes('worker') ? guard : null
  const worker = startNodeWorker(service, { observedEngine, feedback, guard: workerGuard, metrics })
  lifecycle.phase = 'ready'
  const versions = watchChartVersions(service.chartVersions, clock, config.POLL_MS * pollsApart)
  const heartbeat = startHeartbeat(service, deps, { engine, imageChecker })
  if (worker !== null) void proveLatest(service, draining)
  void announceReadiness(service, lifecycle, deps.unreadiness, { url, version, roles: config.ROLES })
  return {
    url,
    service,
    worker,
    async stop() {
      lifecycle.phase = 'draining'
      void service.addressFiles.stop()
      draining.abort()
      const deadline = wait(clock, config.DRAIN_SECONDS * 1000)
      const lingered = wait(clock, parts.lingerMs ?? defaultLingerMs)
      await Promise.all([close(lingered, deadline), worker?.stop(deadline), service.erasures.stop()])
      await Promise.all([engine?.stop(), imageChecker?.stop(), feedback.idle(), heartbeat.stop(), versions.stop()])
      metrics?.stop()
      await deps.refusals
        .flush()
        .catch((error: unknown) => log.warn({ error: asError(error).message }, 'refusals are lost'))
      service.contents.close()
      await service.stopClock()
      await service.store.close()
      await service.tracing?.stop()
    },
  }
}

/** Returns null for a node that calls nobody. @throws {ConfigError} for a setting whose URL may not be called, too */
async function openNodeGuard({ config, guard: given }: NodeParts): Promise<Guard | null> {
  const called = listCalledUrls(config)
  // An analysis fetches status lists.
  const sends = config.ROLES.includes('worker') || config.ROLES.includes('analysis')
  if (called.length === 0 && !sends) return null
  const guard = given ?? (await openGuard(config))
  for (const { name, url } of called) {
    const brokenRule = guard.check(url)
    if (brokenRule !== null) throw new ConfigError(`${name}: ${brokenRule}`)
  }
  return guard
}

/**
 * Starts a node: the service, the HTTP API, the worker and the analysis, as `ROLES` say. A node without the API still serves
 * `/healthz` and `/readyz`.
 * @throws {ConfigError} for a setting that can't work; any other error that prevents the start
 */
export async function startNode(given: NodeParts): Promise<AttestorNode> {
  const parts = { ...given, log: contextLog(given.log) }
  const { config, log } = parts
  parts.tracing?.watch(fault => {
    if (fault === null) log.info({}, 'the trace collector takes spans again')
    else log.warn({ error: fault }, 'the trace collector takes no spans: they are lost until it does')
  })
  const guard = await openNodeGuard(parts)
  const opened = await openServer(config)
  log.info({ url: opened.url, address: opened.address }, 'listening')
  try {
    return await openNode(parts, opened, guard)
  } catch (error) {
    opened.server.close()
    opened.server.closeAllConnections()
    throw error
  }
}

/** The identity provider of the settings, if they name one. */
function openProvider(config: Config, baseUrl: string): SignOn | null {
  const { OIDC_ISSUER: issuer, OIDC_CLIENT_ID: client_id, OIDC_CLIENT_SECRET: client_secret } = config
  if (issuer === null || client_id === null || client_secret === null) return null
  const roles = { roles_claim: config.OIDC_ROLES_CLAIM, role_names: config.OIDC_ROLES }
  return openSignOn({ issuer, client_id, client_secret, ...roles }, `${baseUrl}${signOnCallback}`)
}
