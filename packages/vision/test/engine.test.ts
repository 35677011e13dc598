import { readdir, readFile } from 'node:fs/promises'
import { crc32, deflateSync } from 'node:zlib'
import type { PictureBox, PicturePoint, PictureQuad } from '@attestor/rules'
import test, { type ExecutionContext } from 'ava'
import { systemClock } from '../../../src/base/clock.ts'
import { createApprovedFindings, scriptedEngine } from '../../../src/engines/scripted.ts'
import { patientLimits } from '../../../test/image_checker.ts'
import { inLongTier } from '../../../test/tier.ts'
import { localEngine } from '../engine.ts'
import {
  type AnalysisEngine,
  AnalysisError,
  type AnalysisRequest,
  type EncodedImage,
  EngineUnavailableError,
} from '../port.ts'
import { readResidentMb } from '../processes/child.ts'
import { type PortraitPose, person, personSeeds } from '../synthetic/portrait.ts'
import { photograph, photographFace, renderDocument, renderPortrait } from './drawn.ts'
import { createOtherPersonFindings } from './face_findings.ts'

const never = new AbortController().signal
const engine = localEngine({ clock: systemClock, limits: patientLimits })
test.after.always(() => engine.stop())

const [anna = 1] = personSeeds

function portrait(pose: PortraitPose): Promise<Buffer> {
  return renderPortrait(person(anna), pose, { width: 480, height: 640 })
}

function request(images: Partial<AnalysisRequest>): AnalysisRequest {
  return {
    transaction_id: '0192d4a0-0000-7000-8000-000000000000',
    transaction_type: 'DOCUMENT_AND_BIOMETRIC',
    document_front: null,
    document_back: null,
    selfie: null,
    challenge: null,
    enrolled_face: null,
    ...images,
  }
}

function chunk(type: string, data: Uint8Array): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data])
  const out = Buffer.alloc(body.length + 8)
  out.writeUInt32BE(data.length, 0)
  body.copy(out, 4)
  out.writeUInt32BE(crc32(body), body.length + 4)
  return out
}

/** Returns a PNG whose header promises 400 megapixels, and whose body is small. */
function bomb(): Buffer {
  const header = Buffer.alloc(13)
  header.writeUInt32BE(20_000, 0)
  header.writeUInt32BE(20_000, 4)
  header.set([8, 2, 0, 0, 0], 8)
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
  const pixels = deflateSync(Buffer.alloc(1_000_000))
  return Buffer.concat([signature, chunk('IHDR', header), chunk('IDAT', pixels), chunk('IEND', Buffer.alloc(0))])
}

test.serial('a whole face is analysed in a child process and its template comes back', async t => {
  const evidence = await engine.analyse(
    request({
      transaction_type: 'BIOMETRIC_ONLY',
      selfie: await portrait({}),
      challenge: {
        actions: ['TURN_RIGHT', 'TURN_LEFT'],
        frames: [await portrait({ turn: -0.5 }), await portrait({ turn: 0.5 })],
        attempts: 1,
      },
    }),
    never,
  )
  t.is(evidence.document, null)
  t.like(evidence.liveness?.challenge, [
    { action: 'TURN_RIGHT', passed: true },
    { action: 'TURN_LEFT', passed: true },
  ])
  t.is(evidence.face?.template?.values.length, 192)
  t.deepEqual(Object.keys(evidence.stages), ['selfie', 'liveness', 'comparison'])
  const digests = Object.values(evidence.face?.engine.models ?? {})
  t.true(digests.length >= 3 && digests.every(digest => /^[0-9a-f]{64}$/.test(digest)))
})

const fields = {
  document_code: 'I',
  issuing_state: 'UTO',
  nationality: 'UTO',
  document_number: 'D23145890',
  last_name: 'Morgenstern',
  first_name: 'Alexis',
  date_of_birth: '1991-03-04',
  expiry_date: '2049-02-18',
  sex: 'X',
  personal_number: null,
} as const

function findMiddle(points: readonly PicturePoint[]): PicturePoint {
  return {
    x: points.reduce((sum, { x }) => sum + x, 0) / points.length,
    y: points.reduce((sum, { y }) => sum + y, 0) / points.length,
  }
}

