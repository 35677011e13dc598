import test from 'ava'
import fc from 'fast-check'
import { createAccountTurns } from '../../../../src/verification/analysis/account_turns.ts'
import { countFreeSlots } from '../../../../src/verification/analysis/admission.ts'
import { rounds } from '../../../../test/tier.ts'
import type { LanePolicy } from '../../jobs/handler.ts'
import { type Ask, createSchedule, isIdle, reduce, type ScheduleEvent } from '../../jobs/schedule.ts'
import type { ScheduledJob } from '../../store/scheduled_jobs.ts'

const pollMs = 20
const leaseMs = 9

/** A slot goes to the lane with the fewest jobs, of which none has more than its own. */
const fairly: LanePolicy = {
  share({ lanes, under_way, free }) {
    const taken = new Map(under_way)
    const count = (lane: string): number => taken.get(lane) ?? 0
    const portions = new Map<string, number>()
    for (let slot = 0; slot < free; slot++) {
      const [next] = lanes
        .filter(({ lane, ready_at }) => ready_at <= now && count(lane) < lane_slots)
        .sort((a, b) => count(a.lane) - count(b.lane))
      if (next === undefined) break
      taken.set(next.lane, count(next.lane) + 1)
      portions.set(next.lane, (portions.get(next.lane) ?? 0) + 1)
    }
    const later = lanes.map(({ ready_at }) => ready_at).filter(at => at > now)
    return { portions: [...portions].map(([lane, limit]) => ({ lane, limit })), again_at: Math.min(...later) }
  },
  admits: (lane, { under_way }) => (under_way.get(lane) ?? 0) < lane_slots,
}
let now = 0
let slots = 0
let lane_slots = 0

/** Two queues which share slots, with lanes that keep them or without lanes, and one with lanes. */
function createHandlers(haveLanes: boolean) {
  const lanes = haveLanes ? { lanes: createAccountTurns(() => now) } : {}
  return [
    { queue: 'admission', slots: countFreeSlots('analysis', () => slots), ...lanes },
    { queue: 'analysis', slots: countFreeSlots('admission', () => slots), ...lanes },
    { queue: 'attempt', slots: () => slots, lanes: fairly },
  ]
}

function listPlaces(haveLanes: boolean) {
  const lanes = haveLanes ? ['a', 'b'] : ['']
  const shared = lanes.flatMap(lane => ['admission', 'analysis'].map(queue => ({ queue, lane })))
  return [...shared, ...['a', 'b', 'c'].map(lane => ({ queue: 'attempt', lane }))]
}

interface Row {
  readonly queue: string
  readonly lane: string
  ready_at: number
  /** Being inserted with a slot or without one; waiting, for any node; claimed here; or handled here. */
  state: 'kept' | 'inserted' | 'waiting' | 'claimed' | 'handled'
  /** The node has heard of it, so that it owes it a slot. */
  isKnown: boolean
  /** It may not be overtaken by a job that is being inserted. */
  isFirst: boolean
  /** Its commit starts a job, which takes its slot. */
  successor: Row | null
}

