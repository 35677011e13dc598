import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { MrzFormat } from '@attestor/rules'
import test from 'ava'
import { parse } from 'mrz'
import { ruleOfThree, wilson, written } from '../../../../src/cli/intervals.ts'
import { casesOf, interleaved, type Outcome } from '../../bench/truth/cases.ts'
import { conditions, takingOf } from '../../bench/truth/conditions.ts'
import { printDocument } from '../../bench/truth/documents.ts'
import { allPairs, selfieOutcome } from '../../bench/truth/face_case.ts'
import { measureFolder } from '../../bench/truth/folder.ts'
import { headOf, selfieOf } from '../../bench/truth/heads.ts'
import { readLabels } from '../../bench/truth/labels.ts'
import { measureLiveness } from '../../bench/truth/liveness_case.ts'
import { readOptions } from '../../bench/truth/options.ts'
import { inventHolder } from '../../bench/truth/people.ts'
import { photographSide } from '../../bench/truth/photo.ts'
import { report, summary } from '../../bench/truth/report.ts'
import { measureBlinks } from '../../bench/truth/selfie_case.ts'
import { wrongFields } from '../../bench/truth/truth.ts'
import { composeZone, zoneName } from '../../bench/truth/zone_lines.ts'

const seed = 7_000_000

const formats: readonly MrzFormat[] = ['TD1', 'TD2', 'TD3', 'MRVA', 'MRVB', 'FRENCH_ID']

test('zones have right check digits by another program’s reckoning, and lines of their format’s length', t => {
  for (const format of formats) {
    for (let n = 0; n < 8; n++) {
      const { zone } = printDocument({ seed: seed + n, format, portrait: null })
      const { valid, details } = parse([...zone.lines])
      // That program takes a visa for a card or a passport, which have more check digits than a visa (ICAO 9303 part
      // 7).
      const absent = format.startsWith('MRV') ? /^(personalNumber|composite)/ : /^$/
      const digits = details.filter(({ field }) => /digit/i.test(field ?? '') && !absent.test(field ?? ''))
      const wrong = digits.filter(detail => !detail.valid)
      t.true(digits.length >= 2)
      t.deepEqual(wrong, [], `${valid} ${zone.lines.join('\n')}`)
      const wide = { TD1: 30, TD2: 36, TD3: 44, MRVA: 44, MRVB: 36, FRENCH_ID: 36 }[format]
      for (const line of zone.lines) t.regex(line, new RegExp(`^[A-Z0-9<]{${wide}}$`))
    }
  }
})

test('the specimen of ICAO 9303 part 4 comes out as printed there', t => {
  const holder = {
    ...inventHolder(seed),
    last_name: 'Eriksson',
    first_name: 'Anna Maria',
    date_of_birth: '1974-08-12',
    sex: 'F' as const,
    issuing_state: { code: 'UTO', alpha2: null },
    nationality: { code: 'UTO', alpha2: null },
    document_number: 'L898902C3',
    personal_number: 'ZE184226B',
    expiry_date: '2012-04-15',
  }
  t.deepEqual(composeZone('TD3', holder, 'P').lines, [
    'P<UTOERIKSSON<<ANNA<MARIA<<<<<<<<<<<<<<<<<<<',
    'L898902C36UTO7408122F1204159ZE184226B<<<<<10',
  ])
  t.is(zoneName('Þórðar-Weiß Ñúñez O’Brien'), 'THORDAR<WEISS<NUNEZ<OBRIEN')
})

test('a document’s truth agrees with itself, and another’s does not', t => {
  const { truth } = printDocument({ seed, format: 'TD3', portrait: null })
  const none = Object.fromEntries(
    ['document_type', 'issuing_country', 'nationality', 'personal_number', 'first_name', 'sex', 'expiry_date'].map(
      field => [field, null],
    ),
  )
  const read = { ...none, ...truth } as Parameters<typeof wrongFields>[1]
  t.deepEqual(wrongFields(truth, read), [])
  t.deepEqual(wrongFields(truth, { ...read, document_number: '1', date_of_birth: null }), [
    'document_number',
    'date_of_birth',
  ])
})

