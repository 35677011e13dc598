/**
 * The service for a bench, with scripted analysis: its settings in the environment, `BENCH_COUNT=1` to count its
 * requests to the database, and `BENCH_BUILD=next` for the charts of a later build.
 */
import { createRequire } from 'node:module'
import { nextCharts } from '../../test/upgrade/next_build.ts'
import { startBenchNode } from './lifecycle_node.ts'
import { answerQuestions, processCpuMilliseconds, treeCpuMilliseconds } from './measure.ts'
import { startProfile, type TimeByPart } from './profile.ts'

const counted = { commits: 0, statements: 0, reads: 0, round_trips: 0 }

type Method = (...given: unknown[]) => unknown
type Patched = Record<string, Method>

/** Counts calls of a driver's method; `matters` says which of its calls, by the object that is called. */
function count(on: Patched, method: string, matters: (called: object) => keyof typeof counted | null): void {
  const original = on[method]
  if (original === undefined) throw new Error(`no ${method} to count`)
  on[method] = function (this: object, ...given: unknown[]) {
    const counter = matters(this)
    if (counter !== null) counted[counter]++
    return original.apply(this, given)
  }
}

function countStatements(): void {
  const require = createRequire(import.meta.url)
  const statement = new (require('better-sqlite3') as new (file: string) => { prepare: Method })(':memory:').prepare(
    'SELECT 1',
  )
  const prototype = Object.getPrototypeOf(statement) as Patched
  count(prototype, 'all', () => 'reads')
  // Commits are counted by themselves.
  count(prototype, 'run', called => (/^(BEGIN|COMMIT)/.test(Reflect.get(called, 'source')) ? null : 'statements'))
  const { Connection } = require('mysql2') as { Connection: { prototype: Patched } }
  for (const method of ['query', 'execute'])
    count(Object.getPrototypeOf(Connection.prototype) as Patched, method, () => 'round_trips')
}

if (process.env.BENCH_COUNT === '1') countStatements()
const { BENCH_COUNT: _, BENCH_BUILD: build, ...environment } = process.env
const { node, access_token } = await startBenchNode(environment, {
  crashHook: instant => {
    if (instant === 'commit.durable') counted.commits++
  },
  ...(build === 'next' && { charts: nextCharts }),
})

let endProfile: (() => Promise<TimeByPart>) | null = null

answerQuestions({
  ready: async () => ({ url: node.url, access_token }),
  usage: () => ({ cpu_ms: treeCpuMilliseconds(process.pid), own_ms: processCpuMilliseconds(process.pid), ...counted }),
  stop: () => node.stop(),
  profile: async () => {
    endProfile = await startProfile()
  },
  profiled: () => endProfile?.(),
})
