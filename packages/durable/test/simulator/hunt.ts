import { isDeepStrictEqual, parseArgs } from 'node:util'
import { drawBySeed, drawFromTape, quickWorlds } from './draws.ts'
import { createFaultCount } from './faults.ts'
import { coreFaults } from './planted.ts'
import { findFailure, runSafely } from './shrink.ts'
import type { Outcome } from './world.ts'

/**
 * `node hunt.ts [--from 1] [--worlds 400]` runs the worlds of so many seeds and prints the first that fails, with the
 * plainest schedule found; `--short` leaves that out. With `--again 8` it then runs the first eight twice more, once by
 * their tapes, and prints the first that differs. With `PLANTED_FAULT=7` and `--import ./planting.ts` a fault is planted before.
 */
const { values } = parseArgs({
  options: {
    from: { type: 'string', default: '1' },
    worlds: { type: 'string', default: String(quickWorlds) },
    short: { type: 'boolean', default: false },
    again: { type: 'string', default: '0' },
  },
})
const from = Number(values.from)
const worlds = Number(values.worlds)
const again = Number(values.again)
const planted = coreFaults[Number(process.env.PLANTED_FAULT)]

function report(found: string): void {
  process.stdout.write(`${planted === undefined ? '' : `${planted.name}: `}${found}\n`)
}

/** The first world that is not the same each time; null where all are. */
async function findChance(): Promise<string | null> {
  for (let seed = from; seed < from + again; seed++) {
    const first = await runSafely(drawBySeed(seed))
    const second = await runSafely(drawBySeed(seed))
    if (!isDeepStrictEqual(first, second)) return `world ${seed} differs when it runs again`
    const replayed = await runSafely(drawFromTape(first.tape))
    if (!isDeepStrictEqual(first, replayed)) return `world ${seed} differs when its tape runs`
  }
  return null
}

process.on('uncaughtException', error => {
  report(`an exception that nobody caught: ${error.stack}`)
  process.exit(1)
})
// A world makes hundreds of errors, and nobody reads where; a failure is described with it.
Error.stackTraceLimit = 0
const totals = createFaultCount()
let steps = 0
function onWorld(outcome: Outcome): void {
  steps += outcome.steps
  for (const [kind, times] of outcome.faults) totals.count(kind, times)
}
const before = process.cpuUsage()
const found =
  (await findFailure({ from, worlds, isShort: values.short, onWorld })) ?? (again > 0 ? await findChance() : null)
const { user, system } = process.cpuUsage(before)
const seconds = ((user + system) / 1e6).toFixed(1)
report(found ?? `${worlds} worlds from seed ${from} on: nothing found, ${seconds} CPU seconds, ${steps} steps`)
const faults = [...totals.counts].sort(([, a], [, b]) => b - a).map(([kind, times]) => `${times} × ${kind}`)
if (found === null) report(`faults: ${faults.join(', ')}`)
process.exitCode = found === null ? 0 : 1
