/**
 * Every test process reads this first (package.json, "ava"). fast-check draws the same in every run, so that a run
 * fails only because of changes; to search on, give another seed (`TEST_SEED=7 npm test`). When the process ends, it
 * writes its cost for `npm test -- --profile`.
 */
import { appendFileSync } from 'node:fs'
import test from 'ava'
import fc from 'fast-check'
import { makePasswordsCheap } from './cheap_passwords.ts'
import { lasting } from './lasting.ts'
import { costSince, type FileCost } from './profile.ts'

makePasswordsCheap()

// Nothing here is compiled from another source. ava's flag reads the maps of all libraries, and a child inherits it.
process.setSourceMapsEnabled(false)
process.execArgv = process.execArgv.filter(flag => flag !== '--enable-source-maps')

fc.configureGlobal({ seed: Number(process.env.TEST_SEED ?? '20261121') })

const { TEST_PROFILE } = process.env
const startedAt = performance.now()
if (TEST_PROFILE !== undefined)
  process.on('exit', () => {
    // A group has written the cost of each of its files.
    if (lasting.inGroup) return
    const cost: FileCost = { file: test.meta.file, ...costSince(startedAt) }
    appendFileSync(TEST_PROFILE, `${JSON.stringify(cost)}\n`)
  })
