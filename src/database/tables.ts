import type { Decision } from '@attestor/rules'
import { actorColumns, durableTables, journalColumns } from 'durable-xstate-sql'
import { type Tables, wordOf, wordOrNullOf } from 'durable-xstate-sql/sql'
import type { AttemptOutput, DeliveryStatus } from '../../machines/delivery.ts'
import type { TransactionInput, TransactionStatus } from '../../machines/transaction.ts'
import { duplicateTables } from '../duplicates/tables.ts'
import { handoffTables } from '../handoff/tables.ts'
import type { AuditAction, AuditSubject, CaptureKind, Role, TrustAnchorKind } from './words.ts'

/** Every table: the types of rows, the migrations and the drift test are made from these. */
export const tables = {
  ...durableTables,
  journal: {
    ...durableTables.journal,
    // Only transactions have a journal.
    columns: { ...durableTables.journal.columns, status: wordOf<TransactionStatus>() },
  },
  accounts: {
    columns: {
      id: 'id key',
      name: 'name',
      /** `test`; null is live. */
      mode: wordOrNullOf<'test'>(),
      /** A test account's clock is ahead by this many milliseconds; null means 0. */
      clock_offset_ms: 'instant?',
      /** `on`: transactions that the analysis leaves UNDETERMINED wait for a reviewer; null is off. */
      review: wordOrNullOf<'on'>(),
      /** `on`: the person may once take captures again that the analysis could not judge; null is off. */
      resubmission: wordOrNullOf<'on'>(),
      /** `on`: each capture must be signed by the device's attested key; null is off. */
      signed_captures: wordOrNullOf<'on'>(),
      /** Its own apps, by which an attested one is judged. JSON; null: it names none. */
      apps: 'document?',
      created_at: 'instant',
      /** HMAC over the columns that only the service may change. */
      mac: 'word?',
    },
    indices: [],
  },
  /** An operator's settings for an account; without its row, the service's for all. */
  account_settings: {
    columns: {
      /** The account's. */
      id: 'id key',
      /** Counts the changes. */
      version: 'count',
      /** JSON: the look of its pages, its policies, where its webhooks may go. */
      settings: 'document',
      logo: 'bytes?',
      /** HMAC over the whole row. */
      mac: 'word',
    },
    indices: [],
  },
  clients: {
    columns: {
      id: 'id key',
      account_id: 'id',
      secret_hmac: 'word',
      created_at: 'instant',
      revoked_at: 'instant?',
      mac: 'word?',
    },
    indices: [['account_id']],
  },
  customers: {
    columns: {
      id: 'id key',
      account_id: 'id',
      /** HMAC of the external id: it can be found without being stored, and needs no collation. */
      lookup: 'word',
      /** HMACs of its prefixes, by which it is found by how it begins. */
      lookup_path: 'word?',
      /** Encrypted with `data_key`: external id, e-mail, telephone number. */
      profile: 'bytes',
      /** The customer's own key, encrypted with the root key: destroying it erases all that it encrypts. */
      data_key: 'bytes',
      /** Encrypted with `data_key`: the enrolled face's template. */
      face: 'bytes?',
      face_transaction_id: 'id?',
      created_at: 'instant',
      /** Counts the rows that were written with the key. It changes the row, so that a concurrent erasure conflicts. */
      uses: 'count?',
      /** Says that nothing but the service wrote the row, but for the face. */
      mac: 'word?',
      /** The same of the enrolled face, or of there being none. */
      face_mac: 'word?',
    },
    indices: [
      ['account_id, lookup', 'unique'],
      ['account_id, lookup_path'],
      // A list is newest first.
      ['account_id, created_at, id'],
    ],
  },
  transactions: {
    columns: {
      ...actorColumns,
      ...journalColumns,
      status: wordOf<TransactionStatus>(),
      customer_id: 'id',
      transaction_type: wordOf<TransactionInput['transaction_type']>(),
      /** HMAC of the integrator's own id for it. */
      reference: 'name?',
      /** HMACs of its prefixes, by which it is found by how it begins. */
      reference_path: 'word?',
      /** The integrator's configuration, defaults filled in; nothing personal. JSON. */
      config: 'document',
      /** Encrypted with the customer's key: `expected_data`. */
      expected_data: 'bytes?',
      /** SHA-256 of the `sdk_token`. */
      token_hash: 'word',
      expires_at: 'instant',
      initiated_at: 'instant?',
      completed_at: 'instant?',
      processing_at: 'instant?',
      finished_at: 'instant?',
      /** Encrypted with the customer's key: `result_data`. */
      result: 'bytes?',
      /** Its decision, for lists; null until it is FINISHED or FAILED. */
      decision: wordOrNullOf<Decision>(),
      /** The first issue that kept it from an approval, for lists; null while there is none. */
      reason: 'word?',
      /** ISO 3166-1 alpha-2 of the state that issued its document, for lists; null where none is known. */
      country: 'word?',
      /** The receipt of its erasure; its personal data is gone. */
      erasure_id: 'id?',
      /** Encrypted with the customer's key: the integrator's own id for it. */
      encrypted_reference: 'bytes?',
      /** Encrypted with the customer's key: the trace of its decision, deflated; its SHA-256 is in the journal. */
      trace: 'bytes?',
      /** Counts changes of its deliveries. It changes the row, so that concurrent commits, an erasure among them, conflict. */
      turns: 'count?',
      /** Since when it waits for a reviewer. */
      awaiting_review_since: 'instant?',
      /** The operator who looks at it, and since when. */
      reviewer_id: 'id?',
      reviewer_since: 'instant?',
      /** Encrypted with the customer's key: why the reviewer decided so. Its SHA-256 is in the journal. */
      review_reason: 'bytes?',
      /** Encrypted with the customer's key: the face to enrol if the reviewer approves. */
      review_template: 'bytes?',
      /** HMACs over the columns that do not follow from the journal: those of the beginning, and those of the end. */
      origin_mac: 'word?',
      outcome_mac: 'word?',
    },
    indices: [
      ['token_hash', 'unique'],
      ['awaiting_review_since, id'],
      ['chart_version, status'],
      ['held_until'],
      // A list is newest first. Each filter has an index that yields a page without reading other rows.
      ['account_id, created_at, id'],
      ['account_id, transaction_type, status, created_at, id'],
      // It has all that the console's overview counts.
      ['account_id, decision, status, created_at, id, reason, completed_at, finished_at'],
      ['account_id, reference, created_at, id'],
      ['account_id, reference_path'],
      ['customer_id, created_at, id'],
    ],
  },
  /** Keys of the captures of transactions that keep nothing of the person: deleting a row erases what it encrypted. */
  capture_keys: {
    columns: {
      /** The transaction's. */
      id: 'id key',
      /** Encrypted with the root key. */
      data_key: 'bytes',
    },
    indices: [],
  },
  ...handoffTables,
  /** The codes of a transaction's issues, to find it by. */
  transaction_issues: {
    columns: { code: 'word key', transaction_id: 'id key', account_id: 'id' },
    indices: [['transaction_id'], ['account_id, code, transaction_id']],
  },
  ...duplicateTables,
  captures: {
    columns: {
      id: 'id key',
      account_id: 'id',
      transaction_id: 'id',
      kind: wordOf<CaptureKind>(),
      media_type: 'word',
      /** SHA-256 of the plain content, in hex. */
      digest: 'word',
      byte_count: 'count',
      /** Encrypted with the customer's key. Of a large one only the head; null where it is in an object store. */
      content: 'bytes?',
      created_at: 'instant',
    },
    indices: [['transaction_id'], ['account_id, digest'], ['kind, created_at']],
  },
  /** The rest of a large content. */
  content_pieces: { columns: { capture_id: 'id key', position: 'count key', piece: 'bytes' }, indices: [] },
  /** Objects and pieces to delete: those of deleted captures, and of uploads whose commit may never come. */
  object_removals: {
    columns: { capture_id: 'id key', account_id: 'id', transaction_id: 'id', remove_at: 'instant' },
    indices: [['remove_at'], ['transaction_id']],
  },
  deliveries: {
    columns: {
      ...actorColumns,
      status: wordOf<DeliveryStatus>(),
      transaction_id: 'id',
      /** Counts within the transaction, from 1. */
      sequence: 'count',
      event_id: 'id',
      /** The transaction's status that the integrator is notified of. */
      notified_status: wordOf<TransactionStatus>(),
      occurred_at: 'instant',
      /** The origin that it is sent to; each account has its own. */
      origin_id: 'word?',
    },
    indices: [
      ['transaction_id, sequence', 'unique'],
      // The first row of a status is its oldest: it shows since when an integrator has missed something.
      ['chart_version, status, occurred_at'],
      ['account_id, occurred_at, id'],
      ['origin_id, occurred_at, id'],
      ['held_until'],
    ],
  },
  delivery_attempts: {
    columns: {
      id: 'id key',
      account_id: 'id',
      delivery_id: 'id',
      /** Counts from 1, and from 1 again after a redelivery. */
      attempt: 'count',
      started_at: 'instant',
      duration_ms: 'count',
      outcome: wordOf<AttemptOutput['outcome']>(),
      http_status: 'count?',
      /** The IP address that was dialled. */
      address: 'word?',
      error: 'name?',
      /** Encrypted with the customer's key: the first bytes of the answer. */
      answer: 'bytes?',
    },
    indices: [['delivery_id, started_at']],
  },
  /** Receivers of webhooks, `scheme://host:port`, separate for each account. */
  origins: {
    columns: {
      id: 'word key',
      account_id: 'id',
      origin: 'document',
      /** Since when every attempt has failed; null since its last success. */
      failing_since: 'instant?',
      /** Its deliveries wait until somebody resumes it. */
      paused_at: 'instant?',
      /** The operator who paused it; null where its failures did. */
      paused_by: 'id?',
      /** Says that nothing but the service paused it, or ended a pause. */
      mac: 'word?',
    },
    indices: [['account_id']],
  },
  signing_keys: {
    columns: {
      id: 'word key',
      purpose: wordOf<'webhook' | 'evidence'>(),
      algorithm: 'word',
      public_jwk: 'document',
      /** The private JWK, encrypted with the root key. */
      private_jwk: 'bytes',
      created_at: 'instant',
      active_at: 'instant',
      retired_at: 'instant?',
      /** Says that nothing but the service wrote the row. */
      mac: 'word',
    },
    indices: [['purpose, active_at']],
  },
  /** `id` and `request` are HMACs: of an account and its key; of method, path and body. `answer` is encrypted. */
  idempotency_keys: {
    columns: {
      id: 'word key',
      account_id: 'id',
      request: 'word',
      answer: 'bytes',
      /** The customer or the transaction in the answer. */
      subject_id: 'id?',
      expires_at: 'instant',
    },
    indices: [['expires_at'], ['subject_id']],
  },
  /** `id` is an HMAC of the limit and its subject; all permits are available again at `full_at_us` (epoch µs). */
  rate_limits: { columns: { id: 'word key', full_at_us: 'instant' }, indices: [['full_at_us']] },
  /**
   * Receipts of erasures. `counts` is JSON, and so is `reached`: the last
   * transaction erased so far, of a customer with others still to erase.
   */
  erasures: {
    columns: {
      id: 'id key',
      account_id: 'id',
      subject: wordOf<'customer' | 'transaction'>(),
      subject_id: 'id',
      erased_by: 'word',
      counts: 'document',
      erased_at: 'instant',
      reached: 'document?',
      /** Null until everything is erased. */
      completed_at: 'instant?',
    },
    indices: [['account_id, subject_id', 'unique'], ['completed_at']],
  },
  facts: { columns: { name: 'word key', value: 'document' }, indices: [] },
  /** The operator's own people, who log in to the console. */
  operators: {
    columns: {
      id: 'id key',
      /** The name in lower case. */
      name: 'name',
      role: wordOf<Role>(),
      /** Hash of the password, with its salt and parameters. */
      password: 'document',
      /** Encrypted with the root key: the secret of the one-time codes. */
      totp_secret: 'bytes',
      /** The time step of the last code that was used, so that no code is accepted twice. */
      totp_step: 'instant?',
      created_at: 'instant',
      disabled_at: 'instant?',
      last_login_at: 'instant?',
      mac: 'word?',
    },
    indices: [['name', 'unique']],
  },
  /** The sessions of the console. One that ended has no row. */
  operator_sessions: {
    columns: {
      id: 'id key',
      operator_id: 'id',
      /** SHA-256 of the cookie. */
      token_hash: 'word',
      created_at: 'instant',
      last_seen_at: 'instant',
      address: 'word',
      user_agent: 'name',
    },
    indices: [['token_hash', 'unique'], ['operator_id']],
  },
  /** Certificates and revocation lists that an operator imported, to verify what states and others have signed. */
  trust_anchors: {
    columns: {
      /** SHA-256 of it, in hex. */
      fingerprint: 'word key',
      kind: wordOf<TrustAnchorKind>(),
      /** Two letters; empty where it names none. */
      country: 'word',
      /** The certificate's subject; for a revocation list, its issuer. */
      subject: 'document',
      /** The certificate's end; for a revocation list, the instant at which the next one is due. Null: it does not say. */
      valid_until: 'instant?',
      imported_at: 'instant',
      der: 'bytes',
      /** The credentials that it may sign, such as `MDL,PID`; null: none. */
      may_sign: 'word?',
      /** Says that nothing but the service wrote the row. */
      mac: 'word',
    },
    indices: [['country']],
  },
  /** Operators by the identity that the company's provider knows them by. */
  operator_identities: {
    columns: {
      /** SHA-256 of the issuer and its id of the person. */
      id: 'word key',
      operator_id: 'id',
      /** HMAC over both: nobody else becomes an operator. */
      mac: 'word',
    },
    indices: [],
  },
  /** The running nodes: each updates its row from time to time. */
  nodes: {
    columns: {
      id: 'id key',
      url: 'document',
      version: 'word',
      roles: 'word',
      started_at: 'instant',
      seen_at: 'instant',
      /** JSON: whether it is ready, or why not. */
      state: 'document',
    },
    indices: [['seen_at']],
  },
  /** Everything that operators and clients did and looked at, each entry chained to the one before it by `hash`. */
  audit: {
    columns: {
      sequence: 'count key',
      occurred_at: 'instant',
      /** Null for a client, for the command line, and for an unknown name. */
      operator_id: 'id?',
      client_id: 'id?',
      action: wordOf<AuditAction>(),
      /** The IP address; `command_line`, or `service` for actions of its own. */
      address: 'word',
      subject_type: wordOrNullOf<AuditSubject>(),
      subject_id: 'name?',
      account_id: 'id?',
      /** JSON, nothing personal. */
      details: 'document',
      hash: 'word',
    },
    indices: [
      ['occurred_at'],
      ['operator_id, sequence'],
      ['client_id, sequence'],
      ['subject_id, sequence'],
      ['action, sequence'],
    ],
  },
} as const satisfies Tables
