import { deriveKey } from '../base/encryption.ts'
import type { FeatureDeps, FeatureWork } from '../feature_work.ts'
import { createComparison } from './compare.ts'
import { listDuplicates, listDuplicatesAsOperator } from './endpoints.ts'
import { openFaceSearch } from './face_search.ts'

export const duplicatesWork = {
  endpoints: () => [listDuplicates],
  console: [listDuplicatesAsOperator],
  comparison({ config, store, serviceKeys, captures, customerKey, count }: FeatureDeps) {
    return createComparison({
      store,
      captures,
      customerKey,
      documentKey: deriveKey(serviceKeys.lookup, 'document'),
      pictureKey: deriveKey(serviceKeys.lookup, 'picture'),
      faces: openFaceSearch({ store, serviceKeys, maxBytes: config.FACE_SEARCH_MB * 2 ** 20 }),
      count: kind => count('duplicates', kind),
    })
  },
} as const satisfies FeatureWork
