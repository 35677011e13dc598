import { createHost, readAll, type Store } from 'durable-xstate-sql'
import { type AnyActorDefinition, type HostTime, requireWritable, toPlaceholders } from 'durable-xstate-sql/sql'
import type { Clock } from '../../base/clock.ts'
import type { Config } from '../../config/settings.ts'
import { readChartVersions } from '../../node/chart_versions.ts'
import { createDefinitions } from '../../node/definitions.ts'
import type { OpenDatabase } from '../../node/open_database.ts'
import { findServerFaults } from '../../node/server_settings.ts'
import { prove } from '../../verification/evidence/prove.ts'
import { error, type Finding, ok, orOk, warning } from './finding.ts'

export interface DoctorContext extends OpenDatabase {
  readonly config: Config
  readonly clock: Clock
}

const hardlyMs = 1000
const farMs = 60_000

/** If the clocks of a node and of most hosts of its database disagree, timers fire early or late. */
function judgeHostTime({ host, time, sent, received }: HostTime): Finding {
  const off = Math.round((sent + received) / 2 - time)
  const message = `this machine’s clock is ${Math.abs(off)} ms ${off < 0 ? 'behind' : 'ahead of'} ${host}’s`
  const remedy = 'Run a time service (NTP) on both.'
  if (Math.abs(off) > farMs) return error('clock', message, remedy)
  return Math.abs(off) > hardlyMs ? warning('clock', message, remedy) : ok('clock', message)
}

async function checkClocks({ store, clock }: DoctorContext): Promise<readonly Finding[]> {
  if (store.hostName() === null) return [ok('clock', 'the database has this machine’s clock')]
  return (await store.readTimes(clock.now)).map(judgeHostTime)
}

const columns = { chart_version: 'count', live: 'count' } as const

function countLive(store: Store, { table, terminalStatuses: over }: AnyActorDefinition) {
  const alive = over.length === 0 ? '' : ` WHERE status NOT IN (${toPlaceholders(over)})`
  const sql = `SELECT chart_version, COUNT(*) AS live FROM ${table.name}${alive}
    GROUP BY chart_version ORDER BY chart_version`
  return readAll(store, { sql, values: over, columns })
}

function describeVersion(
  { name, charts, currentVersion, terminalStatuses }: AnyActorDefinition,
  version: number,
  live: number,
): Finding {
  const which = `version ${version} of the ${name} chart has ${live} ${terminalStatuses.length > 0 ? 'live ' : ''}actors`
  if (!(version in charts))
    return error('charts', `${which}, and this build does not know it`, 'Run the newer build that wrote them.')
  if (version === currentVersion) return ok('charts', which)
  return ok('charts', live > 0 ? `${which}: it has to stay` : `${which}: it can go`)
}

const unfinished = warning(
  'charts',
  'new actors get charts of the version before: an upgrade is not finished',
  'When every node runs this build: attestor migrate --finish.',
)

/** Finds which chart versions, of this build and of the database, are still needed. */
async function checkCharts({ config, store, clock }: DoctorContext): Promise<readonly Finding[]> {
  const versions = await readChartVersions(store)
  const { definitions } = createDefinitions(createHost(store, clock), config, versions)
  const findings: Finding[] = versions.isFinal() ? [] : [unfinished]
  for (const definition of definitions) {
    const live = new Map((await countLive(store, definition)).map(row => [row.chart_version, row.live]))
    const versions = new Set([...Object.keys(definition.charts).map(Number), ...live.keys()])
    for (const version of [...versions].sort((a, b) => a - b))
      findings.push(describeVersion(definition, version, live.get(version) ?? 0))
  }
  return findings
}

async function checkServer({ config, store }: DoctorContext): Promise<readonly Finding[]> {
  const faults = await findServerFaults(store, config.DATABASE_CONNECTIONS)
  return faults.map(({ isFatal, message, remedy }) => (isFatal ? error : warning)('database', message, remedy))
}

/** Proves that only the service changed the audit log, the journals, and the lists' data about them. */
export async function checkChains(context: DoctorContext, sample: number | null): Promise<readonly Finding[]> {
  const { entries, transactions, broken } = await prove(context, sample)
  const which = sample === null ? 'all' : 'the latest'
  const remedy = 'Find out who can write to the database: docs/operate/tampering.md.'
  return orOk(
    'chains',
    `${which} ${entries} entries of the audit log and ${transactions} journals are as they were written`,
    broken.map(message => error('chains', message, remedy)),
  )
}

/** Examines the database, partly by a write that is undone. */
export async function checkDatabase(context: DoctorContext): Promise<readonly Finding[]> {
  await requireWritable(context.store)
  return [
    ok('database', 'it answers, and takes writes'),
    ok('master key', 'it is the one that the database is encrypted with'),
    ...(await checkServer(context)),
    ...(await checkClocks(context)),
    ...(await checkCharts(context)),
  ]
}
