import { InferenceSession, Tensor } from 'onnxruntime-node'
import type { RunNetwork } from '../face/face_models.ts'
import { encodeOnnx, type OnnxGraph } from './onnx.ts'

/** One thread: a child process has one core, and what it is given waits in line. */
const options = { intraOpNumThreads: 1, interOpNumThreads: 1 } as const

/** Opens a network for pictures of the size that its graph names, any number of them at once. */
export async function openSession(graph: OnnxGraph): Promise<RunNetwork> {
  const session = await InferenceSession.create(encodeOnnx(graph), options)
  const { name, dims } = graph.input
  const sides = dims.slice(1).map(side => side ?? 1)
  const numbers = sides.reduce((product, side) => product * side, 1)
  return async pictures => {
    const input = new Tensor('float32', pictures, [pictures.length / numbers, ...sides])
    const made = await session.run({ [name]: input })
    return graph.outputs.map(output => made[output]?.data as Float32Array)
  }
}
