import { byId } from './dom.ts'
import type { Overrides } from './texts.ts'

/** How the operator wants the page to speak. How it looks is in the page already. */
export interface Branding {
  readonly name: string
  readonly texts: Overrides
}

/** The service has written it into the page. */
export const readBranding = (): Branding => JSON.parse(byId('branding').textContent ?? '') as Branding
