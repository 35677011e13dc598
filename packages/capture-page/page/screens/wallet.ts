import {
  type App,
  actions,
  bar,
  button,
  drawing,
  heading,
  type ShowScreen,
  type Snapshot,
  showProgress,
} from '../app.ts'
import { type Child, el } from '../dom.ts'
import { mayAskWallets } from '../wallet.ts'
import { drawQrCode } from './qr_code.ts'

function photosButton(app: App, { context: { session } }: Snapshot): Child {
  return session?.wallet?.policy === 'OFFER' ? button(app, 'BACK', 'wallet.photos', 'quiet') : null
}

/** The link opens a wallet app on the device that shows it. */
function walletLink({ say }: App, link: string, kind: 'primary' | 'secondary'): HTMLElement {
  return el('a', { href: link, class: `button ${kind}` }, say('wallet.link'))
}

/** The phone with the wallet scans the code. A link for this device takes its place where no code can be drawn. */
function showCode(app: App, link: string, canAsk: boolean): HTMLElement {
  const code = el('div', { class: 'code' })
  const place = el('div', { class: 'scan' }, el('p', {}, app.say(canAsk ? 'wallet.scan' : 'wallet.scan_only')), code)
  const fill = async (): Promise<void> => {
    const drawn = await drawQrCode(app, link)
    if (drawn === null) place.replaceChildren(walletLink(app, link, 'secondary'))
    else code.replaceChildren(drawn)
  }
  void fill()
  return place
}

/** The browser asks the wallets that it knows; a link or a code opens another one. */
export const showWallet: ShowScreen = (app, snapshot) => {
  const { say } = app
  const { is_desktop, wallet_request } = snapshot.context
  const link = wallet_request?.link ?? ''
  const canAsk = mayAskWallets()
  return {
    content: [
      bar(app, snapshot),
      showProgress(app, snapshot, 'document_wallet'),
      heading(say('wallet.title')),
      el('p', {}, say('wallet.text'), ' ', say('wallet.which')),
      is_desktop ? showCode(app, link, canAsk) : drawing(new URL('../pictures/wallet.svg', import.meta.url)),
      actions(
        canAsk ? button(app, 'CONTINUE', 'wallet.open') : null,
        is_desktop ? null : walletLink(app, link, canAsk ? 'secondary' : 'primary'),
        snapshot.can({ type: 'USE_PHONE' }) ? button(app, 'USE_PHONE', 'device.phone', 'secondary') : null,
        photosButton(app, snapshot),
      ),
    ],
  }
}

/** The browser shows its own choice of wallets; or a request is open whose link is not here. */
export const showWalletWaiting: ShowScreen = (app, snapshot) => ({
  content: [
    bar(app, snapshot),
    el('div', { class: 'centre' }, el('div', { class: 'spinner' }), heading(app.say('wallet.waiting'))),
    el('p', { class: 'centred' }, app.say('wallet.text')),
    actions(
      snapshot.can({ type: 'TRY_AGAIN' }) ? button(app, 'TRY_AGAIN', 'wallet.open', 'secondary') : null,
      photosButton(app, snapshot),
    ),
  ],
})

export const showWalletRefused: ShowScreen = (app, snapshot) => ({
  content: [
    bar(app, snapshot),
    heading(app.say('wallet_refused.title')),
    el('p', {}, app.say('wallet_refused.text')),
    actions(
      snapshot.can({ type: 'TRY_AGAIN' }) ? button(app, 'TRY_AGAIN', 'page.again') : null,
      photosButton(app, snapshot),
    ),
  ],
})
