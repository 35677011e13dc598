import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** Written by `packages/api-reference/test/record.ts`. */
export const answersFile = join(import.meta.dirname, 'answers.generated.json')

/** Responses of a real run, by operation and status: the examples of the OpenAPI document. */
export const recordedAnswers: Readonly<Record<string, Readonly<Record<string, unknown>>>> = JSON.parse(
  readFileSync(answersFile, 'utf8'),
)

/** Written by `packages/api-reference/test/record.ts`, too. */
export const failuresFile = join(import.meta.dirname, 'failures.generated.json')

/** Error responses of a real run, by operation and code. */
export const recordedFailures: Readonly<Record<string, Readonly<Record<string, unknown>>>> = JSON.parse(
  readFileSync(failuresFile, 'utf8'),
)