test('the same seed gives the same bytes, another seed others', async t => {
  const side = printDocument({ seed, format: 'TD1', portrait: null }).front
  const [one, again, other] = await Promise.all(
    [seed, seed, seed + 1].map(async shot => (await photographSide(side, takingOf('tiny', shot), shot)).photo),
  )
  t.deepEqual(one, again)
  t.notDeepEqual(one, other)
})

test('each condition is what it is by its parameters', t => {
  const all = conditions.map(condition => [condition, takingOf(condition, seed)] as const)
  for (const [condition, how] of all) {
    t.is(how.busy || condition !== 'busy', true)
    t.is(how.defocus >= 0.12 && how.defocus <= 0.2, condition === 'blurred', condition)
    t.is(Math.abs(how.roll) > 169, condition === 'upside_down', condition)
    t.is(how.pitch < 13 && how.pitch > 9, condition === 'tiny', condition)
  }
  const unusable = Array.from({ length: 60 }, (_, n) => takingOf('unusable', seed + n))
  for (const how of unusable)
    t.true(
      how.pitch < 6 || how.defocus >= 0.5 || how.motion >= 0.9 || how.glare > 1 || how.cut > 0.07 || how.noise >= 60,
    )
})

test('intervals are Wilson’s, and no hit is not taken for never', t => {
  // 81 of 263: Newcombe, Statistics in Medicine 17 (1998), table I.
  const { low, high } = wilson(81, 263)
  t.is(low.toFixed(4), '0.2553')
  t.is(high.toFixed(4), '0.3662')
  t.is(wilson(0, 20).low, 0)
  t.is(wilson(0, 20).high.toFixed(4), '0.1611')
  t.is(ruleOfThree(5000), 0.0006)
  t.is(written(0, 5000), '0/5000 (< 0.06 %)')
  t.is(written(0, 0), '–')
})

test('kinds go on evenly, and the same seed gives the same cases', t => {
  const plan = { seed, cases: 40, chosen: conditions }
  const lists = [casesOf('mrz', plan), casesOf('document', plan)]
  const all = interleaved(lists)
  t.is(all.length, 48)
  t.is(all.slice(0, 24).filter(({ kind }) => kind === 'document').length, 4)
  t.deepEqual(interleaved([casesOf('mrz', plan), casesOf('document', plan)]), all)
  t.is(new Set(all.map(one => one.seed)).size, 48)
})

test('the report counts what was tried, by condition and format, the unusable apart', t => {
  const plan = { seed, cases: 4, chosen: ['clean', 'unusable'] as const }
  const outcomes = casesOf('mrz', plan).map(
    (one, n): Outcome => ({
      ...one,
      checks: { exact: n !== 1, refused: n === 1, wrong_but_accepted: false, wrong_and_silent: null },
      cpu_ms: { zone: 100 + n },
      detail: {},
    }),
  )
  const lines = report(outcomes).split('\n')
  t.true(lines[0]?.startsWith('| Machine-readable zone | zone exact'))
  t.true(lines.some(line => line.startsWith('| clean | 2/2 = 100 % (34.2–100) | 0/2')))
  t.true(lines.some(line => line.startsWith('| unusable | 1/2 = 50.0 %')))
  t.true(lines.at(-1)?.startsWith('| **all usable** | 2/2'))
  t.true(lines.at(-1)?.includes('| – |'))
  t.regex(summary(outcomes), /^\| Machine-readable zone: zone exact \| – \| 2\/2 .* \| 1\/2/m)
})

