import type { RequestListener, Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createAuthenticator } from '../accounts/bearer.ts'
import { unavailable } from '../base/api_error.ts'
import { wait } from '../base/clock.ts'
import { type Config, ConfigError } from '../config.ts'
import { consoleEndpoints } from '../console/endpoints/table.ts'
import { openIdempotencyKeys } from '../database/idempotency_keys.ts'
import { openRateLimits } from '../database/rate_limits.ts'
import type { Worker } from '../durable/jobs/worker.ts'
import type { AnalysisEngine } from '../engines/port.ts'
import { createApp } from '../http/app.ts'
import { createCursors } from '../http/cursors.ts'
import type { HttpDeps } from '../http/deps.ts'
import type { RequestLimits } from '../http/rate_limits.ts'
import { createResponseMemory } from '../http/response_memory.ts'
import { createCloser, createHttpServer, serveWhileStarting } from '../http/server.ts'
import { createUploadMemory } from '../http/upload_memory.ts'
import { type ImageChecker, startImageChecker } from '../images/image_checker.ts'
import { createOperatorCheck } from '../operators/operators.ts'
import { version } from '../version.ts'
import { checkDestination } from '../webhooks/destination.ts'
import type { Guard } from '../webhooks/guard.ts'
import { openListener } from '../webhooks/listener.ts'
import { openEngine } from './open_engine.ts'
import {
  deliveryDeps,
  listenerDeps,
  type NodeOptions,
  openServiceContext,
  type ServiceContext,
} from './open_service.ts'
import { announceReadiness, createLifecycle, createReadinessCheck, type NodeLifecycle } from './readiness.ts'
import { openGuard, startNodeWorker } from './start_worker.ts'

/** Parts that tests replace. */
export interface NodeParts extends NodeOptions {
  readonly engine?: AnalysisEngine
  readonly imageChecker?: ImageChecker
  readonly guard?: Guard
  /** How long a stopping node still serves kept connections; a second by default. */
  readonly lingerMs?: number
}

const defaultLingerMs = 1000

export interface AttestorNode {
  /** The public URL, without a trailing slash. */
  readonly url: string
  readonly service: ServiceContext
  /** Null without the role `worker`. */
  readonly worker: Worker | null
  /** Accepts no more calls, waits at most `DRAIN_SECONDS` for running calls and jobs, and closes the database. */
  stop(): Promise<void>
}

const listen = (server: Server, config: Config): Promise<AddressInfo> =>
  new Promise((resolve, reject) => {
    server.once('error', cause => {
      reject(new ConfigError(`HOST, PORT: cannot listen there: ${cause.message}`, { cause }))
    })
    server.listen(config.PORT, config.HOST, () => resolve(server.address() as AddressInfo))
  })

/** Where this node listens itself, which a proxy in front hides. */
const getAddress = ({ HOST }: Config, { port }: AddressInfo): string =>
  `http://${HOST.includes(':') ? `[${HOST}]` : HOST}:${port}`

const getRates = (config: Config): RequestLimits['perMinute'] => ({
  reads: config.RATE_LIMIT_READS,
  writes: config.RATE_LIMIT_WRITES,
  tokens: config.RATE_LIMIT_TOKENS,
  token_failures: config.RATE_LIMIT_TOKEN_FAILURES,
  login_failures: config.RATE_LIMIT_LOGIN_FAILURES,
  device: config.RATE_LIMIT_DEVICE,
  handoff_failures: config.RATE_LIMIT_HANDOFF_FAILURES,
  refused_images: config.RATE_LIMIT_REJECTED_IMAGES,
})

/** For a node without the API, which routes no uploads. */
const noImageChecker: Pick<ImageChecker, 'check'> = {
  check: () => Promise.reject(unavailable('this node takes no images')),
}

