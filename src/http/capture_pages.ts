import {
  type Branding,
  captureScript,
  type Logo,
  type OperatorBranding,
  type OwnBranding,
  openCapturePages,
  toBranding,
  toLogo,
} from '@attestor/capture-page'
import type { Assets } from '@attestor/page-files'
import { readAccountSettings } from '../identity/accounts/account_settings.ts'
import { getAssetPath } from './assets.ts'
import type { HttpDeps } from './deps.ts'
import { type Publication, publish } from './publication.ts'

/** The capture page, in an account's own branding where it has one, and the languages that a browser accepts. */
export type CapturePages = (
  own: OwnBranding | null,
  accepted: readonly string[],
) => Promise<{
  readonly publication: Publication
  readonly policy: string
}>

export function publishCapturePages(assets: Assets, branding: OperatorBranding): CapturePages {
  return openCapturePages(
    branding,
    () => ({
      assets: getAssetPath(assets, '').replace(/\/$/, ''),
      modules: assets.listNeeds(captureScript),
    }),
    ({ html, policy }) => ({ publication: publish('html', html), policy }),
  )
}

type BrandingDeps = Pick<HttpDeps, 'accounts' | 'branding'>

/** Finds an account's own branding: the console's, else the one of the operator's file. */
export async function findBranding(
  { accounts, branding }: BrandingDeps,
  account_id: string,
): Promise<OwnBranding | null> {
  const { branding: look, logo, version } = await readAccountSettings(accounts.store, account_id)
  const inFile = branding.accounts.get(account_id)
  if (look === null) return inFile === undefined ? null : { account_id, version: 0, branding: inFile }
  const base: Branding = inFile ?? branding
  return { account_id, version, branding: toBranding(look, logo === null ? null : toLogo(logo), base) }
}

/** The logo of an account's pages. */
export async function findLogo(deps: BrandingDeps, account_id: string): Promise<Logo | null> {
  return (await findBranding(deps, account_id))?.branding.logo ?? null
}
