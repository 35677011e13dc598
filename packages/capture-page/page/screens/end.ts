import type { Decision } from '@attestor/rules/page'
import { type App, actions, bar, button, drawing, heading, type ShowScreen, type Snapshot } from '../app.ts'
import { el } from '../dom.ts'
import type { TextKey } from '../texts/keys.ts'
import { findAdvice } from './judge.ts'

export const showChecking: ShowScreen = ({ say }) => ({
  content: [
    el('div', { class: 'centre' }, el('div', { class: 'spinner' }), heading(say('checking.title'))),
    el('p', { class: 'centred' }, say('checking.text')),
  ],
})

export const showTakeAgain: ShowScreen = (app, snapshot) => ({
  content: [
    bar(app, snapshot),
    heading(app.say('again.title')),
    el('p', {}, app.say('again.text')),
    el(
      'ul',
      {},
      ...(snapshot.context.session?.steps ?? [])
        .filter(({ state }) => state === 'missing')
        .map(({ step }) => el('li', {}, app.say(`follow.${step}`))),
    ),
    actions(button(app, 'CONTINUE', 'page.again')),
  ],
})

export const showOffline: ShowScreen = (app, { context }) => {
  const why = context.failure === 'busy' ? 'busy' : 'offline'
  return {
    content: [
      heading(app.say(`offline.${why}.title`)),
      el('p', {}, app.say(`offline.${why}.text`)),
      actions(button(app, 'TRY_AGAIN', 'page.again')),
    ],
  }
}

/** Only a site needs a tab of its own. */
function contactLink({ say, contact_url }: App) {
  if (contact_url === null) return null
  const target = contact_url.startsWith('https:') ? { target: '_blank' } : {}
  return el(
    'p',
    { class: 'centred' },
    el('a', { href: contact_url, rel: 'noopener noreferrer', ...target }, say('page.contact')),
  )
}

export const showBroken: ShowScreen = app => ({
  content: [
    heading(app.say('broken.title')),
    el('p', {}, app.say('broken.text')),
    contactLink(app),
    actions(button(app, 'TRY_AGAIN', 'page.again')),
  ],
})

const pictures = {
  APPROVED: new URL('../pictures/done.svg', import.meta.url),
  REJECTED: new URL('../pictures/sorry.svg', import.meta.url),
  UNDETERMINED: new URL('../pictures/wait.svg', import.meta.url),
} as const

const selfieCodes: readonly string[] = ['MULTIPLE_FACES_DETECTED', 'NO_FACE_DETECTED', 'SELFIE_LOW_QUALITY']

/** Names the picture, and so the step, that a code is about. */
function nameSubject(code: string): TextKey {
  if (code.startsWith('LIVENESS_')) return 'follow.liveness'
  return selfieCodes.includes(code) ? 'follow.selfie' : 'follow.document'
}

function adviceItem(app: App, code: string): HTMLElement {
  return el('li', {}, el('strong', {}, app.say(nameSubject(code))), el('br', {}), findAdvice(app, code))
}

/** Shows the reasons that the person may know, else that there can be many. */
function showReasons(app: App, { context: { advice } }: Snapshot, words: 'review' | `result.${Decision}`) {
  const isExplained = advice.length > 0 && (words === 'result.REJECTED' || words === 'result.UNDETERMINED')
  if (!isExplained) return [el('p', { class: 'centred' }, app.say(`${words}.text`))]
  return [
    el('p', { class: 'centred' }, app.say(`${words}.why`)),
    el('ul', { class: 'advice' }, ...advice.map(code => adviceItem(app, code))),
  ]
}

/** A sign and some words, and the way back to the site. */
function showEnd(app: App, snapshot: Snapshot, sign: keyof typeof pictures, words: 'review' | `result.${Decision}`) {
  const { say } = app
  const canReturn = snapshot.can({ type: 'LEAVE' })
  const isReturning = snapshot.can({ type: 'STAY' })
  const end = snapshot.context.by_handoff ? 'result.elsewhere' : 'result.close'
  return {
    content: [
      el('div', { class: 'centre' }, drawing(pictures[sign], 'sign'), heading(say(`${words}.title`))),
      ...showReasons(app, snapshot, words),
      sign === 'APPROVED' || words === 'review' ? null : contactLink(app),
      canReturn ? null : el('p', { class: 'centred' }, say(end)),
      actions(
        isReturning ? el('p', { class: 'note' }, say('result.auto')) : null,
        canReturn ? button(app, 'LEAVE', 'page.leave') : null,
        isReturning ? button(app, 'STAY', 'result.stay', 'secondary') : null,
      ),
    ],
  }
}

export const showResult: ShowScreen = (app, snapshot) => {
  const outcome = snapshot.context.outcome ?? 'UNDETERMINED'
  return showEnd(app, snapshot, outcome, `result.${outcome}`)
}

export const showInReview: ShowScreen = (app, snapshot) => showEnd(app, snapshot, 'UNDETERMINED', 'review')

type Closed = 'EXPIRED' | 'CANCELLED' | 'FAILED' | 'UNKNOWN_LINK' | 'USED_LINK' | 'NO_ATTEMPTS'

/** Shows that the capture can't continue here, and why. */
export function showClosed(why: Closed): ShowScreen {
  return (app, snapshot) => ({
    content: [
      el(
        'div',
        { class: 'centre' },
        drawing(new URL('../pictures/sorry.svg', import.meta.url), 'sign'),
        heading(app.say(`closed.${why}.title`)),
      ),
      el('p', { class: 'centred' }, app.say(`closed.${why}.text`)),
      contactLink(app),
      actions(snapshot.can({ type: 'LEAVE' }) ? button(app, 'LEAVE', 'page.leave') : null),
    ],
  })
}
