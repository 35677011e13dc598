import { get } from '../api.ts'
import { el, renew } from '../dom.ts'
import type { LiveStep, TimelineEvent } from '../shapes.ts'
import { eventWord, word } from '../words.ts'
import { exactTime } from './text.ts'

type Entry = Pick<TimelineEvent, 'sequence' | 'occurred_at' | 'event' | 'status' | 'operator_name'> & {
  readonly sent_by: string
}

export interface Timeline {
  readonly element: HTMLElement
  /** Shows a step at once. */
  readonly add: (step: LiveStep) => void
  /** Loads the events after the known ones. */
  readonly load: () => Promise<void>
}

function item({ sequence, occurred_at, event, sent_by, operator_name, status }: Entry): HTMLElement {
  return el(
    'li',
    { 'data-sequence': sequence },
    el('b', { title: event }, eventWord(event)),
    el(
      'span',
      { class: 'soft' },
      `by ${operator_name ?? word('sent_by', sent_by).toLowerCase()} · ${word('status', status)}`,
    ),
    exactTime(occurred_at),
  )
}

/** Shows the events of a transaction, in order. */
export function createTimeline(id: string, signal: AbortSignal): Timeline {
  const element = el('ol', { class: 'timeline' })
  const entries = new Map<number, Entry>()
  /** Events up to this sequence were read from the journal; later ones are live steps, of which less is known. */
  let known = 0
  const render = (): void => renew(element, [...entries.values()].sort((a, b) => a.sequence - b.sequence).map(item))
  return {
    element,
    add(step) {
      if (entries.has(step.sequence)) return
      entries.set(step.sequence, { ...step, operator_name: null, status: step.status as Entry['status'] })
      render()
    },
    async load() {
      let after: number | null = known
      while (after !== null) {
        const query = { after, limit: 200 }
        const page: { data: TimelineEvent[]; next: number | null } = await get(
          `/transaction/${id}/event`,
          query,
          signal,
        )
        for (const event of page.data) entries.set(event.sequence, event)
        known = page.data.at(-1)?.sequence ?? known
        after = page.next
      }
      render()
    },
  }
}
