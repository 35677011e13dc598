import { run, type Store } from 'durable-xstate-sql'
import { commitNew, ignoreUnavailable } from 'durable-xstate-sql/sql'
import { durableCharts } from '../../machines/charts.ts'
import type { deliveryMachine } from '../../machines/delivery.ts'
import type { transactionMachine } from '../../machines/transaction.ts'
import type { Clock } from '../base/clock.ts'
import { type Repeated, repeat } from '../base/time.ts'
import { insertFact, readFact, updateFact } from '../database/facts.ts'

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
  const version = await readFact(store, factName(name))
  return version === null ? null : Number(version)
}

function createVersions(
  known: ReadonlyMap<ChartName, number>,
  charts: BuildCharts,
  refresh: ChartVersions['refresh'],
): ChartVersions {
  const newest = (name: ChartName): number => newestVersion(charts, name)
  const of = (name: ChartName): number => Math.min(known.get(name) ?? newest(name), newest(name))
  return { of, isFinal: () => names.every(name => of(name) === newest(name)), refresh }
}

/** A new database begins with the newest charts of the build that makes it. */
async function ensureVersion(store: Store, name: ChartName, newest: number): Promise<number> {
  const present = await readChartVersion(store, name)
  if (present !== null) return present
  await commitNew(store, () => run(insertFact(factName(name), String(newest))))
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
      versions.set(name, await ensureVersion(store, name, newest))
    }
  }
  await refresh()
  return createVersions(versions, charts, refresh)
}

/** The versions that a node would open actors with, for a command, which writes none. */
export async function readChartVersions(store: Store): Promise<ChartVersions> {
  const stored = new Map<ChartName, number>()
  for (const name of names) stored.set(name, (await readChartVersion(store, name)) ?? Number.POSITIVE_INFINITY)
  return createVersions(stored, durableCharts, async () => {})
}

/** Gives new actors this build's newest charts from now on. Nodes learn of it in seconds. */
export async function finishUpgrade(store: Store, charts: BuildCharts = durableCharts): Promise<void> {
  for (const name of names) {
    const newest = newestVersion(charts, name)
    await ensureVersion(store, name, newest)
    await store.commit(() => run(updateFact(factName(name), String(newest))))
  }
}

/** Keeps a node's versions in step with the database while an upgrade is under way. */
export function watchChartVersions(versions: ChartVersions, clock: Clock, every_ms: number): Repeated {
  const refresh = async (): Promise<number | null> => {
    if (versions.isFinal()) return null
    await versions.refresh().catch(ignoreUnavailable)
    return every_ms
  }
  return repeat(clock, refresh, every_ms)
}