/** A node, its jobs, and a database that it shares with others. `moves` are the possible events, for a named row. */
function createWorld(haveLanes: boolean, check: (holds: boolean, what: string) => void) {
  const places = listPlaces(haveLanes)
  let schedule = createSchedule(createHandlers(haveLanes))
  let rows: Row[] = []
  let asked: Ask | null = null
  let answer: { event: ScheduleEvent; deliver: () => void } | null = null
  let alarm = 0

  const where = (...states: Row['state'][]): Row[] => rows.filter(({ state }) => states.includes(state))
  const drop = (row: Row): void => {
    rows = rows.filter(one => one !== row)
  }
  const taking = (queue: string): Row[] => where('kept', 'claimed').filter(row => row.queue === queue)
  const free = ({ queue, lane }: Row): number => {
    if (queue !== 'attempt') return slots - taking('admission').length - taking('analysis').length
    const here = taking(queue)
    const held = here.length + where('handled').length
    const of_lane = here.filter(row => row.lane === lane).length
    return Math.min(slots - here.length, 2 * slots - held, lane_slots - of_lane)
  }
  const dispatch = (event: ScheduleEvent): boolean => {
    const { stopped } = schedule
    const [next, action] = reduce(schedule, event)
    schedule = next
    if (action?.type === 'sleep') alarm = Math.min(alarm, action.until)
    else if (action?.type !== 'keep' && action !== null) {
      check(asked === null && !stopped, 'one thing is asked at a time, and nothing after a stop')
      asked = action
    }
    return action?.type === 'keep'
  }

  const ready = (queue: string, lane: string): Row[] =>
    where('waiting').filter(row => row.queue === queue && row.lane === lane && row.ready_at <= now)
  const firstIn = (queue: string, lane: string): number =>
    Math.min(
      ...where('waiting')
        .filter(row => row.queue === queue && row.lane === lane)
        .map(({ ready_at }) => ready_at),
    )
  /** The database does the request; its answer comes later. */
  const execute = (ask: Ask): NonNullable<typeof answer> => {
    const until = now + pollMs
    const found = where('waiting').map(row => ({ row, ready_at: row.ready_at, isDue: row.ready_at <= now }))
    const know = (): void => {
      for (const { row, ready_at, isDue } of found)
        if (row.ready_at === ready_at) Object.assign(row, { isKnown: true, isFirst: row.isFirst || isDue })
    }
    switch (ask.type) {
      case 'gather':
        return { event: { type: 'gathered' }, deliver: () => {} }
      case 'find': {
        const firsts = ask.queues.map(queue => [queue, firstIn(queue, '')] as const)
        const ready_at = new Map(firsts.filter(([, at]) => Number.isFinite(at)))
        const filled = new Set(ask.laned.filter(queue => where('waiting').some(row => row.queue === queue)))
        return { event: { type: 'found', asked: ask, fired: 0, ready_at, filled, now, until }, deliver: know }
      }
      case 'read': {
        const lanes = places
          .filter(({ queue }) => queue === ask.queue)
          .map(({ queue, lane }) => ({ lane, ready_at: firstIn(queue, lane) }))
          .filter(({ ready_at }) => Number.isFinite(ready_at))
        const event = { type: 'read', asked: ask, lanes, areAll: true, now, until: Number.POSITIVE_INFINITY } as const
        return { event, deliver: () => {} }
      }
      case 'claim': {
        const jobs = ask.portions.flatMap(({ lane, limit }) => ready(ask.queue, lane).slice(0, limit))
        for (const row of jobs) row.state = 'claimed'
        const event = { type: 'claimed', asked: ask, jobs: jobs as unknown as readonly ScheduledJob[] } as const
        return { event, deliver: () => {} }
      }
    }
  }
  const forget = (row: Row): void => void Object.assign(row, { isKnown: false, isFirst: false })
  const claimedUnanswered = (): readonly Row[] =>
    answer?.event.type === 'claimed' ? (answer.event.jobs as unknown as readonly Row[]) : []
  const ours = (...states: Row['state'][]): Row[] => where(...states).filter(row => !claimedUnanswered().includes(row))
  const pick = <T>(all: readonly T[], which: number, then: (one: T) => void): void => {
    const one = all[which % all.length]
    if (one !== undefined) then(one)
  }
  const leave = (row: Row): void => {
    const isHandled = row.state === 'handled'
    drop(row)
    dispatch({ type: 'ended', queue: row.queue, lane: row.lane, isHandled })
  }

  const insert = (place: { queue: string; lane: string }, ending: string | null): Row => {
    const overtakes = ready(place.queue, place.lane).some(({ isFirst }) => isFirst)
    const isKept = dispatch({ type: 'offered', ...place, ending })
    check(!(isKept && overtakes), 'a new job overtakes one that waits')
    const state = isKept ? 'kept' : 'inserted'
    const row: Row = { ...place, ready_at: now, state, isKnown: false, isFirst: false, successor: null }
    rows.push(row)
    return row
  }

  const moves = {
    insert: (which: number) => pick(places, which, place => void insert(place, null)),
    succeed: (which: number) =>
      pick(
        ours('claimed', 'handled').filter(({ queue, state }) => (queue === 'attempt') === (state === 'handled')),
        which,
        ending =>
          pick(places, which % 7, place => {
            if (ending.successor !== null) return
            const row = insert(place, ending.queue)
            if (row.state === 'kept') ending.successor = row
          }),
      ),
    commit: (which: number) =>
      pick(where('kept', 'inserted'), which, row => {
        if (row.state === 'kept') row.state = 'claimed'
        else {
          Object.assign(row, { state: 'waiting', ready_at: now, isKnown: true, isFirst: true })
          dispatch({ type: 'waits', queue: row.queue, lane: row.lane })
        }
      }),
    rollBack: (which: number) =>
      pick(where('kept', 'inserted'), which, row => {
        for (const one of rows) if (one.successor === row) one.successor = null
        if (row.state === 'kept') leave(row)
        else drop(row)
      }),
    handle: (which: number) =>
      pick(
        ours('claimed').filter(({ queue }) => queue === 'attempt'),
        which,
        row => {
          row.state = 'handled'
          dispatch({ type: 'handled', queue: row.queue, lane: row.lane })
        },
      ),
    end: (which: number) => pick(ours('claimed', 'handled'), which, leave),
    release: (which: number) =>
      pick(
        ours('claimed', 'handled').filter(({ successor }) => successor === null),
        which,
        row => {
          dispatch({ type: 'wake' })
          leave(row)
          rows.push({ ...row, state: 'waiting', ready_at: now + (which % 2) * 5, isKnown: true, isFirst: false })
        },
      ),
    insertElsewhere: (which: number) =>
      pick(places, which, place => {
        const ready_at = now + (which % 3)
        rows.push({ ...place, ready_at, state: 'waiting', isKnown: false, isFirst: false, successor: null })
      }),
    claimElsewhere: (which: number) =>
      pick(where('waiting'), which, row => {
        forget(row)
        row.ready_at = now + leaseMs
      }),
    endElsewhere: (which: number) => pick(where('waiting'), which, drop),
    execute() {
      if (asked !== null) answer ??= execute(asked)
    },
    answer() {
      if (answer === null) return
      const { event, deliver } = answer
      answer = null
      asked = null
      deliver()
      dispatch(event)
    },
    fail() {
      if (asked === null || asked.type === 'gather') return
      for (const row of claimedUnanswered())
        Object.assign(row, { state: 'waiting', ready_at: now + leaseMs, isFirst: false })
      // The rows are unknown until the next look.
      for (const row of rows) row.isKnown = false
      answer = null
      asked = null
      dispatch({ type: 'failed', until: now + pollMs })
    },
    turnClock(which: number) {
      now = Math.min(now + (which % 10), alarm)
      if (alarm > now) return
      alarm = Number.POSITIVE_INFINITY
      dispatch({ type: 'wake' })
    },
    stop: () => void dispatch({ type: 'stopped' }),
    begin(which: number) {
      moves.insert(which)
      moves.commit(where('kept', 'inserted').length - 1)
    },
    lookToTheEnd() {
      for (let steps = 0; asked !== null; steps++) {
        check(steps < 200, 'it goes round and round')
        moves.execute()
        moves.answer()
      }
    },
  }

  return {
    moves,
    checkAll() {
      const working = (queue: string): number => taking(queue).filter(({ successor }) => successor === null).length
      const shared = working('admission') + working('analysis')
      check(shared <= slots && working('attempt') <= slots, 'more jobs than slots')
      check(taking('attempt').length + where('handled').length <= 2 * slots, 'more results wait than there are slots')
      for (const { queue, lane } of places.filter(({ queue }) => queue === 'attempt'))
        check(taking(queue).filter(row => row.lane === lane).length <= lane_slots, 'a lane has more than its share')
      if (asked !== null || schedule.stopped) return
      check(isIdle(schedule) === (where('kept', 'claimed', 'handled').length === 0), 'idle')
      check(alarm <= now + pollMs, 'other nodes’ rows are looked for')
      for (const row of where('waiting').filter(one => one.isKnown && free(one) > 0))
        check(alarm <= Math.max(now, row.ready_at), 'a row waits while a slot is free')
    },
    /** Ends every job, and lets the clock run. */
    finish(): void {
      for (let steps = 0; rows.length > 0 && !schedule.stopped; steps++) {
        check(steps < 2000, 'it goes round and round')
        moves.commit(0)
        if (asked !== null) {
          moves.execute()
          moves.answer()
        } else if (ours('claimed', 'handled').length > 0) moves.end(0)
        else moves.turnClock(9)
        this.checkAll()
      }
    },
  }
}

