import { el } from '../dom.ts'
import type { Actor, Actors } from './actors.ts'
import { toned } from './badges.ts'
import { stepBadge } from './chart_steps.ts'
import { type Choice, choiceList } from './choices.ts'
import { exactTime, shorten } from './text.ts'

/** A value in place of an actor's id: all transactions at once. */
export const everyone = 'all'

/** The transactions, the newest first, and the deliveries of the one that is shown. */
export function createActorList(actors: Actors, choose: (id: string) => void) {
  const list = choiceList('Transactions')
  const toChoice = (shown: string | undefined, { id, transaction_id, steps, reason }: Actor): Choice => {
    const last = steps.at(-1)
    const isDelivery = id !== transaction_id
    return {
      id,
      isCurrent: id === shown,
      choose: () => choose(id),
      content: [
        el('span', { class: 'mono' }, isDelivery ? `↳ …${id.slice(-6)}` : shorten(id)),
        reason === null ? last && stepBadge(last) : toned('bad', 'Not shown'),
        el('small', {}, isDelivery && 'webhook, ', last && exactTime(last.occurred_at)),
      ],
    }
  }
  return {
    element: list.element,
    render(shown: Actor | undefined): void {
      const transactions = actors.listTransactions()
      const withDeliveries = transactions.flatMap(one =>
        one.id === shown?.transaction_id ? [one, ...actors.listDeliveries(one.id)] : [one],
      )
      list.render([
        {
          id: everyone,
          isCurrent: shown === undefined,
          choose: () => choose(everyone),
          content: ['All transactions', el('span', { class: 'soft' }, transactions.length)],
        },
        ...withDeliveries.map(one => toChoice(shown?.id, one)),
      ])
    },
  }
}
