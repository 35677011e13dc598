import { asError, DurableError } from '../../errors.ts'
import { newId } from '../../random.ts'
import { run } from '../../store/statement.ts'
import type { Claims } from './check.ts'
import type { Draws } from './draws.ts'
import type { Node } from './node.ts'
import type { Schedule } from './schedule.ts'

export interface ClientParts {
  readonly schedule: Schedule
  readonly draws: Draws
  readonly claims: Claims
  readonly createToken: () => string
  /** The nodes that are up. */
  readonly listNodes: () => readonly Node[]
}

/**
 * Plans the requests of a world's clients to its nodes, and records the promises of their answers. Returns the
 * milliseconds until the last request.
 */
export function startClients({ schedule, draws, claims, createToken, listNodes }: ClientParts): number {
  const { clock } = schedule.createLife('client')

  const hear = (token: string, error: DurableError, isCreated: boolean): void => {
    if (error.message.includes('too contended')) claims.contended++
    if (error.code === 'unavailable') claims.unavailable++
    else claims.rejected.add(token)
    if (error.code === 'not_found' && isCreated) claims.isKnownDenied = true
  }
  /** An answer of a node that has died since reaches nobody. */
  const ask = async (
    token: string,
    id: string,
    question: (node: Node) => Promise<{ readonly version: number } | null>,
  ): Promise<boolean> => {
    const nodes = listNodes()
    const node = nodes[draws.draw(nodes.length)]
    if (node === undefined) return false
    // A parcel that is being created can't be missing, either.
    const isCreated = token === id || claims.created.has(id)
    try {
      const answer = await question(node)
      if (node.life.isAlive()) claims.accepted.set(token, { id, version: answer?.version ?? null })
      return node.life.isAlive()
    } catch (error) {
      if (!node.life.isAlive()) return false
      if (error instanceof DurableError) hear(token, error, isCreated)
      else claims.fault ??= asError(error).message
      return false
    }
  }
  const create = async (id: string): Promise<void> => {
    const account_id = draws.pick(['a', 'b'])
    const deadlineMs = draws.pick([25_000, 12_000, 5_000])
    const parcel = { id, account_id, input: { deadlineMs }, columns: {} }
    // A new parcel has no token: its existence was promised.
    if (await ask(id, id, ({ host, definitions }) => host.create(definitions.parcel, parcel))) {
      claims.accepted.delete(id)
      claims.created.add(id)
    }
  }
  const send = (id: string, type: 'SEND' | 'TOUCH' | 'FETCH' | 'CANCEL'): void => {
    const token = createToken()
    void ask(token, id, ({ host, definitions }) => host.send(definitions.parcel, id, { type, token }))
  }
  const erase = (id: string): void => {
    const token = createToken()
    void ask(token, id, ({ host, definitions }) =>
      host.transaction(function* () {
        yield* host.appendToJournal(definitions.parcel, id, { type: 'ERASED', token })
        yield* run({ sql: 'DELETE FROM notes WHERE parcel_id = ?', values: [id] })
        return { value: null, actors: [] }
      }),
    )
  }

  const actions = [
    (id: string) => send(id, 'TOUCH'),
    (id: string) => send(id, 'SEND'),
    (id: string) => send(id, 'FETCH'),
    (id: string) => send(id, 'TOUCH'),
    (id: string) => send(id, 'CANCEL'),
    erase,
  ] as const
  // Half seconds, as the delays of the chart: events and timers meet in one instant. Some clients are in a hurry.
  const instants = draws.pick([18, 5])
  let lastMs = 0
  const plan = (ms: number, act: () => void): void => {
    lastMs = Math.max(lastMs, ms)
    clock.setTimer(ms, act)
  }
  // Few actors meet as often as many do, and cost less; only jobs that wait for a slot need a crowd.
  const most = draws.chance(0.2) ? 8 : 2
  for (let left = 1 + draws.draw(most); left > 0; left--) {
    const id = newId()
    const at = draws.draw(6) * 500
    plan(at, () => void create(id))
    for (let events = draws.draw(6); events > 0; events--) {
      const action = draws.pick(actions)
      plan(at + draws.draw(instants) * 500, () => action(id))
    }
  }
  return lastMs
}
