import {
  type ChipFileName,
  type ChipFiles,
  findPortraitFile,
  listCountries,
  readLicenceGroup,
  readOrNull,
  readPortraitGroup,
  readSecurityObject,
  readZoneGroup,
  verifyChip,
} from '@attestor/credentials'
import type { ChipInput } from '@attestor/rules'
import type { Evidence, EvidenceCase, TransactionDeps } from '../verification/transactions/deps.ts'
import type { StoredChip } from './capture.ts'
import { readChipPolicy } from './feature.ts'
import { readTrustAnchors } from './read_trust_anchors.ts'

function decode(stored: Exclude<StoredChip, { unavailable: unknown }>): ChipFiles {
  const { sod, data_groups, answer } = stored
  const files = Object.entries(data_groups).map(([name, file]) => [name, Buffer.from(file, 'base64')])
  return {
    sod: Buffer.from(sod, 'base64'),
    data_groups: Object.fromEntries(files) as Partial<Record<ChipFileName, Buffer>>,
    answer:
      answer === null
        ? null
        : { challenge: Buffer.from(answer.challenge, 'hex'), response: Buffer.from(answer.response, 'base64') },
  }
}

/** Lists the countries that a chip's signers and its zone name: only their certificates are needed. */
function listSignerCountries({ sod, data_groups: { dg1 } }: ChipFiles): string[] {
  const signed = readOrNull(() => readSecurityObject(sod).signed)
  const zone = dg1 === undefined ? null : readOrNull(() => readZoneGroup(dg1))
  const licence = dg1 === undefined ? null : readOrNull(() => readLicenceGroup(dg1))
  const named = [...(signed?.certificates ?? []), ...(signed?.signers ?? [])].map(({ country }) => country)
  return [...new Set([...named, ...listCountries(zone?.issuing_state ?? licence?.issuing_state ?? null)])].filter(
    one => one !== '',
  )
}

/**
 * Verifies the files that were read from the document's chip. The portrait is that of a chip that a state signed: no other
 * data group is decoded. Null where the policy ignores chips. @throws {UnreadableCaptureError}
 */
export async function readChipEvidence(
  { captures, store }: TransactionDeps,
  { key, context: { chip }, config, now }: EvidenceCase,
): Promise<Evidence | null> {
  const policy = readChipPolicy(config)
  const found = (input: ChipInput, portrait: Buffer | null = null): Evidence => ({
    input: { chip: { policy, input } },
    portrait,
  })
  if (policy === 'IGNORE') return null
  if (chip === null) return found(null)
  const stored = JSON.parse((await captures.read(key, [chip]))(chip).toString()) as StoredChip
  if ('unavailable' in stored) return found(stored)
  const files = decode(stored)
  const anchors = await readTrustAnchors(store, listSignerCountries(files))
  const findings = verifyChip(files, anchors, now)
  const portrait = findPortraitFile(files.data_groups)
  const isProven = portrait !== null && findings.checks.every(({ status }) => status === 'PASSED')
  return found({ findings }, isProven ? readPortraitGroup(portrait).image : null)
}