function boxCorners(box: PictureBox | null | undefined): readonly PicturePoint[] {
  return box ? [box, { x: box.x + box.width, y: box.y + box.height }] : []
}

/** Returns whether points lie within a quadrilateral: on the same side of each of its edges. */
function isInside(points: readonly PicturePoint[] | null | undefined, quad: PictureQuad | null | undefined): boolean {
  return (
    (points ?? []).length > 0 &&
    (points ?? []).every(({ x, y }) => {
      const sides = (quad ?? []).map((from, n, all) => {
        const to = all[(n + 1) % all.length] ?? from
        return Math.sign((to.x - from.x) * (y - from.y) - (to.y - from.y) * (x - from.x))
      })
      return sides.length === 4 && Math.abs(sides.reduce((sum: number, side) => sum + side, 0)) === 4
    })
  )
}

inLongTier(test.serial)(
  'an upside-down passport and both sides of a card are read and match their holder’s selfie',
  async t => {
    const picture = await renderPortrait(person(anna), { headWidth: 0.6, distance: 8 }, { width: 350, height: 450 })
    const selfie = await photographFace(await portrait({ tilt: 0.15 }), 3)
    for (const [format, condition] of [
      ['TD3', 'upside_down'],
      ['TD1', 'typical'],
    ] as const) {
      const code = format === 'TD3' ? 'P' : 'I'
      const printed = await renderDocument({
        format,
        fields: { ...fields, document_code: code },
        portrait: picture,
        seed: 4,
      })
      const document_back = printed.back && (await photograph(printed.back, { seed: 6, condition }))
      const document_front = await photograph(printed.front, { seed: 5, condition })
      const { document, face } = await engine.analyse(request({ document_front, document_back, selfie }), never)
      t.like(document, { reading: 'READ', portrait_found: true, missing_side: null }, format)
      t.true(
        document?.visual?.lines.flat().some(word => word.includes('MORGENSTERN')),
        `${format}: its printed text`,
      )
      t.like(document?.mrz, { format, valid: true, last_name: 'MORGENSTERN', document_number: 'D23145890' })
      t.true((face?.distance ?? 9) <= (face?.accept_below ?? 0), `${format}: ${face?.distance}`)
      t.false(face?.same_picture)
      const { document_front: onFront, document_back: onBack } = document?.regions ?? {}
      const zoned = format === 'TD3' ? onFront : onBack
      const isUpsideDown = condition === 'upside_down'
      t.true(isInside(zoned?.zone, zoned?.outline), `${format}: the zone is on its page`)
      t.is(findMiddle(zoned?.zone ?? []).y < findMiddle(zoned?.outline ?? []).y, isUpsideDown, 'it is its lower part')
      t.true(isInside(boxCorners(onFront?.portrait), onFront?.outline), `${format}: the portrait is on its side`)
      const { x = 0, y = 0, width = 0, height = 0 } = face?.regions?.selfie?.face ?? {}
      t.true(width > 0.1 && height > 0.1 && x + width <= 1 && y + height <= 1, 'the selfie has its face')
    }
  },
)

inLongTier(test.serial)(
  'a card whose sides came in the other order is read, and its portrait found on the other photo',
  async t => {
    const picture = await renderPortrait(person(anna), { headWidth: 0.6, distance: 8 }, { width: 350, height: 450 })
    const selfie = await photographFace(await portrait({ tilt: 0.15 }), 3)
    const { front, back } = await renderDocument({ format: 'TD1', fields, portrait: picture, seed: 4 })
    const document_front = back && (await photograph(back, { seed: 6 }))
    const document_back = await photograph(front, { seed: 5 })
    const { document, face } = await engine.analyse(request({ document_front, document_back, selfie }), never)
    t.like(document, { reading: 'READ', portrait_found: true, missing_side: null })
    t.true((face?.distance ?? 9) <= (face?.accept_below ?? 0), `${face?.distance}`)
  },
)

