/**
 * How well the printed text is read and compared: `node bench/visual.ts [cases [seed]]`. Documents and photos are
 * those of bench/truth, which shares neither typeface nor layout nor camera with src/synthetic. Every photo is judged
 * three times: as it is, with another surname in the machine-readable zone, and with another holder's whole zone. Prints
 * a row for each format and condition, and what was judged wrongly.
 */
import { judgeDocument } from '../src/decision/document_rules.ts'
import type { DocumentFindings, MrzReading } from '../src/decision/findings.ts'
import { analyse } from '../src/engines/local/analyse.ts'
import { readSides } from '../src/engines/local/document/read_sides.ts'
import { loadModels } from '../src/engines/local/models.ts'
import { loadTextReader } from '../src/engines/local/printed_text/tesseract.ts'
import type { AnalysisTools } from '../src/engines/local/tools.ts'
import { person, personSeeds, renderPortrait } from '../synthetic/portrait.ts'
import { conditions, takingOf } from './truth/conditions.ts'
import { printDocument } from './truth/documents.ts'
import { inventHolder, today } from './truth/people.ts'
import { photographSide } from './truth/photo.ts'
import { zoneName } from './truth/zone_lines.ts'

const cases = Number(process.argv[2] ?? 150)
const firstSeed = Number(process.argv[3] ?? 9_100_000)
const formats = ['TD3', 'TD1', 'TD2'] as const

const bench: AnalysisTools = {
  models: await loadModels(),
  falseMatchRate: '0.001',
  readSides,
  readText: await loadTextReader(),
}
const portraits = await Promise.all(
  personSeeds
    .slice(0, 6)
    .map(seed => renderPortrait(person(seed), { distance: 8, headWidth: 0.6 }, { width: 350, height: 450 })),
)

const columns = [
  'cases',
  'read',
  'portrait',
  'passed',
  'flagged',
  'not_evaluable',
  'given_passed',
  'given_flagged',
  'birth_passed',
  'birth_flagged',
  'other_told',
  'other_open',
  'other_missed',
  'sides_passed',
  'sides_flagged',
  'sides_told',
  'sides_missed',
  'cpu_ms',
] as const
type Row = Record<(typeof columns)[number], number>
const rows = new Map<string, Row>()

function statusOf(evidence: DocumentFindings, name: string): string {
  return judgeDocument(evidence, {}, today).section.data.checks.find(check => check.name === name)?.status ?? ''
}

function withZone(evidence: DocumentFindings, change: Partial<MrzReading>): DocumentFindings {
  return {
    ...evidence,
    mrz: evidence.mrz && { ...evidence.mrz, ...change },
  }
}

function judged(evidence: DocumentFindings, other: Partial<MrzReading>, card: MrzReading | null): Partial<Row> {
  const surname = statusOf(evidence, 'visual_surname')
  const given = statusOf(evidence, 'visual_given_names')
  const birth = statusOf(evidence, 'visual_date_of_birth')
  const swapped = statusOf(withZone(evidence, other), 'visual_surname')
  const sides = statusOf(evidence, 'sides')
  const strange = card === null ? '' : statusOf({ ...evidence, mrz: card }, 'sides')
  const is = (status: string, wanted: string): number => (status === wanted ? 1 : 0)
  return {
    passed: is(surname, 'PASSED'),
    flagged: is(surname, 'REJECTED'),
    not_evaluable: is(surname, 'NOT_EXECUTED'),
    given_passed: is(given, 'PASSED'),
    given_flagged: is(given, 'REJECTED'),
    birth_passed: is(birth, 'PASSED'),
    birth_flagged: is(birth, 'REJECTED'),
    other_told: is(swapped, 'REJECTED'),
    other_open: is(swapped, 'NOT_EXECUTED'),
    other_missed: is(swapped, 'PASSED'),
    sides_passed: is(sides, 'PASSED'),
    sides_flagged: is(sides, 'REJECTED'),
    sides_told: is(strange, 'REJECTED'),
    sides_missed: is(strange, 'PASSED'),
  }
}

let card: MrzReading | null = null
for (let n = 0; n < cases; n++) {
  const seed = firstSeed + n
  const format = formats[n % formats.length] ?? 'TD3'
  const usable = conditions.filter(name => name !== 'unusable')
  const condition = usable[Math.floor(n / formats.length) % usable.length] ?? 'typical'
  const printed = printDocument({ seed, format, portrait: portraits[n % portraits.length] ?? null })
  const { photo } = await photographSide(printed.front, takingOf(condition, seed), seed)
  const back = printed.back && (await photographSide(printed.back, takingOf('typical', seed + 1), seed + 1)).photo
  const { document, stages } = await analyse(bench, {
    transaction_id: 'bench',
    transaction_type: 'DOCUMENT_AND_BIOMETRIC',
    document_front: photo,
    document_back: back,
    selfie: null,
    challenge: null,
    enrolled_face: null,
  })
  const read = document?.mrz != null
  const other = { last_name: zoneName(inventHolder(seed + 50_021).last_name).replaceAll('<', ' ') }
  const counted: Partial<Row> = {
    ...(read && document ? judged(document, other, format === 'TD1' ? card : null) : {}),
    cases: 1,
    read: read ? 1 : 0,
    portrait: document?.portrait_found ? 1 : 0,
    cpu_ms: stages.visual_zone ?? 0,
  }
  if (format === 'TD1' && document?.mrz) card = document.mrz
  for (const name of [format, `${condition}`, 'all']) {
    const row = rows.get(name) ?? (Object.fromEntries(columns.map(column => [column, 0])) as Row)
    for (const column of columns) row[column] += counted[column] ?? 0
    rows.set(name, row)
  }
  if (
    counted.flagged ||
    counted.other_missed ||
    counted.given_flagged ||
    counted.birth_flagged ||
    counted.not_evaluable
  ) {
    const lines = document?.visual?.lines.map(line => line.join(' ')).join(' | ')
    const { last_name, first_name, date_of_birth } = printed.holder
    console.log(
      n,
      format,
      condition,
      JSON.stringify(counted),
      last_name,
      '/',
      first_name,
      date_of_birth,
      other.last_name,
    )
    console.log('   ', document?.visual?.legibility.score, lines)
  }
}

function mean([name, row]: [string, Row]): [string, Row] {
  return [name, { ...row, cpu_ms: Math.round(row.cpu_ms / row.cases) }]
}

console.table(Object.fromEntries([...rows].map(mean)))