type Move = keyof ReturnType<typeof createWorld>['moves']

const names = Object.keys(createWorld(false, () => {}).moves).filter((name): name is Move => name !== 'stop')
const move = fc.record({
  name: fc.oneof(
    { weight: 60, arbitrary: fc.constantFrom(...names) },
    { weight: 60, arbitrary: fc.constantFrom<Move>('insert', 'begin', 'execute', 'answer', 'lookToTheEnd') },
    { weight: 1, arbitrary: fc.constant<Move>('stop') },
  ),
  which: fc.nat(99),
})

test('A schedule never holds more jobs than slots, gives each lane its share, and lets no known row wait for a free slot', t => {
  fc.assert(
    fc.property(
      fc.array(move, { maxLength: 120, size: 'max' }),
      fc.constantFrom(1, 2, 3),
      fc.nat(1),
      fc.boolean(),
      (moves, all, of_lane, haveLanes) => {
        now = 0
        slots = all
        lane_slots = 1 + of_lane
        const world = createWorld(haveLanes, (holds, what) => {
          if (!holds) throw new Error(what)
        })
        world.moves.turnClock(0)
        for (const { name, which } of moves) {
          world.moves[name](which)
          world.checkAll()
        }
        world.finish()
      },
    ),
    { numRuns: rounds(600, 5000), includeErrorInReport: true },
  )
  t.pass()
})

test('A ready row that another transaction locks is sought again after a while, not in a loop', t => {
  const now = 1000
  const [woken] = reduce(createSchedule([{ queue: 'analysis', slots: () => 1 }]), { type: 'wake' })
  const [finding, asked] = reduce(woken, { type: 'gathered' })
  if (asked?.type !== 'find') return t.fail('nothing is sought')
  const ready_at = new Map([['analysis', now]])
  const [claiming, claim] = reduce(finding, {
    type: 'found',
    asked,
    ready_at,
    filled: new Set(),
    fired: 0,
    now,
    until: now + 5000,
  })
  if (claim?.type !== 'claim') return t.fail('nothing is claimed')
  const [, action] = reduce(claiming, { type: 'claimed', asked: claim, jobs: [] })
  t.deepEqual(action, { type: 'sleep', until: now + 25 })
})
