/** Conversations of a device with the service, line by line. They are held at a door alone, and on a node that does the rest. */
import type { ExecutionContext } from 'ava'
import type { Row } from 'durable-xstate-sql/testing'
import type { Answer, CallOptions } from '../calls.ts'
import { anotherTake, digestOf, picture } from '../service/client.ts'

/** A number is sent as that picture, a word as a frame of that name, and an object as JSON. */
type Sends = number | string | object | null

/** A call and its answer: the error of a body, or members of it. `after` is no call: the clock is turned by so many ms. */
type Line =
  | readonly [call: string, sends: Sends, status: number, answer?: string | object]
  | readonly [call: 'after', ms: number]

interface Transcript {
  readonly title: string
  readonly transaction_type?: 'BIOMETRIC_ONLY'
  readonly lines: readonly Line[]
  /** The transaction's status in the end; a node analyses what was submitted. */
  readonly status: string | { readonly door: string; readonly node: string }
  /** The captures that are then stored, and the picture that each kind is of, where the transcript names one. */
  readonly captures: readonly string[]
  readonly pictures?: Readonly<Record<string, number>>
  /** Counts of some events in the journal. */
  readonly events?: Readonly<Record<string, number>>
}

/** The settings that the transcripts count on. */
export const transcriptSettings = { CAPTURE_ATTEMPTS: '3', CHALLENGE_ATTEMPTS: '2' }

const start = {
  location_permission: 'granted',
  consent: true,
  document_type: 'PASSPORT',
  device: { is_emulator: null },
}
const card = { ...start, document_type: 'ID_CARD' }
const unknownChallenge = '01a1fca7-8a12-7284-bf28-0d0ce4c16fd1'
const usable = { accepted: true, warnings: ['IMAGE_LOW_RESOLUTION', 'IMAGE_TOO_DARK'], reasons: [], pending: false }

function liveness(attempts_left: number) {
  return { step: 'liveness', required: true, state: 'missing', attempts_left }
}