inLongTier(test.serial)('a card of which only the back was photographed lacks its front', async t => {
  const picture = await renderPortrait(person(anna), {}, { width: 350, height: 450 })
  const { back } = await renderDocument({ format: 'TD1', fields, portrait: picture, seed: 4 })
  const document_front = back && (await photograph(back, { seed: 6 }))
  const { document } = await engine.analyse(request({ document_front }), never)
  t.like(document, { reading: 'READ', portrait_found: false, missing_side: 'FRONT' })
})

inLongTier(test.serial)(
  'an image that cannot be decoded fails its analysis, and is no finding; the next one is served',
  async t => {
    const whole = await portrait({})
    const svg = Buffer.from(
      '<svg xmlns="http://www.w3.org/2000/svg" width="99" height="99"><rect width="9" height="9"/></svg>',
    )
    const hostile: Record<string, EncodedImage> = {
      empty: Buffer.alloc(0),
      noise: Buffer.from('GIF89a not an image at all'),
      svg,
      truncated: whole.subarray(0, whole.length / 2),
      bomb: bomb(),
    }
    const undecodable = { instanceOf: AnalysisError, message: /the image cannot be decoded: ./ }
    for (const [name, image] of Object.entries(hostile)) {
      const error = await t.throwsAsync(engine.analyse(request({ selfie: image }), never), undecodable, name)
      t.is(error?.stage, 'selfie', name)
    }
    const error = await t.throwsAsync(
      engine.analyse(request({ document_front: hostile.truncated ?? null }), never),
      undecodable,
    )
    t.is(error?.stage, 'document')
    t.is((await engine.analyse(request({ selfie: whole }), never)).face?.faces_in_selfie, 1)
    for (const pid of await childrenOf(process.pid)) t.true(readResidentMb(pid) < 900, `pid ${pid}`)
  },
)

async function childrenOf(pid: number): Promise<number[]> {
  const threads = await readdir(`/proc/${pid}/task`).catch(() => [])
  const lists = await Promise.all(
    threads.map(thread => readFile(`/proc/${pid}/task/${thread}/children`, 'utf8').catch(() => '')),
  )
  return lists.join(' ').split(' ').filter(Boolean).map(Number)
}

test('the scripted engine says what its script says, and fails as the real one does', async t => {
  const scripted = scriptedEngine(asked => {
    if (asked.transaction_id === 'broken') throw new Error('out of paper')
    return asked.transaction_id === 'other' ? createOtherPersonFindings(asked) : createApprovedFindings(asked)
  })
  t.is((await scripted.analyse(request({}), never)).face?.reference, 'DOCUMENT')
  t.is((await scripted.analyse(request({ transaction_type: 'BIOMETRIC_ONLY' }), never)).document, null)
  t.true(((await scripted.analyse(request({ transaction_id: 'other' }), never)).face?.distance ?? 0) > 0.6)
  await t.throwsAsync(scripted.analyse(request({ transaction_id: 'broken' }), never), {
    instanceOf: AnalysisError,
    message: /out of paper/,
  })
  const hanging = scriptedEngine(() => new Promise(() => {}))
  const abort = new AbortController()
  const answer = hanging.analyse(request({}), abort.signal)
  abort.abort()
  await t.throwsAsync(answer, { instanceOf: AnalysisError })
  await scripted.stop()
  await t.throwsAsync(scripted.analyse(request({}), never), { instanceOf: AnalysisError })
})

function engineOf(t: ExecutionContext, child: string): AnalysisEngine {
  const entry = new URL(`./processes/${child}`, import.meta.url)
  const own = localEngine({ clock: systemClock, limits: patientLimits, entry })
  t.teardown(() => own.stop())
  return own
}

test('a program that cannot start makes the engine unavailable', async t => {
  const analysis = engineOf(t, 'no_such_child.ts').analyse(request({}), never)
  await t.throwsAsync(analysis, { instanceOf: EngineUnavailableError })
})

test('a child that fails is an analysis that failed, at the stage that it had reached', async t => {
  // The children of the pool's tests read the deed alone.
  const failing = { ...request({}), deed: 'fail' }
  const error = await t.throwsAsync(engineOf(t, 'pool_child.ts').analyse(failing, never), {
    instanceOf: AnalysisError,
    message: /cannot work/,
  })
  t.is(error.stage, 'document')
})
