import test from 'ava'
import { icaoCodes, isIcaoCode, toCountry } from '../countries.ts'
import { daysBetween, findEarliestDay, resolveBirthDate, resolveExpiryDate } from '../dates.ts'
import type { JudgedSection } from '../decision.ts'
import type { ExpectedData } from '../document_checks.ts'
import { judgeDocument } from '../document_rules.ts'
import { judgeFace } from '../face_rules.ts'
import type { DocumentFindings, FaceFindings, LivenessFindings, MrzReading } from '../findings.ts'
import { deriveFrenchValidity, toDocumentType, toTypeOfZone } from '../holder.ts'
import { createIssue } from '../issues.ts'
import { judgeLiveness } from '../liveness_rules.ts'
import { findCountryAt } from '../metadata.ts'
import { compareGivenNames, compareSurnames, foldName, jaroWinkler } from '../names.ts'
import { document, face, liveness, mrz, today } from './findings_samples.ts'

function outcomeOf(judged: JudgedSection<unknown>): string[] {
  return [judged.section.status, ...judged.issues.map(issue => issue.code)]
}

function withMrz(change: Partial<MrzReading>): DocumentFindings {
  return { ...document, mrz: { ...mrz, ...change } }
}

function withFailed(...names: readonly string[]): DocumentFindings {
  const digits = ['document_number', 'date_of_birth', 'expiry_date', 'personal_number', 'composite']
  const check_digits = digits.map(name => ({ name, passed: !names.includes(name) }))
  return withMrz({ valid: false, check_digits })
}

