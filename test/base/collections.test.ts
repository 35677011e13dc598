import test from 'ava'
import { createRecent } from '../../src/base/collections.ts'

test('The entries that were used last are kept, and no memory is reserved for others', t => {
  const few = createRecent<number>(2)
  few.set('a', 1).set('b', 2)
  t.is(few.get('a'), 1)
  few.set('c', 3)
  t.deepEqual([...few.keys()].sort(), ['a', 'c'])
  const before = process.memoryUsage()
  createRecent<number>(20_000_000)
  const after = process.memoryUsage()
  const reserved = after.heapUsed + after.external - before.heapUsed - before.external
  t.true(reserved < 1_000_000, `${reserved} bytes`)
})
