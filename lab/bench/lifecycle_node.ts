import type { EngineFindings } from '@attestor/rules'
import type { AnalysisRequest } from '@attestor/vision'
import type { CrashHook } from 'durable-xstate-sql'
import { systemClock } from '../../src/base/clock.ts'
import { readConfig } from '../../src/config/settings.ts'
import { createApprovedFindings, scriptedEngine } from '../../src/engines/scripted.ts'
import { tokenScope } from '../../src/identity/accounts/access_token.ts'
import { createAccount } from '../../src/identity/accounts/accounts.ts'
import type { BuildCharts } from '../../src/node/chart_versions.ts'
import { openLog } from '../../src/node/open_log.ts'
import { type AttestorNode, startNode } from '../../src/node/start_node.ts'
import { openTracing } from '../../src/node/tracing/open_tracing.ts'

/** One account does the work of many, with as many frames as the floor takes; the environment may say otherwise. */
const settings = {
  RATE_LIMIT_READS: '0',
  RATE_LIMIT_WRITES: '0',
  RATE_LIMIT_DEVICE: '0',
  CHALLENGE_ACTIONS: '2',
  WEBHOOK_ALLOW_HOSTS: '127.0.0.1',
  WEBHOOK_ORIGIN_CONCURRENCY: '50',
  WEBHOOK_CONCURRENCY: '200',
}

async function openAccount(
  node: AttestorNode,
): Promise<{ readonly access_token: string; readonly account_id: string }> {
  const { account_id, client_id, client_secret } = await createAccount(node.service, { name: 'bench' })
  const form = { grant_type: 'client_credentials', client_id, client_secret, scope: tokenScope }
  const answer = await fetch(`${node.url}/oauth2/token`, { method: 'POST', body: new URLSearchParams(form) })
  return { account_id, access_token: ((await answer.json()) as { access_token: string }).access_token }
}

/** Each with a document of its own: one that all share would be sought among a thousand uses of it. */
function createFindings(request: AnalysisRequest): EngineFindings {
  const { document, ...findings } = createApprovedFindings(request)
  const mrz = document?.mrz ?? null
  if (document === null || mrz === null) return { document, ...findings }
  return { document: { ...document, mrz: { ...mrz, document_number: request.transaction_id } }, ...findings }
}

/** The service with scripted analysis, and an account's access token. */
export async function startBenchNode(
  environment: Readonly<Record<string, string | undefined>>,
  more: { readonly crashHook?: CrashHook; readonly charts?: BuildCharts } = {},
): Promise<{ readonly node: AttestorNode; readonly access_token: string; readonly account_id: string }> {
  const config = readConfig({ ...settings, ...environment })
  const tracing = await openTracing(environment)
  const node = await startNode({
    config,
    clock: systemClock,
    tracing,
    log: openLog({ level: config.LOG_LEVEL, ...(tracing && { readFields: tracing.logFields }) }),
    engine: scriptedEngine(createFindings),
    ...more,
  })
  return { node, ...(await openAccount(node)) }
}
