import type { PictureStep, Screen } from '../../../machines/capture.ts'
import type { App, Snapshot } from './app.ts'
import { mayUseCamera } from './camera.ts'
import { el } from './dom.ts'
import type { Say } from './texts.ts'

/** Messages to the page around the frame: they name the person's step, never the reason of a decision. */
type Message =
  | { readonly type: 'ready'; readonly title: string }
  | { readonly type: 'step'; readonly step: PictureStep | 'liveness' | 'document_wallet' }
  | { readonly type: 'submitted' | 'in_review' | 'stopped' | 'leave' }
  | { readonly type: 'finished'; readonly status: 'FINISHED' | 'FAILED' | 'EXPIRED' }
  | { readonly type: 'error'; readonly code: string }

const messages: Readonly<Partial<Record<Screen, Message>>> = {
  WALLET: { type: 'step', step: 'document_wallet' },
  EXPLAIN_LIVENESS: { type: 'step', step: 'liveness' },
  CHECKING: { type: 'submitted' },
  IN_REVIEW: { type: 'in_review' },
  RESULT: { type: 'finished', status: 'FINISHED' },
  FAILED: { type: 'finished', status: 'FAILED' },
  EXPIRED: { type: 'finished', status: 'EXPIRED' },
  CANCELLED: { type: 'stopped' },
  UNKNOWN_LINK: { type: 'error', code: 'unknown_link' },
  USED_LINK: { type: 'error', code: 'used_link' },
  NO_ATTEMPTS: { type: 'error', code: 'no_attempts' },
  BROKEN: { type: 'error', code: 'broken' },
  LEFT: { type: 'leave' },
}

function toMessage(screen: Screen, { context }: Snapshot): Message | null {
  if (screen === 'NO_CAMERA') return { type: 'error', code: context.camera_failure ?? 'camera_missing' }
  return screen === 'EXPLAIN_PICTURE' ? { type: 'step', step: context.step } : (messages[screen] ?? null)
}

/**
 * Exchanges messages with the page around the frame, which the response's policy allows to show this one. The first
 * message of the parent names its origin: the browser shows this page to no other than the transaction's. Nothing is
 * sent before, and nothing to others.
 */
export function openEmbedding(early: readonly MessageEvent[], read: () => Snapshot, send: App['send']) {
  let origin: string | null = null
  let last = ''
  const waiting: Message[] = []
  const post = (message: Message): void => {
    if (origin === null) waiting.push(message)
    else window.parent.postMessage({ attestor: 1, ...message }, origin)
  }
  /**
   * Asks one question with three answers: go on, stop for now, stop for good. If the capture can't be stopped, nothing
   * is asked.
   */
  const askToStop = (): void => {
    const snapshot = read()
    const type = (['STOP', 'LEAVE'] as const).find(one => snapshot.can({ type: one }))
    if (snapshot.hasTag('CONFIRM_STOP')) send({ type: 'BACK' })
    else if (type !== undefined) send({ type })
    else if (!cross.hidden) post({ type: 'leave' })
  }
  const goBack = (): void => {
    if (read().can({ type: 'BACK' })) send({ type: 'BACK' })
    else askToStop()
  }
  const cross = el('button', {
    type: 'button',
    class: 'close',
    hidden: true,
    click: () => (read().hasTag('CONFIRM_STOP') ? send({ type: 'LEAVE' }) : askToStop()),
  })
  document.body.prepend(cross)
  const hear = ({ source, data, origin: sender }: MessageEvent): void => {
    if (source !== window.parent || data?.attestor !== 1) return
    origin ??= sender
    for (const message of waiting.splice(0)) post(message)
    if (data.closable === true) cross.hidden = false
    if (data.type === 'ask_stop') askToStop()
    if (data.type === 'back') goBack()
  }
  for (const message of early) hear(message)
  addEventListener('message', hear)
  addEventListener('keydown', ({ key, defaultPrevented }) => {
    if (key === 'Escape' && !defaultPrevented) askToStop()
  })
  const begin = (): void => {
    post({ type: 'ready', title: document.title })
    // This message is for the site's developer: the person is offered files, and the phone, as without a camera.
    if (!mayUseCamera()) post({ type: 'error', code: 'camera_not_allowed' })
  }
  return {
    /** Notifies the page around the frame of a new screen, once until another comes. */
    notify(snapshot: Snapshot, say: Say): void {
      cross.ariaLabel = say('page.close')
      const screen = ([...snapshot.tags][0] ?? 'LOADING') as Screen
      if (screen === 'LOADING') return
      if (last === '') begin()
      const message = toMessage(screen, snapshot)
      const key = JSON.stringify([message, screen])
      if (message !== null && key !== last) post(message)
      last = key
    },
  }
}
