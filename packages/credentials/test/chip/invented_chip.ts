import type { ChipFindings } from '@attestor/rules'
import { readCertificate } from '../../chip/certificates.ts'
import type { TrustAnchors } from '../../chip/chain.ts'
import type { ChipFiles } from '../../chip/verify_chip.ts'
import {
  type ChipContent,
  type PersonalisationOptions,
  personalise,
  type SyntheticChip,
  type SyntheticLicenceChip,
  specimenPassport,
} from '../../synthetic/chip.ts'
import type { Authority, State } from '../../synthetic/state.ts'

export const signedAt = Date.UTC(2024, 5, 1)
export const now = Date.UTC(2026, 5, 1)
export const challenge = Buffer.from('0102030405060708', 'hex')
export const usual: PersonalisationOptions = { digest: 'sha256', signed_at: signedAt }

export function trust(authorities: readonly Authority[], more: Partial<TrustAnchors> = {}): TrustAnchors {
  const certificates = authorities.map(({ certificate }) => readCertificate(certificate))
  return { authorities: certificates, signers: [], revocation_lists: [], ...more }
}

export function filesOf({ files, answer }: SyntheticChip | SyntheticLicenceChip): ChipFiles {
  const { sod, ...data_groups } = files
  return { sod, data_groups, answer: answer === null ? null : { challenge, response: answer(challenge) } }
}

export function makeFiles(state: State, content: ChipContent = specimenPassport, options = usual): ChipFiles {
  return filesOf(personalise(state, content, options))
}

/** Every check that did not pass, with its reason. */
export function listDoubts({ checks }: ChipFindings): string[] {
  return checks
    .filter(({ status }) => status !== 'PASSED')
    .map(({ name, status, reason }) => `${name} ${status} ${reason}`)
}
