import test from 'ava'
import { completePolicy } from '../device_policy.ts'
import { identifyDocument } from '../document_identity.ts'
import { applyFraudPolicy, type Duplicates, defaultFraudPolicy, type FraudPolicy } from '../fraud_policy.ts'
import { judge } from '../judge.ts'
import { computeSearchLimit } from '../search_limit.ts'
import { document, input, mrz } from './findings_samples.ts'

const nobody = { customers: 0, transaction_ids: [] }
const somebody = { customers: 1, transaction_ids: ['one', 'two'] }
const none: Duplicates = {
  document: { ...nobody, transactions_24_hours: 1, transactions_30_days: 3 },
  images: nobody,
  face: { ...nobody, faces_searched: 9, limit: 0.3, nearest: 0.7 },
}

function found(
  duplicates: Duplicates,
  policy: Partial<FraudPolicy> = {},
  type: 'DOCUMENT_AND_BIOMETRIC' | 'BIOMETRIC_ONLY' = 'DOCUMENT_AND_BIOMETRIC',
): readonly string[] {
  return applyFraudPolicy(duplicates, type, completePolicy<FraudPolicy>(defaultFraudPolicy, policy)).flatMap(
    ({ issues }) => issues.map(issue => `${issue.type} ${issue.code}`),
  )
}

const cases: readonly (readonly [keyof FraudPolicy, string, Partial<Duplicates>, Partial<Duplicates>])[] = [
  [
    'on_document_of_another_customer',
    'DOCUMENT_OF_ANOTHER_CUSTOMER',
    { document: { ...somebody, transactions_24_hours: 1, transactions_30_days: 3 } },
    { document: null },
  ],
  ['on_image_of_another_transaction', 'IMAGE_OF_ANOTHER_TRANSACTION', { images: somebody }, { images: null }],
  [
    'on_face_of_another_customer',
    'FACE_OF_ANOTHER_CUSTOMER',
    { face: { ...somebody, faces_searched: 9, limit: 0.3, nearest: 0.1 } },
    { face: null },
  ],
]

for (const [member, code, shared, missing] of cases)
  test(`${code} is of the type that ${member} chooses, and without an input a warning says so`, t => {
    const given = { ...none, ...shared }
    t.deepEqual(found(given, { [member]: 'REJECT' }), [`REJECT ${code}`])
    t.deepEqual(found(given, { [member]: 'WARN' }), [`WARN ${code}`])
    t.deepEqual(found(given, { [member]: 'IGNORE' }), [])
    t.deepEqual(
      found({ ...none, ...missing }, { [member]: 'REJECT' }),
      [`WARN ${code}_NOT_EVALUABLE`],
      'what is not known rejects nobody',
    )
    t.deepEqual(found({ ...none, ...missing }, { [member]: 'IGNORE' }), [])
    t.is(
      judge({ ...input, duplicates: given, fraud_policy: { ...defaultFraudPolicy, [member]: 'REJECT' } }).decision,
      'REJECTED',
    )
    t.is(
      judge({ ...input, duplicates: given, fraud_policy: { ...defaultFraudPolicy, [member]: 'WARN' } }).decision,
      'APPROVED',
    )
  })

const asked: FraudPolicy = {
  on_document_of_another_customer: 'WARN',
  on_image_of_another_transaction: 'WARN',
  on_face_of_another_customer: 'WARN',
}

test('Nothing is looked for, and no result names it, until an integrator asks', t => {
  t.deepEqual(found({ document: null, images: somebody, face: null }), [])
  t.false('duplicates' in judge(input).result_data)
  t.deepEqual(judge({ ...input, fraud_policy: asked }).result_data.duplicates, input.duplicates)
  const found_all = {
    document: null,
    images: somebody,
    face: { ...somebody, faces_searched: 9, limit: 0.3, nearest: 0.1 },
  }
  const partly = { ...asked, on_face_of_another_customer: 'IGNORE' } as const
  t.deepEqual(judge({ ...input, duplicates: found_all, fraud_policy: partly }).result_data.duplicates, {
    ...found_all,
    face: null,
  })
})

test('Unshared data raises nothing, and shared data is named with its counts', t => {
  t.deepEqual(found(none, asked), [])
  const [result] = applyFraudPolicy({ ...none, images: somebody }, 'BIOMETRIC_ONLY', asked)
  t.deepEqual(result?.issues[0]?.details, somebody)
  t.like(result?.check, { score: 1, threshold: 0, passes_when: 'at_most' })
})

test('A step-up shows no document, so that none is missing', t => {
  t.deepEqual(found({ ...none, document: null }, asked, 'BIOMETRIC_ONLY'), [])
})

test('A document is the same however its number is written, and only if nothing in it may be misread', t => {
  const identity = identifyDocument({ ...document, mrz: { ...mrz, document_number: 'c01x00t47<' } })
  t.deepEqual(identity, ['D', 'PASSPORT', 'C01X00T47'])
  t.deepEqual(identifyDocument(document), identity)
  t.notDeepEqual(identifyDocument({ ...document, mrz: { ...mrz, issuing_state: 'FRA' } }), identity)
  t.notDeepEqual(identifyDocument({ ...document, mrz: { ...mrz, document_code: 'ID' } }), identity)
  for (const change of [{ valid: false }, { document_number: null }, { issuing_state: null }, { document_code: 'V' }])
    t.is(identifyDocument({ ...document, mrz: { ...mrz, ...change } }), null, JSON.stringify(change))
  t.is(identifyDocument({ ...document, reading: 'NOT_READABLE' }), null)
  t.is(identifyDocument(null), null)
  const barcode = {
    format: 'AAMVA',
    version: 10,
    document_type: 'DRIVING_LICENSE',
    issuing_country: 'USA',
    jurisdiction: 'VA',
    document_number: 'T64235789',
    last_name: 'SAMPLE',
    first_name: 'MICHAEL',
    date_of_birth: '1986-06-06',
    issue_date: '2024-06-06',
    expiry_date: '2032-12-10',
    sex: 'M',
    truncated: [],
  } as const
  t.deepEqual(identifyDocument({ ...document, mrz: null, barcode }), ['USA/VA', 'DRIVING_LICENSE', 'T64235789'])
  t.is(identifyDocument({ ...document, mrz: null, barcode: { ...barcode, jurisdiction: null } }), null)
})

test('The limit of a search falls with the faces, so that a thousandth of the searches finds a stranger', t => {
  const strangers = { mean: 1, deviation: 0.165 }
  // The shares of a standard normal distribution above 3.0902, 3.7190 and 5.6120 are 1e-3, 1e-4 and 1e-8.
  for (const [faces, quantile] of [
    [1, 3.0902],
    [10, 3.719],
    [100_000, 5.612],
  ] as const)
    t.true(Math.abs(computeSearchLimit(strangers, faces) - (1 - 0.165 * quantile)) < 0.0003, String(faces))
  t.is(computeSearchLimit(strangers, 0), computeSearchLimit(strangers, 1))
})
