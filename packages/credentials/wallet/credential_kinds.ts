import type { DocumentType, WalletClaim } from '@attestor/rules'

/** The credential that may answer: a driving licence, a person's identification data, or a proof of age. */
export type WalletCredential = 'MDL' | 'PID' | 'AGE'

export type WalletFormat = 'MDOC' | 'SD_JWT_VC'

/** A credential in one format, and the paths of the data that we request. */
export interface CredentialKind {
  /** Its name in a query. */
  readonly id: string
  readonly credential: WalletCredential
  readonly format: WalletFormat
  /** The doctype of an mdoc, the `vct` of an SD-JWT VC. */
  readonly type: string
  readonly document_type: DocumentType | null
  /** An mdoc has one; null in an SD-JWT VC. */
  readonly namespace: string | null
  /** Names of elements or claims. A claim that is missing is one that the credential never has. */
  readonly names: Readonly<Partial<Record<WalletClaim, string>>>
  /** Claims that every such credential has. The others are asked for, and may be left out. */
  readonly always: readonly WalletClaim[]
}

const identity: readonly WalletClaim[] = ['last_name', 'first_name', 'date_of_birth', 'expiry_date', 'issuing_country']

/**
 * ISO/IEC 18013-5, table 5; the PID rulebook of the EU's reference framework (annex 3.1); the EU's profile of age
 * verification. The first that a wallet has is the one that we like best.
 */
export const credentialKinds: readonly CredentialKind[] = [
  {
    id: 'pid_sd_jwt',
    credential: 'PID',
    format: 'SD_JWT_VC',
    type: 'urn:eudi:pid:1',
    document_type: 'ID_CARD',
    namespace: null,
    names: {
      last_name: 'family_name',
      first_name: 'given_name',
      date_of_birth: 'birthdate',
      sex: 'sex',
      nationality: 'nationalities',
      document_number: 'document_number',
      personal_number: 'personal_administrative_number',
      issue_date: 'date_of_issuance',
      expiry_date: 'date_of_expiry',
      issuing_country: 'issuing_country',
      portrait: 'picture',
    },
    always: [...identity, 'nationality'],
  },
  {
    id: 'pid_mdoc',
    credential: 'PID',
    format: 'MDOC',
    type: 'eu.europa.ec.eudi.pid.1',
    document_type: 'ID_CARD',
    namespace: 'eu.europa.ec.eudi.pid.1',
    names: {
      last_name: 'family_name',
      first_name: 'given_name',
      date_of_birth: 'birth_date',
      sex: 'sex',
      nationality: 'nationality',
      document_number: 'document_number',
      personal_number: 'personal_administrative_number',
      issue_date: 'issuance_date',
      expiry_date: 'expiry_date',
      issuing_country: 'issuing_country',
      portrait: 'portrait',
    },
    always: [...identity, 'nationality'],
  },
  {
    id: 'mdl',
    credential: 'MDL',
    format: 'MDOC',
    type: 'org.iso.18013.5.1.mDL',
    document_type: 'DRIVING_LICENSE',
    namespace: 'org.iso.18013.5.1',
    names: {
      last_name: 'family_name',
      first_name: 'given_name',
      date_of_birth: 'birth_date',
      sex: 'sex',
      nationality: 'nationality',
      document_number: 'document_number',
      issue_date: 'issue_date',
      expiry_date: 'expiry_date',
      issuing_country: 'issuing_country',
      portrait: 'portrait',
    },
    always: [...identity, 'document_number', 'issue_date', 'portrait'],
  },
  {
    id: 'age',
    credential: 'AGE',
    format: 'MDOC',
    type: 'eu.europa.ec.av.1',
    document_type: null,
    namespace: 'eu.europa.ec.av.1',
    names: {},
    always: [],
  },
]

/** The claims or the age that are asked. With an age alone the claims are empty, and nothing else is asked. */
export interface WalletQuery {
  readonly credentials: readonly WalletCredential[]
  readonly claims: readonly WalletClaim[]
  readonly age_over: number | null
}

/** Lists the kinds that can answer a query: those that it accepts and that have any of the requested data. */
export function listKinds({ credentials, claims, age_over }: WalletQuery): readonly CredentialKind[] {
  return credentialKinds.filter(
    kind =>
      credentials.includes(kind.credential) &&
      (age_over !== null || claims.some(claim => kind.names[claim] !== undefined)),
  )
}

/** Finds the kind that a credential names. Countries have PIDs of their own, whose `vct` names them. */
export function findKind(format: WalletFormat, type: string): CredentialKind | null {
  const plain = format === 'SD_JWT_VC' ? type.replace(/^urn:eudi:pid:[a-z]{2}:1$/, 'urn:eudi:pid:1') : type
  return credentialKinds.find(kind => kind.format === format && kind.type === plain) ?? null
}

/** The element of an mdoc that says whether a person is over an age. */
export function nameAge(over: number): string {
  return `age_over_${String(over).padStart(2, '0')}`
}