const documentRows: readonly [string, DocumentFindings | null, ExpectedData, string[]][] = [
  ['a good document', document, {}, ['PASSED']],
  ['no document', null, {}, ['NOT_EXECUTED', 'DOCUMENT_SIDE_MISSING']],
  [
    'an illegible one',
    { ...document, reading: 'NOT_READABLE', mrz: null },
    {},
    ['UNDETERMINED', 'DOCUMENT_NOT_READABLE'],
  ],
  ['a read one without a zone', { ...document, mrz: null }, {}, ['UNDETERMINED', 'DOCUMENT_NOT_READABLE']],
  ['an unsupported one', { ...document, reading: 'UNSUPPORTED', mrz: null }, {}, ['REJECTED', 'UNSUPPORTED_DOCUMENT']],
  ['a visa', withMrz({ document_code: 'V', format: 'MRVA' }), {}, ['REJECTED', 'UNSUPPORTED_DOCUMENT']],
  ['expired yesterday', withMrz({ expiry_date: '261120' }), {}, ['REJECTED', 'EXPIRED_DOCUMENT']],
  ['expiring today', withMrz({ expiry_date: '261121' }), {}, ['PASSED', 'DOCUMENT_EXPIRES_SOON']],
  ['expiring in 30 days', withMrz({ expiry_date: '261221' }), {}, ['PASSED', 'DOCUMENT_EXPIRES_SOON']],
  ['expiring in 31 days', withMrz({ expiry_date: '261222' }), {}, ['PASSED']],
  ['expiry that is no day', withMrz({ expiry_date: '300231' }), {}, ['UNDETERMINED', 'DOCUMENT_INCOMPLETE']],
  ['no surname', withMrz({ last_name: null }), {}, ['UNDETERMINED', 'DOCUMENT_NOT_READABLE']],
  ['a wrong check digit', withMrz({ valid: false }), {}, ['REJECTED', 'MRZ_CHECKSUM_INVALID']],
  ['a number elsewhere', withFailed('document_number'), {}, ['UNDETERMINED', 'MRZ_NOT_STANDARD']],
  ['a personal number elsewhere', withFailed('personal_number'), {}, ['UNDETERMINED', 'MRZ_NOT_STANDARD']],
  ['a forged number', withFailed('document_number', 'composite'), {}, ['REJECTED', 'MRZ_CHECKSUM_INVALID']],
  ['a forged birth', withFailed('date_of_birth'), {}, ['REJECTED', 'MRZ_CHECKSUM_INVALID']],
  ['a number and a birth', withFailed('document_number', 'date_of_birth'), {}, ['REJECTED', 'MRZ_CHECKSUM_INVALID']],
  ['a card of an unknown code', withMrz({ document_code: 'ME', format: 'TD2' }), {}, ['PASSED']],
  ['a booklet of one', withMrz({ document_code: 'ME' }), {}, ['REJECTED', 'UNSUPPORTED_DOCUMENT']],
  ['a crew certificate', withMrz({ document_code: 'AC', format: 'TD2' }), {}, ['REJECTED', 'UNSUPPORTED_DOCUMENT']],
  ['corrected characters', withMrz({ corrected_characters: 2 }), {}, ['PASSED', 'MRZ_CHARACTERS_CORRECTED']],
  [
    'corrected characters beside a wrong check digit',
    withMrz({ corrected_characters: 2, valid: false }),
    {},
    ['REJECTED', 'MRZ_CHECKSUM_INVALID', 'MRZ_CHARACTERS_CORRECTED'],
  ],
  ['sides of two documents', { ...document, sides_match: false }, {}, ['REJECTED', 'DOCUMENT_SIDES_MISMATCH']],
  ['a side missing', { ...document, missing_side: 'BACK' }, {}, ['UNDETERMINED', 'DOCUMENT_SIDE_MISSING']],
  ['no portrait', { ...document, portrait_found: false }, {}, ['UNDETERMINED', 'DOCUMENT_PORTRAIT_MISSING']],
  ['surname not read', { ...document, visual_surname: null }, {}, ['PASSED', 'SURNAME_NOT_EVALUABLE']],
  [
    'another surname printed',
    { ...document, visual_surname: { score: 0.84, threshold: 0.85 } },
    {},
    ['REJECTED', 'SURNAME_MISMATCH'],
  ],
  ['a state that is none', withMrz({ issuing_state: 'NEL' }), {}, ['UNDETERMINED', 'MRZ_NOT_STANDARD']],
  ['a nationality that is none', withMrz({ nationality: '132' }), {}, ['UNDETERMINED', 'MRZ_NOT_STANDARD']],
  ['no nationality', withMrz({ nationality: null }), {}, ['PASSED']],
  ['colour', { ...document, colour: { score: 0.2, threshold: 0.043 } }, {}, ['PASSED']],
  [
    'no colour',
    { ...document, colour: { score: 0.01, threshold: 0.043 } },
    {},
    ['UNDETERMINED', 'DOCUMENT_COPY_SUSPECTED'],
  ],
  ['glare at its limit', { ...document, glare: { score: 0.1, threshold: 0.1 } }, {}, ['PASSED']],
  ['glare', { ...document, glare: { score: 0.2, threshold: 0.1 } }, {}, ['PASSED', 'DOCUMENT_GLARE']],
  [
    'the expected person',
    document,
    { first_name: 'Erika', last_name: 'Müller', date_of_birth: '1964-08-12' },
    ['PASSED'],
  ],
  ['another first name', document, { first_name: 'Olga' }, ['REJECTED', 'NAME_MISMATCH']],
  ['another last name', document, { last_name: 'Schmidt' }, ['REJECTED', 'SURNAME_MISMATCH']],
  ['another birth date', document, { date_of_birth: '1964-08-13' }, ['REJECTED', 'DATE_OF_BIRTH_MISMATCH']],
  ['a name in Cyrillic letters', document, { last_name: 'Мюллер' }, ['PASSED']],
  ['another name in Cyrillic letters', document, { last_name: 'Ковач' }, ['REJECTED', 'SURNAME_MISMATCH']],
  ['a name in other letters', document, { last_name: '山田' }, ['UNDETERMINED', 'NAME_NOT_COMPARABLE']],
  ['given names in two scripts', document, { first_name: '恵理香 Erika' }, ['UNDETERMINED', 'NAME_NOT_COMPARABLE']],
  [
    'no birth date to compare',
    withMrz({ date_of_birth: null }),
    { date_of_birth: '1964-08-12' },
    ['UNDETERMINED', 'DOCUMENT_NOT_READABLE'],
  ],
  ['no birth date', withMrz({ date_of_birth: null }), {}, ['UNDETERMINED', 'DOCUMENT_NOT_READABLE']],
  ['a birth that is no day', withMrz({ date_of_birth: '991332' }), {}, ['UNDETERMINED', 'DOCUMENT_INCOMPLETE']],
]

