import { type OperatorBranding, plainBranding, readBranding } from '@attestor/capture-page'
import { checkDestination } from '@attestor/outbound'
import type { ImageChecker } from '@attestor/vision'
import { asError, unavailable } from '../base/api_error.ts'
import { mapValues } from '../base/collections.ts'
import { ConfigError } from '../base/setting.ts'
import type { Config } from '../config/settings.ts'
import { openIdempotencyKeys } from '../database/idempotency_keys.ts'
import { openRateLimits } from '../database/rate_limits.ts'
import { featureRates } from '../features.ts'
import { createCursors } from '../http/cursors.ts'
import type { HttpDeps } from '../http/deps.ts'
import type { RequestLimits } from '../http/rate_limits.ts'
import { createResponseMemory } from '../http/response_memory.ts'
import { createUploadMemory } from '../http/upload_memory.ts'
import { createAuthenticator } from '../identity/accounts/bearer.ts'
import { createOperatorCheck } from '../identity/operators/operators.ts'
import { createRefusals } from '../identity/operators/refusals.ts'
import { openListener } from '../webhooks/listener.ts'
import { deliveryDeps, listenerDeps, type ServiceContext } from './open_service.ts'
import { createReadinessCheck, type NodeLifecycle } from './readiness.ts'
import type { WorkerParts } from './start_worker.ts'

/** The branding of the setting `BRANDING`. @throws {ConfigError} for a bad file */
export function openBranding(file: string | null): OperatorBranding {
  if (file === null) return plainBranding
  try {
    return readBranding(file)
  } catch (cause) {
    throw new ConfigError(`BRANDING: ${file}: ${asError(cause).message}`, { cause })
  }
}

function getRates(config: Config): RequestLimits['perMinute'] {
  return {
    reads: config.RATE_LIMIT_READS,
    writes: config.RATE_LIMIT_WRITES,
    tokens: config.RATE_LIMIT_TOKENS,
    token_failures: config.RATE_LIMIT_TOKEN_FAILURES,
    login_failures: config.RATE_LIMIT_LOGIN_FAILURES,
    device: config.RATE_LIMIT_DEVICE,
    ...mapValues(featureRates, ({ setting }) => config[setting]),
    refused_images: config.RATE_LIMIT_REJECTED_IMAGES,
    pages: config.RATE_LIMIT_PAGES,
  }
}

/** Replaces the checker on a node without the API, which routes no uploads. */
const noImageChecker: Pick<ImageChecker, 'check'> = {
  check: () => Promise.reject(unavailable('this node takes no images')),
}

/** Collects the API's dependencies from the settings and the parts of the service. */
export async function createHttpDeps(
  service: ServiceContext,
  lifecycle: NodeLifecycle,
  { imageChecker, feedback }: Pick<WorkerParts, 'feedback'> & { readonly imageChecker: ImageChecker | null },
  baseUrl: string,
): Promise<HttpDeps> {
  const { config, clock, log, store, serviceKeys, transactions, webhookKeys, evidenceKeys } = service
  const accounts = { store, clock, serviceKeys }
  return {
    log,
    clock,
    baseUrl,
    branding: openBranding(config.BRANDING),
    corsOrigins: config.CORS_ORIGINS,
    embedOrigins: config.EMBED_ORIGINS,
    redirectSchemes: config.REDIRECT_SCHEMES,
    trustedProxyHops: config.TRUSTED_PROXY_HOPS,
    defaultTtlMinutes: config.TRANSACTION_TTL_MINUTES,
    imageLimits: { max_bytes: config.CAPTURE_MAX_BYTES, max_megapixels: config.CAPTURE_MAX_MEGAPIXELS },
    imageChecker: imageChecker ?? noImageChecker,
    uploadMemory: createUploadMemory(config.CAPTURE_MEMORY_MB * 2 ** 20, clock),
    responseMemory: createResponseMemory(clock, config.RESPONSE_MEMORY_MB * 2 ** 20),
    limits: { counts: openRateLimits(store, clock, serviceKeys), perMinute: getRates(config) },
    maxConcurrentRequests: config.MAX_CONCURRENT_REQUESTS,
    refreshKeys: serviceKeys.refresh,
    accounts,
    authenticate: createAuthenticator(accounts),
    customers: accounts,
    transactions: { ...transactions, giveFeedback: feedback.giveFeedback },
    readSignature: service.features.readSignature,
    erasures: service.erasures,
    deliveries: deliveryDeps(service),
    cursors: createCursors(serviceKeys),
    operators: accounts,
    refusals: createRefusals({ store, clock, log }),
    // The first may come by the identity provider.
    operatorsExist: config.OIDC_ISSUER === null ? createOperatorCheck(store) : () => Promise.resolve(true),
    idempotency: openIdempotencyKeys(accounts),
    checkDestination: url => checkDestination(url, config.WEBHOOK_ALLOW_HOSTS),
    draining: lifecycle.draining.signal,
    signEvidence: evidenceKeys.sign,
    async webhookKeys() {
      await serviceKeys.refresh()
      return webhookKeys.jwks()
    },
    evidenceKeys: { keys: evidenceKeys.public_keys },
    listener: openListener(listenerDeps(service)),
    metrics: lifecycle.metrics,
    unreadiness: createReadinessCheck(service, lifecycle),
    databaseHost: service.store.hostName,
  }
}
