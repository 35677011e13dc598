/**
 * How often the analysis errs, by condition: `npm run bench:analysis -- [--cases 5000] [--seed N] [--only mrz,…]
 * [--conditions typical,…] [--processes N] [--json FILE]`. People, documents and photos are made from the seed, by code
 * and typefaces that no trainer uses; the same options give the same cases. Published figures come from the seeds from
 * 1,000,000 on: whoever tunes the engine measures with other seeds, or the figures stop meaning anything.
 * Tables go to stdout, progress to stderr, every case that failed with its seed to the JSON file.
 */
import { writeFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { parseArgs } from 'node:util'
import { casesOf, conditionsNamed, first_published_seed, type Kind, kinds, type Outcome } from './cases.ts'
import { report } from './report.ts'
import { runCases } from './runner.ts'

const { values } = parseArgs({
  options: {
    cases: { type: 'string', default: '220' },
    seed: { type: 'string', default: String(first_published_seed) },
    only: { type: 'string', default: 'mrz' },
    conditions: { type: 'string' },
    processes: { type: 'string', default: String(availableParallelism()) },
    json: { type: 'string' },
  },
})

const kindNamed = (name: string): Kind => {
  const found = kinds.find(kind => kind === name)
  if (found === undefined) throw new Error(`--only: ${name} is none of ${kinds.join(', ')}`)
  return found
}

const plan = { seed: Number(values.seed), cases: Number(values.cases), chosen: conditionsNamed(values.conditions) }
const outcomes: Outcome[] = []
for (const kind of values.only.split(',').map(kindNamed)) {
  const progress = (done: number, of: number): void => {
    if (done % 20 === 0 || done === of) process.stderr.write(`${kind}: ${done} of ${of}\n`)
  }
  outcomes.push(...(await runCases(casesOf(kind, plan), Number(values.processes), progress)))
}
if (values.json !== undefined) writeFileSync(values.json, `${JSON.stringify({ ...plan, outcomes }, null, 1)}\n`)
process.stdout.write(`${report(outcomes)}\n`)