const createHttpDeps = async (
  service: ServiceContext,
  lifecycle: NodeLifecycle,
  imageChecker: ImageChecker | null,
  baseUrl: string,
): Promise<HttpDeps> => {
  const { config, clock, log, store, master, transactions, webhookKeys, evidenceKeys } = service
  const accounts = { store, clock, master }
  return {
    log,
    clock,
    baseUrl,
    corsOrigins: config.CORS_ORIGINS,
    trustedProxyHops: config.TRUSTED_PROXY_HOPS,
    defaultTtlMinutes: config.TRANSACTION_TTL_MINUTES,
    imageLimits: { max_bytes: config.CAPTURE_MAX_BYTES, max_megapixels: config.CAPTURE_MAX_MEGAPIXELS },
    imageChecker: imageChecker ?? noImageChecker,
    uploadMemory: createUploadMemory(config.CAPTURE_MEMORY_MB * 2 ** 20),
    responseMemory: createResponseMemory(clock, config.RESPONSE_MEMORY_MB * 2 ** 20),
    limits: { counts: openRateLimits(store, clock, master), perMinute: getRates(config) },
    maxConcurrentRequests: config.MAX_CONCURRENT_REQUESTS,
    accounts,
    authenticate: createAuthenticator(accounts),
    customers: accounts,
    transactions,
    erasures: service.erasures,
    deliveries: deliveryDeps(service),
    cursors: createCursors(master),
    operators: accounts,
    operatorsExist: createOperatorCheck(store),
    idempotency: openIdempotencyKeys(accounts),
    checkDestination: url => checkDestination(url, config.WEBHOOK_ALLOW_HOSTS),
    draining: lifecycle.draining.signal,
    signEvidence: evidenceKeys.sign,
    webhookKeys: webhookKeys.jwks,
    evidenceKeys: { keys: evidenceKeys.public_keys },
    listener: openListener(listenerDeps(service)),
    metrics: lifecycle.metrics,
    unreadiness: createReadinessCheck(service, lifecycle),
  }
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
const openServer = async (config: Config): Promise<OpenServer> => {
  const server = createHttpServer(config.TRUSTED_PROXY_HOPS === 0 ? config.CONNECTIONS_PER_ADDRESS : 0)
  const close = createCloser(server)
  const serve = serveWhileStarting(server)
  const address = getAddress(config, await listen(server, config))
  return { server, close, serve, address, url: config.BASE_URL ?? address }
}

const openNode = async (
  parts: NodeParts,
  { url, serve, close }: OpenServer,
  guard: Guard | null,
): Promise<AttestorNode> => {
  const { config, clock, log } = parts
  const service = await openServiceContext(parts)
  // Their child processes start concurrently with the rest.
  const engine = guard === null ? null : (parts.engine ?? openEngine(parts))
  const imageChecker = config.ROLES.includes('api')
    ? (parts.imageChecker ?? startImageChecker({ clock, log, children: config.IMAGE_PROCESSES }))
    : null
  const lifecycle = createLifecycle(service, { engine, imageChecker })
  const { draining, metrics } = lifecycle
  const deps = await createHttpDeps(service, lifecycle, imageChecker, url)
  serve(createApp(deps, config.ROLES, consoleEndpoints).callback())
  const worker = engine === null || guard === null ? null : startNodeWorker(service, engine, guard, metrics)
  lifecycle.phase = 'ready'
  void announceReadiness(service, lifecycle, deps.unreadiness, { url, version, roles: config.ROLES })
  return {
    url,
    service,
    worker,
    async stop() {
      lifecycle.phase = 'draining'
      service.addressFiles.stop()
      draining.abort()
      const deadline = wait(clock, config.DRAIN_SECONDS * 1000)
      const lingered = wait(clock, parts.lingerMs ?? defaultLingerMs)
      await Promise.all([close(lingered, deadline), worker?.stop(deadline), service.erasures.stop()])
      await Promise.all([engine?.stop(), imageChecker?.stop()])
      metrics?.stop()
      await service.store.close()
    },
  }
}

/**
 * Starts a node: the service, the worker and the HTTP API, as `ROLES` say. A node without the API still serves
 * `/healthz` and `/readyz`.
 * @throws {ConfigError} for a setting that can't work; any other error that prevents the start
 */
export const startNode = async (parts: NodeParts): Promise<AttestorNode> => {
  const { config, log } = parts
  const guard = config.ROLES.includes('worker') ? (parts.guard ?? (await openGuard(config))) : null
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
