import type { OpenedTransaction, Transaction } from '../../clients/typescript/src/api.ts'
import { createClient } from '../../clients/typescript/src/client.ts'

/** The output of `attestor account create`. */
export interface Account {
  readonly account_id: string
  readonly client_id: string
  readonly client_secret: string
}

/** The integrator's backend: customer, transaction, decision. */
export interface Backend {
  openTransaction(webhook_url: string, chip?: 'IGNORE' | 'REQUIRE'): Promise<OpenedTransaction>
  readTransaction(transaction_id: string): Promise<Transaction>
}

/** Registers a customer. */
export async function connectBackend(base_url: string, account: Account): Promise<Backend> {
  const attestor = createClient({
    baseUrl: base_url,
    clientId: account.client_id,
    clientSecret: account.client_secret,
  })
  const { customer_id } = await attestor.createCustomer({
    external_customer_id: 'demo-customer',
    email: 'alexis@example.com',
    phone_number: '+442079460123',
  })
  return {
    openTransaction: (url, chip = 'IGNORE') =>
      attestor.createTransaction({
        customer_id,
        transaction_type: 'DOCUMENT_AND_BIOMETRIC',
        config: { webhook: { url }, document_policy: { chip } },
      }),
    readTransaction: id => attestor.getTransaction(id),
  }
}
