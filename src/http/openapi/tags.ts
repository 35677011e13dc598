/** A group of operations in the reference. */
interface Tag {
  readonly description: string
  /** The file that says more. */
  readonly guide: string
}

/** The groups in the order in which an integrator needs them. */
const tags = {
  Tokens: {
    description:
      'Your backend exchanges its client id and secret for an access token (OAuth 2.0 client credentials, RFC 6749 §4.4). A token acts for the whole account, lives for an hour and may be used any number of times; a new one leaves the others valid. When a call returns 401, get a new token and repeat the call once. Id, secret and access token never leave your backend.',
    guide: 'docs/integrate/authentication.md',
  },
  Customers: {
    description:
      'A customer is a person whom you verify, once or many times. Register each person once, under your own id: repeating the call is safe. An approved onboarding enrols the person’s face, with which a later `BIOMETRIC_ONLY` transaction compares a selfie.',
    guide: 'docs/integrate/customers.md',
  },
  Transactions: {
    description:
      'A transaction is one verification of one customer. It begins as `CREATED`, becomes `INITIATED` when the device starts, `COMPLETED` when the person has finished, `PROCESSING` during the analysis, and ends as `FINISHED` with a decision, `FAILED` without one, or `EXPIRED` when nobody came back. Wait for the webhook; poll only as a fallback, from every 2 up to every 15 seconds.',
    guide: 'docs/integrate/transactions.md',
  },
  Webhooks: {
    description:
      'A webhook notifies your backend of each status that a transaction reaches, at least once and, unless your receiver fails for minutes, in order. It holds no decision and nothing personal: verify the signature, answer 2xx at once, and read the transaction afterwards. Every attempt is recorded, and any delivery can be repeated.',
    guide: 'docs/integrate/webhooks.md',
  },
  Device: {
    description:
      'What a device calls, with the `sdk_token` of its one transaction: it starts the session, uploads the document, the selfie and the frames of a liveness challenge, reports its signals, and completes. `next_step` always says what is to be captured next. Your backend never calls these.',
    guide: 'docs/integrate/device.md',
  },
  Images: {
    description:
      'The images of a transaction, for people who review it. An image is read through a link that lives for five minutes and needs no token, so that a browser can show it. Every link is recorded in the transaction’s events.',
    guide: 'docs/integrate/images.md',
  },
  Evidence: {
    description:
      'A signed export of all that led to a decision: every event, every finding with its score and its threshold, and digests of the images. Anybody who has the public keys can verify it later, without this service.',
    guide: 'docs/integrate/evidence.md',
  },
  Erasure: {
    description:
      'Deletes the personal data and the images of a customer or of a transaction, for good. What is still open ends as `FAILED` first. A receipt remains: it says what was erased, when and by whom, and nothing about the person.',
    guide: 'docs/integrate/erasure.md',
  },
  'Test mode': {
    description:
      'A test account tries every outcome without a phone and without images: `config.test` scripts the decision, the issues, failures and delays; the walk takes the steps of a device; the account’s clock is advanced by a call. The operator makes one with `attestor account create --test`.',
    guide: 'docs/integrate/test-mode.md',
  },
  Charts: {
    description:
      'The state charts that transactions and deliveries follow, in every version that is known: as a definition for XState, as a picture and as Mermaid text. They are code and hold no data, so that they need no token.',
    guide: 'docs/develop/charts.md',
  },
  Operation: {
    description: 'Probes for operators, and this reference itself.',
    guide: 'docs/operate/monitoring.md',
  },
} as const satisfies Readonly<Record<string, Tag>>

export type TagName = keyof typeof tags

/** The groups as the document lists them. */
export function describeTags() {
  return Object.entries(tags).map(([name, { description, guide }]) => ({
    name,
    description: `${description} \`${guide}\` says more.`,
  }))
}
