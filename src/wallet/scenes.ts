import type { FaceFindings, IssueCode, WalletCheck } from '@attestor/rules'
import type { SceneChange } from '../engines/scene.ts'
import { specimenMrz } from '../engines/scripted.ts'

/** The specimen's holder in a wallet, of which one check does not pass. */
function fail(check: WalletCheck, face: Partial<FaceFindings> = {}): SceneChange {
  const wallet = {
    format: 'MDOC',
    credential_type: 'org.iso.18013.5.1.mDL',
    document_type: 'DRIVING_LICENSE',
    checks: [check],
    claims: {
      last_name: specimenMrz.last_name,
      first_name: specimenMrz.first_name,
      date_of_birth: '1974-08-12',
      document_number: specimenMrz.document_number,
      personal_number: null,
      nationality: null,
      issuing_country: null,
      sex: 'F',
      issue_date: null,
      expiry_date: null,
    },
    has_portrait: true,
    ages: [],
    disclosed: ['last_name', 'first_name', 'date_of_birth', 'document_number', 'portrait'],
    withheld: [],
    signer: null,
    root: null,
  } as const
  return { face, evidence: { wallet } }
}

const issuerUnknown = { name: 'issuer', status: 'UNDETERMINED', reason: 'NO_TRUST_ANCHOR' } as const

export const scenes = {
  WALLET_SIGNATURE_INVALID: fail({ name: 'signature', status: 'FAILED', reason: 'NOT_SIGNED' }),
  WALLET_BINDING_INVALID: fail({ name: 'binding', status: 'FAILED', reason: 'ANOTHER_REQUEST' }),
  WALLET_REVOKED: fail({ name: 'revocation', status: 'FAILED', reason: 'REVOKED' }),
  WALLET_OUT_OF_TIME: fail({ name: 'validity', status: 'FAILED', reason: 'EXPIRED' }),
  WALLET_ISSUER_UNKNOWN: fail(issuerUnknown),
  WALLET_NOT_EVALUABLE: fail({ name: 'revocation', status: 'UNDETERMINED', reason: 'STATUS_UNAVAILABLE' }),
  WALLET_WITHOUT_PORTRAIT: fail(issuerUnknown, { reference: null, distance: null }),
} as const satisfies Partial<Record<IssueCode, SceneChange>>
