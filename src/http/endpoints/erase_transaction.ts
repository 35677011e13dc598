import { defineErasure } from '../erasure.ts'

export const eraseTransaction = defineErasure('transaction', {
  operationId: 'eraseTransaction',
  summary: 'Erase a transaction',
})
