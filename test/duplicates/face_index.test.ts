import test from 'ava'
import fc from 'fast-check'
import { newId } from '../../src/base/ids.ts'
import { createFaceIndex, quantise } from '../../src/duplicates/face_index.ts'

const length = 16

function measureDistance(one: readonly number[], other: readonly number[]): number {
  const dot = one.reduce((sum, value, i) => sum + value * (other[i] ?? 0), 0)
  return 1 - dot / (Math.hypot(...one) * Math.hypot(...other))
}

const vectors = fc.array(
  fc.array(fc.double({ min: -1, max: 1, noNaN: true }), { minLength: length, maxLength: length }),
  {
    minLength: 2,
    maxLength: 30,
  },
)

test('A search finds the faces that comparing with every face finds, after any additions and removals', async t => {
  await fc.assert(
    fc.asyncProperty(vectors, fc.nat(), fc.double({ min: 0, max: 1, noNaN: true }), async (all, seed, limit) => {
      const solid = all.filter(vector => Math.hypot(...vector) > 0.1)
      const [query, ...rest] = solid
      if (query === undefined) return
      const people = rest.map(vector => ({ id: newId(), vector }))
      const index = createFaceIndex(length)
      for (const { id, vector } of people) index.add(id, quantise(vector))
      const left = people.filter((_, n) => (seed >> (n % 30)) % 2 === 0)
      for (const person of people) if (!left.includes(person)) index.remove(person.id)
      t.is(index.size(), left.length)
      const own = left[0]?.id ?? newId()
      const wanted = left
        .filter(({ id }) => id !== own)
        .map(({ id, vector }) => ({ id, distance: measureDistance(query, vector) }))
        .sort((one, other) => one.distance - other.distance)
      const found = await index.search(quantise(query), own, limit)
      // A byte is not exact: a face at the limit may be on either side of it.
      const sure = wanted.filter(({ distance }) => distance < limit - 0.03).map(({ id }) => id)
      const farthest = Math.max(limit, wanted[0]?.distance ?? 0) + 0.03
      const possible = wanted.filter(({ distance }) => distance < farthest).map(({ id }) => id)
      t.true(sure.every(id => found.some(one => one.customer_id === id)))
      t.true(found.every(one => possible.includes(one.customer_id)))
      t.is(found.length > 0, wanted.length > 0, 'the nearest is named in any case')
      for (const { customer_id, distance } of found) {
        const exact = wanted.find(({ id }) => id === customer_id)?.distance ?? Number.NaN
        t.true(Math.abs(distance - Math.max(0, exact)) < 0.03)
      }
    }),
    { numRuns: 100, seed: 33 },
  )
})

test('An index grows over its blocks, and shrinks again', async t => {
  const index = createFaceIndex(4)
  const ids = Array.from({ length: 9000 }, newId)
  for (const [n, id] of ids.entries()) index.add(id, Int8Array.of(127, n % 100, (n >> 3) % 100, 1))
  const grown = index.bytes()
  t.is((await index.search(Int8Array.of(0, 0, 0, 127), newId(), -1)).length, 1)
  for (const id of ids.slice(10)) index.remove(id)
  t.is(index.size(), 10)
  t.true(index.bytes() < grown / 2)
  const exact = await index.search(Int8Array.of(127, 7, 0, 1), newId(), 1e-6)
  t.deepEqual(
    exact.map(({ customer_id }) => customer_id),
    [ids[7]],
  )
  index.remove(ids[7] ?? '')
  index.remove(newId())
  t.is(index.size(), 9)
  t.deepEqual(
    await index.search(Int8Array.of(127, 7, 0, 1), newId(), 1e-6).then(near => near.map(one => one.distance > 1e-6)),
    [true],
  )
})
