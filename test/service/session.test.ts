import type { AnalysisRequest } from '@attestor/vision'
import test from 'ava'
import type { Row } from 'durable-xstate-sql/testing'
import { createApprovedFindings } from '../../src/engines/scripted.ts'
import type { Answer } from '../calls.ts'
import { oneDialect } from '../database.ts'
import { hold, type Place, transcriptSettings, transcripts } from '../http/transcripts.ts'
import { anotherTake, digestOf, kyc, picture, sdk, startCall } from './client.ts'
import { getResult, listNotified, verify } from './outcomes.ts'
import { openRig, type Rig } from './rig.ts'

const minute = 60_000

interface Step {
  readonly step: string
  readonly required: boolean
  readonly state: string
  readonly attempts_left: number
}

function stepsOf({ body }: Answer): readonly Step[] {
  return body.steps as readonly Step[]
}

function stateOf(answer: Answer, name: string): string | undefined {
  return stepsOf(answer).find(({ step }) => step === name)?.state
}

for (const engine of oneDialect) {
  let rig: Rig
  const on = `On ${engine.name}: `
  const capturesOf = (id: string): Promise<readonly Row[]> =>
    rig.rows('SELECT kind, digest FROM captures WHERE transaction_id = ? ORDER BY kind, created_at', id)
  const eventsOf = async (id: string): Promise<string[]> =>
    (await rig.rows('SELECT event FROM journal WHERE actor_id = ? ORDER BY sequence', id)).map(
      ({ event }) => (JSON.parse(String(event)) as { type: string }).type,
    )

  test.serial.before(async () => {
    rig = await openRig(engine, transcriptSettings)
  })
  test.serial.after.always(() => rig.close())

  test.serial(`${on}the transcripts of a device are answered line by line on a node`, async t => {
    const place: Place = {
      name: 'node',
      async open(transaction_type) {
        const { id, sdk_token } = await rig.open({}, { transaction_type })
        return { id, call: (method, path, more) => rig.call(method, `${sdk}${path}`, { token: sdk_token, ...more }) }
      },
      advance: rig.advance,
      async readStatus(id) {
        await rig.idle()
        return (await rig.view(id)).status
      },
      rows: rig.rows,
    }
    for (const transcript of transcripts) await hold(t, place, transcript)
  })

  test.serial(`${on}start and complete may be repeated, side by side too, and happen once`, async t => {
    const { id, phone } = await rig.open()
    const starts = await Promise.all(Array.from({ length: 5 }, () => phone.start()))
    t.deepEqual(new Set(starts.map(({ status, body }) => `${status} ${body.status}`)), new Set(['200 INITIATED']))
    const initiated_at = (await rig.view(id)).initiated_at
    await rig.advance(minute)
    const other = await phone.start({ ...startCall, document_type: 'ID_CARD' })
    t.is(stepsOf(other).find(({ step }) => step === 'document_back')?.required, false, 'the first report stays')
    t.is((await rig.view(id)).initiated_at, initiated_at)
    await phone.capture()
    const completions = await Promise.all(Array.from({ length: 5 }, () => phone.complete()))
    t.deepEqual(
      new Set(completions.map(({ status, text }) => `${status} ${text}`)),
      new Set(['202 {"submitted":true}']),
    )
    await rig.idle()
    t.deepEqual((await phone.complete()).body, { submitted: true })
    const events = await eventsOf(id)
    t.is(events.filter(type => type === 'START').length, 1)
    t.is(events.filter(type => type === 'COMPLETE').length, 1)
    t.deepEqual(listNotified(rig, id), ['INITIATED', 'COMPLETED', 'PROCESSING', 'FINISHED'])
    t.is((await phone.start()).status, 409, 'there is no way back')
    t.is((await phone.upload('selfie')).status, 409)
    t.is(
      (await capturesOf(id)).filter(({ kind }) => kind === 'facts').length,
      1,
      'what came second left nothing behind',
    )
  })

  test.serial(
    `${on}an upload whose answer was lost may be repeated: it is stored once, and is one attempt`,
    async t => {
      const { id, phone } = await rig.open()
      await phone.start({ ...startCall, document_type: 'ID_CARD' })
      const takes = await Promise.all([11, 12, 13].map(picture))
      const last = takes[2] as Buffer
      for (const place of ['document/front', 'document/back', 'selfie']) {
        const first = await phone.upload(place, takes[0])
        t.is(first.status, 200)
        t.deepEqual((await phone.upload(place, takes[0])).body, first.body, 'the same answer again')
        await phone.upload(place, takes[1])
        const answers = await Promise.all(Array.from({ length: 4 }, () => phone.upload(place, last)))
        for (const { status, body } of answers) t.deepEqual([status, body.attempts_left], [200, 0])
        t.is((await phone.upload(place, last)).status, 200, 'the last attempt’s, too')
        t.is((await phone.upload(place, takes[0])).status, 409, 'an earlier take is no repetition')
        // Repetitions have a limit a minute.
        await rig.advance(minute)
      }
      const events = await eventsOf(id)
      for (const event of ['FRONT_CAPTURED', 'BACK_CAPTURED', 'SELFIE_CAPTURED'])
        t.is(events.filter(type => type === event).length, 3, event)
      const held = (await capturesOf(id)).filter(({ kind }) => kind !== 'facts')
      t.deepEqual(
        held.map(({ kind, digest }) => [kind, digest]),
        ['document_back', 'document_front', 'selfie'].map(kind => [kind, digestOf(last)]),
      )
      await phone.liveness()
      await phone.complete()
      t.is((await phone.upload('selfie', last)).status, 409, 'not after completion')
    },
  )

  test.serial(`${on}an image that was used before is no frame, except for the same call again`, async t => {
    const { id, phone } = await rig.open()
    await phone.start()
    const picked = await picture(7)
    const front = anotherTake(picked)
    const selfie = anotherTake(picked)
    const once = anotherTake(picked)
    await phone.upload('document/front', front)
    await phone.upload('selfie', selfie)
    const old = (await phone.challenge()).body.challenge_id
    t.is((await phone.upload(`liveness/${old}/0`, once)).status, 200)
    t.is((await phone.upload(`liveness/${old}/0`, once)).status, 200, 'the answer was lost, and the phone asks again')
    for (const used of [front, selfie, once]) {
      const { status, body } = await phone.upload(`liveness/${old}/1`, used)
      t.deepEqual(
        [status, body],
        [422, { error: 'image: must be a new photo, this one was already used as a capture' }],
      )
    }
    t.is((await phone.upload('selfie', once)).status, 422)
    const next = (await phone.challenge()).body.challenge_id
    t.is((await phone.upload(`liveness/${next}/0`, once)).status, 422, 'a void challenge’s frame')
    t.is((await capturesOf(id)).filter(({ kind }) => kind === 'liveness').length, 0)
    const other = await rig.open()
    await other.phone.start()
    const theirs = (await other.phone.challenge()).body.challenge_id
    t.is((await other.phone.upload(`liveness/${theirs}/0`, selfie)).status, 422, 'another transaction’s capture')
    t.is((await other.phone.upload(`liveness/${theirs}/0`, once)).status, 200, 'dropped there, and so known no more')
  })

  test.serial(`${on}one image sent to several places at once is taken in one of them`, async t => {
    const { id, phone } = await rig.open()
    await phone.start()
    const { challenge_id } = (await phone.challenge()).body
    const once = anotherTake(await picture(7))
    const places = ['selfie', ...[0, 1, 2].map(n => `liveness/${challenge_id}/${n}`)]
    const answers = await Promise.all(places.map(place => phone.upload(place, once)))
    t.deepEqual(answers.map(({ status }) => status).toSorted(), [200, 422, 422, 422])
    const kept = (await capturesOf(id)).filter(({ digest }) => digest === digestOf(once))
    t.is(kept.length, 1)
  })

  test.serial(
    `${on}a challenge that comes while frames of the one before are on their way keeps none of them`,
    async t => {
      const { id, phone } = await rig.open()
      await phone.start()
      const old = (await phone.challenge()).body
      const place = (n: number): string => `liveness/${old.challenge_id}/${n}`
      const [issued, ...late] = await Promise.all([phone.challenge(), ...[0, 1, 2].map(n => phone.upload(place(n)))])
      t.is(issued.status, 201)
      for (const { status } of late) t.true([200, 409, 410].includes(status), `${status}`)
      t.is((await capturesOf(id)).filter(({ kind }) => kind === 'liveness').length, 0)
      t.is(stateOf(await phone.session(), 'liveness'), 'missing')
      t.is((await phone.challenge()).status, 409, 'both were attempts')
    },
  )

  test.serial(
    `${on}fingerprints of a customer’s frames go to the customer’s next analyses, and to nobody else’s`,
    async t => {
      const asked: AnalysisRequest[] = []
      const fingerprint = { points: [1, 2], box: [0, 0, 1, 1], brightness: 'AA==' }
      rig.script(request => {
        asked.push(request)
        const evidence = createApprovedFindings(request)
        return { ...evidence, liveness: evidence.liveness && { ...evidence.liveness, fingerprints: [fingerprint] } }
      })
      const customer_id = await rig.customer()
      const verified = async (body: object): Promise<string> => {
        const { id, phone } = await rig.open({}, body)
        await phone.capture()
        await phone.complete()
        await rig.idle()
        return id
      }
      const first = await verified({ customer_id })
      await verified({ customer_id })
      await verified({})
      t.deepEqual(
        asked.map(({ challenge }) => challenge?.earlier),
        [[], [fingerprint], []],
      )
      const path = `${kyc}/transaction/${first}`
      const listed = await rig.call('GET', `${path}/captures`, { token: await rig.token() })
      t.false(listed.text.includes('fingerprints'), 'it is no image')
      await rig.call('DELETE', path, { token: await rig.token() })
      t.deepEqual(await capturesOf(first), [])
      rig.script(createApprovedFindings)
    },
  )

  test.serial(`${on}the last signals before completion count, and none after`, async t => {
    const { id, phone } = await rig.open()
    await phone.capture()
    await phone.signals({ device: { device_model: 'Phone 10' }, network: { connection_type: 'cellular' } })
    await phone.complete()
    t.is((await phone.signals({ device: { device_model: 'Phone 11' } })).status, 409)
    await rig.idle()
    const { device, network } = getResult(await rig.view(id)).metadata as Record<string, Record<string, unknown>>
    t.is(device?.device_model, 'Phone 10')
    t.is(device?.sdk_platform, 'ios', 'what only the start reported stays')
    t.deepEqual([network?.connection_type, network?.vpn_detected], ['cellular', null])
  })

  test.serial(
    `${on}the token of a finished session reads its result for 15 minutes more, and is then gone`,
    async t => {
      const opened = await rig.open({ transaction_ttl_minutes: 1 })
      await opened.phone.capture()
      await rig.advance(30_000)
      await opened.phone.complete()
      await rig.idle()
      await rig.advance(15 * minute - 1)
      t.deepEqual((await opened.phone.result()).body, {
        status: 'FINISHED',
        outcome: 'APPROVED',
        waiting_for: null,
        advice: [],
      })
      await rig.advance(1)
      const gone = await opened.phone.result()
      t.deepEqual([gone.status, gone.body], [410, { error: 'sdk_token: the transaction has expired' }])
      t.is((await opened.phone.session()).status, 410)
    },
  )

  test.serial(`${on}a long poll answers when the transaction ends, or when its time is over`, async t => {
    const { phone } = await rig.open()
    await phone.capture()
    const asked = rig.waiting(1000)
    const poll = phone.result('20')
    await asked
    await phone.complete()
    t.deepEqual((await poll).body, { status: 'FINISHED', outcome: 'APPROVED', waiting_for: null, advice: [] })
    await rig.idle()

    const patient = await rig.open()
    await patient.phone.start()
    await rig.idle()
    const first = rig.waiting(1000)
    const late = patient.phone.result('2')
    await first
    const second = rig.waiting(1000)
    await rig.advance(1000)
    await second
    await rig.advance(1000)
    t.deepEqual((await late).body, { status: 'INITIATED', outcome: null, waiting_for: null, advice: [] })
  })

  test.serial(`${on}tokens of two transactions never meet`, async t => {
    const one = await rig.open()
    const other = await rig.open()
    await one.phone.start()
    await other.phone.start()
    const { body } = await one.phone.challenge()
    t.is((await other.phone.upload(`liveness/${body.challenge_id}/0`)).status, 410)
    await one.phone.cancel()
    t.is((await rig.view(other.id)).status, 'INITIATED')
    const { id } = await verify(rig)
    t.not(id, one.id)
    t.is((await one.phone.session()).body.status, 'FAILED')
  })
}
