import { createStore } from '@xstate/store'

/** A node's own phase. Nothing durable: it ends with the process. */
export type Phase = 'starting' | 'ready' | 'draining'

/** Where the node is in its life, and who may be told of it. */
export interface NodePhase {
  get(): Phase
  ready(): void
  drain(): void
}

/** A node starts, is ready, and drains; it never goes back. */
export const createPhase = (): NodePhase => {
  const store = createStore({
    context: { phase: 'starting' as Phase },
    on: {
      started: context => (context.phase === 'starting' ? { phase: 'ready' as const } : context),
      stopping: () => ({ phase: 'draining' as const }),
    },
  })
  return {
    get: () => store.getSnapshot().context.phase,
    ready: () => store.trigger.started(),
    drain: () => store.trigger.stopping(),
  }
}
