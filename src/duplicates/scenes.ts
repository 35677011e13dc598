import type { Duplicates, IssueCode } from '@attestor/rules'
import type { SceneChange } from '../engines/scene.ts'

/** Nothing in a scene is shared with another customer. */
export const unshared = {
  document: { customers: 0, transactions_24_hours: 1, transactions_30_days: 1, transaction_ids: [] },
  images: { customers: 0, transaction_ids: [] },
  face: { customers: 0, transaction_ids: [], faces_searched: 1000, limit: 0.216, nearest: 0.71 },
} as const satisfies Duplicates

const shared = { customers: 1, transaction_ids: ['01a20437-f7ab-7275-a157-2b11652b81a4'] }

export const scenes = {
  DOCUMENT_OF_ANOTHER_CUSTOMER: {
    duplicates: { document: { ...shared, transactions_24_hours: 2, transactions_30_days: 2 } },
  },
  DOCUMENT_OF_ANOTHER_CUSTOMER_NOT_EVALUABLE: { duplicates: { document: null } },
  IMAGE_OF_ANOTHER_TRANSACTION: { duplicates: { images: shared } },
  IMAGE_OF_ANOTHER_TRANSACTION_NOT_EVALUABLE: { duplicates: { images: null } },
  FACE_OF_ANOTHER_CUSTOMER: { duplicates: { face: { ...unshared.face, ...shared, nearest: 0.12 } } },
  FACE_OF_ANOTHER_CUSTOMER_NOT_EVALUABLE: { duplicates: { face: null } },
} as const satisfies Partial<Record<IssueCode, SceneChange>>
