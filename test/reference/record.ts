/** `node test/reference/record.ts` runs every command of the pages, and writes what they answer as the document's examples. */
import { writeFileSync } from 'node:fs'
import { answersFile } from '../../src/http/openapi/recorded_answers.ts'
import { masked } from '../docs/page.ts'
import { runScenario } from './scenario.ts'

writeFileSync(answersFile, `${JSON.stringify(masked(await runScenario()), null, 1)}\n`)
