/**
 * Measures the errors of the analysis, by condition: `npm run bench:analysis -- [--cases 5000] [--seed N] [--conditions
 * typical,…] [--only mrz,document,face,liveness,limits] [--minutes 10] [--processes N] [--json FILE] [--save DIR]
 * [--write]`, or `--folder DIR` for your own photos with labels (`labels.ts` describes them). People, documents and
 * photos are made from the seed, by code and typefaces that no trainer uses; the same options give the same cases.
 * **Published figures come from the seeds from 1,000,000 on: tune the engine with other seeds, or the figures stop
 * meaning anything.** Tables go to stdout; progress goes to stderr (every 200 cases with the counts so far, and the
 * JSON file so far); every case goes to the JSON file, with its seed and its failures; the photos of misread zones go
 * to the folder.
 */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Case, casesOf, interleaved, kinds, type Outcome } from './cases.ts'
import { allPairs } from './face_case.ts'
import { measureFolder } from './folder.ts'
import { readLabels } from './labels.ts'
import { type LimitRow, limitTable, measureLimits } from './limits.ts'
import { photographZone } from './mrz_case.ts'
import { readOptions } from './options.ts'
import { writeTables } from './page.ts'
import { report, summary } from './report.ts'
import { type Progress, runCases } from './runner.ts'

/** Answers an option that is misspelt with a message that names it, and no stack. */
function asGiven<T>(read: () => T): T {
  try {
    return read()
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : error}\n`)
    process.exit(2)
  }
}

const options = asGiven(() => readOptions(process.argv.slice(2)))
const { seed, wanted } = options

/**
 * Saves the photos of zones that were not read exactly. They are made a second time: the same case gives the same
 * bytes.
 */
async function saveMisread(cases: readonly Case[], outcomes: readonly Outcome[], folder: string): Promise<void> {
  const misread = new Set(
    outcomes.filter(({ kind, checks }) => kind === 'mrz' && checks.exact === false).map(outcome => outcome.seed),
  )
  mkdirSync(folder, { recursive: true })
  for (const one of cases.filter(({ seed }) => misread.has(seed))) {
    const { photo } = await photographZone(one)
    writeFileSync(join(folder, `${one.seed} ${one.format} ${one.condition}.jpg`), photo)
  }
}

const progress: Progress = (done, of) => {
  if (done.size % 20 === 0 || done.size === of) process.stderr.write(`${done.size} of ${of} cases\n`)
  // A run of hours reports in between, and its outcomes so far are not lost with it.
  if (done.size % 200 === 0) process.stderr.write(`${summary([...done.values()])}\n`)
  if (done.size % 200 === 0) write([...done.values()], [])
}

async function measureInvented(): Promise<Outcome[]> {
  const plan = { seed, cases: options.cases, chosen: options.conditions }
  const cases = interleaved(kinds.filter(kind => wanted.includes(kind)).map(kind => casesOf(kind, plan)))
  const run = { processes: options.processes, minutes: options.minutes, progress }
  const outcomes = await runCases(cases, run)
  if (outcomes.length < cases.length) process.stderr.write(`time is up: ${cases.length - outcomes.length} left out\n`)
  if (options.save !== undefined) await saveMisread(cases, outcomes, options.save)
  return [...outcomes, ...allPairs(outcomes.filter(({ kind }) => kind === 'face'))]
}

function erred({ kind, checks }: Outcome): boolean {
  return kind !== 'pair' || checks.same_not_passed === true || checks.other_passed === true
}

function write(outcomes: readonly Outcome[], limits: readonly LimitRow[]): void {
  if (options.json === undefined) return
  // Templates of real photos are biometric data, and not needed here; nor are the pairs that are right.
  const kept = outcomes.filter(erred).map(({ detail: { template, ...detail }, ...outcome }) => ({ ...outcome, detail }))
  writeFileSync(options.json, `${JSON.stringify({ seed, limits, outcomes: kept }, null, 1)}\n`)
}

const { folder } = options
const labels = folder === undefined ? undefined : asGiven(() => readLabels(folder))
const outcomes = folder === undefined ? await measureInvented() : await measureFolder(folder, labels)
process.stdout.write(`${summary(outcomes)}\n\n${report(outcomes)}\n`)
write(outcomes, [])
const limits = folder === undefined && wanted.includes('limits') ? await measureLimits(seed) : []
if (limits.length > 0) process.stdout.write(`\n${limitTable(limits)}\n`)
write(outcomes, limits)
if (options.write) {
  const begun = outcomes.filter(({ kind }) => kind !== 'pair').length
  writeTables(`${begun} cases from the seed ${seed} on.`, { outcomes, limits })
}
