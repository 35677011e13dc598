import { readAll, type Store } from 'durable-xstate-sql'
import {
  type AnyActorDefinition,
  listColumns,
  type Query,
  ReplayError,
  type RowOf,
  replayEntry,
  type Step,
  toNullableColumns,
  toPlaceholders,
  type Value,
} from 'durable-xstate-sql/sql'
import { columnsOf } from '../../database/schema.ts'
import { readDeliverySteps } from './delivery_steps.ts'
import type { Inspected, InspectedActor } from './inspected.ts'

/** The transactions that are read: some, or the newest of all, each with its deliveries. */
export type Scope = { readonly transaction_ids: readonly string[] } | { readonly newest: number }

export interface JournalDeps {
  readonly store: Store
  readonly transactionDefinition: AnyActorDefinition
}

/** Reads the commits since the last call, in order: each actor's steps by its sequence, all by their times. */
export type ReadJournal = () => Promise<readonly Inspected[]>

const transactionColumns = columnsOf('transactions', 'id', 'version', 'chart_version', 'transaction_type')
const deliveryColumns = toNullableColumns(columnsOf('deliveries', 'id', 'version', 'chart_version', 'notified_status'))

const actorColumns = {
  ...transactionColumns,
  delivery_id: deliveryColumns.id,
  delivery_version: deliveryColumns.version,
  delivery_chart_version: deliveryColumns.chart_version,
  delivery_status: deliveryColumns.notified_status,
} as const

/**
 * Selects the actors in one statement, so that both are consistent: otherwise a delivery could appear before the step
 * that created it.
 */
function selectActors(scope: Scope, oldest: string): Query<typeof actorColumns> {
  // Ids sort by creation. One that was created before and committed later is still found.
  const values = 'transaction_ids' in scope ? scope.transaction_ids : [oldest]
  const where = 'newest' in scope ? 'id >= ?' : `id IN (${toPlaceholders(values)})`
  const limit = 'newest' in scope ? ` ORDER BY id DESC LIMIT ${scope.newest}` : ''
  const sql = `SELECT ${listColumns(transactionColumns, 't')}, d.id AS delivery_id, d.version AS delivery_version,
      d.chart_version AS delivery_chart_version, d.notified_status AS delivery_status
    FROM (SELECT ${listColumns(transactionColumns)} FROM transactions WHERE ${where}${limit}) t
    LEFT JOIN deliveries d ON d.transaction_id = t.id ORDER BY t.id DESC`
  return { sql, values, columns: actorColumns }
}

/** An actor's row: `version` is the sequence of its journal's last entry. */
interface ActorVersion extends InspectedActor {
  readonly version: number
}

function toDelivery(row: RowOf<typeof actorColumns>): readonly ActorVersion[] {
  const { id: parent_id, delivery_id: id, delivery_version: version, delivery_chart_version: chart_version } = row
  return id === null || version === null || chart_version === null
    ? []
    : [{ id, kind: 'delivery', version, chart_version, parent_id, label: row.delivery_status ?? '' }]
}

async function readActors(store: Store, scope: Scope, oldest: string): Promise<readonly ActorVersion[]> {
  const rows = await readAll(store, selectActors(scope, oldest))
  const transactions = new Map(
    rows.map(({ id, version, chart_version, transaction_type: label }) => [
      id,
      { id, kind: 'transaction', version, chart_version, parent_id: null, label } as const,
    ]),
  )
  return [...transactions.values(), ...rows.flatMap(toDelivery)]
}

const entryColumns = columnsOf('journal', 'actor_id', 'sequence', 'event', 'occurred_at', 'chart_version')

type EntryRow = RowOf<typeof entryColumns>

/** Number of actors whose entries are read at once. */
const actorsAtOnce = 200

/**
 * The entries of each actor after `read` and up to the version that was seen, so that all actors are read as of the
 * same moment.
 */
