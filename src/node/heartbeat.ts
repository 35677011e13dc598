import type { PoolStats } from '@attestor/vision'
import { run, type Unit } from 'durable-xstate-sql'
import { ignoreUnavailable } from 'durable-xstate-sql/sql'
import { newId } from '../base/ids.ts'
import { repeat } from '../base/time.ts'
import { version } from '../base/version.ts'
import type { NodeState } from '../console/read_system.ts'
import { insert } from '../database/schema.ts'
import type { HttpDeps } from '../http/deps.ts'
import type { ServiceContext } from './open_service.ts'
import type { NodeChildren } from './readiness.ts'

/** Polls between two heartbeats, and between two looks at the chart versions: ten seconds by default. */
export const pollsApart = 10
/** A node that was killed stays on the list for a day. */
const forgottenAfterMs = 24 * 3_600_000

function describeProcesses(work: string, stats: PoolStats | null): NodeState['processes'] {
  return stats === null ? [] : [{ work, ready: stats.ready, restarts: stats.restarts }]
}

async function readState(
  { unreadiness }: Pick<HttpDeps, 'unreadiness'>,
  { engine, imageChecker }: NodeChildren,
  every_ms: number,
): Promise<NodeState> {
  const reasons = await unreadiness()
  const capacity = engine?.capacity() ?? null
  return {
    state: reasons.length === 0 ? 'ready' : 'not_ready',
    reasons,
    every_ms,
    analysis_capacity: capacity !== null && Number.isFinite(capacity) ? capacity : null,
    processes: [
      ...describeProcesses('analyses', (await engine?.processes()) ?? null),
      ...describeProcesses('images', (await imageChecker?.stats()) ?? null),
    ],
  }
}

/**
 * Writes this node and its state into the database, for the console's list of nodes. Nothing is written while there are
 * no operators. The node also learns of a new root key here, if no call or job came before. `stop` takes the node off the list.
 */
export function startHeartbeat(
  { config, clock, store, serviceKeys }: ServiceContext,
  deps: Pick<HttpDeps, 'unreadiness' | 'operatorsExist' | 'baseUrl'>,
  children: NodeChildren,
): { stop(): Promise<void> } {
  const id = newId()
  const started_at = clock.now()
  const every_ms = config.POLL_MS * pollsApart
  const write = async (): Promise<void> => {
    // An analysis may take minutes on a node that does nothing else.
    await serviceKeys.refresh()
    if (!(await deps.operatorsExist())) return
    const state = JSON.stringify(await readState(deps, children, every_ms))
    const now = clock.now()
    const row = { id, url: deps.baseUrl, version, roles: config.ROLES.join(','), started_at, seen_at: now, state }
    await store.commit(function* (): Unit<void> {
      const sql = 'UPDATE nodes SET seen_at = ?, state = ? WHERE id = ?'
      if ((yield* run({ sql, values: [now, state, id] })).changed === 1) return
      yield* run({ sql: 'DELETE FROM nodes WHERE seen_at < ?', values: [now - forgottenAfterMs] })
      yield* run(insert('nodes', row))
    })
  }
  const beating = repeat(clock, async () => {
    await write().catch(ignoreUnavailable)
    return every_ms
  })
  return {
    async stop() {
      await beating.stop()
      await store.commit(() => run({ sql: 'DELETE FROM nodes WHERE id = ?', values: [id] })).catch(ignoreUnavailable)
    },
  }
}
