import { captureScript, type OperatorBranding, openCapturePages } from '@attestor/capture-page'
import type { Assets } from '@attestor/page-files'
import { getAssetPath } from './assets.ts'
import { type Publication, publish } from './publication.ts'

/** The capture page, by the account whose it is and the languages that a browser accepts. */
export type CapturePages = (
  account_id: string | null,
  accepted: readonly string[],
) => Promise<{
  readonly publication: Publication
  readonly policy: string
}>

export function publishCapturePages(assets: Assets, branding: OperatorBranding, shines: boolean): CapturePages {
  return openCapturePages(
    branding,
    () => ({
      assets: getAssetPath(assets, '').replace(/\/$/, ''),
      modules: assets.listNeeds(captureScript),
      shines,
    }),
    ({ html, policy }) => ({ publication: publish('html', html), policy }),
  )
}
