import test from 'ava'
import fc from 'fast-check'
import { createBreakers } from '../../src/webhooks/breaker.ts'
import { divideFairly, findNextInstant, type OriginLane } from '../../src/webhooks/fair_share.ts'
import { readOriginAccount, toOrigin, toOriginId } from '../../src/webhooks/origins.ts'
import { manualClock } from '../clock.ts'

const account = '01890a5d-ac96-774b-bcce-b302099a8057'
const other = '01890a5d-ac96-774b-bcce-b302099a8058'

function lane(name: string, of = account): string {
  return toOriginId(of, `https://${name}.example/hook`)
}

function waiting(name: string, ready_at = 0): OriginLane {
  return {
    lane: name,
    ready_at,
    failing_since: null,
    paused_at: null,
  }
}

const seconds = 1000

test('an origin is scheme, host and port, of one account', t => {
  t.is(toOrigin('https://Receiver.Example/a?b'), 'https://receiver.example:443')
  t.is(toOrigin('http://[::1]:8080/a'), 'http://[::1]:8080')
  t.is(lane('a'), toOriginId(account, 'https://a.example:443/other'))
  t.not(lane('a'), toOriginId(account, 'https://a.example:444/'))
  t.not(lane('a'), lane('a', other))
  t.is(readOriginAccount(lane('a')), account)
  t.true(toOriginId(account, `https://${'a'.repeat(2000)}/`).length <= 100)
})

test('five failures in a row open a breaker for 10 s, then one attempt decides: twice as long each time, to 10 minutes', async t => {
  const clock = manualClock()
  const breakers = createBreakers(clock)
  const one = lane('one')
  for (let failures = 1; failures <= 4; failures++) breakers.record(one, false, 5)
  t.is(breakers.triableAt(one), 0)
  breakers.record(one, true, 5)
  for (let failures = 1; failures <= 4; failures++) breakers.record(one, false, 5)
  t.is(breakers.triableAt(one), 0, 'a success in between starts the count again')
  breakers.record(one, false, 5)
  for (const rest of [10, 20, 40, 80, 160, 320, 600, 600]) {
    t.is(breakers.triableAt(one), clock.now() + rest * seconds)
    const opens_at = breakers.triableAt(one)
    breakers.record(one, false, 5)
    t.is(breakers.triableAt(one), opens_at, 'what was under way when it opened says nothing new')
    t.is(breakers.triableAt(lane('other')), 0)
    await clock.advance(rest * seconds)
    breakers.record(one, false, 5)
  }
  await clock.advance(600 * seconds)
  breakers.record(one, true, 5)
  t.is(breakers.triableAt(one), 0)
  for (let failures = 1; failures <= 5; failures++) breakers.record(one, false, 5)
  t.is(breakers.triableAt(one), clock.now() + 10 * seconds, 'and from the beginning again')
})

test('a breaker rests as long as it would, although the clock is set meanwhile', async t => {
  const clock = manualClock()
  const breakers = createBreakers(clock)
  const one = lane('one')
  for (let failures = 1; failures <= 5; failures++) breakers.record(one, false, 5)
  for (const ms of [-3_600_000, 7_200_000]) {
    clock.set(ms)
    t.is(breakers.triableAt(one), clock.now() + 10 * seconds)
  }
  await clock.advance(10 * seconds)
  t.is(breakers.triableAt(one), 0)
  breakers.record(one, false, 5)
  t.is(breakers.triableAt(one), clock.now() + 20 * seconds)
})

function share(breakers = createBreakers(manualClock()), slots = 20, origin_slots = 6) {
  return {
    breakers,
    now: 100,
    slots,
    origin_slots,
  }
}

function given(portions: readonly { lane: string; limit: number }[]) {
  return Object.fromEntries(portions.map(({ lane: name, limit }) => [name, limit]))
}

test('one that never answered gets one slot, one that answered promptly as many as an origin may have', t => {
  const by = share()
  by.breakers.record(lane('prompt'), true, 10)
  by.breakers.record(lane('slow'), true, 5_000)
  by.breakers.record(lane('failed'), true, 10)
  by.breakers.record(lane('failed'), false, 10)
  const lanes = ['prompt', 'slow', 'failed', 'new'].map(name => waiting(lane(name)))
  t.deepEqual(given(divideFairly({ lanes, under_way: new Map(), free: 20 }, by)), {
    [lane('prompt')]: 6,
    [lane('slow')]: 6,
    [lane('failed')]: 1,
    [lane('new')]: 1,
  })
  const under_way = new Map([
    [lane('prompt'), 4],
    [lane('new'), 1],
  ])
  t.deepEqual(given(divideFairly({ lanes, under_way, free: 15 }, by)), {
    [lane('prompt')]: 2,
    [lane('slow')]: 6,
    [lane('failed')]: 1,
  })
})

