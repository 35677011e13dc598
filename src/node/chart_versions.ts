import { durableCharts } from '../../machines/charts.ts'
import type { deliveryMachine } from '../../machines/delivery.ts'
import type { transactionMachine } from '../../machines/transaction.ts'
import { isUnavailable } from '../../packages/durable/errors.ts'
import { run } from '../../packages/durable/store/statement.ts'
import { readFirst, type Store } from '../../packages/durable/store/store.ts'
import { type Clock, wait } from '../base/clock.ts'
import { columnsOf, insert } from '../database/schema.ts'

/** The charts of a build, by name and version. */
export interface BuildCharts {
  readonly transaction: Readonly<Record<number, typeof transactionMachine>>
  readonly delivery: Readonly<Record<number, typeof deliveryMachine>>
}

type ChartName = keyof BuildCharts

const names = Object.keys(durableCharts) as readonly ChartName[]

/** The version of each chart that new actors get. */
export interface ChartVersions {
  readonly of: (name: ChartName) => number
  /** Whether they are this build's newest, and so change no more. */
  isFinal(): boolean
  /** Reads them again. */
  refresh(): Promise<void>
}

function factName(name: ChartName): string {
  return `chart_version/${name}`
}

function newestVersion(charts: BuildCharts, name: ChartName): number {
  return Math.max(...Object.keys(charts[name]).map(Number))
}

/** The version in the database; null where there is none. */
async function readChartVersion(store: Store, name: ChartName): Promise<number | null> {
  const sql = 'SELECT value FROM facts WHERE name = ?'
  const row = await readFirst(store, { sql, values: [factName(name)], columns: columnsOf('facts', 'value') })
  return row === null ? null : Number(row.value)
}

/** A new database begins with the newest charts of the build that makes it. */
async function ensureVersion(store: Store, name: ChartName, newest: number): Promise<number> {
  const present = await readChartVersion(store, name)
  if (present !== null) return present
  await store
    .commit(() => run(insert('facts', { name: factName(name), value: String(newest) })))
    .catch(error => {
      if (!store.dialect.isDuplicate(error)) throw error
    })
  return (await readChartVersion(store, name)) ?? newest
}

/**
 * While nodes of two builds run side by side, new actors get the charts that both builds know. The database holds their
 * versions; they change when an operator finishes the upgrade. A node whose build is older than these versions uses its
 * own newest charts, which the newer build knows too.
 */
export async function openChartVersions(store: Store, charts: BuildCharts = durableCharts): Promise<ChartVersions> {
  const versions = new Map<ChartName, number>()
  const refresh = async (): Promise<void> => {
    for (const name of names) {
      const newest = newestVersion(charts, name)
      versions.set(name, Math.min(newest, await ensureVersion(store, name, newest)))
    }
  }
  await refresh()
  const of = (name: ChartName): number => versions.get(name) ?? newestVersion(charts, name)
  return { of, isFinal: () => names.every(name => of(name) === newestVersion(charts, name)), refresh }
}

/** The versions that a node would open actors with, for a command, which writes none. */
export async function readChartVersions(store: Store): Promise<ChartVersions> {
  const stored = new Map<ChartName, number>()
  for (const name of names)
    stored.set(name, (await readChartVersion(store, name)) ?? newestVersion(durableCharts, name))
  const of = (name: ChartName): number => Math.min(stored.get(name) ?? 0, newestVersion(durableCharts, name))
  return {
    of,
    isFinal: () => names.every(name => of(name) === newestVersion(durableCharts, name)),
    refresh: async () => {},
  }
}

/** Gives new actors this build's newest charts from now on. Nodes learn of it in seconds. */
export async function finishUpgrade(store: Store, charts: BuildCharts = durableCharts): Promise<void> {
  for (const name of names) {
    const newest = newestVersion(charts, name)
    await ensureVersion(store, name, newest)
    const sql = 'UPDATE facts SET value = ? WHERE name = ?'
    await store.commit(() => run({ sql, values: [String(newest), factName(name)] }))
  }
}

/** Keeps a node's versions in step with the database while an upgrade is under way. */
export function watchChartVersions(versions: ChartVersions, clock: Clock, every_ms: number): { stop(): Promise<void> } {
  const stopped = new AbortController()
  const watch = async (): Promise<void> => {
    while (!stopped.signal.aborted && !versions.isFinal()) {
      await wait(clock, every_ms, stopped.signal)
      if (stopped.signal.aborted) return
      await versions.refresh().catch(error => {
        if (!isUnavailable(error)) throw error
      })
    }
  }
  const watching = watch()
  return {
    async stop() {
      stopped.abort()
      await watching
    },
  }
}
