import { InferenceSession, Tensor } from 'onnxruntime-node'
import { readPinnedFile } from '../model_files.ts'

/** What a network makes of some pictures, by rows of its last dimension. */
export interface NetworkOutput {
  readonly data: Float32Array
  readonly dims: readonly number[]
}

/** Runs a network on pictures of any size: channel by channel, rows from the top. */
export type RunOnPictures = (input: Float32Array, dims: readonly [number, 3, number, number]) => Promise<NetworkOutput>

/** PaddleOCR's networks of the fourth version, for mobile devices. */
export interface TextNetworks {
  /** Marks the pixels of lines of text: 0 to 1 for each. */
  readonly find: RunOnPictures
  /** Gives each step along a line the probability of each character; the first is none. */
  readonly read: RunOnPictures
  /** Whether a line stands upright or on its head: two probabilities. */
  readonly turn: RunOnPictures
  /** By class; the first is no character. */
  readonly characters: readonly string[]
}

/** One thread: a child process has one core. Sizes differ from run to run, so none is worth a plan; without the arena a passport takes four times the CPU. */
const options = {
  intraOpNumThreads: 1,
  interOpNumThreads: 1,
  enableMemPattern: false,
  enableCpuMemArena: true,
} as const

async function open(file: Parameters<typeof readPinnedFile>[0]): Promise<RunOnPictures> {
  const session = await InferenceSession.create(await readPinnedFile(file), options)
  const [input = ''] = session.inputNames
  const [output = ''] = session.outputNames
  return async (pictures, dims) => {
    const { data, dims: made } = (await session.run({ [input]: new Tensor('float32', pictures, dims) }))[output] ?? {}
    if (!(data instanceof Float32Array) || made === undefined) throw new Error(`${file}: no floats`)
    return { data, dims: made }
  }
}

/** Loads and verifies the networks, once a process. */
export async function loadTextNetworks(): Promise<TextNetworks> {
  const [find, read, turn, keys] = await Promise.all([
    open('text/ch_PP-OCRv4_det_infer.onnx'),
    open('text/ch_PP-OCRv4_rec_infer.onnx'),
    open('text/ch_ppocr_mobile_v2.0_cls_infer.onnx'),
    readPinnedFile('text/ppocr_keys_v1.txt'),
  ])
  return { find, read, turn, characters: ['', ...keys.toString('utf8').trimEnd().split(/\r?\n/), ' '] }
}
