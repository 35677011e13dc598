import { apiUrl, get } from './api.ts'
import { throttle } from './parts/throttle.ts'
import type { LiveStep } from './shapes.ts'

export type LiveState = 'connecting' | 'live' | 'away'

/** A screen's subscription to live events. */
export interface Listener {
  /** The transactions that it shows: at most 100, beside the newest. */
  readonly ids: () => readonly string[]
  readonly onStep: (step: LiveStep) => void
  /** Called if events were missed: the page must be loaded again. */
  readonly onMissed: () => void
}

const retryMs = 2000
/** A stream is not opened again more often than this while rows come and go: each follows the newest anyway. */
const reopenMs = 5000
const maxIds = 100
/** Actors whose last step is remembered; the least recent is forgotten. */
const maxRemembered = 5000

let stream: EventSource | null = null
let listener: Listener | null = null
let openIds = ''
let lastId = ''
const lastSequences = new Map<string, number>()
let retry: ReturnType<typeof setTimeout> | undefined
let onState: (state: LiveState) => void = () => {}

function close(): void {
  clearTimeout(retry)
  stream?.close()
  stream = null
}

function reopenLater(): void {
  close()
  onState('away')
  // A session that has ended shows the log-in; then there is nothing to reopen.
  retry = setTimeout(() => void get('/me').then(open, reopenUnlessEnded), retryMs)
}

function reopenUnlessEnded(error: { readonly status?: number }): void {
  if (error.status !== 401) reopenLater()
}

/** False for a step that came before: a stream that is opened again repeats those of the last minute. */
function isNew({ id, sequence }: LiveStep): boolean {
  if (sequence <= (lastSequences.get(id) ?? 0)) return false
  lastSequences.delete(id)
  lastSequences.set(id, sequence)
  const [oldest] = lastSequences.keys()
  if (oldest !== undefined && lastSequences.size > maxRemembered) lastSequences.delete(oldest)
  return true
}

function wantedIds(): string {
  return [...(listener?.ids() ?? [])].slice(0, maxIds).join(',')
}

function open(): void {
  close()
  openIds = wantedIds()
  const source = new EventSource(apiUrl('/events', { transaction_id: openIds, last_event_id: lastId }))
  stream = source
  const isResumed = lastId !== ''
  source.addEventListener('ready', event => {
    lastId = event.lastEventId
    onState('live')
    if (!isResumed) listener?.onMissed()
  })
  source.addEventListener('step', event => {
    lastId = event.lastEventId
    const step = JSON.parse(event.data) as LiveStep
    if (isNew(step)) listener?.onStep(step)
  })
  source.addEventListener('ended', reopenLater)
  // A stream that was refused is closed for good; one that broke is reopened by the browser.
  source.addEventListener('error', () => {
    if (source.readyState === EventSource.CLOSED) reopenLater()
    else onState('away')
  })
}

/** Sets the listener. The stream is reopened if it shows other transactions than before. */
export function listen(next: Listener, signal: AbortSignal): void {
  listener = next
  refreshIds()
  signal.addEventListener('abort', () => {
    if (listener === next) listener = null
  })
}

/** Must be called when other transactions are shown. */
export function refreshIds(): void {
  if (stream === null || wantedIds() !== openIds) open()
}

/** The same for rows that come and go all the time: a stream that is opened again repeats their steps of the last minute. */
export const refreshIdsSoon = throttle(async () => refreshIds(), new AbortController().signal, reopenMs)

/** Begins without a listener; `report` gets each change of state. */
export function startLive(report: (state: LiveState) => void): void {
  onState = report
  lastId = ''
  lastSequences.clear()
  open()
}

export function stopLive(): void {
  close()
  onState = () => {}
}
