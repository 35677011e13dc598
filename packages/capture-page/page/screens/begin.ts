import { type DocumentType, documentTypes } from '@attestor/rules/page'
import type { CaptureEvent } from '../../../../machines/capture.ts'
import { type App, actions, bar, button, drawing, heading, type ShowScreen, type Snapshot } from '../app.ts'
import { el } from '../dom.ts'
import type { TextKey } from '../texts/keys.ts'

export const showLoading: ShowScreen = ({ say }) => ({
  content: [el('div', { class: 'centre' }, el('div', { class: 'spinner' }), heading(say('loading.title')))],
})

function asksDocument({ context }: Snapshot): boolean {
  return context.session?.transaction_type !== 'BIOMETRIC_ONLY'
}

/** An age that a wallet alone may prove needs no face. */
function asksFace({ context }: Snapshot): boolean {
  return context.session?.steps.some(({ step }) => step === 'selfie') === true
}

/** Whether a wallet is wanted and nothing else. */
function asksWalletAlone({ context }: Snapshot): boolean {
  return context.session?.wallet?.policy === 'REQUIRE'
}

function describeDevice(snapshot: Snapshot): TextKey {
  if (asksWalletAlone(snapshot)) return asksFace(snapshot) ? 'device.text_face' : 'device.text_wallet'
  return asksDocument(snapshot) ? 'device.text' : 'device.text_face'
}

export const showDevices: ShowScreen = (app, snapshot) => ({
  content: [
    drawing(new URL('../pictures/phone.svg', import.meta.url)),
    heading(app.say('device.title')),
    el('p', {}, app.say(describeDevice(snapshot))),
    actions(button(app, 'USE_PHONE', 'device.phone'), button(app, 'CONTINUE', 'device.here', 'secondary')),
  ],
})

/** It opens in a tab of its own, so that the person goes on where they were. */
function privacyLink({ say, privacy_url }: App) {
  return privacy_url === null
    ? null
    : el('p', {}, el('a', { href: privacy_url, target: '_blank', rel: 'noopener noreferrer' }, say('consent.privacy')))
}

/** If a chip is required, this page alone can't end in an approval: an app has to read it. */
function chipNote({ say }: App, { context: { session } }: Snapshot) {
  const { policy, app_link } = session?.chip ?? { policy: 'PREFER', app_link: null }
  if (policy !== 'REQUIRE') return []
  return [
    el('p', { class: 'note' }, say('consent.chip')),
    app_link === null ? null : el('p', {}, el('a', { href: app_link, rel: 'noopener noreferrer' }, say('consent.app'))),
  ]
}

/** A wallet alone needs none of this said. */
function faceUses({ say }: App, snapshot: Snapshot) {
  return [
    el('h2', {}, say('consent.use')),
    el('p', {}, say(asksDocument(snapshot) ? 'consent.use_document' : 'consent.use_face')),
    el('p', {}, say(snapshot.context.session?.face_search ? 'consent.use_search' : 'consent.use_biometric')),
  ]
}

export const showConsent: ShowScreen = (app, snapshot) => {
  const { say } = app
  const asksLocation = snapshot.context.session?.asks_location === true
  const needed = asksWalletAlone(snapshot) ? 'document.WALLET' : 'consent.need_document'
  const agree = button(app, 'CONTINUE', 'consent.agree')
  // If the module can't be loaded the capture goes on, and its first call shows the failure.
  const ask = () => import('../location.ts').then(({ askLocation }) => askLocation()).catch(() => null)
  if (asksLocation) agree.addEventListener('click', ask)
  return {
    content: [
      bar(app, snapshot),
      drawing(new URL('../pictures/consent.svg', import.meta.url)),
      heading(say('consent.title')),
      el('p', {}, say('consent.text')),
      el('h2', {}, say('consent.need')),
      el(
        'ul',
        { class: 'needs' },
        asksDocument(snapshot) ? el('li', { class: 'document' }, say(needed)) : null,
        asksFace(snapshot) ? el('li', { class: 'face' }, say('consent.need_face')) : null,
      ),
      ...chipNote(app, snapshot),
      ...(asksFace(snapshot) ? faceUses(app, snapshot) : []),
      snapshot.context.session?.wallet == null ? null : el('p', {}, say('consent.use_wallet')),
      asksLocation ? el('p', {}, say('consent.location')) : null,
      privacyLink(app),
      actions(agree),
    ],
  }
}

/** A choice with its own sign. */
function choice(app: App, kind: DocumentType | 'WALLET', event: CaptureEvent): HTMLElement {
  const click = (): void => app.send(event)
  return el('button', { type: 'button', class: `choice ${kind}`, click }, el('span', {}, app.say(`document.${kind}`)))
}

export const showDocuments: ShowScreen = (app, snapshot) => ({
  content: [
    bar(app, snapshot),
    heading(app.say('document.title')),
    el('p', {}, app.say('document.text')),
    el(
      'div',
      { class: 'choices' },
      ...documentTypes.map(document_type => choice(app, document_type, { type: 'CHOOSE', document_type })),
      snapshot.can({ type: 'CHOOSE_WALLET' }) ? choice(app, 'WALLET', { type: 'CHOOSE_WALLET' }) : null,
    ),
  ],
})

export const showStop: ShowScreen = (app, snapshot) => ({
  content: [
    heading(app.say('stop.title')),
    el('p', {}, app.say('stop.text')),
    actions(
      button(app, 'BACK', 'stop.no'),
      snapshot.can({ type: 'LEAVE' }) ? button(app, 'LEAVE', 'stop.later', 'secondary') : null,
      button(app, 'STOP', 'stop.yes', 'secondary'),
    ),
  ],
})
