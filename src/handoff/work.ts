import { version } from '../base/version.ts'
import type { FeatureDeps, FeatureWork } from '../feature_work.ts'
import { createHandoffEndpoints } from './endpoints.ts'
import { createLinkSender, type SendLink } from './send_link.ts'

/** Returns null without `HANDOFF_WEBHOOK`. */
function openLinkSender({ config, clock, log, guard, signingKey }: FeatureDeps): SendLink | null {
  const url = config.HANDOFF_WEBHOOK
  return url === null || guard === null ? null : createLinkSender({ url, guard, clock, log, signingKey, version })
}

export const handoffWork = {
  endpoints: deps => createHandoffEndpoints(deps && openLinkSender(deps)),
} as const satisfies FeatureWork
