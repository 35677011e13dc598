/**
 * `node packages/api-reference/test/record.ts` runs every command of the pages, and calls that fail, and writes the
 * answers as the document's examples.
 */
import { writeFileSync } from 'node:fs'
import { answersFile, failuresFile } from '../../../src/http/openapi/recorded_answers.ts'
import { masked } from '../../../test/docs/page.ts'
import { runFailures } from './failures.ts'
import { runScenario } from './scenario.ts'

writeFileSync(answersFile, `${JSON.stringify(masked(await runScenario()), null, 1)}\n`)
writeFileSync(failuresFile, `${JSON.stringify(masked(await runFailures()), null, 1)}\n`)
