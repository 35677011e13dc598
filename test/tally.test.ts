import test from 'ava'
import { tally } from './tally.ts'

function count(output: string, exitedWell: boolean) {
  const counting = tally()
  for (const line of output.split('\n')) counting.read(line)
  return counting.end(exitedWell)
}

test('passed and failed tests are counted, coloured or not, skipped ones are not', t => {
  const output = `
  \u001B[32m✔\u001B[39m rules › a rule holds (102ms)
  ✔ rules › another holds
  ✘ [fail]: rules › a third one Error thrown in test
  - [skip] rules › a fourth
  - [todo] rules › a fifth

  1 test failed`
  t.deepEqual(count(output, false), { passed: 2, failed: 1 })
})

test('an uncaught exception, a lost rejection and a time-out are failures', t => {
  const output = `
  ✔ it works
  Uncaught exception in test/a.test.ts
  ✘ test/a.test.ts exited with a non-zero exit code: 1
  ─
  1 unhandled rejection
  2 uncaught exceptions
  3 tests remained pending after a timeout`
  t.deepEqual(count(output, false), { passed: 1, failed: 7 })
})

test('a run that tested nothing, or failed without a word, has failed', t => {
  t.deepEqual(count('', true), { passed: 0, failed: 1 })
  t.deepEqual(count('  ✔ it works', false), { passed: 1, failed: 1 })
  t.deepEqual(count('  ✔ it works', true), { passed: 1, failed: 0 })
})
