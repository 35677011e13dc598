import { z } from 'zod'
import { wholeNumber } from '../base/setting.ts'
import type { Feature, SessionCase } from '../feature.ts'
import { id } from '../schemas/common.ts'
import { meaning } from '../schemas/fields.ts'
import { listDuplicates, removeFace, setFaceSearch } from './rows.ts'
import { scenes } from './scenes.ts'

const shared = {
  customers: z.number().int().meta(meaning('How many other customers; counted up to 1,000 transactions.', 0)),
  transaction_ids: z.array(id).meta(meaning('The newest of their transactions, at most ten.', [])),
}

function countWithin(span: string) {
  const words = `How many of your transactions showed this document within ${span}, this one included.`
  return z.number().int().meta(meaning(words, 1))
}

const found = z
  .object({
    document: z
      .object({
        ...shared,
        transactions_24_hours: countWithin('24 hours'),
        transactions_30_days: countWithin('30 days'),
      })
      .nullable()
      .meta(meaning('Who else used the document; null where none was read, or the policy is `IGNORE`.')),
    images: z
      .object(shared)
      .nullable()
      .meta(meaning('Who else used one of the pictures; null where the policy is `IGNORE`.')),
    face: z
      .object({
        ...shared,
        faces_searched: z.number().int().meta(meaning('How many faces of your account were searched.', 1000)),
        limit: z
          .number()
          .meta(
            meaning(
              'Up to which distance a face was found: so chosen that among so many strangers less than one search in a thousand finds any.',
              0.216,
            ),
          ),
        nearest: z
          .number()
          .nullable()
          .meta(meaning('The distance of the nearest of these faces; null where there was none.', 0.71)),
      })
      .nullable()
      .meta(meaning('Who else is enrolled with the face; null where none was searched, or the policy is `IGNORE`.')),
  })
  .meta({ id: 'Duplicates' })

interface SwitchedCase extends SessionCase {
  readonly config: SessionCase['config'] & { readonly face_search: boolean }
}

/** Documents, pictures and faces that several customers of an account have in common. */
export const duplicates = {
  settings: {
    FACE_SEARCH_MB: {
      default: '256',
      read: wholeNumber(1, 64_000),
      description: 'Memory for faces that are searched, on a node with the role `analysis`: 1 MB holds 4,900.',
    },
  },
  session: {
    face_search: z
      .boolean()
      .meta(
        meaning(
          'Whether the face is searched among those of your other customers: the person must agree to that, too.',
          false,
        ),
      ),
  },
  result: {
    duplicates: found
      .exactOptional()
      .meta(
        meaning(
          'What other customers of your account have in common with this one; absent where `fraud_policy` looks for nothing.',
        ),
      ),
  },
  switches: {
    face_search: {
      words: {
        meaning: 'selfies are searched among the faces that the account enrols from now on',
        state: 'for transactions opened from now on; off deletes what was enrolled',
        said: 'The search for faces is',
      },
      count: (id: string) => `SELECT COUNT(*) FROM face_searches s WHERE s.id = ${id}`,
      set: setFaceSearch,
    },
  },
  counters: {
    duplicates: {
      name: 'attestor_duplicates_total',
      help: 'Transactions that share something with another customer of their account',
      label: 'kind',
    },
  },
  erased: {
    document_uses: ['transaction_id'],
    picture_codes: ['transaction_id'],
    duplicates: ['transaction_id', 'other_transaction_id'],
  },
  scenes,
  describe: ({ config: { face_search } }: SwitchedCase) => ({ face_search }),
  removeFace,
  async record(store, { id, account_id, customer_id, is_erased }) {
    const listed = is_erased ? [] : await listDuplicates(store, account_id, customer_id)
    return { duplicates: listed.filter(({ transaction_id }) => transaction_id === id) }
  },
} as const satisfies Feature