export const transcripts: readonly Transcript[] = [
  {
    title: 'a device takes every step and submits, and each call that it repeats is answered as before',
    lines: [
      ['GET', null, 200, { status: 'CREATED', next_step: null }],
      ['GET', null, 200, { accepted_media_types: ['image/jpeg', 'image/png', 'image/webp'] }],
      ['PUT /selfie', 7, 409, 'transaction: is not started'],
      ['POST /start', card, 200, { status: 'INITIATED', next_step: 'document_front' }],
      ['POST /start', card, 200],
      ['PUT /signals', { geolocation: { latitude: 52.5, longitude: 13.4 } }, 204],
      ['PUT /document/front', 7, 200, { ...usable, next_step: 'document_back', attempts_left: 2 }],
      ['POST /complete', null, 409, 'steps: document_back, selfie, liveness missing'],
      ['PUT /document/back', 7, 200],
      ['POST /complete', null, 409, 'steps: selfie, liveness missing'],
      ['PUT /selfie', 7, 200],
      ['DELETE /captures/selfie', null, 204],
      ['DELETE /captures/selfie', null, 409],
      ['PUT /selfie', 8, 200],
      ['POST /liveness/challenge', null, 201],
      ['PUT /liveness/{challenge_id}/2', 'third', 200],
      ['PUT /liveness/{challenge_id}/2', 'third', 200],
      ['PUT /liveness/{challenge_id}/0', 'first', 200],
      ['PUT /liveness/{challenge_id}/3', 'fourth', 200],
      ['PUT /liveness/{challenge_id}/1', 'second', 200],
      ['PUT /liveness/{challenge_id}/1', 'another', 409],
      ['POST /complete', null, 202, { submitted: true }],
      ['POST /complete', null, 202, { submitted: true }],
      ['PUT /selfie', 7, 409],
    ],
    status: { door: 'COMPLETED', node: 'FINISHED' },
    captures: [
      'document_back',
      'document_front',
      'facts',
      'liveness',
      'liveness',
      'liveness',
      'liveness',
      'selfie',
      'signals',
    ],
    pictures: { document_front: 7, document_back: 7, selfie: 8 },
    events: { START: 1, COMPLETE: 1, FRAME_CAPTURED: 4 },
  },
  {
    title: 'a step-up asks for no document, and takes none',
    transaction_type: 'BIOMETRIC_ONLY',
    lines: [
      ['POST /start', start, 200, { next_step: 'selfie', steps: [{ step: 'selfie' }, liveness(2)] }],
      ['PUT /document/front', 7, 409],
      ['PUT /document', { document_type: 'PASSPORT' }, 409, 'document_type: this transaction needs no document'],
    ],
    status: 'INITIATED',
    captures: ['facts'],
  },
  {
    title: 'a retake replaces, and the attempts end',
    lines: [
      ['POST /start', start, 200],
      ['PUT /selfie', 1, 200, { attempts_left: 2 }],
      ['PUT /selfie', 2, 200, { attempts_left: 1 }],
      ['PUT /selfie', 3, 200, { attempts_left: 0 }],
      // The answer to the last attempt may have been lost.
      ['PUT /selfie', 3, 200, { attempts_left: 0 }],
      ['PUT /selfie', 4, 409, 'selfie: no attempts left'],
    ],
    status: 'INITIATED',
    captures: ['facts', 'selfie'],
    pictures: { selfie: 3 },
    events: { SELFIE_CAPTURED: 3 },
  },
  {
    title: 'a capture that is dropped is gone, and gives no attempt back',
    lines: [
      ['POST /start', start, 200],
      ...[1, 2, 3].map((number): Line => ['PUT /selfie', number, 200]),
      ['DELETE /captures/selfie', null, 204],
      ['DELETE /captures/selfie', null, 409],
      ['GET', null, 200, { steps: [{}, {}, { step: 'selfie', state: 'missing' }, {}] }],
      ['PUT /selfie', 7, 409, 'selfie: no attempts left'],
    ],
    status: 'INITIATED',
    captures: ['facts'],
  },
  {
    title: 'another document is chosen: its pictures go, and the takes stay counted',
    lines: [
      ['PUT /document', { document_type: 'ID_CARD' }, 409],
      ['POST /start', start, 200],
      ['PUT /document/front', 7, 200],
      ['PUT /selfie', 7, 200],
      ['PUT /document', { document_type: 'ID_CARD' }, 200, { document_type: 'ID_CARD', next_step: 'document_front' }],
      [
        'GET',
        null,
        200,
        {
          steps: [
            { required: true, state: 'missing', attempts_left: 2 },
            { required: true, state: 'missing', attempts_left: 3 },
            { required: true, state: 'captured', attempts_left: 2 },
            liveness(2),
          ],
        },
      ],
      // A lost answer may be asked for again.
      ['PUT /document', { document_type: 'ID_CARD' }, 200],
      ...['PASSPORT', 'RESIDENCE_PERMIT'].flatMap((document_type): Line[] => [
        ['PUT /document/front', 7, 200],
        ['PUT /document/back', 7, 200],
        ['PUT /document', { document_type }, 200],
      ]),
      ['PUT /document/front', 7, 409, 'document_front: no attempts left'],
    ],
    status: 'INITIATED',
    captures: ['facts', 'selfie'],
    events: { DOCUMENT_CHANGED: 3 },
  },
  {
    title: 'a challenge is good for its time, for itself, and once',
    lines: [
      ['POST /start', start, 200],
      ['POST /liveness/challenge', null, 201, { attempts_left: 1 }],
      [`PUT /liveness/${unknownChallenge}/0`, 'unknown', 410],
      ['PUT /liveness/{challenge_id}/4', 'fifth', 404],
      ['PUT /liveness/{challenge_id}/0', 'early', 200],
      ['after', 119_999],
      ['PUT /liveness/{challenge_id}/0', 'in time', 200],
      ['after', 1],
      ['PUT /liveness/{challenge_id}/1', 'late', 410],
      ['GET', null, 200, { steps: [{}, {}, {}, { step: 'liveness', state: 'missing' }] }],
      ['POST /liveness/challenge', null, 201, { attempts_left: 0 }],
      ...[2, 0, 3, 1].map((n): Line => [`PUT /liveness/{challenge_id}/${n}`, `frame ${n}`, 200]),
      ['PUT /liveness/{challenge_id}/1', 'answered', 409],
      ['after', 600_000],
      ['GET', null, 200, { steps: [{}, {}, {}, { step: 'liveness', state: 'captured' }] }],
      ['POST /liveness/challenge', null, 409, 'liveness: no attempts left'],
      ['PUT /document/front', 7, 200],
      ['PUT /selfie', 7, 200],
      ['POST /complete', null, 202],
    ],
    status: { door: 'COMPLETED', node: 'FINISHED' },
    // The frame of the challenge that has expired is deleted when the person is done.
    captures: ['document_front', 'facts', 'liveness', 'liveness', 'liveness', 'liveness', 'selfie'],
  },
  ...[[], [['POST /start', start, 200] as const]].map(
    (before): Transcript => ({
      title: `a device cancels for good ${before.length === 0 ? 'before' : 'after'} its start`,
      lines: [
        ...before,
        ['POST /cancel', null, 200, { status: before.length === 0 ? 'CREATED' : 'INITIATED' }],
        ['POST /cancel', { final: true }, 200, { status: 'FAILED' }],
        ['POST /cancel', { final: true }, 200, { status: 'FAILED' }],
        ['POST /start', start, 409],
        ['POST /complete', null, 409],
        [
          'GET /result?wait=60',
          null,
          200,
          { status: 'FAILED', outcome: 'UNDETERMINED', waiting_for: null, advice: [] },
        ],
      ],
      status: 'FAILED',
      captures: before.length === 0 ? [] : ['facts'],
    }),
  ),
]

