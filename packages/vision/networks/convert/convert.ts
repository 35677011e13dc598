import { faceOutputs } from '../../face/face_models.ts'
import { type ModelFile, readPinnedFile } from '../../model_files.ts'
import type { NetworkName } from '../ready_files.ts'
import { foldOnnx } from './fold_onnx.ts'
import { encodeOnnx } from './onnx.ts'
import { readTfjs } from './tfjs.ts'
import { readTflite } from './tflite.ts'

async function convertFace(name: keyof typeof faceOutputs): Promise<Uint8Array> {
  const graph = JSON.parse((await readPinnedFile(`human/${name}.json`)).toString('utf8'))
  return encodeOnnx(readTfjs(graph, await readPinnedFile(`human/${name}.bin`), faceOutputs[name]))
}

async function convertText(file: ModelFile): Promise<Uint8Array> {
  return foldOnnx(await readPinnedFile(file))
}

const converters: Readonly<Record<NetworkName, () => Promise<Uint8Array>>> = {
  blazeface: () => convertFace('blazeface'),
  facemesh: () => convertFace('facemesh'),
  iris: () => convertFace('iris'),
  mobilefacenet: async () => encodeOnnx(readTflite(await readPinnedFile('embedding/MobileFaceNet.tflite'))),
  text_find: () => convertText('text/ch_PP-OCRv4_det_infer.onnx'),
  text_read: () => convertText('text/ch_PP-OCRv4_rec_infer.onnx'),
  text_turn: () => convertText('text/ch_ppocr_mobile_v2.0_cls_infer.onnx'),
}

/**
 * Converts a network from the file of its makers into one of ONNX.
 * @throws {Error} if that file is not the pinned one
 */
export function convertNetwork(name: NetworkName): Promise<Uint8Array> {
  return converters[name]()
}