/** An old French card by the year and month (YYMM) with which its number begins: its zone prints no expiry. */
function french(issued: string, date_of_birth = '640812'): DocumentFindings {
  return withMrz({
    format: 'FRENCH_ID',
    document_code: 'ID',
    document_number: `${issued}92310285`,
    expiry_date: null,
    date_of_birth,
  })
}

const frenchRows: typeof documentRows = [
  ['a French card of an adult, within fifteen years', french('1503'), {}, ['PASSED']],
  ['a French card that is fifteen years old', french('1110'), {}, ['REJECTED', 'EXPIRED_DOCUMENT']],
  ['a French card from before 2004', french('0312'), {}, ['REJECTED', 'EXPIRED_DOCUMENT']],
  [
    'a French card that ends this month, on a day not known',
    french('1111'),
    {},
    ['UNDETERMINED', 'DOCUMENT_INCOMPLETE'],
  ],
  ['a French card of a minor, within ten years', french('1703', '040812'), {}, ['PASSED']],
  ['a French card of a minor, after ten', french('1503', '040812'), {}, ['REJECTED', 'EXPIRED_DOCUMENT']],
  [
    'a French card of who came of age in the month of issue, after ten years',
    french('1508', '970812'),
    {},
    ['UNDETERMINED', 'DOCUMENT_INCOMPLETE'],
  ],
  ['a French card whose number begins with no month', french('1513'), {}, ['UNDETERMINED', 'DOCUMENT_NOT_READABLE']],
]

for (const [title, evidence, expected, result] of [...documentRows, ...frenchRows]) {
  test(`document: ${title} is ${result.join(' with ')}`, t => {
    t.deepEqual(outcomeOf(judgeDocument(evidence, expected, today)), result)
  })
}

test('a document is valid until its last day is over in UTC−12', t => {
  const noon = Date.parse('2026-11-22T12:00:00Z')
  t.deepEqual([noon - 1, noon].map(findEarliestDay), ['2026-11-21', '2026-11-22'])
  const on = (earliest: string) =>
    judgeDocument(withMrz({ expiry_date: '261121' }), {}, { today: '2026-11-22', earliest })
  t.deepEqual(on('2026-11-21').issues, [
    createIssue('DOCUMENT_EXPIRES_SOON', { evaluated_at: '2026-11-22', days_left: 0 }),
  ])
  t.deepEqual(on('2026-11-22').issues, [createIssue('EXPIRED_DOCUMENT', { evaluated_at: '2026-11-22' })])
})

test('the details of document issues are those of the spec', t => {
  const expired = judgeDocument(withMrz({ expiry_date: '200101' }), {}, today)
  t.deepEqual(expired.issues[0]?.details, { evaluated_at: today })
  const evidence = { ...document, visual_surname: { score: 0.5, threshold: 0.85 } }
  const surname = judgeDocument(evidence, { last_name: 'Nguyen' }, today).issues.filter(
    i => i.code === 'SURNAME_MISMATCH',
  )
  t.is(surname.length, 1)
  t.is(surname[0]?.details?.threshold, 0.85)
  t.true(Number(surname[0]?.details?.score) <= 0.5)
  const unread = judgeDocument(withMrz({ document_number: null, first_name: null }), { first_name: 'Erika' }, today)
  t.deepEqual(unread.issues[0]?.details, { fields: ['document_number', 'first_name'] })
  const foreign = judgeDocument(document, { first_name: '太郎', last_name: '山田' }, today)
  t.deepEqual(foreign.issues, [createIssue('NAME_NOT_COMPARABLE', { fields: ['first_name', 'last_name'] })])
})