async function readEntries(
  store: Store,
  ranges: readonly (readonly [id: string, read: number, version: number])[],
): Promise<readonly EntryRow[]> {
  const entries: EntryRow[] = []
  for (let from = 0; from < ranges.length; from += actorsAtOnce) {
    const some = ranges.slice(from, from + actorsAtOnce)
    const where = some.map(() => '(actor_id = ? AND sequence > ? AND sequence <= ?)').join(' OR ')
    const sql = `SELECT ${listColumns(entryColumns)} FROM journal WHERE ${where} ORDER BY actor_id, sequence`
    entries.push(...(await readAll(store, { sql, values: some.flat() as Value[], columns: entryColumns })))
  }
  return entries
}

/** The position up to which an actor's journal has been read. */
interface Progress {
  sequence: number
  step: Step | null
  is_unshown: boolean
}

function inspectEntry(
  kind: AnyActorDefinition,
  actor: InspectedActor,
  row: EntryRow,
  progress: Progress,
): Inspected | null {
  progress.sequence = row.sequence
  if (progress.is_unshown) return null
  try {
    const isFirst = progress.step === null
    const step = replayEntry(kind, progress.step, row)
    progress.step = step
    const { sequence, event, occurred_at } = row
    return { type: 'step', actor, sequence, isFirst, event, occurred_at, step }
  } catch (error) {
    if (!(error instanceof ReplayError)) throw error
    progress.is_unshown = true
    return { type: 'unshown', actor, occurred_at: row.occurred_at, reason: error.message }
  }
}

/** A transaction's step comes before the deliveries that the same commit made. */
function inOrder(one: Inspected, other: Inspected): number {
  return (
    one.occurred_at - other.occurred_at || Number(one.actor.parent_id !== null) - Number(other.actor.parent_id !== null)
  )
}

/**
 * Reads the journal of a scope, from its beginning, and the state of its deliveries whenever it has changed: they keep no
 * journal. Nothing is written.
 */
export function openJournal({ store, transactionDefinition }: JournalDeps, scope: Scope): ReadJournal {
  const read = new Map<string, Progress>()
  let oldest = ''
  const openProgress = (id: string): Progress => {
    const known = read.get(id) ?? { sequence: 0, step: null, is_unshown: false }
    read.set(id, known)
    return known
  }
  /** Only the newest transactions are in scope: older ones are read no more. */
  const forgetOthers = (actors: readonly ActorVersion[]): void => {
    const present = new Set(actors.map(({ id }) => id))
    for (const id of read.keys()) if (!present.has(id)) read.delete(id)
  }
  return async () => {
    const actors = await readActors(store, scope, oldest)
    forgetOthers(actors)
    const transactions = actors.filter(({ parent_id }) => parent_id === null)
    if ('newest' in scope && transactions.length === scope.newest) oldest = transactions.at(-1)?.id ?? oldest
    const changed = actors.filter(({ id, version }) => version > (read.get(id)?.sequence ?? 0))
    const byId = new Map(changed.map(({ version: _, ...actor }) => [actor.id, actor]))
    const isDelivery = ({ parent_id }: InspectedActor): boolean => parent_id !== null
    const rows = await readEntries(
      store,
      changed
        .filter(one => !isDelivery(one))
        .map(({ id, version }) => [id, read.get(id)?.sequence ?? 0, version] as const),
    )
    const inspected = rows.flatMap(row => {
      const actor = byId.get(row.actor_id)
      return actor === undefined ? [] : (inspectEntry(transactionDefinition, actor, row, openProgress(actor.id)) ?? [])
    })
    const deliveries = [...byId.values()].filter(isDelivery).map(actor => ({ actor, isFirst: !read.has(actor.id) }))
    const states = await readDeliverySteps(store, deliveries)
    for (const { actor, sequence } of states) openProgress(actor.id).sequence = sequence
    return [...inspected, ...states].sort(inOrder)
  }
}
