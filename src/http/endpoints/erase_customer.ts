import { defineErasure } from '../erasure.ts'

export const eraseCustomer = defineErasure('customer', {
  operationId: 'eraseCustomer',
  summary: 'Erase a customer with all that is theirs',
})
