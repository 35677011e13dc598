/**
 * Measures in a child process: it reads cases one at a time and answers each with its outcome. `runner.ts` starts it.
 */
import type { Case } from './cases.ts'
import { measure } from './measure.ts'

process.on('message', async (one: Case) => process.send?.(await measure(one)))
