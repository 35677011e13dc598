import type { LiveStep, Steps } from '../shapes.ts'

/** A transaction or a delivery, and its known steps. */
export interface Actor {
  readonly id: string
  readonly transaction_id: string
  readonly steps: readonly LiveStep[]
  /** Why its steps can't be shown; null where they can. */
  readonly reason: string | null
}

/** The service reads this many transactions for a page. */
const maxTransactions = 50

/** The actors that a page knows, by the steps that it received, in any order. */
export function createActors() {
  const actors = new Map<string, Actor>()
  const find = ({ id, transaction_id }: Pick<Actor, 'id' | 'transaction_id'>): Actor =>
    actors.get(id) ?? { id, transaction_id, steps: [], reason: null }
  const listTransactions = (): readonly Actor[] =>
    [...actors.values()].filter(one => one.id === one.transaction_id).sort((a, b) => (a.id < b.id ? 1 : -1))
  const add = (step: LiveStep): void => {
    const actor = find(step)
    if (actor.steps.some(({ sequence }) => sequence === step.sequence)) return
    actors.set(step.id, { ...actor, steps: [...actor.steps, step].sort((a, b) => a.sequence - b.sequence) })
  }
  return {
    add,
    addAll({ data, unshown }: Steps): void {
      for (const step of data) add(step)
      for (const one of unshown) actors.set(one.id, { ...find(one), reason: one.reason })
    },
    get: (id: string): Actor | undefined => actors.get(id),
    /** The newest first. */
    listTransactions,
    listDeliveries: (transaction_id: string): readonly Actor[] =>
      [...actors.values()].filter(one => one.transaction_id === transaction_id && one.id !== transaction_id),
    /** The last steps of all, the newest first. */
    listRecent: (): readonly LiveStep[] =>
      [...actors.values()]
        .flatMap(({ steps }) => steps)
        .sort((a, b) => (a.occurred_at < b.occurred_at ? 1 : -1))
        .slice(0, 100),
    /** Forgets older transactions, but for `kept`. */
    forgetOlder(kept: string | null): void {
      const gone = new Set(
        listTransactions()
          .slice(maxTransactions)
          .map(({ id }) => id),
      )
      for (const { id, transaction_id } of actors.values())
        if (gone.has(transaction_id) && transaction_id !== kept) actors.delete(id)
    },
  }
}

export type Actors = ReturnType<typeof createActors>
