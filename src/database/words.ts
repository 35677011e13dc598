/** The words of columns that hold one of few. */

/**
 * The kinds of captures, and the time that each is kept for: that of pictures, or that of the result, which the device's
 * reports are part of.
 */
export const captureKinds = {
  document_front: 'pictures',
  document_back: 'pictures',
  selfie: 'pictures',
  liveness: 'pictures',
  chip: 'pictures',
  wallet_request: 'pictures',
  wallet: 'pictures',
  attestation: 'pictures',
  fingerprints: 'pictures',
  findings: 'pictures',
  facts: 'result',
  signals: 'result',
} as const

export type CaptureKind = keyof typeof captureKinds

/**
 * A state's root, a link between two of its roots, a signer of its documents, or its list of revoked certificates; and a
 * certificate that counts for wallets alone.
 */
export type TrustAnchorKind = 'ROOT' | 'LINK' | 'SIGNER' | 'REVOCATION_LIST' | 'WALLET'

/** The roles of operators; each may do all that those before it may. */
export const roles = ['viewer', 'reviewer', 'admin'] as const

/** `viewer` sees statuses and decisions; `reviewer` pictures and personal data too, and decides; `admin` everything. */
export type Role = (typeof roles)[number]

/** The recorded actions: each log-in, each access to a picture or to personal data, each export, and each change. */
export const auditActions = [
  'login',
  'login_refused',
  'logout',
  'session_revoked',
  'token_issued',
  'token_refused',
  'capture_read',
  'personal_data_read',
  'people_searched',
  'evidence_exported',
  'audit_exported',
  'audit_removed',
  'transaction_cancelled',
  'review_claimed',
  'review_released',
  'transaction_reviewed',
  'transaction_opened',
  'transaction_erased',
  'customer_erased',
  'delivery_redelivered',
  'origin_paused',
  'origin_resumed',
  'account_created',
  'account_changed',
  'client_created',
  'client_revoked',
  'key_rotated',
  'root_key_added',
  'root_key_removed',
  'trust_anchors_imported',
  'trust_anchors_removed',
  'operator_created',
  'operator_reset',
  'operator_disabled',
] as const

export type AuditAction = (typeof auditActions)[number]

export type AuditSubject = 'transaction' | 'customer' | 'account' | 'client' | 'operator' | 'session' | 'origin' | 'key'