test('a French card’s expiry is the last certain day, and a check says that it is derived', t => {
  const { data } = judgeDocument(french('1503'), {}, today).section
  t.is(data.expiry_date, '2030-02-28')
  t.is(data.checks.find(({ name }) => name === 'derived_expiry')?.status, 'PASSED')
  const passport = judgeDocument(document, {}, today).section.data
  t.is(passport.checks.find(({ name }) => name === 'derived_expiry')?.status, 'NOT_EXECUTED')
  t.deepEqual(deriveFrenchValidity('111192310285', '1964-08-12', today), {
    certainUntil: '2026-10-31',
    possibleUntil: '2026-11-29',
  })
  t.deepEqual(deriveFrenchValidity('150892310285', '1997-08-12', today), {
    certainUntil: '2025-07-31',
    possibleUntil: '2030-08-30',
  })
  t.is(deriveFrenchValidity('040292310285', '1964-08-12', today)?.possibleUntil, '2019-02-28', 'a leap day')
  t.is(deriveFrenchValidity('040192310285', '1964-08-12', today)?.certainUntil, '2018-12-31', 'the first of 15 years')
  t.is(deriveFrenchValidity('031292310285', '1964-08-12', today)?.certainUntil, '2013-11-30', 'the last of 10')
  t.is(deriveFrenchValidity('880692310285', '1964-08-12', today)?.certainUntil, '1998-05-31')
  t.is(deriveFrenchValidity('261292310285', null, today)?.certainUntil, '1936-11-30', 'no month that is to come')
})

test('a French card is open from its last certain day to its last possible one', t => {
  const on = (day: string) => outcomeOf(judgeDocument(french('1111'), {}, day))
  t.deepEqual(on('2026-10-31'), ['PASSED', 'DOCUMENT_EXPIRES_SOON'])
  t.deepEqual(on('2026-11-01'), ['UNDETERMINED', 'DOCUMENT_INCOMPLETE'])
  t.deepEqual(on('2026-11-29'), ['UNDETERMINED', 'DOCUMENT_INCOMPLETE'])
  t.deepEqual(on('2026-11-30'), ['REJECTED', 'EXPIRED_DOCUMENT'])
})

test('document data has every key, maps its countries and names its engine, even of nothing', t => {
  const { data } = judgeDocument(document, {}, today).section
  const keys = ['engine', 'source', 'document_type', 'issuing_country', 'nationality', 'document_number']
  keys.push('personal_number', 'first_name', 'last_name', 'date_of_birth', 'sex', 'issue_date', 'expiry_date')
  keys.push('mrz', 'checks')
  t.deepEqual(Object.keys(data), keys)
  t.is(data.issuing_country, 'DE')
  t.is(data.date_of_birth, '1964-08-12')
  t.is(data.expiry_date, '2030-10-31')
  t.deepEqual(data.engine, { name: 'sample', version: '1' })
  const empty = judgeDocument(null, {}, today).section.data
  t.deepEqual(Object.keys(empty), keys)
  t.true(Object.entries(empty).every(([key, value]) => value === null || key === 'checks'))
})

const passive: LivenessFindings = { ...liveness, method: 'PASSIVE', challenge: [], planarity: null, continuity: null }

