import {
  type AgeResultData,
  checkStatuses,
  documentSources,
  documentTypes,
  type FailedResultData,
  faceReferences,
  type IssueCode,
  issueCatalogue,
  issueTypes,
  livenessActions,
  livenessMethods,
  type Metadata,
  mrzFormats,
  passesWhen,
  type ResultData,
} from '@attestor/rules'
import { z } from 'zod'
import { featureCaptures, featureDocument, featureMetadata, featureResult } from '../../features.ts'
import {
  country,
  currentStatus,
  customer_id,
  day,
  decision,
  id,
  openWords,
  sectionStatus,
  stageTimes,
  text,
} from '../../schemas/common.ts'
import { meaning } from '../../schemas/fields.ts'
import type { TransactionView } from '../../verification/transactions/transactions.ts'
import { fieldsOf, reported } from './device_signals.ts'

const flag = z.boolean().nullable()
const passes_when = z
  .enum(passesWhen)
  .meta({ id: 'PassesWhen', description: 'Whether a score passes from its threshold upwards, or up to it.' })
const anyScore = z
  .number()
  .nullable()
  .meta(meaning('What was measured, in the unit of its threshold; null where nothing was.', 0.97))
const anyThreshold = z
  .number()
  .nullable()
  .meta(
    meaning(
      'The limit that `score` is compared with, in the direction of `passes_when`; null where there is none.',
      0.85,
    ),
  )
const direction = passes_when
  .nullable()
  .meta(
    meaning(
      'Whether a score passes from its threshold upwards, or up to it; null where there is no threshold.',
      'at_least',
    ),
  )
const measured = z
  .object({
    score: z.number().meta(meaning('What was measured, in the unit of its threshold.', 0.97)),
    threshold: z
      .number()
      .meta(meaning('The limit that `score` is compared with, in the direction of `passes_when`.', 0.85)),
    passes_when: passes_when.meta(meaning('Whether `score` passes from `threshold` upwards, or up to it.', 'at_least')),
  })
  .meta({ id: 'Measured' })
const engine = z
  .object({
    name: z.string().meta(meaning('Which engine analysed it: the service’s own is `local`.', 'local')),
    version: z.string().meta(meaning('The engine’s version, in a form of its own.', '1')),
  })
  .meta({ id: 'Engine' })
  .nullable()
  .meta(meaning('The analysis engine; null where none ran.'))
const checkStatus = z.enum(checkStatuses).meta({
  id: 'CheckStatus',
  description:
    'What a check comes to; `NOT_EXECUTED` where it did not apply, `NOT_PRINTED` where the document does not say what it is about.',
})
const codes = Object.keys(issueCatalogue) as [IssueCode, ...IssueCode[]]

const issue = z
  .object({
    type: z.enum(issueTypes).meta(meaning('`REJECT` decides; `WARN` and `INFO` never do.', 'REJECT')),
    code: openWords(codes, 'EXPIRED_DOCUMENT').meta(
      meaning('Stable: it never changes its meaning. New ones may come.'),
    ),
    message: z
      .string()
      .meta(
        meaning(
          'What was found, in English, for your support; its words may change, `code` does not.',
          'The document has expired',
        ),
      ),
    details: z
      .record(z.string(), z.union([z.string(), z.number(), z.array(z.string())]))
      .exactOptional()
      .meta(
        meaning('The values that the rule used, such as `score`, `threshold` and `passes_when`.', {
          evaluated_at: '2026-11-17',
        }),
      ),
  })
  .meta({ id: 'Issue', description: 'A reason behind the decision. Only REJECT decides anything.' })

const check = z
  .object({
    name: z.string().meta(meaning('The rule that was applied, by a name that stays.', 'visual_surname')),
    status: checkStatus.meta(meaning('What this check comes to.', 'PASSED')),
    score: anyScore,
    threshold: anyThreshold,
    passes_when: direction,
  })
  .meta({ id: 'Check' })

