import test from 'ava'
import { createFairQueue } from '../../processes/fair_queue.ts'

test('an account has one process fewer beside others, until they have sent nothing for a minute', t => {
  let now = 0
  const queue = createFairQueue({ limit: 9, share: { alone: 3, beside: 2 }, now: () => now })
  const ends: (() => void)[] = []
  const countBegun = (owner: string): number => {
    for (let n = 0; n < 4; n++) queue.add({ owner, isBackground: false })
    let begun = 0
    for (let next = queue.next(); next !== null; next = queue.next()) {
      ends.push(queue.begin(next))
      if (next.owner === owner) begun++
    }
    for (const end of ends.splice(0)) end()
    queue.removeAll()
    return begun
  }
  t.deepEqual([countBegun('one'), countBegun('one')], [3, 3])
  t.deepEqual([countBegun('two'), countBegun('one')], [2, 2])
  now = 59_999
  t.is(countBegun('one'), 2)
  now = 60_000
  t.is(countBegun('one'), 3)
  now = -60_000
  t.is(countBegun('one'), 3, 'a clock that is set back delays nobody')
})
