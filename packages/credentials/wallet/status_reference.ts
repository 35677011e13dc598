/**
 * The place at which an issuer says whether a credential was revoked: an entry of a status list, or an identifier, in base64url, that a list
 * of revoked ones has (ISO/IEC 18013-5:2025, 12.3.6).
 */
export type StatusReference =
  | { readonly uri: string; readonly index: number }
  | { readonly uri: string; readonly identifier: string }

/** A credential says this of its status; `UNKNOWN`: it names a way that we do not know; null: it names none. */
export type NamedStatus = StatusReference | 'UNKNOWN' | null