const livenessRows: readonly [string, LivenessFindings | null, string[]][] = [
  ['followed', liveness, ['PASSED']],
  ['never made', null, ['NOT_EXECUTED', 'LIVENESS_NOT_EVALUABLE']],
  ['empty', { ...liveness, challenge: [] }, ['UNDETERMINED', 'LIVENESS_NOT_EVALUABLE']],
  [
    'not followed',
    { ...liveness, challenge: [{ action: 'BLINK', passed: false }] },
    ['REJECTED', 'LIVENESS_CHALLENGE_FAILED'],
  ],
  [
    'not visible',
    { ...liveness, challenge: [{ action: 'BLINK', passed: null }] },
    ['UNDETERMINED', 'LIVENESS_NOT_EVALUABLE'],
  ],
  ['flat', { ...liveness, planarity: { score: 0.04, threshold: 0.05 } }, ['REJECTED', 'FLAT_FACE_SUSPECTED']],
  [
    'of two people',
    { ...liveness, continuity: { score: 0.63, threshold: 0.62 } },
    ['REJECTED', 'FACE_CHANGED_DURING_CAPTURE'],
  ],
  [
    'of a face that moves alone',
    { ...liveness, surroundings: { score: 0.81, threshold: 0.8 } },
    ['UNDETERMINED', 'FACE_RENDERED_SUSPECTED'],
  ],
  ['whose hair moves too', { ...liveness, surroundings: { score: 0.8, threshold: 0.8 } }, ['PASSED']],
  [
    'of somebody like the selfie',
    { ...liveness, nearest: { score: 0.51, threshold: 0.5 } },
    ['UNDETERMINED', 'LIVENESS_NOT_EVALUABLE'],
  ],
  ['of the selfie’s own face', { ...liveness, nearest: { score: 0.5, threshold: 0.5 } }, ['PASSED']],
  [
    'answered by a copy of an earlier transaction’s frame',
    { ...liveness, seen_before: { score: 0.001, threshold: 0.01 } },
    ['REJECTED', 'LIVENESS_CHALLENGE_FAILED'],
  ],
  ['answered by the same person as before', { ...liveness, seen_before: { score: 0.06, threshold: 0.01 } }, ['PASSED']],
  ['whose frames are mirrored', { ...liveness, mirrored: true }, ['PASSED', 'MIRRORED']],
  ['of several sizes', { ...liveness, sizes_differ: true }, ['PASSED', 'LIVENESS_FRAMES_DIFFER_IN_SIZE']],
  ['turned but unmeasured', { ...liveness, planarity: null }, ['UNDETERMINED', 'LIVENESS_NOT_EVALUABLE']],
  [
    'measured as NaN',
    { ...liveness, continuity: { score: Number.NaN, threshold: 1 } },
    ['UNDETERMINED', 'LIVENESS_NOT_EVALUABLE'],
  ],
  ['a blink alone', { ...liveness, challenge: [{ action: 'BLINK', passed: true }], planarity: null }, ['PASSED']],
  [
    'of a vendor that says nothing',
    { ...liveness, method: 'EXTERNAL', challenge: [], planarity: null, continuity: null },
    ['UNDETERMINED', 'LIVENESS_NOT_EVALUABLE'],
  ],
  ['of a passive method that is sure', { ...passive, presence: { score: 0.9, threshold: 0.8 } }, ['PASSED']],
  [
    'of a passive method that is not',
    { ...passive, presence: { score: 0.7, threshold: 0.8 } },
    ['REJECTED', 'PRESENTATION_ATTACK_SUSPECTED'],
  ],
]

for (const [title, evidence, result] of livenessRows) {
  test(`liveness: a challenge ${title} is ${result.join(' with ')}`, t => {
    const judged = judgeLiveness(evidence, 2)
    t.deepEqual([...new Set(outcomeOf(judged))], result)
    const keys = ['attempts', 'challenge', 'checks', 'continuity', 'engine', 'method', 'planarity', 'presence']
    t.deepEqual(Object.keys(judged.section.data).sort(), keys)
    t.is(judged.section.data.attempts, 2)
  })
}

