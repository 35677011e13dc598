import { availableParallelism } from 'node:os'
import { parseArgs } from 'node:util'
import { conditionsNamed, firstPublishedSeed, kindsNamed } from './cases.ts'

function numberIn(option: string, given: string, least: number): number {
  const value = Number(given)
  if (given.trim() === '' || !(value >= least)) throw new Error(`--${option}: must be a number from ${least} on`)
  return value
}

function wholeIn(option: string, given: string, least: number): number {
  const value = numberIn(option, given, least)
  if (!Number.isSafeInteger(value)) throw new Error(`--${option}: must be a whole number`)
  return value
}

/** Reads the options of the command line. Throws an Error that names the option that can't be meant. */
export function readOptions(args: readonly string[]) {
  const { values } = parseArgs({
    args: [...args],
    options: {
      cases: { type: 'string', default: '220' },
      seed: { type: 'string', default: String(firstPublishedSeed) },
      only: { type: 'string' },
      conditions: { type: 'string' },
      processes: { type: 'string', default: String(availableParallelism()) },
      minutes: { type: 'string', default: '10' },
      json: { type: 'string' },
      folder: { type: 'string' },
      save: { type: 'string' },
      write: { type: 'boolean', default: false },
    },
  })
  const { json, folder, save, write } = values
  return {
    json,
    folder,
    save,
    write,
    cases: wholeIn('cases', values.cases, 1),
    seed: wholeIn('seed', values.seed, 0),
    processes: wholeIn('processes', values.processes, 1),
    minutes: numberIn('minutes', values.minutes, 0.1),
    wanted: kindsNamed(values.only),
    conditions: conditionsNamed(values.conditions),
  }
}
