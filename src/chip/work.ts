import type { FeatureWork } from '../feature_work.ts'
import { listTrustAnchors } from './console.ts'
import { issueChipChallenge, putChip } from './endpoints.ts'

export const chipWork = {
  endpoints: () => [issueChipChallenge, putChip],
  console: [listTrustAnchors],
  evidence: () => ({
    stage: 'chip',
    // The reader of ASN.1 is loaded when the first chip comes.
    read: async (...of) => (await import('./evidence.ts')).readChipEvidence(...of),
  }),
} as const satisfies FeatureWork
