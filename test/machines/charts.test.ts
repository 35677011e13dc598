import test from 'ava'
import { findChartErrors, firstStep, listStates, nextStep, requireValidChart } from 'durable-xstate-sql/testing'
import { type AnyStateMachine, assign, createMachine, emit, fromPromise, raise, sendTo, setup } from 'xstate'
import { transactionMachine } from '../../machines/transaction.ts'
import { readChartSurface } from './chart_surface.ts'
import { currentCharts, howToBump, readGolden, surfaceChanges, withCurrent } from './golden.ts'

const work = fromPromise(async () => {})

/** Returns a chart without a fault, except in the given `open` and other states; its shape is known to no type. */
function chart(open: object, others: object = {}, implementations: object = {}): AnyStateMachine {
  const config = {
    id: 'c',
    initial: 'open',
    states: { open: { tags: ['OPEN'], on: { GO: 'end' }, ...open }, end: { tags: ['END'], type: 'final' }, ...others },
  }
  const known = {
    actors: { work },
    delays: { SOON: () => 1000, LATER: 2000 },
    guards: { known: () => true },
    actions: { known: () => {}, count: assign({}) },
  }
  return setup({ ...known, ...implementations } as never).createMachine(config as never) as never
}

for (const { name, machine } of currentCharts) {
  test(`The ${name} chart has no fault`, t => {
    t.deepEqual(findChartErrors(machine), [])
    t.notThrows(() => requireValidChart(machine))
    t.true(listStates(machine.root).length > 6)
  })
}

test('A sound chart with a constant delay, named guards and assignments has no fault', t => {
  const invoke = { id: 'work', src: 'work', onError: 'end' }
  const on = { GO: { guard: 'known', target: 'end', actions: ['known', 'count'] } }
  t.deepEqual(findChartErrors(chart({ after: { SOON: 'end', LATER: 'end' }, invoke, on, entry: 'known' })), [])
})

function region(tags: readonly string[]) {
  return {
    type: 'parallel',
    states: { left: { initial: 'a', states: { a: { tags } } }, right: {} },
  }
}

/** One broken chart a rule; each has its own fault and no other. */
const broken: readonly [what: string, machine: AnyStateMachine, faults: readonly string[]][] = [
  ['an unknown delay', chart({ after: { NEVER: 'end' } }), ['c.open: unknown delay NEVER']],
  ['a delay named as a method of Object', chart({ after: { toString: 'end' } }), ['c.open: unknown delay toString']],
  ['a numeric delay', chart({ after: { 1000: 'end' } }), ['c.open: numeric delay 1000']],
  ['an invoke without an id', chart({ invoke: { src: 'work', onError: 'end' } }), ['c.open: an invoke has no id']],
  [
    'an invoke whose src is not declared',
    chart({ invoke: { id: 'job', src: 'nothing', onError: 'end' } }),
    ['c.open: invoke job has no declared src'],
  ],
  [
    'an invoke whose src is written in place',
    chart({ invoke: { id: 'job', src: work, onError: 'end' } }),
    ['c.open: invoke job has no declared src'],
  ],
  ['an invoke without onError', chart({ invoke: { id: 'job', src: 'work' } }), ['c.open: invoke job has no onError']],
  ['a wildcard', chart({ on: { '*': 'end' } }), ['c.open: event * is not a name of its own']],
  ['a partial wildcard', chart({ on: { 'A.*': 'end' } }), ['c.open: event A.* is not a name of its own']],
  [
    'a reserved event name',
    chart({ on: { GO: 'end', 'xstate.done.actor.work': 'end' } }),
    ['c.open: event xstate.done.actor.work is not a name of its own'],
  ],
  ['no status tag', chart({ tags: [] }), ['c.open: 0 status tags']],
  ['two status tags', chart({ tags: ['OPEN', 'BUSY'] }), ['c.open: 2 status tags']],
  [
    'a second status tag below the first',
    chart({ initial: 'a', states: { a: { tags: ['BUSY'] } } }),
    ['c.open.a: 2 status tags'],
  ],
  ['a status tag inside a region', chart(region(['BUSY'])), ['c.open.left.a: a status tag inside a region']],
  ['a dead end', chart({ on: { GO: 'stuck' } }, { stuck: { tags: ['STUCK'] } }), ['c.stuck: nothing leaves it']],
  ['an unknown entry action', chart({ entry: 'nothing' }), ['c.open: unknown action nothing']],
  [
    'an unknown action of a transition',
    chart({ on: { GO: { target: 'end', actions: { type: 'nothing' } } } }),
    ['c.open: unknown action nothing'],
  ],
  [
    'an unknown action of a timer',
    chart({ after: { SOON: { target: 'end', actions: 'nothing' } } }),
    ['c.open: unknown action nothing'],
  ],
  [
    'an action written in place',
    chart({ on: { GO: { target: 'end', actions: () => {} } } }),
    ['c.open: unknown action (unnamed)'],
  ],
  [
    'an assignment written in place',
    chart({ on: { GO: { target: 'end', actions: assign({}) } } }),
    ['c.open: unknown action xstate.assign'],
  ],
  [
    'sendTo written in place',
    chart({ entry: sendTo(() => undefined as never, { type: 'GO' } as never) }),
    ['c.open: unknown action xstate.sendTo'],
  ],
  [
    'sendTo under a name',
    chart({}, {}, { actions: { known: sendTo('other', { type: 'GO' }) } }),
    ['c: action known is xstate.sendTo, which has no durable meaning'],
  ],
  [
    'raise under a name, which could be a timer that nothing names',
    chart({}, {}, { actions: { known: raise({ type: 'GO' }, { delay: 1000 }) } }),
    ['c: action known is xstate.raise, which has no durable meaning'],
  ],
  [
    'emit under a name',
    chart({}, {}, { actions: { known: emit({ type: 'GO' }) } }),
    ['c: action known is xstate.emit, which has no durable meaning'],
  ],
  ['an exit action', chart({ exit: 'known' }), ['c.open: exit action known runs before the assignments']],
  ['an unknown guard', chart({ on: { GO: { guard: 'nothing', target: 'end' } } }), ['c.open: unknown guard nothing']],
  [
    'a guard written in place',
    chart({ on: { GO: { guard: () => true, target: 'end' } } }),
    ['c.open: unknown guard (unnamed)'],
  ],
  [
    'an unknown guard of an always',
    chart({ always: { guard: 'nothing', target: 'end' } }),
    ['c.open: unknown guard nothing'],
  ],
  [
    'a status that is left at once',
    chart({ always: { target: 'end' } }),
    ['c.open: its status is left at once and never seen'],
  ],
]