/** A place where a device calls: a door, or a node. */
export interface Place {
  readonly name: 'door' | 'node'
  open(transaction_type: string): Promise<{
    readonly id: string
    call(method: string, path: string, options: CallOptions): Promise<Answer>
  }>
  advance(ms: number): Promise<void>
  /** Returns the transaction's status, once nothing is left to do. */
  readStatus(id: string): Promise<unknown>
  rows(sql: string, id: string): Promise<readonly Row[]>
}

/** Makes of what a line sends a call; a frame of the same name is the same bytes. */
function createSender() {
  const frames = new Map<string, Promise<Buffer>>()
  return async (sends: Sends): Promise<CallOptions> => {
    if (sends === null) return {}
    if (typeof sends === 'object') return { json: sends }
    if (typeof sends === 'number') return { image: await picture(sends) }
    const known = frames.get(sends) ?? picture(7).then(anotherTake)
    frames.set(sends, known)
    return { image: await known }
  }
}

/** Whether a value has the members, at any depth; of a list each entry has those of its place. */
function has(value: unknown, members: unknown): boolean {
  if (typeof members !== 'object' || members === null) return value === members
  if (typeof value !== 'object' || value === null || Array.isArray(value) !== Array.isArray(members)) return false
  if (Array.isArray(members) && (value as unknown[]).length !== members.length) return false
  return Object.entries(members).every(([name, member]) => has(Reflect.get(value, name), member))
}

/** Holds a conversation, and checks each answer, and what it leaves behind. */
export async function hold(t: ExecutionContext, place: Place, transcript: Transcript): Promise<void> {
  const { id, call } = await place.open(transcript.transaction_type ?? 'DOCUMENT_AND_BIOMETRIC')
  const toOptions = createSender()
  let challenge_id = ''
  for (const [at, line] of transcript.lines.entries()) {
    if (line[0] === 'after') {
      await place.advance(line[1] as number)
      continue
    }
    const [what, sends, status, says = {}] = line as Exclude<Line, readonly ['after', number]>
    const [method = '', path = ''] = what.split(' ')
    const answer = await call(method, path.replace('{challenge_id}', challenge_id), await toOptions(sends))
    const title = `${transcript.title}: line ${at + 1}, ${what}: ${answer.text}`
    t.is(answer.status, status, title)
    if (typeof says === 'string') t.deepEqual(answer.body, { error: says }, title)
    else t.true(has(answer.body, says), title)
    if (status >= 400) t.deepEqual(Object.keys(answer.body), ['error'], title)
    challenge_id = String(answer.body.challenge_id ?? challenge_id)
  }
  const { status, captures, pictures = {}, events = {} } = transcript
  t.is(await place.readStatus(id), typeof status === 'string' ? status : status[place.name], transcript.title)
  const kept = await place.rows('SELECT kind, digest FROM captures WHERE transaction_id = ? ORDER BY kind', id)
  t.deepEqual(
    kept.map(({ kind }) => kind),
    captures as never,
    transcript.title,
  )
  for (const [kind, number] of Object.entries(pictures))
    t.is(kept.find(one => one.kind === kind)?.digest, digestOf(await picture(number)) as never, kind)
  const journal = await place.rows('SELECT event FROM journal WHERE actor_id = ?', id)
  const types = journal.map(({ event }) => (JSON.parse(String(event)) as { type: string }).type)
  for (const [event, count] of Object.entries(events)) t.is(types.filter(type => type === event).length, count, event)
}
