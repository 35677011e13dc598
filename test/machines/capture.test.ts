import test from 'ava'
import { findChartErrors, listStates } from 'durable-xstate-sql/testing'
import { type AnyMachineSnapshot, type AnyStateMachine, initialTransition, transition } from 'xstate'
import { captureMachine } from '../../machines/capture.ts'
import { isLong } from '../tier.ts'
import { sessions } from './capture_events.ts'
import { capturePaths as generate } from './generated_paths.ts'
import { covering, declaredTransitions, longest, restingStates } from './paths.ts'

const machine = captureMachine as AnyStateMachine
const capturePaths = generate()

/**
 * Charts of a browser may have parts that a database could not restore: history, errors handled at a parent, exit
 * actions.
 */
const onlyDurable =
  /has no onError|is not a name of its own|runs before the assignments|history states|status tags|status tag inside/

test('Every guard, action, delay and actor of the capture chart has a name that it declares', t => {
  t.deepEqual(
    findChartErrors(machine).filter(fault => !onlyDurable.test(fault)),
    [],
  )
})

test('The generated paths take every transition of the capture chart, and rest in every state', t => {
  const taken = new Set(capturePaths.flatMap(({ transitions }) => transitions))
  const states = new Set(capturePaths.flatMap(path => path.states))
  t.deepEqual(
    declaredTransitions(machine).filter(name => !taken.has(name)),
    [],
  )
  t.deepEqual(
    restingStates(machine).filter(id => id !== machine.id && !states.has(id)),
    [],
  )
  t.true(covering(capturePaths).length > 20)
})

function step(snapshot: AnyMachineSnapshot, event: object): AnyMachineSnapshot {
  return transition(machine, snapshot as never, event as never)[0] as AnyMachineSnapshot
}

test('Wherever a person is, there is one screen, and no picture is kept where nothing is captured', t => {
  for (const { input, events } of isLong ? longest(capturePaths) : covering(capturePaths)) {
    let snapshot = initialTransition(machine, input as never)[0] as AnyMachineSnapshot
    for (const event of events) {
      snapshot = step(snapshot, event)
      t.is(snapshot.tags.size, 1, JSON.stringify(snapshot.value))
      if (snapshot.hasTag('RESULT') || snapshot.hasTag('CHECKING') || snapshot.hasTag('FOLLOWING'))
        t.is(snapshot.context.picture, null)
    }
  }
})

test('A screen leads on: only the ends have no event of a person', t => {
  const ends = listStates(machine.root).filter(
    node => node.type === 'atomic' && node.invoke.length === 0 && node.always === undefined,
  )
  for (const node of ends)
    t.true(
      node.ownEvents.length > 0 ||
        ['capture.closed', 'capture.finished', 'capture.underway.in_review'].includes(node.parent?.id ?? ''),
      node.id,
    )
})

function done(name: string, output: unknown) {
  return { type: `xstate.done.actor.${name}`, output, actorId: name }
}

function walk(...events: readonly object[]): AnyMachineSnapshot {
  return events.reduce<AnyMachineSnapshot>(
    step,
    initialTransition(machine, {
      is_desktop: false,
      by_handoff: false,
      has_code: false,
      is_embedded: false,
    })[0] as AnyMachineSnapshot,
  )
}

const toUpload = [
  done('open', sessions.created),
  { type: 'CONTINUE' },
  { type: 'CHOOSE', document_type: 'ID_CARD' },
  { type: 'CONTINUE' },
  done('openCamera', null),
  done('watch', new Blob(['front'])),
  done('start', sessions.started),
  done('report', null),
]

test('The same bytes are sent again after a lost connection', t => {
  const before = walk(...toUpload)
  const lost = step(before, {
    type: 'xstate.error.actor.upload',
    error: { reason: 'offline' },
    actorId: 'upload',
  })
  t.is(lost.value, 'unreachable')
  const after = step(lost, { type: 'ONLINE' })
  t.deepEqual(after.value, before.value)
  t.is(after.context.picture, before.context.picture)
})

