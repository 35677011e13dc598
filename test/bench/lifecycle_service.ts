/** The service for a bench, with scripted analysis: its settings in the environment, and `BENCH_COUNT=1` to count what it asks of the database. */
import { createRequire } from 'node:module'
import { tokenScope } from '../../src/accounts/access_token.ts'
import { createAccount } from '../../src/accounts/accounts.ts'
import { systemClock } from '../../src/base/clock.ts'
import { jsonLog } from '../../src/base/log.ts'
import { startNode } from '../../src/composition/start_node.ts'
import { readConfig } from '../../src/config.ts'
import { createApprovedFindings, scriptedEngine } from '../../src/engines/scripted.ts'
import { answerQuestions, familyCpuMilliseconds } from './measure.ts'
import { startProfile, type TimeByPart } from './profile.ts'

const counted = { commits: 0, statements: 0, reads: 0, round_trips: 0 }

type Method = (...given: unknown[]) => unknown
type Patched = Record<string, Method>

/** Counts calls of a driver's method; `matters` says which of its calls. */
const count = (on: Patched, method: string, matters: (given: unknown[]) => keyof typeof counted | null): void => {
  const original = on[method]
  if (original === undefined) throw new Error(`no ${method} to count`)
  on[method] = function (this: unknown, ...given: unknown[]) {
    const counter = matters(given)
    if (counter !== null) counted[counter]++
    return original.apply(this, given)
  }
}

const countStatements = (): void => {
  const require = createRequire(import.meta.url)
  const statement = new (require('better-sqlite3') as new (file: string) => { prepare: Method })(':memory:').prepare(
    'SELECT 1',
  )
  const prototype = Object.getPrototypeOf(statement) as Patched
  count(prototype, 'all', () => 'reads')
  count(prototype, 'run', () => 'statements')
  const { Connection } = require('mysql2') as { Connection: { prototype: Patched } }
  for (const method of ['query', 'execute'])
    count(Object.getPrototypeOf(Connection.prototype) as Patched, method, () => 'round_trips')
}

if (process.env.BENCH_COUNT === '1') countStatements()
const { BENCH_COUNT: _, ...environment } = process.env
/** One account does the work of many, with as many frames as the floors take; the environment may say otherwise. */
const bench_settings = { RATE_LIMIT_READS: '0', RATE_LIMIT_WRITES: '0', RATE_LIMIT_DEVICE: '0', CHALLENGE_ACTIONS: '2' }
const config = readConfig({ ...bench_settings, ...environment })
const node = await startNode({
  config,
  clock: systemClock,
  log: jsonLog(config.LOG_LEVEL),
  engine: scriptedEngine(createApprovedFindings),
  crashHook: instant => {
    if (instant === 'commit.durable') counted.commits++
  },
})

const accessToken = async (): Promise<string> => {
  const { client_id, client_secret } = await createAccount(node.service, { name: 'bench' })
  const form = { grant_type: 'client_credentials', client_id, client_secret, scope: tokenScope }
  const answer = await fetch(`${node.url}/oauth2/token`, { method: 'POST', body: new URLSearchParams(form) })
  return ((await answer.json()) as { access_token: string }).access_token
}

let endProfile: (() => Promise<TimeByPart>) | null = null

answerQuestions({
  ready: async () => ({ url: node.url, access_token: await accessToken() }),
  usage: () => ({ cpu_ms: familyCpuMilliseconds(), ...counted }),
  profile: async () => {
    endProfile = await startProfile()
  },
  profiled: () => endProfile?.(),
})
