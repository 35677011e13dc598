import { el } from '../dom.ts'
import { type IconName, icon } from '../icons.ts'
import type { FoundTransaction } from '../shapes.ts'
import { type Glossary, word } from '../words.ts'

type Tone = 'good' | 'bad' | 'unsure' | 'busy' | 'plain'

/** Others are plain. */
const tones: Readonly<Record<string, Tone>> = {
  APPROVED: 'good',
  REJECTED: 'bad',
  UNDETERMINED: 'unsure',
  PASSED: 'good',
  INITIATED: 'busy',
  COMPLETED: 'busy',
  PROCESSING: 'busy',
  FAILED: 'bad',
  DELIVERED: 'good',
  ATTEMPTING: 'busy',
  BACKING_OFF: 'unsure',
  DELAYED: 'unsure',
  EXHAUSTED: 'bad',
  GONE: 'bad',
  healthy: 'good',
  failing: 'bad',
  paused: 'unsure',
  ready: 'good',
  not_ready: 'bad',
  lost: 'bad',
  active: 'good',
  next: 'busy',
  withdrawn: 'bad',
}

const icons: Readonly<Record<Tone, IconName | null>> = {
  good: 'check',
  bad: 'cross',
  unsure: 'question',
  busy: null,
  plain: null,
}

/** A word with a colour, and a sign for those who don't see it. */
export function badge(glossary: Glossary, name: string): HTMLElement {
  return toned(tones[name] ?? 'plain', word(glossary, name))
}

export function toned(tone: Tone, text: string): HTMLElement {
  const sign = icons[tone]
  return el('span', { class: `badge ${tone}` }, sign === null ? null : icon(sign), text)
}

/** Shows the outcome of a transaction in one word: its decision once there is one. */
export function outcomeBadge({
  status,
  decision,
  awaiting_review,
}: Pick<FoundTransaction, 'status' | 'decision' | 'awaiting_review'>): HTMLElement {
  if (awaiting_review) return toned('unsure', 'Awaits review')
  if (status === 'FINISHED' && decision !== null) return badge('decision', decision)
  return badge('status', status)
}
