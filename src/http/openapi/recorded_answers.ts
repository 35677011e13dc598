import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** Where `test/reference/record.ts` writes the answers of a run. */
export const answersFile = join(import.meta.dirname, 'answers.generated.json')

/** What the service answered when it was run, by operation and status: the examples of the document. */
export const recordedAnswers: Readonly<Record<string, Readonly<Record<string, unknown>>>> = JSON.parse(
  readFileSync(answersFile, 'utf8'),
)

/** Where it writes what calls that fail are answered. */
export const failuresFile = join(import.meta.dirname, 'failures.generated.json')

/** What the service answered to calls that fail, by operation and code. */
export const recordedFailures: Readonly<Record<string, Readonly<Record<string, unknown>>>> = JSON.parse(
  readFileSync(failuresFile, 'utf8'),
)