for (const [what, machine, faults] of broken) {
  test(`Refused at start: ${what}`, t => {
    t.deepEqual(findChartErrors(machine), faults)
    t.throws(() => requireValidChart(machine), { name: 'InvalidChartError', message: faults.join('; ') })
  })
}

test('Refused at start: history, which a persisted snapshot does not bring back', t => {
  const faults = findChartErrors(chart({ initial: 'a', states: { a: {}, was: { type: 'history' } } }))
  t.true(faults.includes('c.open.was: history states are not durable'))
})

test('A chart with several faults is refused with all of them', t => {
  const machine = createMachine({ id: 'm', invoke: { src: 'nothing' }, after: { 5: {} } } as never)
  const error = t.throws(() => requireValidChart(machine), { name: 'InvalidChartError' })
  for (const fault of ['numeric delay 5', 'an invoke has no id', 'no declared src', 'no onError', '0 status tags'])
    t.true(error.message.includes(fault), fault)
})

for (const name of ['keepDeclaration', 'keepSignals', 'keepCapture', 'keepChallenge', 'keepFrame'])
  test(`${name} fails on an event that is not its own, instead of doing nothing`, t => {
    const actions = { type: name, params: { part: 'front' } }
    const machine = chart({ on: { GO: { actions } } }, {}, transactionMachine.implementations)
    const { snapshot } = firstStep(machine, undefined)
    t.throws(() => nextStep(machine, snapshot, { type: 'GO' }), { message: /^Expected event/ })
  })

for (const name of ['frameAnswersChallenge', 'frameAnswersLastAction', 'isNotCancelledByDevice'])
  test(`${name} fails on an event that is not its own, instead of saying no`, t => {
    const machine = chart({ on: { GO: { guard: name, target: 'end' } } }, {}, transactionMachine.implementations)
    const { snapshot } = firstStep(machine, undefined)
    t.throws(() => nextStep(machine, snapshot, { type: 'GO' }), { message: /Expected event/ })
  })

for (const chartNow of currentCharts) {
  const { name, version, surface } = chartNow
  test(`The persisted names of the ${name} chart are those of the golden file`, t => {
    const golden = readGolden()[name]?.[version]
    if (golden === undefined) return t.fail(`version ${version} is not in the golden file: node test/golden/write.ts`)
    const changes = surfaceChanges(golden, surface)
    t.deepEqual(changes, [], `${changes.join('; ')}. ${howToBump(chartNow)}`)
    t.deepEqual(golden, surface)
  })
}

test('Every version up to the current one is in the golden file', t => {
  const golden = readGolden()
  for (const { name, version } of currentCharts)
    t.deepEqual(
      Object.keys(golden[name] ?? {}).map(Number),
      Array.from({ length: version }, (_, index) => index + 1),
      name,
    )
})

test('A renamed state, timer, job or event is reported as gone and as new, with how to raise the version', t => {
  const before = chart({ after: { SOON: 'end' }, invoke: { id: 'work', src: 'work', onError: 'end' } })
  const after = chart(
    {
      after: { LATER: 'finish' },
      invoke: { id: 'job', src: 'work', onError: 'finish' },
      on: { GO: 'end', STOP: 'finish' },
    },
    { finish: { tags: ['FINISH'], type: 'final' } },
  )
  t.deepEqual(surfaceChanges(readChartSurface(before), readChartSurface(after)), [
    'state c.finish is new',
    'timer xstate.after.SOON.c.open is gone',
    'timer xstate.after.LATER.c.open is new',
    'job work (work) is gone',
    'job job (work) is new',
    'event STOP is new',
  ])
  const released = { c: { 1: readChartSurface(before) } }
  const changed = {
    name: 'c',
    version: 1,
    machine: after,
    version_name: 'chartVersion',
    surface: readChartSurface(after),
  }
  t.throws(() => withCurrent(released, [changed]), { message: /job work \(work\) is gone.*raise chartVersion to 2/ })
  const raised = withCurrent(released, [{ ...changed, version: 2 }])
  t.deepEqual(raised, { c: { 1: readChartSurface(before), 2: readChartSurface(after) } })
})
