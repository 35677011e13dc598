import { z } from 'zod'
import { type IssueCode, issueCatalogue } from '../../decision/issues.ts'
import type { FailedResultData, ResultData } from '../../decision/judge.ts'
import type { Metadata } from '../../decision/metadata.ts'
import type { TransactionView } from '../../verification/transactions/transactions.ts'
import { country, day, decision, id, openWords, stageTimes, status } from './common.ts'

const text = z.string().nullable()
const flag = z.boolean().nullable()
const passes_when = z
  .enum(['at_least', 'at_most'])
  .meta({ id: 'PassesWhen', description: 'Whether a score passes from its threshold upwards, or up to it.' })
const measured = z.object({ score: z.number(), threshold: z.number(), passes_when }).meta({ id: 'Measured' })
const engine = z.object({ name: z.string(), version: z.string() }).meta({ id: 'Engine' }).nullable()
const sectionStatus = z.enum(['PASSED', 'REJECTED', 'UNDETERMINED', 'NOT_EXECUTED']).meta({
  id: 'SectionStatus',
  description: 'What a section or a check comes to; `NOT_EXECUTED` where it did not apply.',
})
const codes = Object.keys(issueCatalogue) as [IssueCode, ...IssueCode[]]

const issue = z
  .object({
    type: z.enum(['REJECT', 'WARN', 'INFO']),
    code: openWords(codes, 'EXPIRED_DOCUMENT'),
    message: z.string(),
    details: z.record(z.string(), z.union([z.string(), z.number(), z.array(z.string())])).exactOptional(),
  })
  .meta({ id: 'Issue', description: 'A reason behind the decision. Only REJECT decides anything.' })

const check = z
  .object({
    name: z.string(),
    status: sectionStatus,
    score: z.number().nullable(),
    threshold: z.number().nullable(),
    passes_when: passes_when.nullable(),
  })
  .meta({ id: 'Check' })

const document = z
  .object({
    engine,
    document_type: z.enum(['PASSPORT', 'ID_CARD', 'DRIVING_LICENSE', 'RESIDENCE_PERMIT']).nullable(),
    issuing_country: country.nullable(),
    nationality: country.nullable(),
    document_number: text,
    personal_number: text,
    first_name: text,
    last_name: text,
    date_of_birth: day.nullable(),
    sex: z.enum(['F', 'M', 'X']).nullable(),
    issue_date: day.nullable(),
    expiry_date: day.nullable(),
    mrz: z
      .object({
        format: z.enum(['TD1', 'TD2', 'TD3', 'MRVA', 'MRVB', 'FRENCH_ID']),
        valid: z.boolean(),
        corrected_characters: z.number().int(),
      })
      .nullable(),
    checks: z.array(check),
  })
  .meta({ id: 'DocumentData' })

const action = z.enum(['TURN_LEFT', 'TURN_RIGHT', 'BLINK', 'OPEN_MOUTH', 'LOOK_UP'])

const liveness = z
  .object({
    engine,
    method: z.enum(['ACTIVE', 'PASSIVE', 'EXTERNAL']).nullable(),
    challenge: z.array(z.object({ action, passed: flag })),
    planarity: measured.nullable(),
    continuity: measured.nullable(),
    presence: measured.nullable(),
    attempts: z.number().int().nullable(),
  })
  .meta({ id: 'LivenessData' })

const face_comparison = z
  .object({
    engine,
    score: z.number().nullable(),
    threshold: z.number().nullable(),
    passes_when: passes_when.nullable(),
    reference: z.enum(['DOCUMENT', 'ENROLLED_FACE']).nullable(),
  })
  .meta({ id: 'FaceComparisonData' })

function sectionOf<T extends z.ZodType>(name: string, data: T) {
  return z.object({ status: sectionStatus, data }).meta({ id: `${name}Section` })
}

const metadata = z
  .object({
    device: z.object({
      sdk_platform: text,
      sdk_version: text,
      os_version: text,
      device_model: text,
      is_emulator: flag,
      root_detected: flag,
      jailbreak_detected: flag,
      developer_mode_enabled: flag,
      debugger_attached: flag,
    }),
    network: z.object({
      ip_address: text,
      ip_type: text,
      ip_country: country.nullable(),
      vpn_detected: flag,
      proxy_detected: flag,
      tor_detected: flag,
      connection_type: text,
      carrier_name: text,
    }),
    geolocation: z
      .object({
        latitude: z.number().nullable(),
        longitude: z.number().nullable(),
        source: text,
        is_mock_location: flag,
        country_from_coords: country.nullable(),
      })
      .nullable(),
  })
  .meta({
    id: 'Metadata',
    description: 'What the device reported and the server saw, whatever the decision.',
  }) satisfies z.ZodType<Metadata>

const result = z
  .object({
    decision,
    issues: z.array(issue),
    document: sectionOf('Document', document).exactOptional(),
    liveness: sectionOf('Liveness', liveness),
    face_comparison: sectionOf('FaceComparison', face_comparison),
    metadata,
  })
  .meta({
    id: 'Result',
    description: 'The result of a transaction that is `FINISHED`.',
  }) satisfies z.ZodType<ResultData>

const failedResult = z.object({ decision: z.literal('UNDETERMINED'), issues: z.array(issue), metadata }).meta({
  id: 'FailedResult',
  description: 'The result of a transaction that is `FAILED`.',
}) satisfies z.ZodType<FailedResultData>

/** The result of an ended transaction. */
export const result_data = z.union([result, failedResult])

export const transaction = z
  .object({
    id,
    customer_id: id,
    status,
    ...stageTimes,
    result_data: result_data.nullable(),
  })
  .meta({ id: 'Transaction' }) satisfies z.ZodType<TransactionView>