const outdated = { ...face, reference: 'ENROLLED_FACE', distance: null, reference_outdated: true } as const
const faceRows: readonly [string, FaceFindings | null, 'DOCUMENT_AND_BIOMETRIC' | 'BIOMETRIC_ONLY', string[]][] = [
  ['at 0.50', { ...face, distance: 0.5 }, 'DOCUMENT_AND_BIOMETRIC', ['PASSED']],
  ['above 0.50', { ...face, distance: 0.501 }, 'DOCUMENT_AND_BIOMETRIC', ['UNDETERMINED', 'FACE_MATCH_INCONCLUSIVE']],
  ['at 0.60', { ...face, distance: 0.6 }, 'DOCUMENT_AND_BIOMETRIC', ['UNDETERMINED', 'FACE_MATCH_INCONCLUSIVE']],
  ['above 0.60', { ...face, distance: 0.601 }, 'DOCUMENT_AND_BIOMETRIC', ['REJECTED', 'FACE_MISMATCH']],
  [
    'without a distance',
    { ...face, distance: null },
    'DOCUMENT_AND_BIOMETRIC',
    ['UNDETERMINED', 'FACE_MATCH_INCONCLUSIVE'],
  ],
  ['at NaN', { ...face, distance: Number.NaN }, 'DOCUMENT_AND_BIOMETRIC', ['UNDETERMINED', 'FACE_MATCH_INCONCLUSIVE']],
  [
    'poor, however far',
    { ...face, usable: false, distance: 0.9 },
    'DOCUMENT_AND_BIOMETRIC',
    ['UNDETERMINED', 'SELFIE_LOW_QUALITY'],
  ],
  ['not there', { ...face, faces_in_selfie: 0 }, 'DOCUMENT_AND_BIOMETRIC', ['NOT_EXECUTED', 'NO_FACE_DETECTED']],
  ['never looked at', null, 'BIOMETRIC_ONLY', ['NOT_EXECUTED', 'NO_FACE_DETECTED']],
  ['one of two', { ...face, faces_in_selfie: 2 }, 'DOCUMENT_AND_BIOMETRIC', ['REJECTED', 'MULTIPLE_FACES_DETECTED']],
  [
    'without a portrait',
    { ...face, reference: null },
    'DOCUMENT_AND_BIOMETRIC',
    ['NOT_EXECUTED', 'DOCUMENT_PORTRAIT_MISSING'],
  ],
  ['not enrolled', { ...face, reference: null }, 'BIOMETRIC_ONLY', ['NOT_EXECUTED', 'FACE_NOT_ENROLLED']],
  ['compared with the wrong thing', face, 'BIOMETRIC_ONLY', ['NOT_EXECUTED', 'FACE_NOT_ENROLLED']],
  ['enrolled by another model', outdated, 'BIOMETRIC_ONLY', ['UNDETERMINED', 'FACE_TEMPLATE_OUTDATED']],
  [
    'of the same picture',
    { ...face, same_picture: true },
    'DOCUMENT_AND_BIOMETRIC',
    ['PASSED', 'SELFIE_MATCHES_DOCUMENT_IMAGE'],
  ],
]

for (const [title, evidence, type, result] of faceRows) {
  test(`face: a face ${title} in ${type} is ${result.join(' with ')}`, t => {
    const judged = judgeFace(evidence, type)
    t.deepEqual(outcomeOf(judged), result)
    t.deepEqual(Object.keys(judged.section.data), ['engine', 'score', 'threshold', 'passes_when', 'reference'])
  })
}

test('a distance within its limit is no match where the engine itself finds the faces too little alike', t => {
  const judged = judgeFace({ ...face, similarity: { score: 0.7, threshold: 0.81 } }, 'DOCUMENT_AND_BIOMETRIC')
  t.is(judged.section.status, 'UNDETERMINED')
  t.deepEqual(judged.issues, [
    createIssue('FACE_MATCH_INCONCLUSIVE', { score: 0.7, threshold: 0.81, passes_when: 'at_least' }),
  ])
  const bare = judgeFace({ ...face, similarity: null, distance: 0.7 }, 'DOCUMENT_AND_BIOMETRIC')
  t.like(bare.results.find(({ check }) => check.name === 'comparison')?.check, {
    score: 0.7,
    threshold: 0.5,
    passes_when: 'at_most',
  })
})

