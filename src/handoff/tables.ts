import type { Tables } from 'durable-xstate-sql/sql'

export const handoffTables = {
  /** One-time codes with which another device takes a capture over: at most one of a transaction is open. */
  handoffs: {
    columns: {
      /** SHA-256 of the code. */
      code_hash: 'word key',
      account_id: 'id',
      transaction_id: 'id',
      /** The code expires at this instant of the transaction's clock. */
      expires_at: 'instant',
      /** SHA-256 of the `sdk_token` that the code was exchanged for; null until then. */
      token_hash: 'word?',
      /** The device of the transaction that has it, from 1. */
      device: 'count?',
      /** Says that nothing but the service wrote the row. */
      mac: 'word',
    },
    indices: [['token_hash', 'unique'], ['transaction_id']],
  },
} as const satisfies Tables
