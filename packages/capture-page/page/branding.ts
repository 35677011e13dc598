import type { Branding as OperatorBranding } from '../branding.ts'
import { byId } from './dom.ts'
import type { Overrides } from './texts.ts'

/** The texts that the operator sets. The page already has the look. */
export interface Branding extends Pick<OperatorBranding, 'name' | 'privacy_url' | 'contact_url'> {
  readonly texts: Overrides
}

/** Reads the branding that the service has written into the page. */
export function readBranding(): Branding {
  return JSON.parse(byId('branding').textContent ?? '') as Branding
}
