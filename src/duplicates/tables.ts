import type { Tables } from 'durable-xstate-sql/sql'

/** The parts of a transaction that are kept, so that those of other customers can be compared with it. */
export const duplicateTables = {
  /** The documents that transactions showed, to find those that several customers use. */
  document_uses: {
    columns: {
      transaction_id: 'id key',
      account_id: 'id',
      customer_id: 'id',
      /** HMAC of the account, issuing state, type and number. */
      document: 'word',
      /** An instant of the transaction's own clock. */
      used_at: 'instant',
    },
    indices: [['account_id, document, used_at']],
  },
  /** Things that transactions of several customers of one account have in common. */
  duplicates: {
    columns: {
      transaction_id: 'id key',
      kind: 'word key',
      other_transaction_id: 'id key',
      account_id: 'id',
      customer_id: 'id',
      other_customer_id: 'id',
      found_at: 'instant',
    },
    indices: [['customer_id, found_at'], ['other_customer_id, found_at'], ['other_transaction_id']],
  },
  /** Codes of faces in pictures, by which copies in other transactions are found. */
  picture_codes: {
    columns: {
      /** The capture with the replay fingerprints, and which of them it is. */
      capture_id: 'id key',
      position: 'count key',
      account_id: 'id',
      transaction_id: 'id',
      /** Bits of the account's own planes: copies share most of them. */
      band_0: 'count',
      band_1: 'count',
      band_2: 'count',
      band_3: 'count',
    },
    indices: [
      ['transaction_id'],
      ['account_id, band_0'],
      ['account_id, band_1'],
      ['account_id, band_2'],
      ['account_id, band_3'],
    ],
  },
  /** Accounts whose enrolled faces are searched: without a row here, none of an account's faces is. */
  face_searches: {
    columns: {
      /** The account's. */
      id: 'id key',
      /** Another one each time that it is switched on. */
      generation: 'id',
      /** The key of `face_vectors`, encrypted with the root key: deleting the row erases them. */
      data_key: 'bytes',
      /** Counts the changes of `face_vectors`. */
      sequence: 'count',
    },
    indices: [],
  },
  /** Enrolled faces of accounts that search them. */
  face_vectors: {
    columns: {
      customer_id: 'id key',
      account_id: 'id',
      /** The account's `sequence` at its last change: nodes read the changes since their own last look. */
      sequence: 'count',
      model: 'name',
      /** Encrypted with the account's key; null once the face is erased. */
      vector: 'bytes?',
    },
    indices: [['account_id, sequence']],
  },
} as const satisfies Tables
