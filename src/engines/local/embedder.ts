import { keep, type Tensor, tensor } from '@tensorflow/tfjs-core'

/** The weights of dlib's face network. */
export interface Embedder {
  /**
   * By its name in the manifest; throws for an unknown one. A large weight is created at each call: call it in a `tidy` that
   * ends with its layer.
   */
  weight(name: string): Tensor
}

/** A weight as its file's manifest describes it. */
export interface QuantisedWeight {
  readonly name: string
  readonly shape: number[]
  readonly quantization?: { readonly scale: number; readonly min: number }
}

interface Stored extends QuantisedWeight {
  readonly size: number
  readonly bytes: Uint8Array
}

/**
 * A larger weight is not kept as a tensor. The backend holds three copies of a layer's filters while they live: 60 MB of
 * wasm memory for 6 MB of quantised weights. Creating them again takes some 40 ms of CPU a run.
 */
const maxKeptSize = 100_000

/** The weights follow each other: a byte each where quantised, else a little-endian float32. */
function sliceWeights(bytes: Uint8Array, weights: readonly QuantisedWeight[]): Stored[] {
  let from = 0
  const stored = weights.map(weight => {
    const size = weight.shape.reduce((product, side) => product * side, 1)
    const to = from + (weight.quantization ? size : 4 * size)
    const own = { ...weight, size, bytes: bytes.subarray(from, to) }
    from = to
    return own
  })
  if (from !== bytes.length) throw new Error('face_recognition_model.bin: its length is not that of its manifest')
  return stored
}

function dequantise({ bytes, quantization }: Stored, values: Float32Array): void {
  if (quantization === undefined) {
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    for (let at = 0; at < values.length; at++) values[at] = view.getFloat32(4 * at, true)
    return
  }
  const { scale, min } = quantization
  const table = Float32Array.from({ length: 256 }, (_, byte) => byte * scale + min)
  for (let at = 0; at < values.length; at++) values[at] = table[bytes[at] ?? 0] ?? 0
}

/** @throws {Error} where the file and its manifest disagree */
export function createEmbedder(bytes: Uint8Array, manifest: readonly QuantisedWeight[]): Embedder {
  const stored = new Map(sliceWeights(bytes, manifest).map(weight => [weight.name, weight]))
  const kept = new Map<string, Tensor>()
  // The backend copies what it is given.
  const scratch = new Float32Array(Math.max(...[...stored.values()].map(({ size }) => size)))
  const make = (name: string): Tensor => {
    const weight = stored.get(name)
    if (weight === undefined) throw new Error(`face_recognition_model: no weights ${name}`)
    const values = scratch.subarray(0, weight.size)
    dequantise(weight, values)
    const made = tensor(values, weight.shape)
    if (weight.size <= maxKeptSize) kept.set(name, keep(made))
    return made
  }
  return { weight: name => kept.get(name) ?? make(name) }
}
