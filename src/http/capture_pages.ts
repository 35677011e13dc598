import type { Branding } from '../capture_page/branding.ts'
import { captureScript } from '../capture_page/files.ts'
import { openCapturePages } from '../capture_page/render_page.ts'
import type { Assets } from '../pages/assets.ts'
import { getAssetPath } from './assets.ts'
import { type Publication, publish } from './publication.ts'

/** The capture page, by the languages that a browser accepts. */
export type CapturePages = (accepted: readonly string[]) => Promise<{
  readonly publication: Publication
  readonly policy: string
}>

export const publishCapturePages = (assets: Assets, branding: Branding): CapturePages =>
  openCapturePages(
    () => ({
      branding,
      assets: getAssetPath(assets, '').replace(/\/$/, ''),
      modules: assets.listNeeds(captureScript),
    }),
    ({ html, policy }) => ({ publication: publish('html', html), policy }),
  )
