import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import {
  createState,
  issueSigner,
  personalise,
  type SyntheticChip,
  usualAlgorithm,
} from '@attestor/credentials/synthetic'
import { holderData, passportNumber, renderHolderPortrait } from './people.ts'

/** The ways in which the passport's chip can reach the phone. */
export const chipFates = ['genuine', 'forged', 'copied', 'unknown-state'] as const

export type ChipFate = (typeof chipFates)[number]

/** The decision that each leads to if a chip is required, and the code that explains it. */
export const chipOutcomes: Readonly<Record<ChipFate, { readonly decision: string; readonly code: string | null }>> = {
  genuine: { decision: 'APPROVED', code: null },
  forged: { decision: 'REJECTED', code: 'CHIP_SIGNATURE_INVALID' },
  copied: { decision: 'REJECTED', code: 'CHIP_COPY_SUSPECTED' },
  'unknown-state': { decision: 'UNDETERMINED', code: 'CHIP_ISSUER_UNKNOWN' },
}

export interface DemoChip {
  /** The root of its state, as a file that an operator imports; null if nobody has it. */
  readonly root_file: string | null
  readonly chip: SyntheticChip
}

const dayMs = 86_400_000

/** A passport of an invented state, and the root that signed for it. */
export async function makeChip(fate: ChipFate, folder: string): Promise<DemoChip> {
  const state = createState({ type: 'ecdsa', digest: 'sha384', curve: 'brainpoolP384r1' })
  const { root, signer } = state
  const content = {
    format: 'TD3',
    fields: { ...holderData, document_code: 'P', document_number: passportNumber },
    portrait: await renderHolderPortrait(),
    authentication: usualAlgorithm,
  } as const
  const options = { digest: 'sha256', signed_at: Date.now() - dayMs } as const
  const genuine = personalise(state, content, options)
  const root_file = join(folder, 'utopia.cer')
  await writeFile(root_file, root.certificate)
  if (fate === 'unknown-state') return { root_file: null, chip: genuine }
  if (fate === 'copied') return { root_file, chip: { ...genuine, answer: personalise(state, content, options).answer } }
  if (fate === 'genuine') return { root_file, chip: genuine }
  // A forger has the state's names, and not its keys: the signer's certificate is not the one that signed.
  const forger = issueSigner(root, root.keys.algorithm)
  const forged = personalise({ root, signer: { ...forger, certificate: signer.certificate } }, content, options)
  return { root_file, chip: forged }
}
