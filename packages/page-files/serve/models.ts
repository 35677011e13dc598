/// <reference lib="esnext.float16" />
import { readFileSync } from 'node:fs'
import { packageFile, type Source } from './source.ts'

/** A tensor of a model, as TensorFlow.js describes it beside the weights. */
interface WeightSpec {
  readonly name: string
  readonly shape: readonly number[]
  readonly dtype: string
  readonly quantization?: { readonly dtype: string; readonly min?: number; readonly scale?: number }
}

interface ModelJson {
  readonly weightsManifest: readonly { readonly paths: readonly string[]; readonly weights: readonly WeightSpec[] }[]
}

/** A tensor as it is sent to browsers. */
interface Sent {
  readonly spec: WeightSpec
  readonly bytes: Uint8Array
}

function toBytes({ buffer, byteOffset, byteLength }: ArrayBufferView<ArrayBuffer>): Uint8Array {
  return new Uint8Array(buffer, byteOffset, byteLength)
}

/** Tensors with fewer numbers than this are not worth the loss: biases and slopes. */
const minLevelled = 2000

/**
 * Encodes a tensor in fewer bytes: as half floats if they hold every number exactly, or if it is small; otherwise in
 * 256 even levels. Only the iris network is levelled, which changes the measured opening of an eye by at most 0.02,
 * over the Yale faces.
 */
function shrinkTensor(spec: WeightSpec, bytes: Buffer): Sent {
  if (spec.dtype !== 'float32' || spec.quantization !== undefined) return { spec, bytes }
  const numbers = new Float32Array(Uint8Array.from(bytes).buffer)
  const halves = new Float16Array(numbers)
  if (numbers.length < minLevelled || halves.every((half, i) => half === numbers[i]))
    return { spec: { ...spec, quantization: { dtype: 'float16' } }, bytes: toBytes(halves) }
  const [min, max] = numbers.reduce(
    ([low, high], one) => [Math.min(low, one), Math.max(high, one)],
    [Infinity, -Infinity],
  )
  const scale = (max - min) / 255 || 1
  const levels = Uint8Array.from(numbers, one => Math.round((one - min) / scale))
  return { spec: { ...spec, quantization: { dtype: 'uint8', min, scale } }, bytes: levels }
}

const bytesPerNumber: Readonly<Record<string, number>> = { float32: 4, int32: 4, float16: 2 }

function shrinkTensors(specs: readonly WeightSpec[], weights: Buffer): readonly Sent[] {
  let from = 0
  return specs.map(spec => {
    const count = spec.shape.reduce((product, side) => product * side, 1)
    const size = bytesPerNumber[spec.quantization?.dtype ?? spec.dtype]
    if (size === undefined) throw new Error(`${spec.name}: numbers of an unknown size`)
    const bytes = weights.subarray(from, from + count * size)
    from += count * size
    return shrinkTensor(spec, bytes)
  })
}

/** Models that browsers may ask for: MediaPipe's, as the local engine loads them. */
const names: readonly string[] = ['blazeface', 'facemesh', 'iris']

const library = '@vladmandic/human'

function readModel(name: string, part: string): Buffer {
  const read = (file: string): Buffer => packageFile(library, `models/${file}`).read()
  const model = JSON.parse(read(`${name}.json`).toString('utf8')) as ModelJson
  const specs = model.weightsManifest.flatMap(({ weights }) => weights)
  const sent = shrinkTensors(specs, read(`${name}.bin`))
  if (part === 'bin') return Buffer.concat(sent.map(({ bytes }) => bytes))
  const weightsManifest = [{ paths: [`${name}.bin`], weights: sent.map(({ spec }) => spec) }]
  return Buffer.from(JSON.stringify({ ...model, weightsManifest }))
}

/** A model's file by its path, such as `lib/models/iris.json` or `.bin`; null where there is none. */
export function findModel(path: string): Source | null {
  const [, name = '', part = ''] = /^lib\/models\/(\w+)\.(json|bin)$/.exec(path) ?? []
  if (!names.includes(name)) return null
  const { identity } = packageFile(library, `models/${name}.${part}`)
  // The code of the compression is part of the identity: a change of it makes another file.
  return { identity: `${identity} ${readFileSync(import.meta.filename, 'utf8')}`, read: () => readModel(name, part) }
}
