import type { AnalysisRequest } from '@attestor/vision'
import test from 'ava'
import { createScene, scriptedCodes } from '../../../src/verification/transactions/scenes.ts'
import { feedbackCatalogue, judgeDocumentCapture, judgeFrameCapture, judgeSelfieCapture } from '../capture_feedback.ts'
import { adviseAtEnd } from '../end_advice.ts'
import type { QualityCheck, SelfieFault } from '../findings.ts'
import { type IssueCode, type IssueType, issueCatalogue } from '../issues.ts'
import { document, face, liveness, mrz, today } from './findings_samples.ts'

const passport = { awaitsBack: false, declared: null, today }
const front = { awaitsBack: true, declared: 'ID_CARD', today } as const

test('the feedback on a document says whether it was read and its portrait found', t => {
  t.deepEqual(judgeDocumentCapture(document, passport).warnings, [])
  const unread = { ...document, reading: 'NOT_READABLE', mrz: null, portrait_found: false } as const
  t.deepEqual(judgeDocumentCapture(unread, passport).warnings, ['DOCUMENT_NOT_READABLE'])
  t.deepEqual(judgeDocumentCapture({ ...document, reading: 'UNSUPPORTED' }, passport).warnings, [
    'UNSUPPORTED_DOCUMENT',
  ])
  const expired = { ...document, mrz: { ...mrz, expiry_date: '200101' } }
  t.deepEqual(judgeDocumentCapture(expired, passport).warnings, ['EXPIRED_DOCUMENT'])
  t.deepEqual(judgeDocumentCapture({ ...document, portrait_found: false }, passport).warnings, [
    'DOCUMENT_PORTRAIT_MISSING',
  ])
  const nameless = { ...document, mrz: { ...mrz, last_name: null } }
  t.deepEqual(judgeDocumentCapture(nameless, passport).warnings, ['DOCUMENT_NOT_READABLE'])
  const back = { ...document, missing_side: 'FRONT', portrait_found: false } as const
  t.deepEqual(judgeDocumentCapture(back, passport).warnings, ['DOCUMENT_SIDE_MISSING'])
})

test('a document that was not read is named where its print says what it is', t => {
  const unread = { ...document, reading: 'NOT_READABLE', mrz: null } as const
  const named = { warnings: ['UNSUPPORTED_DOCUMENT'], reasons: ['HEALTH_CARD'] } as const
  for (const awaited of [passport, front])
    t.deepEqual(judgeDocumentCapture({ ...unread, unaccepted_kind: 'HEALTH_CARD' }, awaited), named)
  t.deepEqual(judgeDocumentCapture({ ...document, unaccepted_kind: 'CHEQUE' }, passport).warnings, [], 'it was read')
  const licence = { ...unread, missing_side: 'BACK' } as const
  t.deepEqual(judgeDocumentCapture(licence, passport).warnings, ['DOCUMENT_SIDE_MISSING'])
  t.deepEqual(judgeDocumentCapture(licence, front).warnings, [], 'its back is asked for anyway')
})

test('a card’s front only needs the portrait, and a side that may be its back needs nothing', t => {
  const unread = { ...document, reading: 'NOT_READABLE', mrz: null } as const
  t.deepEqual(judgeDocumentCapture(unread, front).warnings, [])
  t.deepEqual(judgeDocumentCapture({ ...unread, portrait_found: false }, front).warnings, ['DOCUMENT_PORTRAIT_MISSING'])
  const card = { ...document, mrz: { ...mrz, format: 'TD1', document_code: 'ID' }, portrait_found: false } as const
  t.deepEqual(judgeDocumentCapture(card, front).warnings, [], 'a zone on the front')
  const back = { ...card, missing_side: 'FRONT' } as const
  t.deepEqual(judgeDocumentCapture(back, front).warnings, ['DOCUMENT_PORTRAIT_MISSING'], 'the back came first')
  const print = {
    layout: 'id',
    document_type: 'ID_CARD',
    issuing_country: 'UT',
    not_printed: [],
    confirmed: [],
  } as const
  const unprinted = { last_name: null, first_name: null, date_of_birth: null, issue_date: null, expiry_date: null }
  const apart = {
    ...document,
    mrz: null,
    print: { ...print, ...unprinted, document_number: 'A1' },
    missing_side: 'BACK',
  } as const
  t.deepEqual(judgeDocumentCapture(apart, front).warnings, [], 'the rest is on the back')
  t.deepEqual(judgeDocumentCapture(apart, passport).warnings, ['DOCUMENT_SIDE_MISSING'])
  t.deepEqual(judgeDocumentCapture({ ...apart, missing_side: null }, passport).warnings, ['DOCUMENT_NOT_READABLE'])
})

