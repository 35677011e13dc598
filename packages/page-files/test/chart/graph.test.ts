import test from 'ava'
import { listStates } from 'durable-xstate-sql/testing'
import type { AnyStateNode } from 'xstate'
import { charts } from '../../../../machines/charts.ts'
import { allStates, chartGraph } from '../../../../tools/drawing/graph.ts'
import { guardText, stateText, transitionText } from '../../../../tools/drawing/text.ts'
import { toDefinition } from '../../chart/known_charts.ts'

const machines = Object.values(charts).flatMap(versions => Object.values(versions))

/** Returns XState's own transitions of a state: the name of each, and the state that it leads to. */
function transitionsAt(node: AnyStateNode): readonly (readonly [string, string])[] {
  return [...node.transitions, ['', node.always ?? []] as const].flatMap(([event, candidates]) =>
    candidates.map(({ target }, index) => [`${node.id}|${event}|${index}`, target?.[0]?.id ?? node.id] as const),
  )
}

for (const machine of machines) {
  test(`The graph of the ${machine.id} chart has the states and transitions that XState has`, t => {
    const { id, root, transitions } = chartGraph(toDefinition(machine))
    const nodes = listStates(machine.root)
    t.deepEqual(
      allStates(root).map(state => [state.id, state.type]),
      nodes.map(node => [node.id, node.type]),
    )
    const known = nodes.flatMap(transitionsAt)
    t.deepEqual(
      transitions.map(one => [one.id, one.target === '' ? id : `${id}.${one.target}`].join(' ')).toSorted(),
      known.map(pair => pair.join(' ')).toSorted(),
    )
    for (const node of nodes)
      t.deepEqual(
        allStates(root).find(state => state.id === node.id)?.initial ?? undefined,
        node.initial.target[0]?.id.slice(id.length + 1),
      )
  })

  test(`Every state and every transition of the ${machine.id} chart says what it means, in a sentence`, t => {
    const { root, transitions } = chartGraph(toDefinition(machine))
    for (const { id, description } of [...allStates(root), ...transitions])
      t.regex(description ?? '', /^[A-Z].{10,110}\.$/, id)
  })
}

test('Every spelling of a target is resolved, and an unknown target is named', t => {
  const definition = (target: string) => ({
    id: 'c',
    initial: 'a',
    states: {
      a: { on: { GO: target }, initial: 'x', states: { x: { id: 'ex' }, y: {} } },
      b: { initial: 'x', states: { x: {} } },
    },
  })
  const targets = { b: 'b', '.y': 'a.y', 'b.x': 'b.x', '#ex': 'a.x', '#c.b.x': 'b.x', '#c': '', '#c.a': 'a' }
  for (const [target, path] of Object.entries(targets))
    t.is(chartGraph(definition(target)).transitions[0]?.target, path, target)
  for (const target of ['x', '#y', '#c.x', '.b'])
    t.throws(() => chartGraph(definition(target)), { message: `c.a: there is no state ${target}` })
})

test('Every part of a chart is read as a sentence', t => {
  const graph = chartGraph({
    id: 'c',
    initial: 'a',
    states: {
      a: {
        initial: 'x',
        entry: 'greet',
        exit: [{ type: 'leave', params: { by: 'door', at: null } }],
        invoke: [{ id: 'job', src: 'work', onDone: 'b', onError: [{ target: 'b', guard: 'isLost' }, { target: 'a' }] }],
        on: { GO: { actions: ['one', { type: 'two', params: { n: 2 } }] }, AGAIN: { target: 'a', reenter: true } },
        after: { SOON: 'b' },
        onDone: { target: 'b' },
        states: {
          x: { always: [{ guard: { type: 'knows', params: { who: 'you' } }, target: 'z' }] },
          z: { type: 'final' },
        },
      },
      b: { type: 'final' },
    },
  })
  t.deepEqual(graph.transitions.map(transitionText), [
    'GO / one, two(2)',
    'AGAIN',
    'job done',
    'job failed [isLost]',
    'job failed [else]',
    'after SOON',
    'a done',
    'always [knows(you)]',
  ])
  t.deepEqual(
    graph.transitions.map(({ internal, reenter }) => [internal, reenter]),
    [[true, false], [false, true], ...Array.from({ length: 6 }, () => [false, false])],
  )
  const [first] = graph.root.states
  t.deepEqual(first && stateText(first).map(({ text }) => text), [
    'a',
    'entry / greet',
    'exit / leave(door, null)',
    'job / job',
  ])
  t.is(graph.transitions.map(guardText).join(''), '[isLost][else][knows(you)]')
})