test('a hundred dead origins leave half of the slots to those that answer, and a quarter to those never tried', t => {
  const by = share()
  const failing = Array.from({ length: 100 }, (_, index) => ({
    ...waiting(lane(`failing-${index}`)),
    failing_since: 1,
  }))
  const fresh = Array.from({ length: 100 }, (_, index) => waiting(lane(`fresh-${index}`), 1))
  const cold = divideFairly({ lanes: [...failing, ...fresh], under_way: new Map(), free: 20 }, by)
  t.is(cold.filter(({ lane: name }) => failing.some(one => one.lane === name)).length, 10)
  t.is(cold.length, 15)
  by.breakers.record(lane('healthy'), true, 10)
  const dead = Array.from({ length: 100 }, (_, index) => waiting(lane(`dead-${index}`), index - 100))
  for (const one of dead) by.breakers.record(one.lane, false, 10)
  const lanes = [...dead, waiting(lane('healthy'), 99)]
  const portions = given(divideFairly({ lanes, under_way: new Map(), free: 20 }, by))
  t.is(portions[lane('healthy')], 6)
  t.is(
    Object.values(portions).reduce((sum, limit) => sum + limit),
    16,
    'ten of the dead, one slot each',
  )
  const under_way = new Map(dead.slice(0, 10).map(one => [one.lane, 1]))
  t.deepEqual(given(divideFairly({ lanes, under_way, free: 10 }, by)), { [lane('healthy')]: 6 })
})

test('an account with many origins does not crowd out an account with one', t => {
  const by = share()
  const many = Array.from({ length: 50 }, (_, index) => lane(`many-${index}`))
  for (const name of [...many, lane('single', other)]) by.breakers.record(name, true, 10)
  const lanes = [...many.map(name => waiting(name)), waiting(lane('single', other), 50)]
  t.is(given(divideFairly({ lanes, under_way: new Map(), free: 4 }, by))[lane('single', other)], 2)
})

test('an origin that is paused, open, or not ready yet is not served; the time when it may be is known', async t => {
  const clock = manualClock(0)
  const breakers = createBreakers(clock)
  for (let failures = 0; failures < 5; failures++) breakers.record(lane('open'), false, 1)
  const by = { ...share(breakers), now: 0 }
  const lanes = [
    { ...waiting(lane('paused')), paused_at: 5 },
    waiting(lane('open')),
    waiting(lane('later'), 12 * seconds),
  ]
  t.deepEqual(divideFairly({ lanes, under_way: new Map(), free: 20 }, by), [])
  t.is(findNextInstant(lanes, by), 10 * seconds)
  t.is(findNextInstant(lanes.slice(0, 1), by), Number.POSITIVE_INFINITY)
  await clock.advance(10 * seconds)
  const after = { ...by, now: clock.now() }
  t.deepEqual(given(divideFairly({ lanes, under_way: new Map(), free: 20 }, after)), { [lane('open')]: 1 })
  t.is(findNextInstant(lanes, after), 12 * seconds)
})

test('a schedule never starts more than is free, nor a lane beyond its own, and leaves no slot idle that could serve', t => {
  const accounts = [account, other, '01890a5d-ac96-774b-bcce-b302099a8059']
  const one = fc.record({
    account: fc.constantFrom(...accounts),
    name: fc.integer({ min: 0, max: 30 }),
    prompt: fc.boolean(),
    under_way: fc.integer({ min: 0, max: 6 }),
    ready_at: fc.integer({ min: 0, max: 200 }),
  })
  fc.assert(
    fc.property(fc.array(one, { maxLength: 40 }), fc.integer({ min: 1, max: 60 }), (all, slots) => {
      const by = share(createBreakers(manualClock()), slots)
      const found = new Map(all.map(each => [lane(`${each.name}`, each.account), each]))
      for (const [name, { prompt }] of found) if (prompt) by.breakers.record(name, true, 1)
      const under_way = new Map([...found].map(([name, each]) => [name, each.under_way]))
      const free = Math.max(0, slots - [...under_way.values()].reduce((sum, count) => sum + count, 0))
      const lanes = [...found].map(([name, { ready_at }]) => waiting(name, ready_at))
      const portions = divideFairly({ lanes, under_way, free }, by)
      const total = portions.reduce((sum, { limit }) => sum + limit, 0)
      t.true(total <= free)
      for (const { lane: name, limit } of portions) {
        const most = by.breakers.standing(name) === 'prompt' ? 6 : 1
        t.true(limit > 0 && (under_way.get(name) ?? 0) + limit <= most)
        t.true((found.get(name)?.ready_at ?? 999) <= 100)
      }
      const could = lanes.some(
        ({ lane: name, ready_at }) =>
          ready_at <= 100 &&
          by.breakers.standing(name) === 'prompt' &&
          (under_way.get(name) ?? 0) + (given(portions)[name] ?? 0) < 6,
      )
      if (could) t.is(total, free)
    }),
    { numRuns: 500, seed: 2026 },
  )
})
