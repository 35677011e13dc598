import { setTimeout as pause } from 'node:timers/promises'
import { migrate, openStore, type Store } from 'durable-xstate-sql'
import { hasPendingMigrations, type Value } from 'durable-xstate-sql/sql'
import type { Row } from 'durable-xstate-sql/testing'
import { type OpenCharts, openCharts } from '../../packages/durable/test/actors/charts.ts'
import { schema } from '../../src/database/schema.ts'
import type { Answer } from '../../test/calls.ts'
import type { ManualClock } from '../../test/clock.ts'
import { type TestDatabase, type TestEngine, testServer } from '../../test/database.ts'
import { type Door, openDoor } from '../../test/http/door.ts'
import { kyc } from '../../test/service/client.ts'
import { startProgram } from './measure.ts'

/** A node that is connected to a member of its own. */
export interface ClusterNode {
  readonly door: Door
  /** A second store of it, with the host alone. */
  readonly store: Store
  readonly service: OpenCharts
  readonly database: TestDatabase
}

/** Three nodes on three members. */
export interface Cluster {
  readonly nodes: readonly [ClusterNode, ClusterNode, ClusterNode]
  readonly clock: ManualClock
  kill(index: number): Promise<void>
  start(index: number): Promise<void>
  close(): Promise<void>
}

function databaseAt(url: string): TestDatabase {
  return {
    address: { dialect: 'mysql', ...testServer(url), database: 'attestor' },
    drop: async () => {},
  }
}

function engineOf(database: TestDatabase): TestEngine {
  return {
    name: 'MariaDB',
    fresh: async () => database,
    empty: async () => database,
  }
}

/**
 * Waits for a condition, as members show each other's commits a little later. Resolves with the wait in milliseconds.
 */
export async function until(holds: () => Promise<boolean>, limitMs = 10_000): Promise<number> {
  const began = performance.now()
  while (!(await holds())) {
    if (performance.now() - began > limitMs) throw new Error('it did not come about in time')
    await pause(5)
  }
  return performance.now() - began
}

/** Starts three members and a node on each. @throws where Galera does not come up */
export async function openCluster(): Promise<Cluster> {
  const members = startProgram('galera_members.ts', {})
  const ask = async <T>(question: string, more: object = {}): Promise<T> => {
    const answer = await members.ask<T & { failed?: string }>(question, more)
    if (typeof answer?.failed === 'string') throw new Error(answer.failed)
    return answer
  }
  const { urls } = await ask<{ urls: readonly string[] }>('open')
  const databases = urls.map(databaseAt)
  const [one] = databases
  if (one === undefined) throw new Error('no member')
  await migrate(one.address, schema)
  for (const database of databases) await until(async () => !(await hasPendingMigrations(database.address, schema)))
  const first = await openDoor(engineOf(one))
  const nodes = await Promise.all(
    databases.map(async (database, index): Promise<ClusterNode> => {
      const door = index === 0 ? first : await openDoor(engineOf(database), {}, { beside: { ...first, database } })
      const store = await openStore(database.address, 8)
      return { door, store, service: openCharts(store, first.clock), database }
    }),
  )
  return {
    nodes: nodes as unknown as Cluster['nodes'],
    clock: first.clock,
    kill: index => ask('kill', { index }),
    start: index => ask('start', { index }),
    async close() {
      await Promise.all(nodes.flatMap(({ door, store }) => [door.close(), store.close()]))
      await members.end()
    },
  }
}

/** A POST of the integrator's, with an `Idempotency-Key` where one is given. */
export function post({ door }: ClusterNode, what: string, json: object, key?: string): Promise<Answer> {
  return door.call('POST', `${kyc}/${what}`, {
    token: door.token,
    json,
    ...(key === undefined ? {} : { headers: { 'Idempotency-Key': key } }),
  })
}

export function rows({ store }: ClusterNode, sql: string, ...values: Value[]): Promise<readonly Row[]> {
  return store.read({ sql, values })
}

/** Counts the answers of a number of calls: `201 3, 409 2`. */
export function tallied(words: readonly (string | number)[]): string {
  const counts = new Map<string, number>()
  for (const word of words) counts.set(String(word), (counts.get(String(word)) ?? 0) + 1)
  return [...counts]
    .sort()
    .map(([word, count]) => `${word} ${count}`)
    .join(', ')
}
