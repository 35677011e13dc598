/** A request of the collection. Its names, defaults and descriptions are the document's. */
export interface FlowCall {
  readonly operation: string
  /** In place of the operation's summary, where it is called again. */
  readonly name?: string
  /** Parameters of the path that are not the variable of their name. */
  readonly path?: Readonly<Record<string, string>>
  /** Parameters of the query that are sent; the others are there, switched off. */
  readonly query?: Readonly<Record<string, string>>
  readonly body?: object
  readonly file?: string
  /** Variables that are set, each by an expression on `response`, the JSON that was answered. */
  readonly saves?: Readonly<Record<string, string>>
  /** Statuses that are right too, beside those of success. */
  readonly also?: readonly number[]
  /** What else must hold of the response. */
  readonly expects?: string
}

/** A folder of the collection. Folders and requests run in this order. */
export interface Chapter {
  readonly name: string
  readonly description: string
  readonly calls: readonly FlowCall[]
}

const open = (name?: string): FlowCall => ({
  operation: 'createTransaction',
  ...(name === undefined ? {} : { name }),
  body: {
    customer_id: '{{customer_id}}',
    transaction_type: 'DOCUMENT_AND_BIOMETRIC',
    config: { webhook: { url: 'https://listen.invalid/hook' }, test: { decision: 'APPROVED' } },
  },
  saves: { transaction_id: 'response.transaction_id', sdk_token: 'response.sdk_token' },
})

const photo = (operation: string, file: string): FlowCall => ({ operation, file: `sample-photos/${file}.jpg` })

/** Every operation of the document, in an order that works with a test account. */
export const chapters: readonly Chapter[] = [
  {
    name: 'Access token',
    description: 'First of all: the other requests use the token that this one saves.',
    calls: [
      {
        operation: 'requestToken',
        body: {
          grant_type: 'client_credentials',
          client_id: '{{client_id}}',
          client_secret: '{{client_secret}}',
          scope: 'account-integration-api/account-api-access',
        },
        saves: { access_token: 'response.access_token' },
      },
      { operation: 'getTokenMetadata' },
    ],
  },
  {
    name: 'Customer',
    description: 'Registers a person, once.',
    calls: [
      {
        operation: 'createCustomer',
        body: { external_customer_id: '{{$guid}}', email: 'alexis@example.com', phone_number: '+442079460123' },
        saves: { customer_id: 'response.customer_id', external_customer_id: 'response.external_customer_id' },
      },
      { operation: 'getCustomer' },
      { operation: 'listCustomers', query: { external_customer_id: '{{external_customer_id}}' } },
      { operation: 'changeCustomer', body: { email: 'robin@example.com' } },
    ],
  },
  {
    name: 'Transaction',
    description: 'Opens a verification of that person. Its test script says what becomes of it.',
    calls: [open(), { operation: 'getTransaction' }, { operation: 'listTransactions', query: { limit: '20' } }],
  },
  {
    name: 'Device',
    description:
      'What an app does with the `sdk_token`. `npm run sample-photos` makes the photos; the working directory is the folder ' +
      'that has `sample-photos`.',
    calls: [
      { operation: 'getSession' },
      { operation: 'startSession', body: { document_type: 'PASSPORT', consent: true, location_permission: 'granted' } },
      { operation: 'offerHandoff', saves: { code: 'response.code' } },
      { operation: 'claimHandoff', body: { code: '{{code}}' }, saves: { sdk_token: 'response.sdk_token' } },
      { operation: 'putSignals' },
      { operation: 'changeDocument', body: { document_type: 'ID_CARD' } },
      photo('putDocumentFront', 'id-card-front'),
      photo('putDocumentBack', 'id-card-back'),
      photo('putSelfie', 'selfie'),
      { operation: 'dropCapture', path: { kind: 'selfie' } },
      { operation: 'issueChallenge', saves: { challenge_id: 'response.challenge_id' } },
      { ...photo('putFrame', 'TURN_LEFT'), path: { n: '0' } },
      { operation: 'walkTransaction', name: 'Take the steps that are missing', body: { to: 'COMPLETED' } },
      { operation: 'completeSession' },
      { operation: 'getResult', query: { wait: '20' }, expects: "response.outcome === 'APPROVED'" },
    ],
  },
  {
    name: 'Decision',
    description: 'What the backend reads in the end.',
    calls: [
      {
        operation: 'getTransaction',
        name: 'Read the decision',
        expects: "response.status === 'FINISHED' && response.result_data.decision === 'APPROVED'",
      },
      { operation: 'listEvents' },
      { operation: 'listCaptures', saves: { capture_id: 'response.data[0].id' } },
      { operation: 'createCaptureLink', saves: { link: "response.url.split('/').pop()" } },
      { operation: 'readCapture' },
      { operation: 'getEvidence' },
      { operation: 'getEvidenceKeys' },
    ],
  },
  {
    name: 'Webhooks',
    description: 'The deliveries of the transaction. A test account takes those to listen.invalid itself.',
    calls: [
      { operation: 'getKeys' },
      { operation: 'listDeliveries' },
      { operation: 'listAllDeliveries' },
      {
        operation: 'listen',
        body: { wait_seconds: 20 },
        saves: { delivery_id: 'response.delivery.delivery_id', lease: 'response.delivery.lease' },
      },
      { operation: 'reportAttempt', body: { lease: '{{lease}}', status: 204, duration_ms: 120 } },
      { operation: 'redeliver' },
      { operation: 'redeliverAll', query: { from: '{{$isoTimestamp}}' } },
    ],
  },
  {
    name: 'Other ends',
    description: 'A transaction that the backend cancels, and one that the person leaves.',
    calls: [
      open('Open another'),
      { operation: 'advanceTestClock', body: { transaction_id: '{{transaction_id}}', advance_seconds: 60 } },
      { operation: 'cancelTransaction' },
      open('Open a third'),
      { operation: 'cancelSession' },
    ],
  },
  {
    name: 'Erasure',
    description: 'Removes what was made here.',
    calls: [
      { operation: 'eraseTransaction', saves: { erasure_id: 'response.erasure_id' } },
      { operation: 'getErasure' },
      { operation: 'eraseCustomer' },
    ],
  },
  {
    name: 'Service',
    description: 'What needs no token.',
    calls: [
      { operation: 'getHealth' },
      { operation: 'getReadiness' },
      { operation: 'getDocument' },
      { operation: 'getPage' },
      { operation: 'getCapturePage' },
      // Where the operator has none.
      { operation: 'getLogo', also: [404] },
      { operation: 'listCharts' },
      ...['getChart', 'getChartPicture', 'getChartDiagram'].map(operation => ({
        operation,
        path: { name: 'transaction', version: '1' },
      })),
    ],
  },
]
