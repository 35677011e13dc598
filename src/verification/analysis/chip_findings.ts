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
import type { TransactionContext } from '../../../machines/transaction.ts'
import { readTrustAnchors } from '../chip/read_trust_anchors.ts'
import type { StoredChip } from '../transactions/chip.ts'
import type { TransactionDeps } from '../transactions/deps.ts'

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

/** The chip's result, and its portrait if a state signed it: no other data group is decoded. */
interface AnalysedChip {
  readonly input: ChipInput
  readonly portrait: Buffer | null
}

/** Verifies the files that were read from the document's chip, as of now. @throws {UnreadableCaptureError} */
export async function analyseChip(
  deps: TransactionDeps,
  key: Uint8Array,
  { chip = null }: TransactionContext,
  now: number,
): Promise<AnalysedChip> {
  if (chip === null) return { input: null, portrait: null }
  const getContent = await deps.captures.read(key, [chip])
  const stored = JSON.parse(getContent(chip).toString()) as StoredChip
  if ('unavailable' in stored) return { input: stored, portrait: null }
  const files = decode(stored)
  const anchors = await readTrustAnchors(deps.store, listSignerCountries(files))
  const findings = verifyChip(files, anchors, now)
  const portrait = findPortraitFile(files.data_groups)
  const isProven = portrait !== null && findings.checks.every(({ status }) => status === 'PASSED')
  return { input: { findings }, portrait: isProven ? readPortraitGroup(portrait).image : null }
}
