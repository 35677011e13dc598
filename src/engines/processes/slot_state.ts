import { createStore } from '@xstate/store'

export interface SlotState {
  /** `ready` waits for requests; `backing_off` waits before it starts another child. */
  readonly status: 'starting' | 'ready' | 'busy' | 'backing_off' | 'stopped'
  /** Requests that the current child works on, and those that it has completed. */
  readonly pending: number
  readonly served: number
  /** Why the current child ended while it was busy. Its requests reject with this reason, and one of them replaces it. */
  readonly endReason: string | null
  /** Children that ended and were replaced; identifies a child. */
  readonly restarts: number
  /** Children in a row that ended while they were idle or starting. A response resets it. */
  readonly faults: number
  /** Permits that the slot's requests hold, and the owners of these requests. */
  readonly permits: number
  readonly owners: readonly string[]
}

const initial: SlotState = {
  status: 'starting',
  pending: 0,
  served: 0,
  endReason: null,
  restarts: 0,
  faults: 0,
  permits: 0,
  owners: [],
}

export function createSlotStore() {
  return createStore({
    context: initial,
    on: {
      started: state => ({ ...state, status: 'starting' as const, pending: 0, served: 0, endReason: null }),
      ready: state => ({ ...state, status: 'ready' as const }),
      sent: state => ({ ...state, status: 'busy' as const, pending: state.pending + 1 }),
      answered: state => ({
        ...state,
        status: state.pending > 1 ? ('busy' as const) : ('ready' as const),
        pending: state.pending - 1,
        served: state.served + 1,
        faults: 0,
      }),
      endedBusy: (state, { reason }: { reason: string }) => ({ ...state, endReason: reason }),
      failed: state => ({
        ...state,
        status: 'backing_off' as const,
        restarts: state.restarts + 1,
        faults: state.faults + 1,
      }),
      replaced: state => ({ ...state, restarts: state.restarts + 1 }),
      stopped: state => ({ ...state, status: 'stopped' as const }),
      acquired: (state, { owner, permits }: { owner: string; permits: number }) => ({
        ...state,
        permits: state.permits + permits,
        owners: [...state.owners, owner],
      }),
      released: (state, { owner, permits }: { owner: string; permits: number }) => ({
        ...state,
        permits: state.permits - permits,
        owners: state.owners.toSpliced(state.owners.indexOf(owner), 1),
      }),
    },
  })
}
