import test from 'ava'
import { machineClock } from '../clock.ts'
import { newId } from '../random.ts'

test('ids are of version 7, name their millisecond, sort by their creation, and no two are the same', t => {
  const before = machineClock.now()
  const ids = Array.from({ length: 5000 }, newId)
  const after = machineClock.now()
  t.deepEqual(ids.toSorted(), ids)
  t.is(new Set(ids).size, ids.length)
  for (const id of ids) t.regex(id, /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
  const times = ids.map(id => Number.parseInt(id.replaceAll('-', '').slice(0, 12), 16))
  t.true(times.every(time => time >= before && time <= after))
  const tails = new Set(ids.map(id => id.slice(-10)))
  t.is(tails.size, ids.length, 'their random bits are drawn for each')
})
