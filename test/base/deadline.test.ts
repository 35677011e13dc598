import test from 'ava'
import { DeadlineError, withDeadline } from '../../src/base/time.ts'
import { manualClock } from '../clock.ts'

function endless(): Promise<never> {
  return new Promise(() => {})
}

test('work that takes too long is left, and its signal says so', async t => {
  const clock = manualClock()
  const seen: { signal?: AbortSignal } = {}
  const late = withDeadline(clock, 1000, signal => {
    seen.signal = signal
    return endless()
  })
  await clock.advance(999)
  t.false(seen.signal?.aborted)
  await clock.advance(1)
  await t.throwsAsync(late, { instanceOf: DeadlineError, message: 'took longer than 1000 ms' })
  t.true(seen.signal?.aborted)
})

test('work in time settles as it does', async t => {
  const clock = manualClock()
  t.is(await withDeadline(clock, 1000, async () => 'done'), 'done')
  const error = new Error('its own')
  t.is(await t.throwsAsync(withDeadline(clock, 1000, () => Promise.reject(error))), error)
})

test('an abort from outside ends it, also one that came before', async t => {
  const clock = manualClock()
  const control = new AbortController()
  const aborted = withDeadline(clock, 1000, endless, control.signal)
  control.abort()
  await t.throwsAsync(aborted, { message: 'aborted' })
  await t.throwsAsync(withDeadline(clock, 1000, endless, control.signal), { message: 'aborted' })
})
