import type { SnapshotFrom } from 'xstate'
import { type CaptureEvent, type captureMachine, hasBack, type StepProgress } from '../../../machines/capture.ts'
import { type Child, el, svgEl } from './dom.ts'
import type { Stage } from './stage.ts'
import type { TextKey } from './texts/keys.ts'
import type { Say } from './texts.ts'

export type Snapshot = SnapshotFrom<typeof captureMachine>

/** The tools that screens are made with. */
export interface App {
  readonly say: Say
  readonly privacy_url: string | null
  readonly contact_url: string | null
  readonly stage: Stage
  send(event: CaptureEvent): void
  /** Has the link sent with a code. @throws {CaptureError} */
  sendLink(code: string, recipient: string): Promise<void>
  /** Lets a screen reader read a text, after the present one. */
  announce(text: string): void
}

/** A screen's content. `update` changes it in place, for as long as the screen stays. */
export interface View {
  readonly content: readonly Child[]
  readonly update?: (snapshot: Snapshot) => void
  readonly close?: () => void
}

export type ShowScreen = (app: App, snapshot: Snapshot) => View

type EventName = Exclude<CaptureEvent['type'], 'CHOOSE' | 'CHOOSE_CAMERA' | 'FILE' | 'xstate.error.actor.*'>

/** A button that sends an event. */
export function button({ say, send }: App, type: EventName, key: TextKey, kind = 'primary'): HTMLButtonElement {
  return el('button', { type: 'button', class: kind, click: () => send({ type }) }, say(key))
}

/** The bar at the top has the way back and the way out. A person who wants to stop should not have to look for it. */
export function bar(app: App, snapshot: Snapshot): HTMLElement {
  return el(
    'div',
    { class: 'bar' },
    snapshot.can({ type: 'BACK' }) ? button(app, 'BACK', 'page.back', 'quiet back') : el('span'),
    button(app, 'STOP', 'page.stop', 'quiet'),
  )
}

export function backButton(app: App): HTMLButtonElement {
  return button(app, 'BACK', 'page.back', 'quiet')
}

/** The heading gets the focus, so that a screen reader reads it when the screen comes. */
export function heading(text: string): HTMLHeadingElement {
  return el('h1', { tabindex: -1 }, text)
}

/** Buttons are at the bottom, within the thumb's reach. */
export function actions(...children: readonly Child[]): HTMLElement {
  return el('div', { class: 'actions' }, ...children)
}

/** A choice of a photo that looks like a button. */
export function fileButton({ say, send }: App, key: TextKey, kind = 'secondary'): HTMLElement {
  const pick = (event: Event): void => {
    const [picture] = (event.target as HTMLInputElement).files ?? []
    if (picture !== undefined) send({ type: 'FILE', picture })
  }
  return el(
    'label',
    { class: `button ${kind}` },
    say(key),
    el('input', { class: 'unseen', type: 'file', accept: 'image/*', change: pick }),
  )
}

/** A picture that only decorates, in the page's colours: those of an `img` would be its own. */
export function drawing(url: URL, kind = 'drawing'): Element {
  return svgEl('svg', { class: kind, 'aria-hidden': 'true' }, svgEl('use', { href: `${url.href}#picture` }))
}

/** The steps that this person takes: a passport has one side, and a wallet takes the place of pictures. */
export function listSteps({ context: { session, document_type } }: Snapshot): readonly StepProgress[] {
  const isCard = document_type !== null && hasBack[document_type]
  const usesWallet =
    session?.wallet != null && (session.wallet.policy === 'REQUIRE' || session.wallet.state !== 'missing')
  const isTaken: Readonly<Partial<Record<StepProgress['step'], boolean>>> = {
    document_wallet: usesWallet,
    document_front: !usesWallet,
    document_back: !usesWallet && isCard,
  }
  return (session?.steps ?? []).filter(({ step }) => isTaken[step] ?? true)
}

/** "Step 2 of 4", as text and as a bar. */
export function showProgress({ say }: App, snapshot: Snapshot, step: StepProgress['step']): HTMLElement {
  const steps = listSteps(snapshot)
  const n = steps.findIndex(one => one.step === step) + 1
  const all = steps.length
  return el(
    'p',
    { class: 'progress' },
    // The step itself is still to be done.
    el('progress', { value: n - 1, max: all, 'aria-hidden': 'true' }),
    say('page.step', { n, all }),
  )
}