test('a failed challenge and a poor selfie name what was wrong', t => {
  const challenge = [{ action: 'BLINK', passed: false, measured: { score: 0.1, threshold: 0.5 } }] as const
  const failed = judgeLiveness({ ...liveness, challenge }, 1)
  t.deepEqual(failed.issues[0]?.details, { failed: ['BLINK'] })
  const seen = judgeLiveness({ ...liveness, seen_before: { score: 0.001, threshold: 0.01 } }, 1)
  t.deepEqual(seen.issues[0]?.details, {
    reason: 'SEEN_BEFORE',
    score: 0.001,
    threshold: 0.01,
    passes_when: 'at_least',
  })
  t.like(seen.results[1]?.check, { name: 'seen_before', status: 'REJECTED', score: 0.001, threshold: 0.01 })
  const quality = [
    { name: 'face_width', reason: 'TOO_SMALL', score: 300, threshold: 80, passes_when: 'at_least', passed: true },
    {
      name: 'mouth_contrast',
      reason: 'COVERED',
      score: 0.02,
      threshold: 0.095,
      passes_when: 'at_least',
      passed: false,
    },
    { name: 'mouth_colour', reason: 'COVERED', score: 0.1, threshold: 0.027, passes_when: 'at_most', passed: false },
  ] as const
  const poor = judgeFace({ ...face, usable: false, quality }, 'DOCUMENT_AND_BIOMETRIC')
  t.deepEqual(poor.issues[0]?.details, { reasons: ['COVERED'] })
  t.like(poor.results[0]?.check, { name: 'selfie', score: 0.02, threshold: 0.095, passes_when: 'at_least' })
})

test('two-digit years take the century of the day of the evaluation', t => {
  t.is(resolveBirthDate('261121', today), '2026-11-21')
  t.is(resolveBirthDate('261122', today), '1926-11-22')
  t.is(resolveBirthDate('000229', today), '2000-02-29')
  t.is(resolveBirthDate('270229', today), null)
  t.is(resolveBirthDate('000229', '2101-01-01'), '2000-02-29', '2100 has no leap day')
  t.is(resolveBirthDate('64<<<<', today), null)
  t.is(resolveBirthDate('991231', '1999-12-31'), '1999-12-31')
  t.is(resolveExpiryDate('760101', today), '2076-01-01')
  t.is(resolveExpiryDate('770101', today), '1977-01-01')
  t.is(resolveExpiryDate('010101', '1999-06-01'), '2001-01-01')
  t.is(daysBetween('2026-11-21', '2027-11-21'), 365)
})

test('names written in the ways of documents are one name, and other names are not', t => {
  for (const name of ['Müller', 'MUELLER', 'Muller', 'MUXXLLER']) t.is(foldName(name), 'MULLER', name)
  t.is(compareSurnames('Weiß', 'WEISS'), 1)
  t.is(compareSurnames('Sørensen', 'SOERENSEN'), 1)
  t.is(compareSurnames("O'Connor-Łuk", 'OCONNOR LUK'), 1)
  t.is(compareSurnames('Åberg', 'AABERG'), 1)
  t.is(compareGivenNames('Maria', 'ERIKA MARIA'), 1)
  t.true((compareSurnames('Smith', 'JONES') ?? 1) < 0.85)
  t.is(compareSurnames('李', 'LI'), null)
  t.is(jaroWinkler('MARTHA', 'MARHTA').toFixed(3), '0.961')
  t.is(jaroWinkler('DWAYNE', 'DUANE').toFixed(3), '0.840')
  t.is(jaroWinkler('DIXON', 'DICKSONX').toFixed(3), '0.813')
})

