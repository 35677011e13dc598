import { createStore } from '@xstate/store'

export interface SlotState {
  /** `ready` waits for a request, `busy` works on one, `backing_off` waits before it starts another child. */
  readonly status: 'starting' | 'ready' | 'busy' | 'backing_off' | 'stopped'
  /** Requests that the current child has completed. */
  readonly served: number
  /** Children that ended and were replaced. */
  readonly restarts: number
  /** Children in a row that ended while they were idle or starting. A response resets it. */
  readonly faults: number
}

const initial: SlotState = { status: 'starting', served: 0, restarts: 0, faults: 0 }

export function createSlotStore() {
  return createStore({
    context: initial,
    on: {
      started: state => ({ ...state, status: 'starting' as const, served: 0 }),
      ready: state => ({ ...state, status: 'ready' as const }),
      sent: state => ({ ...state, status: 'busy' as const }),
      answered: state => ({ ...state, status: 'ready' as const, served: state.served + 1, faults: 0 }),
      failed: state => ({
        ...state,
        status: 'backing_off' as const,
        restarts: state.restarts + 1,
        faults: state.faults + 1,
      }),
      replaced: state => ({ ...state, restarts: state.restarts + 1 }),
      stopped: state => ({ ...state, status: 'stopped' as const }),
    },
  })
}
