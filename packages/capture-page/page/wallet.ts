import type { WalletAnswer, WalletRequest } from '../../../machines/capture.ts'
import { CaptureError } from './call.ts'

/** TypeScript's library does not know the Digital Credentials API: this is as much as the page calls. */
interface DigitalOptions extends CredentialRequestOptions {
  readonly digital: { readonly requests: WalletRequest['requests'] }
}

type DigitalCredential = Credential & WalletAnswer

interface PolicyDocument {
  readonly featurePolicy?: { allowsFeature(name: string): boolean }
}

/**
 * Says whether this browser can ask wallets, in this frame: Chromium alone says what a frame may do. No browser says which
 * wallets there are, and `userAgentAllowsProtocol` says yes to any protocol.
 */
export function mayAskWallets(): boolean {
  const { featurePolicy } = document as PolicyDocument
  return 'DigitalCredential' in globalThis && featurePolicy?.allowsFeature('digital-credentials-get') !== false
}

/**
 * Asks by the browser, which shows what wallets and documents there are. It must be called within the person’s tap.
 * @throws {CaptureError} where nothing came: the person declined, or has no wallet
 */
export async function askWallet(requests: WalletRequest['requests'], signal: AbortSignal): Promise<WalletAnswer> {
  const options: DigitalOptions = { mediation: 'required', digital: { requests }, signal }
  // A browser rejects with a TypeError where it knows none of the protocols.
  const credential = await navigator.credentials.get(options).catch(error => {
    throw error instanceof DOMException || error instanceof TypeError ? new CaptureError('wallet_declined') : error
  })
  if (credential === null) throw new CaptureError('wallet_declined')
  const { protocol, data } = credential as DigitalCredential
  return { protocol, data }
}
