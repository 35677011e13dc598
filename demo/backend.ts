import { call } from './calls.ts'

/** What `attestor account create` printed. */
export interface Account {
  readonly account_id: string
  readonly client_id: string
  readonly client_secret: string
}

/** What the demo prints of a result. */
export interface Result {
  readonly decision: string
  readonly issues: readonly {
    readonly type: string
    readonly code: string
    readonly message: string
    readonly details?: unknown
  }[]
  readonly document?: { readonly status: string; readonly data: Readonly<Record<string, unknown>> }
  readonly liveness?: { readonly status: string; readonly data: Readonly<Record<string, unknown>> }
  readonly face_comparison?: { readonly status: string; readonly data: Readonly<Record<string, unknown>> }
}

/** What the demo reads of a transaction. */
export interface Transaction {
  readonly id: string
  readonly status: string
  readonly result_data: Result | null
}

export interface OpenedTransaction {
  readonly transaction_id: string
  readonly sdk_token: string
  /** The service's own page, for a person's phone. */
  readonly verify_url: string
}

/** The integrator's backend: token, customer, transaction, decision. */
export interface Backend {
  openTransaction(webhook_url: string): Promise<OpenedTransaction>
  readTransaction(transaction_id: string): Promise<Transaction>
}

/** Gets an access token and registers a customer. */
export const connectBackend = async (base_url: string, account: Account): Promise<Backend> => {
  const { access_token } = await call<{ access_token: string }>('POST', `${base_url}/oauth2/token`, null, {
    form: {
      grant_type: 'client_credentials',
      client_id: account.client_id,
      client_secret: account.client_secret,
      scope: 'account-integration-api/account-api-access',
    },
  })
  const kyc = `${base_url}/api/account/integration/kyc`
  const { customer_id } = await call<{ customer_id: string }>('POST', `${kyc}/customer`, access_token, {
    json: { external_customer_id: 'demo-customer', email: 'alexis@example.com', phone_number: '+442079460123' },
  })
  return {
    openTransaction: url =>
      call('POST', `${kyc}/transaction`, access_token, {
        json: { customer_id, transaction_type: 'DOCUMENT_AND_BIOMETRIC', config: { webhook: { url } } },
      }),
    readTransaction: id => call('GET', `${kyc}/transaction/${id}`, access_token),
  }
}
