import type { OperatorBranding } from '../pages/capture/branding.ts'
import { captureScript } from '../pages/capture/files.ts'
import { openCapturePages } from '../pages/capture/render_page.ts'
import type { Assets } from '../pages/serve/assets.ts'
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
