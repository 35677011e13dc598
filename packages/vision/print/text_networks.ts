import { readPinnedFile } from '../model_files.ts'
import { openSized, type RunOnPictures } from '../networks/session.ts'

/** PaddleOCR's networks of the fourth version, for mobile devices. */
export interface TextNetworks {
  /** Returns for each pixel the chance that it is part of a line of text, 0 to 1. */
  readonly find: RunOnPictures
  /** Returns the probability of each character at each step along a line; the first character is none. */
  readonly read: RunOnPictures
  /** Returns two probabilities: that a line stands upright, and that it stands on its head. */
  readonly turn: RunOnPictures
  /** The characters in the order of the network's classes; the first is none. */
  readonly characters: readonly string[]
}

async function open(file: Parameters<typeof readPinnedFile>[0]): Promise<RunOnPictures> {
  return openSized(await readPinnedFile(file))
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
