import { readCertificate } from '../chip/certificates.ts'
import {
  type CredentialKind,
  credentialKinds,
  type WalletCredential,
  type WalletFormat,
} from '../wallet/credential_kinds.ts'
import type { WalletParty } from '../wallet/request_types.ts'
import type { WalletAnchor } from '../wallet/wallet_trust.ts'
import type { Algorithm } from './keys.ts'
import { type Authority, createRoot, issueSigner, type Validity } from './state.ts'

export const walletAlgorithm: Algorithm = { type: 'ecdsa', digest: 'sha256', curve: 'prime256v1' }

/** An issuer of credentials in an invented country: a root, and a signer that it vouches for. */
export interface WalletIssuer {
  readonly credential: WalletCredential
  readonly root: Authority
  readonly signer: Authority
  /** The root, for an operator who trusts it. */
  readonly anchor: WalletAnchor
}

const purposeOfMdl = '1.0.18013.5.1.2'

/** A new issuer. `purpose`: the one of its signer's certificate, where not the usual one. */
export function createWalletIssuer(
  credential: WalletCredential,
  {
    country = 'UT',
    algorithm = walletAlgorithm,
    purpose = credential === 'MDL' ? purposeOfMdl : undefined,
    ...validity
  }: { readonly country?: string; readonly algorithm?: Algorithm; readonly purpose?: string } & Partial<Validity> = {},
): WalletIssuer {
  const root = createRoot(country, algorithm, { name: `${credential} Root ${country}` })
  const signer = issueSigner(root, algorithm, { ...validity, ...(purpose === undefined ? {} : { purpose }) })
  return {
    credential,
    root,
    signer,
    anchor: { certificate: readCertificate(root.certificate), may_sign: [credential] },
  }
}

/** A relying party with an access certificate for a host, as wallets know it. */
export function createWalletParty(host: string): WalletParty & { readonly root: Authority } {
  const root = createRoot('UT', walletAlgorithm, { name: 'Access Root UT' })
  const own = issueSigner(root, walletAlgorithm, { serial: 21, written: { hosts: [host] } })
  return { certificates: [own.certificate], key: own.keys.private_key, verifier_info: [], root }
}

/** The kind that an issuer's credential of a format is of. */
export function kindOf(credential: WalletCredential, format: WalletFormat): CredentialKind {
  const kind = credentialKinds.find(one => one.credential === credential && one.format === format)
  if (kind === undefined) throw new TypeError(`no ${credential} is of format ${format}`)
  return kind
}