const document = z
  .object({
    engine,
    source: z
      .enum(documentSources)
      .nullable()
      .meta(
        meaning(
          `What the data rests on: ${featureCaptures.map(({ words }) => words.source).join(', ')}, the machine-readable zone, a barcode, print alone, or only expected data that is printed; null where nothing was read.`,
          'ZONE',
        ),
      ),
    document_type: z
      .enum(documentTypes)
      .nullable()
      .meta(meaning('The sort of document; null where it was not read.', 'PASSPORT')),
    issuing_country: country
      .nullable()
      .meta(meaning('The country that issued the document; null where it was not read.', 'SE')),
    nationality: country
      .nullable()
      .meta(meaning('The holder’s nationality; null where it was not read, or the document has none.', 'SE')),
    document_number: text.meta(
      meaning('The document’s number, as it is printed; null where it was not read.', 'L898902C3'),
    ),
    personal_number: text.meta(
      meaning('The holder’s number in their country, as it is printed; null where there is none.', null),
    ),
    first_name: text.meta(
      meaning('All given names; null where they are not known, or the person has one name.', 'ANNA MARIA'),
    ),
    last_name: text.meta(meaning('The surname; null where it is not known, or the person has one name.', 'ERIKSSON')),
    date_of_birth: day
      .nullable()
      .meta(meaning('The day of birth, `YYYY-MM-DD`; null where it is not known, or in part.', '1974-08-12')),
    sex: z
      .enum(['F', 'M', 'X'])
      .nullable()
      .meta(meaning('The sex as the document prints it, `X` where it names neither; null where it says nothing.', 'F')),
    issue_date: day
      .nullable()
      .meta(meaning('The day of issue, `YYYY-MM-DD`; null where it is not on the document.', null)),
    expiry_date: day
      .nullable()
      .meta(
        meaning(
          'The last day on which the document is valid; null where it was not read, or there is none.',
          '2026-11-16',
        ),
      ),
    mrz: z
      .object({
        format: z
          .enum(mrzFormats)
          .meta(meaning('The zone’s format, as ICAO 9303 names it: `TD3` is a passport.', 'TD3')),
        valid: z.boolean().meta(meaning('Whether every check digit agrees.', true)),
        corrected_characters: z.number().int().meta(meaning('How many misread characters were corrected.', 0)),
      })
      .nullable()
      .meta(meaning('The machine-readable zone; null where there is none.')),
    checks: z.array(check).meta(meaning('Every rule that was applied, with what it measured.')),
    printed_lines: z
      .array(z.string())
      .exactOptional()
      .meta(
        meaning(
          'The lines of print that were read, from the top, for a reviewer; absent where the document has a machine-readable zone or a barcode.',
          ['UTOPIA LIBRARY CARD', 'Family name', 'OKAFOR'],
        ),
      ),
    ...featureDocument,
  })
  .meta({ id: 'DocumentData' })

const challengeAction = z.object({
  action: z
    .enum(livenessActions)
    .meta(meaning('What the person was asked to do; left and right are their own.', 'TURN_LEFT')),
  passed: flag.meta(meaning('Whether the image shows the action; null where the image leaves it open.', true)),
})

const liveness = z
  .object({
    engine,
    method: z
      .enum(livenessMethods)
      .nullable()
      .meta(
        meaning(
          'How liveness was judged: `ACTIVE` by a challenge, `PASSIVE` by the image alone, `EXTERNAL` by another engine; null where it was not.',
          'ACTIVE',
        ),
      ),
    challenge: z
      .array(challengeAction)
      .meta(meaning('The actions that were asked for, in their order; empty where there was no challenge.')),
    planarity: measured
      .nullable()
      .meta(meaning('How far the face is from a flat picture; null where it was not measured.')),
    continuity: measured
      .nullable()
      .meta(
        meaning('How far the selfie’s face is from those of the challenge’s images; null where it was not measured.'),
      ),
    presence: measured
      .nullable()
      .meta(meaning('How sure a second method is of a live person; null where none was used.')),
    checks: z.array(check).meta(meaning('Every rule that was applied, with what it measured.')),
    attempts: z.number().int().nullable().meta(meaning('Challenges that were issued; null where none was.', 1)),
  })
  .meta({ id: 'LivenessData' })

const face_comparison = z
  .object({
    engine,
    score: anyScore,
    threshold: anyThreshold,
    passes_when: direction,
    reference: z
      .enum(faceReferences)
      .nullable()
      .meta(
        meaning(
          `Whether the selfie was compared with the document’s printed portrait, with that ${featureCaptures.map(({ words }) => words.portrait).join(' or ')}, or with the enrolled face; null where it was not compared.`,
          'DOCUMENT',
        ),
      ),
  })
  .meta({ id: 'FaceComparisonData' })

interface SectionMeanings {
  readonly status: ReturnType<typeof meaning>
  readonly data: ReturnType<typeof meaning>
}

function sectionOf<T extends z.ZodType>(name: string, data: T, meanings: SectionMeanings) {
  return z
    .object({ status: sectionStatus.meta(meanings.status), data: data.meta(meanings.data) })
    .meta({ id: `${name}Section` })
}

const documentSection = sectionOf('Document', document, {
  status: meaning('What the checks of the document come to.', 'REJECTED'),
  data: meaning('What the document says.'),
})

const livenessSection = sectionOf('Liveness', liveness, {
  status: meaning('What the checks of liveness come to.', 'PASSED'),
  data: meaning('What the selfie and the challenge showed.'),
})

const faceComparisonSection = sectionOf('FaceComparison', face_comparison, {
  status: meaning('What the comparison of the faces comes to.', 'PASSED'),
  data: meaning('How alike the faces are, and which ones were compared.'),
})