test('a person’s selfies are apart from another’s, and every two are compared', async t => {
  const shots = [0, 0, 1].map((head, n) => selfieOf(headOf(head), {}, { condition: 'clean', seed: seed + n }))
  const faces = await Promise.all(
    shots.map(async (shot, n): Promise<Outcome> => {
      const seen = await selfieOutcome(await shot, n < 2 ? 'anna' : 'ben')
      return { kind: 'face', seed: seed + n, condition: 'clean', format: 'any', ...seen }
    }),
  )
  const pairs = allPairs(faces)
  t.deepEqual(
    pairs.map(({ checks }) => [checks.same_not_passed, checks.other_passed]),
    [
      [false, null],
      [null, false],
      [null, false],
    ],
  )
})

test('a folder of one’s own labelled photos gives the same tables', async t => {
  const folder = mkdtempSync(join(tmpdir(), 'labelled-'))
  try {
    const { front, truth, zone } = printDocument({ seed, format: 'TD3', portrait: null })
    writeFileSync(join(folder, 'a.jpg'), (await photographSide(front, takingOf('clean', seed), seed)).photo)
    const fields = { ...truth, document_number: 'OTHER' }
    const documents = [
      { front: 'a.jpg', condition: 'desk', format: 'TD3', fields: truth, mrz: zone.lines },
      { front: 'a.jpg', fields },
    ]
    writeFileSync(join(folder, 'labels.json'), JSON.stringify({ documents }))
    const [right, wrong] = await measureFolder(folder)
    t.like(right?.checks, { exact: true, wrong_and_taken: false, wrong_but_accepted: false, portrait_found: false })
    t.like(right?.detail, { front: 'a.jpg', path: undefined })
    t.like(wrong?.detail, { wrong: { document_number: zone.lines[1]?.slice(0, 9).replace(/<+$/, '') } })
    t.regex(report([right, wrong].filter(one => one !== undefined)), /^\| desk \| 1\/1/m)
    writeFileSync(join(folder, 'labels.json'), JSON.stringify({ documents: [{ front: 'b.jpg' }] }))
    t.throws(() => readLabels(folder), { message: 'labels.json: b.jpg is not there' })
    writeFileSync(join(folder, 'labels.json'), JSON.stringify({ documents: [{ back: 'a.jpg' }] }))
    t.throws(() => readLabels(folder), { message: /^labels\.json: documents\.0\.front: / })
  } finally {
    rmSync(folder, { recursive: true })
  }
})

test('a picture whose eyes are labelled is counted as not measured where the person has no neutral one', async t => {
  const [lone] = await measureBlinks('no folder', [
    { file: 'a.jpg', person: 'anna', condition: 'own', compare: true, eyes: 'shut' },
    { file: 'b.jpg', person: 'ben', condition: 'own', compare: true, eyes: 'neutral' },
  ])
  t.like(lone, { checks: { blinked: null, other_blinked: null, neutral_missing: true }, detail: { path: 'a.jpg' } })
  t.regex(report([lone].filter(one => one !== undefined)), /^\| own \| – \| – \| 1\/1/m)
})

test('an option that cannot be meant is named, and what is left out has its default', t => {
  t.like(readOptions(['--cases', '7', '--only', 'mrz']), { cases: 7, wanted: ['mrz'], minutes: 10, write: false })
  const misspelt = [
    ['--cases', 'many'],
    ['--cases', '0'],
    ['--cases', '1.5'],
    ['--seed', ''],
    ['--processes', '0'],
    ['--minutes', 'NaN'],
    ['--only', 'faces'],
    ['--conditions', 'foggy'],
  ] as const
  for (const [option, value] of misspelt)
    t.throws(() => readOptions([option, value]), { message: new RegExp(`^${option}: `) }, `${option} ${value}`)
  t.throws(() => readOptions(['--sead', '1']), { message: /--sead/ })
})

test('a flat photo that is turned and bent before the camera shows a face and passes no challenge', async t => {
  const one = { kind: 'liveness', seed, condition: 'clean', format: 'TD3' } as const
  const { checks } = await measureLiveness(one)
  t.like(checks, { genuine: true, flat_photo: false, wrong_person: false, swapped: false, replayed: false })
  for (const [check, passed] of Object.entries(checks)) if (check.startsWith('genuine')) t.true(passed, check)
})