test('Cyrillic names are compared as ICAO 9303-3 section 6 transliterates them, by the language that fits', t => {
  const same = {
    Ковач: 'KOVACH',
    Хрущёв: 'KHRUSHCHEV',
    Щукина: 'SHCHUKINA',
    Юлия: 'IULIIA',
    Подъячев: 'PODIEIACHEV',
    Гриценко: 'HRYTSENKO',
    Живковић: 'ZIVKOVIC',
    Ђорђевић: 'DORDEVIC',
    'Хаџи-Васиљев': 'HADZI VASILJEV',
    Щерев: 'SHTEREV',
    Пятрусь: 'PIATRUS',
  }
  for (const [name, read] of Object.entries(same)) t.is(compareSurnames(name, read), 1, name)
  t.true((compareSurnames('Ковач', 'KOVAC') ?? 0) >= 0.85)
  t.true((compareSurnames('Иванов', 'PETROV') ?? 1) < 0.85)
  t.is(compareGivenNames('Мария', 'ANNA MARIIA'), 1)
  t.is(compareGivenNames('Oʻtkir', 'OTKIR'), 1, 'a modifier letter is of no script')
  for (const name of ['محمد', 'Παπαδόπουλος', '山田', '山田 Taro', '김'])
    t.is(compareSurnames(name, 'YAMADA'), null, name)
})

test('every code of ICAO 9303-3 section 5 and the withdrawn ones are known, as the country that they mean today', t => {
  const iso = ['AFG', 'CIV', 'HKG', 'PSE', 'SSD', 'TWN', 'ZWE']
  const icao = 'D GBD GBN GBO GBP GBS UNO UNA UNK XBA XIM XCC XCE XCO XEC EUE XPO XES XMP XOM XDC XXA XXB XXC XXX'
  const withdrawn = ['ANT', 'NTZ', 'YUG', 'SCG', 'CSK', 'DDR', 'SUN', 'BUR', 'ZAR', 'TMP', 'ROM', 'YMD', 'RHO', 'FXX']
  for (const code of [...iso, ...icao.split(' '), ...withdrawn, 'RKS', 'XXK']) t.true(isIcaoCode(code), code)
  const countries = {
    XXK: 'XK',
    ANT: null,
    NTZ: null,
    YUG: null,
    DDR: 'DE',
    ROM: 'RO',
    TMP: 'TL',
    ZAR: 'CD',
    BUR: 'MM',
  }
  for (const [code, country] of Object.entries(countries)) t.is(toCountry(code), country, code)
  t.is(new Set(icaoCodes).size, icaoCodes.length)
  t.false(isIcaoCode('QZX'))
})

test('ICAO codes and coordinates become alpha-2 countries, or nothing', t => {
  const codes = ['D', 'D<<', 'GBD', 'GBN', 'FRA', 'RKS', 'UNK', 'UTO', 'XXA', 'EUE', 'QQQ', '', 'toString', null]
  const countries = ['DE', 'DE', 'GB', 'GB', 'FR', 'XK', 'XK', null, null, null, null, null, null, null]
  t.deepEqual(codes.map(toCountry), countries)
  t.is(findCountryAt(18.4, -66.1), 'PR')
  t.is(findCountryAt(35.89, -5.32), 'ES', 'Ceuta')
  t.is(findCountryAt(42.66, 21.16), 'XK')
  t.is(findCountryAt(0, 0), null)
  t.is(findCountryAt(Number.NaN, 1), null)
  t.deepEqual(['P', 'PM', 'ID', 'I<', 'AR', 'IR', 'D1', 'V', 'AC', ''].map(toDocumentType), [
    'PASSPORT',
    'PASSPORT',
    'ID_CARD',
    'ID_CARD',
    'RESIDENCE_PERMIT',
    'RESIDENCE_PERMIT',
    'DRIVING_LICENSE',
    null,
    null,
    null,
  ])
  const typeOf = (document_code: string, format: MrzReading['format'] = 'TD1') =>
    toTypeOfZone({ document_code, format })
  t.deepEqual(
    ['TR', 'ME', 'X', 'IR', 'V', 'AC'].map(code => typeOf(code)),
    ['RESIDENCE_PERMIT', 'ID_CARD', 'ID_CARD', 'RESIDENCE_PERMIT', null, null],
  )
  t.deepEqual([typeOf('TR', 'TD2'), typeOf('TR', 'TD3'), typeOf('V', 'MRVB')], ['RESIDENCE_PERMIT', null, null])
})
