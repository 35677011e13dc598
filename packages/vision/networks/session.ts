import { InferenceSession, Tensor } from 'onnxruntime-node'
import type { RunNetwork } from '../face/face_models.ts'
import type { ModelInput } from '../own_model_files.ts'

/**
 * One thread, as a child process has one core, and works on one request at a time. The runtime's own arenas, one for each
 * network, would keep what the allocator keeps for all of them (`processes/child.ts`): some 30 MB.
 */
const options = { intraOpNumThreads: 1, interOpNumThreads: 1, enableCpuMemArena: false } as const

/** Opens a file of ONNX for pictures of the size that it names, any number of them at once. */
export async function openFixed(bytes: Uint8Array): Promise<RunNetwork> {
  const session = await InferenceSession.create(bytes, options)
  const [input] = session.inputMetadata
  if (input?.isTensor !== true) throw new Error('a network without an input')
  const sides = input.shape.slice(1).map(Number)
  const numbers = sides.reduce((product, side) => product * side, 1)
  return async pictures => {
    const tensor = new Tensor('float32', pictures, [pictures.length / numbers, ...sides])
    const made = await session.run({ [input.name]: tensor })
    return session.outputNames.map(output => made[output]?.data as Float32Array)
  }
}

/** Converts rows of pixels to a plane for each channel. */
function toPlanes(picture: Float32Array): Float32Array {
  const size = picture.length / 3
  const planes = new Float32Array(picture.length)
  for (let at = 0; at < size; at++)
    for (let channel = 0; channel < 3; channel++) planes[channel * size + at] = picture[3 * at + channel] ?? 0
  return planes
}

/**
 * Opens a file of ONNX that takes one picture at a time and returns one list of numbers.
 * @throws {Error} for any other network, or none
 */
export async function openFile(bytes: Uint8Array, { side, layout }: ModelInput): Promise<RunNetwork> {
  const session = await InferenceSession.create(bytes, options)
  const [input = '', ...inputs] = session.inputNames
  const [output = '', ...outputs] = session.outputNames
  if (inputs.length > 0 || outputs.length > 0) throw new Error('it must have one input and one output')
  const dims = layout === 'NCHW' ? [1, 3, side, side] : [1, side, side, 3]
  const run: RunNetwork = async picture => {
    const numbers = layout === 'NCHW' ? toPlanes(picture) : picture
    const made = await session.run({ [input]: new Tensor('float32', numbers, dims) })
    const { data } = made[output] ?? {}
    if (!(data instanceof Float32Array)) throw new Error('its output must be of 32-bit floats')
    return [data]
  }
  // Only a run shows that the network fits these sizes.
  await run(new Float32Array(side * side * 3))
  return run
}

/** The output of a network for some pictures, by rows of its last dimension. */
export interface NetworkOutput {
  readonly data: Float32Array
  readonly dims: readonly number[]
}

/** Runs a network on pictures of any size: channel by channel, rows from the top. */
export type RunOnPictures = (input: Float32Array, dims: readonly [number, 3, number, number]) => Promise<NetworkOutput>

/** Sizes differ from run to run, so that no plan of memory is worth it. */
const sizedOptions = { ...options, enableMemPattern: false } as const

/** Opens a file of ONNX for pictures of any size. */
export async function openSized(bytes: Uint8Array): Promise<RunOnPictures> {
  const session = await InferenceSession.create(bytes, sizedOptions)
  const [input = ''] = session.inputNames
  const [output = ''] = session.outputNames
  return async (pictures, dims) => {
    const { data, dims: made } = (await session.run({ [input]: new Tensor('float32', pictures, dims) }))[output] ?? {}
    if (!(data instanceof Float32Array) || made === undefined) throw new Error('its output must be of 32-bit floats')
    return { data, dims: made }
  }
}
