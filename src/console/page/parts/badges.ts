import { el } from '../dom.ts'
import { type IconName, icon } from '../icons.ts'
import type { FoundTransaction } from '../shapes.ts'
import { type Glossary, word } from '../words.ts'

type Tone = 'good' | 'bad' | 'unsure' | 'busy' | 'plain'

const tones: Readonly<Record<string, Tone>> = {
  APPROVED: 'good',
  REJECTED: 'bad',
  UNDETERMINED: 'unsure',
  PASSED: 'good',
  NOT_EXECUTED: 'plain',
  NOT_PRINTED: 'plain',
  CREATED: 'plain',
  INITIATED: 'busy',
  COMPLETED: 'busy',
  PROCESSING: 'busy',
  FINISHED: 'plain',
  FAILED: 'bad',
  EXPIRED: 'plain',
  DELIVERED: 'good',
  PENDING: 'plain',
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
  draining: 'unsure',
  lost: 'bad',
  active: 'good',
  next: 'busy',
  retired: 'plain',
  withdrawn: 'bad',
  supports: 'good',
  rejects: 'bad',
  prevents_approval: 'unsure',
  warns: 'unsure',
  none: 'plain',
}

const icons: Readonly<Record<Tone, IconName | null>> = {
  good: 'check',
  bad: 'cross',
  unsure: 'question',
  busy: null,
  plain: null,
}

function findTone(name: string): Tone {
  return tones[name] ?? 'plain'
}

/** A word with a colour, and a sign for those who don't see it. */
export function badge(glossary: Glossary, name: string): HTMLElement {
  const tone = findTone(name)
  const sign = icons[tone]
  return el('span', { class: `badge ${tone}` }, sign === null ? null : icon(sign), word(glossary, name))
}

export function toned(tone: Tone, text: string): HTMLElement {
  const sign = icons[tone]
  return el('span', { class: `badge ${tone}` }, sign === null ? null : icon(sign), text)
}

/** What a transaction has come to, in one word: its decision once there is one. */
export function outcomeBadge({
  status,
  decision,
  awaiting_review,
}: Pick<FoundTransaction, 'status' | 'decision' | 'awaiting_review'>): HTMLElement {
  if (awaiting_review) return toned('unsure', 'Awaits review')
  if (status === 'FINISHED' && decision !== null) return badge('decision', decision)
  return badge('status', status)
}