test('a passport in place of a card that was chosen is named, as either side of it', t => {
  const named = { warnings: ['UNSUPPORTED_DOCUMENT'], reasons: ['PASSPORT'] } as const
  for (const declared of ['ID_CARD', 'DRIVING_LICENSE', 'RESIDENCE_PERMIT'] as const)
    for (const awaitsBack of [true, false])
      t.deepEqual(judgeDocumentCapture(document, { awaitsBack, declared, today }), named, declared)
  const kinds = [
    { format: 'TD1', document_code: 'ID' },
    { format: 'TD2', document_code: 'P' },
    { format: 'TD3', document_code: 'XX' },
  ] as const
  for (const kind of kinds)
    t.deepEqual(judgeDocumentCapture({ ...document, mrz: { ...mrz, ...kind } }, front).reasons, [], kind.format)
  for (const declared of ['PASSPORT', null] as const)
    t.deepEqual(judgeDocumentCapture(document, { ...passport, declared }), { warnings: [], reasons: [] })
})

test('a card whose title was read is named in place of a passport, and no passport that names a card', t => {
  const chosen = { ...passport, declared: 'PASSPORT' } as const
  const shown = (...printed_lines: readonly string[]) =>
    judgeDocumentCapture({ ...document, reading: 'NOT_READABLE', mrz: null, printed_lines }, chosen)
  const card = { warnings: ['DOCUMENT_SIDE_MISSING'], reasons: ['CARD'] } as const
  const unknown = { warnings: ['DOCUMENT_NOT_READABLE'], reasons: [] } as const
  for (const title of ['IDENTITY CARD', 'CARTE D’IDENTITE', 'PERSONALAUSWEIS', 'DRIVER LICENSE', 'TITRE DE SÉJOUR'])
    t.deepEqual(shown('UTOPIA', title), card, title)
  t.deepEqual(shown('PASSPORT', 'Identity card No. 123'), unknown)
  t.deepEqual(shown('UTOPIA', 'ERIKSSON', 'ANNA MARIA'), unknown)
  const read = { ...document, printed_lines: ['IDENTITY CARD'] }
  t.deepEqual(judgeDocumentCapture(read, chosen), { warnings: [], reasons: [] }, 'it was read')
})

function fault(reason: SelfieFault): QualityCheck {
  return {
    name: reason.toLowerCase(),
    reason,
    score: 0,
    threshold: 1,
    passes_when: 'at_least',
    passed: false,
  }
}

test('the feedback on a selfie says whether it can be compared, and why not', t => {
  t.deepEqual(judgeSelfieCapture(face), { warnings: [], reasons: [] })
  t.deepEqual(judgeSelfieCapture({ ...face, faces_in_selfie: 0 }).warnings, ['NO_FACE_DETECTED'])
  t.deepEqual(judgeSelfieCapture({ ...face, faces_in_selfie: 2 }).warnings, ['MULTIPLE_FACES_DETECTED'])
  const quality = [fault('EYES_CLOSED'), fault('BLURRED'), fault('BLURRED')]
  t.deepEqual(judgeSelfieCapture({ ...face, usable: false, quality }), {
    warnings: ['SELFIE_LOW_QUALITY'],
    reasons: ['EYES_CLOSED', 'BLURRED'],
  })
})

test('a selfie of a document is named by that alone, even where its second picture counts as a person', t => {
  const quality = [fault('DOCUMENT'), fault('TOO_SMALL')]
  for (const faces_in_selfie of [1, 2])
    t.deepEqual(judgeSelfieCapture({ ...face, faces_in_selfie, usable: false, quality }), {
      warnings: ['SELFIE_LOW_QUALITY'],
      reasons: ['DOCUMENT'],
    })
})

