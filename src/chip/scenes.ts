import type { ChipCheck, ChipFindings, ChipInput, IssueCode } from '@attestor/rules'
import type { SceneChange } from '../engines/scene.ts'
import { specimenMrz } from '../engines/scripted.ts'

const unread: ChipFindings = {
  checks: [],
  mrz: null,
  licence: null,
  details: { last_name: null, first_name: null, place_of_birth: null, issue_date: null },
  signed_at: null,
  signer: null,
  root: null,
}

function show(input: ChipInput): SceneChange {
  return { evidence: { chip: { policy: 'PREFER', input } } }
}

/** A chip of which one check does not pass. */
function fail(check: ChipCheck): SceneChange {
  return show({ findings: { ...unread, checks: [check] } })
}

export const scenes = {
  CHIP_SIGNATURE_INVALID: fail({ name: 'signature', status: 'FAILED', reason: 'NOT_SIGNED' }),
  CHIP_DATA_CHANGED: fail({ name: 'data_groups', status: 'FAILED', reason: 'DIGEST_DIFFERS' }),
  CHIP_DATA_MISMATCH: show({ findings: { ...unread, mrz: { ...specimenMrz, document_number: 'X1' } } }),
  CHIP_COPY_SUSPECTED: fail({ name: 'active_authentication', status: 'FAILED', reason: 'NOT_SIGNED' }),
  CHIP_CERTIFICATE_REVOKED: fail({ name: 'revocation', status: 'FAILED', reason: 'REVOKED' }),
  CHIP_ISSUER_UNKNOWN: fail({ name: 'issuer', status: 'UNDETERMINED', reason: 'NO_TRUST_ANCHOR' }),
  CHIP_NOT_READ: show(null),
  CHIP_NOT_EVALUABLE: fail({ name: 'files', status: 'UNDETERMINED', reason: 'UNREADABLE' }),
} as const satisfies Partial<Record<IssueCode, SceneChange>>
