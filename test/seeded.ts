/**
 * Every test process reads this first (package.json, "ava"): what fast-check draws is the same at every run, so that a
 * run fails only of what was changed. To search on, give another seed (`TEST_SEED=7 npm test`), or `node test/bench/fuzz.ts`.
 */
import fc from 'fast-check'

fc.configureGlobal({ seed: Number(process.env.TEST_SEED ?? '20261121') })
