import type { ChipFindings } from '../../../src/decision/findings.ts'
import { readCertificate } from '../../../src/engines/chip/certificates.ts'
import type { TrustAnchors } from '../../../src/engines/chip/chain.ts'
import type { ChipFiles } from '../../../src/engines/chip/verify_chip.ts'
import { type ChipContent, personalise, type SyntheticChip } from '../../../synthetic/chip/chip.ts'
import type { Algorithm } from '../../../synthetic/chip/keys.ts'
import { type Authority, createRoot, issueSigner, type SigningOptions } from '../../../synthetic/chip/state.ts'

/** Not a picture: only how one begins is looked at here. */
const portrait = Buffer.from('ffd8ffe000104a464946000101', 'hex')

export const passport: ChipContent = {
  format: 'TD3',
  fields: {
    document_code: 'P',
    issuing_state: 'UTO',
    nationality: 'UTO',
    document_number: 'L898902C3',
    last_name: 'Eriksson',
    first_name: 'Anna Maria',
    date_of_birth: '1974-08-12',
    expiry_date: '2032-04-15',
    sex: 'F',
    personal_number: null,
  },
  portrait,
}

export const card: ChipContent = { ...passport, format: 'TD1', fields: { ...passport.fields, document_code: 'I' } }

export const signedAt = Date.UTC(2024, 5, 1)
export const now = Date.UTC(2026, 5, 1)
export const challenge = Buffer.from('0102030405060708', 'hex')
export const usual: SigningOptions & { readonly version?: 0 | 1 } = { digest: 'sha256', signed_at: signedAt }
export const ecdsa: Algorithm = { type: 'ecdsa', digest: 'sha256', curve: 'brainpoolP256r1' }

export interface State {
  readonly root: Authority
  readonly signer: Authority
}

export function createState(algorithm: Algorithm = ecdsa): State {
  const root = createRoot('UT', algorithm)
  return { root, signer: issueSigner(root, algorithm) }
}

export function trust(authorities: readonly Authority[], more: Partial<TrustAnchors> = {}): TrustAnchors {
  const certificates = authorities.map(({ certificate }) => readCertificate(certificate))
  return { authorities: certificates, signers: [], revocation_lists: [], ...more }
}

export function filesOf({ files, answer }: SyntheticChip): ChipFiles {
  const { sod, ...data_groups } = files
  return { sod, data_groups, answer: answer === null ? null : { challenge, response: answer(challenge) } }
}

export function makeFiles(state: State, content: ChipContent = passport, options = usual): ChipFiles {
  return filesOf(personalise(state, content, options))
}

/** Every check that did not pass, with its reason. */
export function listDoubts({ checks }: ChipFindings): string[] {
  return checks
    .filter(({ status }) => status !== 'PASSED')
    .map(({ name, status, reason }) => `${name} ${status} ${reason}`)
}
