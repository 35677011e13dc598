import type { Branding as OperatorBranding } from '../branding.ts'
import { byId } from './dom.ts'
import type { Overrides } from './texts.ts'

/** What the operator wants the page to say. How it looks is in the page already. */
export interface Branding extends Pick<OperatorBranding, 'name' | 'privacy_url' | 'contact_url'> {
  readonly texts: Overrides
}

/** The service has written it into the page. */
export function readBranding(): Branding {
  return JSON.parse(byId('branding').textContent ?? '') as Branding
}