test('Late advice of the service is shown before the movements, and the person may keep the picture', t => {
  const toSelfie = [
    done('open', sessions.liveness_missing),
    { type: 'BACK' },
    { type: 'CONTINUE' },
    done('openCamera', null),
  ]
  const sent = walk(...toSelfie, done('watch', new Blob(['selfie'])))
  const looking = step(sent, done('upload', { warnings: [], pending: true, attempts_left: 1 }))
  t.deepEqual([looking.value, [...looking.tags]], [{ underway: { capturing: 'looking' } }, ['SENDING_PICTURE']])
  const heard = step(looking, done('awaitAdvice', sessions.selfie_advised))
  t.deepEqual([[...heard.tags], heard.context.receipt.warnings], [['PICTURE_ADVICE'], ['SELFIE_LOW_QUALITY']])
  const kept = step(heard, { type: 'KEEP' })
  t.deepEqual([...kept.tags], ['EXPLAIN_LIVENESS'])
  const again = step(
    step(step(heard, { type: 'RETAKE' }), done('openCamera', null)),
    done('watch', new Blob(['other'])),
  )
  const fine = step(again, done('upload', { warnings: [], pending: false, attempts_left: 0 }))
  t.deepEqual([...fine.tags], ['EXPLAIN_LIVENESS'], 'what was said was about the picture before')
  const worse = step(again, done('upload', { warnings: [], pending: true, attempts_left: 0 }))
  t.deepEqual([...step(worse, done('awaitAdvice', sessions.selfie_advised)).tags], ['PICTURE_ADVICE'])
  const late = step(looking, { type: 'xstate.after.ADVICE.capture.underway.capturing.looking' })
  t.deepEqual([...late.tags], ['EXPLAIN_LIVENESS'], 'nobody waits for a service that has no time')
})

test('Another document can be chosen until the first picture is sent, and after it', t => {
  const explaining = walk(...toUpload.slice(0, 3))
  t.true(step(explaining, { type: 'BACK' }).matches({ underway: { capturing: 'choosing_document' } }))
  const back = step(walk(...toUpload), done('upload', { warnings: [], pending: false, attempts_left: 1 }))
  t.is(back.context.step, 'document_back')
  const front = step(back, { type: 'BACK' })
  t.is(front.context.step, 'document_front')
  t.is(step(front, { type: 'KEEP' }).context.step, 'document_back')
  const choosing = step(back, { type: 'CHANGE_DOCUMENT' })
  t.deepEqual(choosing.value, step(front, { type: 'BACK' }).value)
  t.is(step(choosing, { type: 'BACK' }).context.step, 'document_back')
  const same = step(choosing, { type: 'CHOOSE', document_type: 'ID_CARD' })
  t.true(same.can({ type: 'KEEP' }), 'the picture of the same document is kept')
  const other = step(choosing, { type: 'CHOOSE', document_type: 'PASSPORT' })
  t.true(other.matches({ underway: { capturing: 'changing_document' } }))
  const changed = step(other, done('changeDocument', { ...sessions.started, document_type: 'PASSPORT' }))
  t.deepEqual([changed.context.step, changed.context.document_type], ['document_front', 'PASSPORT'])
  t.false(changed.can({ type: 'KEEP' }), 'no picture of the other document is kept')
})

function issue(attempts_left: number): object {
  return done('issueChallenge', {
    challenge_id: 'challenge',
    actions: ['BLINK'],
    lasts_ms: 120_000,
    expires_in_ms: 120_000,
    attempts_left,
  })
}

function answerPoorly(attempts_left: number): AnyMachineSnapshot {
  return walk(
    done('open', sessions.liveness_missing),
    { type: 'CONTINUE' },
    done('openCamera', null),
    issue(attempts_left),
    done('watch', new Blob(['frame'])),
    done('uploadFrame', { warnings: ['IMAGE_BLURRED'], attempts_left }),
  )
}

const challengeIsOver = { type: 'xstate.after.CHALLENGE_TTL.capture.underway.capturing.liveness.answering' }

test('A person who has answered a challenge may think about it, and can’t lose the answer of the last one', t => {
  const last = answerPoorly(0)
  t.true(last.hasTag('FRAME_ADVICE'))
  t.false(last.can({ type: 'RETAKE' }))
  t.true(step(last, challengeIsOver).hasTag('FRAME_ADVICE'))
  t.true(step(last, { type: 'KEEP' }).hasTag('CHECKING'))
  const another = step(answerPoorly(1), { type: 'RETAKE' })
  t.true(another.hasTag('LIVENESS_CAMERA'))
  const late = step(step(step(another, done('openCamera', null)), issue(0)), challengeIsOver)
  t.true(late.hasTag('NO_ATTEMPTS'), 'nobody is asked to try again in vain')
})