test('the feedback on a frame says whether it shows its action; without a selfie, only what needs none', t => {
  const answered = (...passed: (boolean | null)[]) => ({
    ...liveness,
    challenge: passed.map(one => ({ action: 'BLINK', passed: one }) as const),
  })
  const warningsOf = (n: number, hasSelfie: boolean) =>
    judgeFrameCapture(answered(true, false, null), { n, hasSelfie }).warnings
  t.deepEqual(
    [warningsOf(0, true), warningsOf(1, true), warningsOf(2, true)],
    [[], ['LIVENESS_CHALLENGE_FAILED'], ['LIVENESS_NOT_EVALUABLE']],
  )
  t.deepEqual([warningsOf(1, false), warningsOf(2, false)], [['LIVENESS_CHALLENGE_FAILED'], []])
  t.deepEqual(judgeFrameCapture({ ...liveness, challenge: [] }, { n: 0, hasSelfie: true }).warnings, [])
})

/** Issues that a forger would learn from. */
const secrets: readonly string[] = [
  'FACE_MISMATCH',
  'FACE_MATCH_INCONCLUSIVE',
  'SELFIE_MATCHES_DOCUMENT_IMAGE',
  'FACE_NOT_ENROLLED',
  'FLAT_FACE_SUSPECTED',
  'FACE_CHANGED_DURING_CAPTURE',
  'PRESENTATION_ATTACK_SUSPECTED',
  'DOCUMENT_COPY_SUSPECTED',
  'SURNAME_MISMATCH',
  'NAME_MISMATCH',
  'DATE_OF_BIRTH_MISMATCH',
  'DOCUMENT_SIDES_MISMATCH',
  'MRZ_CHECKSUM_INVALID',
]

test('an upload reveals nothing about identity, likeness or forgery, for every result', t => {
  const request: AnalysisRequest = {
    transaction_id: 't',
    transaction_type: 'DOCUMENT_AND_BIOMETRIC',
    document_front: null,
    document_back: null,
    selfie: null,
    challenge: null,
    enrolled_face: null,
  }
  t.true(secrets.every(code => !(code in feedbackCatalogue)))
  for (const code of scriptedCodes) {
    const { findings } = createScene([code], { request, expected_data: null, today })
    const warnings = [
      ...(findings.document ? judgeDocumentCapture(findings.document, passport).warnings : []),
      ...(findings.face ? judgeSelfieCapture(findings.face).warnings : []),
      ...(findings.liveness?.challenge ?? []).flatMap((_, n) =>
        findings.liveness ? judgeFrameCapture(findings.liveness, { n, hasSelfie: true }).warnings : [],
      ),
    ]
    // An upload does not know the expected data: to it, a document of an unknown kind was not read.
    const said = code === 'DOCUMENT_KIND_UNKNOWN' ? 'DOCUMENT_NOT_READABLE' : code
    t.deepEqual(warnings, said in feedbackCatalogue ? warnings.filter(one => one === said) : [], code)
  }
})

test('the end advises on issues that the person can do something about, unless another reason rejects or a person decided', t => {
  const issue = (code: IssueCode, type: IssueType = issueCatalogue[code].types[0]) => ({ type, code, message: '' })
  const expired = issue('EXPIRED_DOCUMENT')
  const unread = issue('DOCUMENT_NOT_READABLE')
  t.deepEqual(adviseAtEnd('REJECTED', [expired, unread]), ['EXPIRED_DOCUMENT', 'DOCUMENT_NOT_READABLE'])
  t.deepEqual(adviseAtEnd('UNDETERMINED', [unread, issue('DOCUMENT_COPY_SUSPECTED')]), ['DOCUMENT_NOT_READABLE'])
  t.deepEqual(adviseAtEnd('UNDETERMINED', [issue('MIRRORED')]), [], 'it decides nothing')
  for (const code of Object.keys(issueCatalogue) as IssueCode[])
    if (!Object.hasOwn(feedbackCatalogue, code))
      t.deepEqual(adviseAtEnd('REJECTED', [expired, issue(code, 'REJECT')]), [])
  t.deepEqual(adviseAtEnd('REJECTED', [unread, issue('REVIEWED_BY_PERSON')]), [])
  t.deepEqual(adviseAtEnd('APPROVED', [unread]), [])
})