const geolocationOfFailure = meaning(
  'Where the device is; null where it was not requested or denied: an issue says which. Absent where the session never began.',
)
const geolocationMeaning = meaning(
  'Where the device is; null where it was not requested or denied: an issue says which.',
)

const metadata = z
  .object({
    device: z
      .object({
        ...fieldsOf(reported.deviceTexts, text),
        ...fieldsOf(reported.deviceFlags, flag),
        ...fieldsOf(reported.cameraTexts, z.string().exactOptional()),
        ...fieldsOf(reported.cameraFlags, z.boolean().exactOptional()),
        ...fieldsOf(reported.cameraCounts, z.int().exactOptional()),
      })
      .meta(reported.device),
    network: z
      .object({
        ip_address: text.meta(
          meaning('As the server saw it, never as the device says; null where no device has called.', '192.0.2.1'),
        ),
        ip_type: text.meta(
          meaning('What the device says of its address, else `IPv4` or `IPv6`; null where it is unknown.', 'IPv4'),
        ),
        ip_country: country
          .nullable()
          .meta(meaning('The address’s country; null where it is unknown, as without an address database.', 'SE')),
        ...fieldsOf(reported.networkFlags, flag),
        ...fieldsOf(reported.networkTexts, text),
      })
      .meta(reported.network),
    geolocation: z
      .object({
        latitude: z.number().nullable().meta(reported.latitude),
        longitude: z.number().nullable().meta(reported.longitude),
        source: text.meta(reported.source),
        is_mock_location: flag.meta(reported.is_mock_location),
        country_from_coords: country
          .nullable()
          .meta(meaning('The country of the coordinates; null at sea, and where they are unknown.', 'SE')),
      })
      .nullable()
      .meta(geolocationMeaning),
    ...featureMetadata,
  })
  .meta({
    id: 'Metadata',
    description: 'What the device reported and the server saw, whatever the decision.',
  }) satisfies z.ZodType<Metadata>

const whatMetadata = meaning('Every signal that the device reported, and what the server saw of the connection.')
const resultMetadata = metadata.meta(whatMetadata)

const failedMetadata = metadata
  .extend({ geolocation: metadata.shape.geolocation.exactOptional().meta(geolocationOfFailure) })
  .meta({ id: 'FailedMetadata', description: 'The same of a transaction that failed.' })
const issues = z.array(issue).meta(meaning('Every reason behind the decision, the weightiest first.'))

const result = z
  .object({
    decision: decision.meta(
      meaning('What was decided: `UNDETERMINED` where a rule could not be applied, and none rejects.', 'REJECTED'),
    ),
    issues,
    document: documentSection
      .exactOptional()
      .meta(meaning('What was found about the document; absent in a step-up, which shows none.')),
    liveness: livenessSection.meta(meaning('Whether a live person was there.')),
    face_comparison: faceComparisonSection.meta(
      meaning('Whether it is the person of the document, or the enrolled one.'),
    ),
    ...featureResult,
    metadata: resultMetadata,
  })
  .meta({
    id: 'Result',
    description: 'The result of a transaction that is `FINISHED`.',
  }) satisfies z.ZodType<ResultData>

const failedResult = z
  .object({
    decision: z
      .literal('UNDETERMINED')
      .meta(meaning('Always `UNDETERMINED`: the transaction ended before anything was decided.')),
    issues,
    metadata: failedMetadata.meta(whatMetadata),
  })
  .meta({
    id: 'FailedResult',
    description: 'The result of a transaction that is `FAILED`.',
  }) satisfies z.ZodType<FailedResultData>

const ageResult = z
  .object({
    decision: decision.meta(
      meaning(
        '`APPROVED`: over the age. `REJECTED`: an issue says why not. `UNDETERMINED`: it is not proven.',
        'APPROVED',
      ),
    ),
    issues,
    age: z
      .object({
        over: z.number().int().meta(meaning('The age that was asked.', 18)),
        is_over: z
          .boolean()
          .nullable()
          .meta(meaning('Whether the person has reached it; null where neither is proven.', true)),
        source: z
          .enum(documentSources)
          .nullable()
          .meta(meaning('What the answer rests on; null where nothing was read.', 'WALLET')),
      })
      .meta({ id: 'AgeData' })
      .meta(meaning('The age that was asked, whether it is reached, and what that rests on.')),
  })
  .meta({
    id: 'AgeResult',
    description: 'The result of an `AGE` transaction that is `FINISHED`: an age, and nothing else of the person.',
  }) satisfies z.ZodType<AgeResultData>

/** The result of an ended transaction. */
const result_data = z.union([result, ageResult, failedResult])

export const transaction = z
  .object({
    id: id.meta(meaning('Identifies the transaction in other calls.')),
    customer_id,
    status: currentStatus,
    ...stageTimes,
    result_data: result_data.nullable().meta(meaning('The result; null until the status is FINISHED or FAILED.')),
  })
  .meta({ id: 'Transaction' }) satisfies z.ZodType<TransactionView>
