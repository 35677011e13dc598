import type { Screen } from '../../../machines/capture.ts'
import type { App, ShowScreen, Snapshot, View } from './app.ts'
import { byId } from './dom.ts'
import { showConsent, showDevices, showDocuments, showLoading, showStop } from './screens/begin.ts'
import {
  showBroken,
  showChecking,
  showClosed,
  showInReview,
  showOffline,
  showResult,
  showTakeAgain,
} from './screens/end.ts'
import { showLivenessExplained, showPictureExplained } from './screens/explain.ts'
import { showLivenessCamera, showPictureCamera } from './screens/film.ts'
import { showFollowing, showHandoff, showTakeOver } from './screens/hand_off.ts'
import {
  showFrameAdvice,
  showLivenessFile,
  showPictureAdvice,
  showRefused,
  showSending,
  showTimeout,
  showWithoutCamera,
} from './screens/judge.ts'
import { showWallet, showWalletRefused, showWalletWaiting } from './screens/wallet.ts'

/** The chart names its screens; none is missing. */
const screens: Readonly<Record<Screen, ShowScreen>> = {
  LOADING: showLoading,
  TAKE_OVER: showTakeOver,
  CHOOSE_DEVICE: showDevices,
  CONSENT: showConsent,
  CHOOSE_DOCUMENT: showDocuments,
  WALLET: showWallet,
  WALLET_WAITING: showWalletWaiting,
  WALLET_REFUSED: showWalletRefused,
  EXPLAIN_PICTURE: showPictureExplained,
  PICTURE_CAMERA: showPictureCamera,
  NO_CAMERA: showWithoutCamera,
  SENDING_PICTURE: showSending,
  PICTURE_ADVICE: showPictureAdvice,
  PICTURE_REFUSED: showRefused,
  EXPLAIN_LIVENESS: showLivenessExplained,
  LIVENESS_CAMERA: showLivenessCamera,
  LIVENESS_FILE: showLivenessFile,
  SENDING_FRAME: showLivenessCamera,
  FRAME_ADVICE: showFrameAdvice,
  FRAME_REFUSED: showRefused,
  LIVENESS_TIMEOUT: showTimeout,
  HANDOFF: showHandoff,
  FOLLOWING: showFollowing,
  CHECKING: showChecking,
  IN_REVIEW: showInReview,
  TAKE_AGAIN: showTakeAgain,
  CONFIRM_STOP: showStop,
  OFFLINE: showOffline,
  BROKEN: showBroken,
  RESULT: showResult,
  EXPIRED: showClosed('EXPIRED'),
  CANCELLED: showClosed('CANCELLED'),
  FAILED: showClosed('FAILED'),
  UNKNOWN_LINK: showClosed('UNKNOWN_LINK'),
  USED_LINK: showClosed('USED_LINK'),
  NO_ATTEMPTS: showClosed('NO_ATTEMPTS'),
  LEFT: showLoading,
}

function findScreen(snapshot: Snapshot): Screen {
  return ([...snapshot.tags][0] ?? 'LOADING') as Screen
}

/** While this key is the same, the screen is updated in place. */
function toKey(snapshot: Snapshot): string {
  const screen = findScreen(snapshot)
  const { step, position, failure } = snapshot.context
  if (/PICTURE/.test(screen)) return `${screen} ${step}`
  if (screen === 'LIVENESS_FILE') return `${screen} ${position}`
  if (screen === 'SENDING_FRAME')
    return snapshot.context.camera_failure === null ? 'LIVENESS_CAMERA' : 'SENDING_PICTURE'
  if (screen === 'RESULT' || screen === 'IN_REVIEW') return `${screen} ${snapshot.can({ type: 'STAY' })}`
  return screen === 'OFFLINE' ? `${screen} ${failure}` : screen
}

/** Shows the current screen, and replaces it. */
export function createScreens(name: string) {
  const main = byId('main')
  let view: View | null = null
  let key: string | null = null
  const focusHeading = (): void => {
    const heading = main.querySelector('h1')
    document.title = [heading?.textContent, name].filter(Boolean).join(' – ')
    // A page that has just opened is read from its top.
    if (key !== null) heading?.focus()
  }
  const replace = (app: App, snapshot: Snapshot): void => {
    view?.close?.()
    const isSending = findScreen(snapshot) === 'SENDING_FRAME' && snapshot.context.camera_failure !== null
    view = (isSending ? showSending : screens[findScreen(snapshot)])(app, snapshot)
    main.className = findScreen(snapshot).toLowerCase()
    main.replaceChildren(...view.content.filter(child => child !== null))
    scrollTo(0, 0)
    focusHeading()
  }
  return (app: App, snapshot: Snapshot, afresh = false): void => {
    const next = toKey(snapshot)
    if (!afresh && next === key) view?.update?.(snapshot)
    else replace(app, snapshot)
    key = next
  }
}
