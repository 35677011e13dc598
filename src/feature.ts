import type { DevicePolicyName, DocumentPolicy, IssueCode, ReportedSignals } from '@attestor/rules'
import type { Statement, Store } from 'durable-xstate-sql'
import type { CommitRecord } from 'durable-xstate-sql/sql'
import type { z } from 'zod'
import type { StepProgress } from '../machines/capture.ts'
import type {
  CaptureReference,
  TransactionContext,
  TransactionEvent,
  TransactionLimits,
  TransactionStatus,
} from '../machines/transaction.ts'
import type { ServiceKeys } from './base/encryption.ts'
import type { Setting } from './base/setting.ts'
import type { TableRow } from './database/schema.ts'
import type { CaptureKind } from './database/words.ts'
import type { SceneChange } from './engines/scene.ts'

/** The part of a transaction that a feature describes. */
export interface FeatureCase {
  readonly context: TransactionContext
  readonly config: { readonly document_policy: DocumentPolicy; readonly test: object | null }
}

/** Schemas of fields that a feature may need, and that depend on the settings of a service. */
export interface FieldTypes {
  /** A link that opens an app of the integrator's. */
  readonly link: z.ZodType<string>
}

/** A capture that a person shows beside the pictures. */
export interface FeatureCapture {
  /** Names the capture in a session, and in lists of captures. */
  readonly step: `document_${string}`
  /** Names it in its row. */
  readonly kind: CaptureKind
  readonly media_type: string
  /** Takes it back. */
  readonly drop: TransactionEvent['type']
  /** Whether a person is sent to it, as to a picture. */
  readonly is_asked: boolean
  /** Its words in descriptions of the API. */
  readonly words: {
    /** The subject that a person shows, where they are sent to it. */
    readonly shown: readonly string[]
    readonly step: string
    readonly states: readonly string[]
    readonly listed: string
    readonly read: string
    readonly content: string
    readonly source: string
    readonly portrait: string
    /** The files that count as uploads. */
    readonly files: readonly string[]
  }
}

/** The session of a device, which a feature describes. */
export interface SessionCase extends FeatureCase {
  readonly store: Store
  readonly transaction_id: string
  readonly status: TransactionStatus
  /** False where another device has taken the capture over. */
  readonly may_capture: boolean
  /** Time by the transaction's own clock. */
  readonly now: number
}

/** A limit of calls a minute: its subject in words, and the setting that it is read from. */
interface RatePart {
  readonly subject: string
  readonly setting: string
}

export interface SwitchDeps {
  readonly store: Store
  readonly serviceKeys: ServiceKeys
}

/** A switch of accounts that a feature keeps in its own tables. */
interface SwitchPart {
  /** Its words on the command line: what is chosen, for when it counts, and what is said then, before `on` or `off`. */
  readonly words: { readonly meaning: string; readonly state: string; readonly said: string }
  /** Returns SQL that counts 1 where it is on for the account of this id, and 0 where it is off. */
  count(id: string): string
  /** Sets it for transactions that are opened from now on; `record` is in the same commit. */
  set(deps: SwitchDeps, account_id: string, on: boolean, record: CommitRecord): Promise<void>
}

/** Counts what the feature found, for metrics. */
interface CounterPart {
  readonly name: `attestor_${string}_total`
  readonly help: string
  readonly label: string
}

/** The transaction of a record for operators. */
export interface RecordCase extends Pick<TableRow<'transactions'>, 'id' | 'account_id' | 'customer_id'> {
  readonly is_erased: boolean
}

/** A capture that says something of the device, as its own reports do. */
export interface ReportPart {
  /** Returns its reference; null: there is none. */
  find(context: TransactionContext): CaptureReference | null
  /** Returns the signals that it proves, by its content. */
  read(content: unknown, context: TransactionContext): Partial<ReportedSignals>
}

/** The account that a transaction is opened for. */
export type AccountCase = Pick<TableRow<'accounts'>, 'mode' | 'signed_captures' | 'apps'>

type RowsOfTransactions = Readonly<Record<string, readonly string[]>>

/**
 * A feature as the service knows it: what it adds to the API, to a session and to a transaction. Each member is a part,
 * and a feature has those that it needs. Its folder has this in `feature.ts`, below the service, and its work beside it,
 * above the service. `src/features.ts` lists all, and joins each part of theirs.
 */
export interface Feature {
  readonly capture?: FeatureCapture
  readonly settings?: Readonly<Record<string, Setting<unknown>>>
  /** Members of `config.document_policy`. */
  readonly policy?: z.ZodRawShape
  /** Members of a session. */
  readonly session?: z.ZodRawShape
  /** Members of the data of a document. */
  readonly document?: z.ZodRawShape
  /** Members of a result. */
  readonly result?: z.ZodRawShape
  /** Members of what is known of a device. */
  readonly metadata?: z.ZodRawShape
  /** The subjects, in words, of its members of `device_policy`. */
  readonly reactions?: Partial<Readonly<Record<DevicePolicyName, string>>>
  readonly report?: ReportPart
  /** Switches of accounts. Those that are on when a transaction is opened are in its stored configuration. */
  readonly switches?: Readonly<Record<string, SwitchPart>>
  readonly counters?: Readonly<Record<string, CounterPart>>
  /** Limits of calls, which a setting of the same feature sets. */
  readonly rates?: Readonly<Record<string, RatePart>>
  /** Columns that name a transaction, by their tables: the rows are deleted when it is erased or removed. */
  readonly erased?: RowsOfTransactions
  /** The same of rows that stay until the transaction itself is removed. */
  readonly removed?: RowsOfTransactions
  /** A scene for each issue code of its own. */
  readonly scenes?: Partial<Readonly<Record<IssueCode, SceneChange>>>
  /** Returns members of `config`. */
  config?(types: FieldTypes): z.ZodRawShape
  /** Returns its members of a transaction's stored configuration, by its account. */
  stored?(account: AccountCase): Readonly<Record<string, unknown>>
  /** Returns the limits of every transaction, by the settings. */
  limits?(settings: object): Partial<TransactionLimits>
  /** Returns the limits of one transaction, by its call. */
  limitsOf?(config: FeatureCase['config']): Partial<TransactionLimits>
  /** Returns its members of a session. */
  describe?(of: SessionCase): Readonly<Record<string, unknown>> | Promise<Readonly<Record<string, unknown>>>
  /** Returns the statements that take an erased face out of its tables. */
  removeFace?(account_id: string, customer_id: string): readonly Statement[]
  /** Returns its members of a transaction's record for operators. */
  record?(store: Store, of: RecordCase): Promise<Readonly<Record<string, unknown>>>
  /** Returns the field of a call that an `AGE` transaction can't have, and the rule; null if there is none. */
  refuseAge?(policy: DocumentPolicy): readonly [field: string, rule: string] | null
  /** Returns its step before the pictures; null if there is none. */
  stepBefore?(context: TransactionContext): StepProgress | null
  /** Returns its step after the pictures, which is never required; null if there is none. */
  stepAfter?(of: FeatureCase): object | null
}
