import type { AnyEventObject } from 'xstate'
import type { Clock } from '../base/clock.ts'
import type { Reach } from '../base/instants.ts'
import type { Log } from '../base/log.ts'
import type { Host } from '../host/host.ts'
import type { AnyActorKind } from '../host/kind.ts'
import type { DueRow } from '../store/due.ts'
import type { Statement } from '../store/statement.ts'
import type { Store } from '../store/store.ts'
import type { Hands } from './hands.ts'

/** What the worker works with. */
export interface WorkerDeps {
  readonly store: Store
  readonly host: Host
  readonly clock: Clock
  readonly log: Log
  readonly kinds: readonly AnyActorKind[]
  readonly hands: readonly Hands[]
  /** How long a claimed job is this node's without a sign of life. */
  readonly lease_ms: number
  /** The longest that another node's due work goes unseen. */
  readonly poll_ms: number
  readonly reach: Reach
}

/** Tells a due row's actor what came of it. A stale, duplicate or late result is refused by the fence, without harm. */
export type Tell = (row: DueRow, event: AnyEventObject, writes?: readonly Statement[]) => Promise<void>
