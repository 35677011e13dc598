import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { setThreadsCount, setWasmPaths } from '@tensorflow/tfjs-backend-wasm'
import type { GraphModel } from '@tensorflow/tfjs-converter'
import { type io, ready, setBackend } from '@tensorflow/tfjs-core'
import { createEmbedder, type Embedder, type QuantisedWeight } from './embedder.ts'
import { type FaceModels, openGraphModel } from './face/face_models.ts'

/**
 * The files of all models with their SHA-256. The engine does not start with other bytes: templates of two different models
 * must never be compared. Sources: BlazeFace, FaceMesh and the iris network are MediaPipe's (Apache-2.0), the embedding is
 * dlib's face ResNet (public domain); Tesseract and its English model are Apache-2.0.
 */
export const modelFiles = {
  'wasm/tfjs-backend-wasm-simd.wasm': '77ebb28a6d34f371dbbf2086b7f2de8994acd8ea5a3cf1fa24d2c26c840cac7b',
  'human/blazeface.json': 'cd7bbfc078270572beb39f9e5ae67aadbd50b5e67cff37e6d4f6b3ea39312e5f',
  'human/blazeface.bin': 'dc9a97fdc50bc43216554bdd69aa3e7b9361a519ee7bdd996a2f69a98a6f9b72',
  'human/facemesh.json': 'b60ca26f404724f43bd2b1575761d8265180e1f053cc0731caa68462927309e7',
  'human/facemesh.bin': '3826da640b0a3021161605369ee6af293f75d518040355b960ec71a3390c1c0b',
  'human/iris.json': '49038ac9dcc09aa05474d91d98e9db5b47af4830929bcf102ed5a56bfbabb465',
  'human/iris.bin': 'd7f296d184274213d4642681ae186112cbbec77fd2ab066257d3c56a1940bc71',
  'face-api/face_recognition_model-weights_manifest.json':
    'cbaffa501b0b9275a12b63357a6843e7e30c054e1c9151e1a5f879b26e32986b',
  'face-api/face_recognition_model.bin': 'b413e420d6840b2775fba32008db6f3cddb07d485967fb42cfcf379c16a8c589',
  'tesseract/tesseract-core-simd-lstm.wasm': '34e8d50cac216427d86bf397d610fdd9f49492539bbcdfbfccc4eda20c810bea',
  'english/eng.traineddata.gz': '45b4cb346724ac1774f1c36f42f182b887bcdb28ebe63e6fff90ac41f3fcff91',
} as const

type ModelFile = keyof typeof modelFiles

/** Digests of the face networks by file. */
export const faceModels: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(modelFiles).filter(([name]) => name.endsWith('.bin')),
)

/** Digest of the text model. */
export const textModels: Readonly<Record<string, string>> = {
  'english/eng.traineddata.gz': modelFiles['english/eng.traineddata.gz'],
}

export interface Models extends FaceModels {
  readonly embedder: Embedder
}

/** Names the embedding in templates. Templates of another hash cannot be compared. */
export const embeddingModel = `dlib-resnet-128/${modelFiles['face-api/face_recognition_model.bin'].slice(0, 12)}`

const wasmFolder = new URL('.', import.meta.resolve('@tensorflow/tfjs-backend-wasm'))

const folders: Readonly<Record<string, URL>> = {
  wasm: wasmFolder,
  human: new URL('../models/', import.meta.resolve('@vladmandic/human')),
  'face-api': new URL('model/', import.meta.resolve('@vladmandic/face-api/package.json')),
  tesseract: new URL('.', import.meta.resolve('tesseract.js-core/package.json')),
  english: new URL('4.0.0_best_int/', import.meta.resolve('@tesseract.js-data/eng/package.json')),
}

/** @throws {Error} where the bytes are not the pinned ones */
export async function readPinnedFile(name: ModelFile): Promise<Buffer> {
  const [folder = '', file = ''] = name.split('/')
  const bytes = await readFile(new URL(file, folders[folder]))
  const found = createHash('sha256').update(bytes).digest('hex')
  if (found !== modelFiles[name]) throw new Error(`${name}: SHA-256 is ${found}, not ${modelFiles[name]}`)
  return bytes
}

function toArrayBuffer(bytes: Buffer): ArrayBuffer {
  return new Uint8Array(bytes).buffer
}

async function loadGraph(name: 'blazeface' | 'facemesh' | 'iris'): Promise<GraphModel> {
  const [description, weights] = await Promise.all([
    readPinnedFile(`human/${name}.json`),
    readPinnedFile(`human/${name}.bin`),
  ])
  return openGraphModel(JSON.parse(description.toString('utf8')) as io.ModelJSON, toArrayBuffer(weights))
}

async function loadEmbedder(): Promise<Embedder> {
  const manifest = await readPinnedFile('face-api/face_recognition_model-weights_manifest.json')
  const groups = JSON.parse(manifest.toString('utf8')) as { readonly weights: readonly QuantisedWeight[] }[]
  const weights = groups.flatMap(group => group.weights)
  return createEmbedder(await readPinnedFile('face-api/face_recognition_model.bin'), weights)
}

let loading: Promise<Models> | null = null

async function loadAll(): Promise<Models> {
  await readPinnedFile('wasm/tfjs-backend-wasm-simd.wasm')
  // Without a path the backend may look for its binary in the working directory, or fetch it.
  setWasmPaths(fileURLToPath(wasmFolder))
  setThreadsCount(1)
  if (!(await setBackend('wasm'))) throw new Error('the wasm backend did not start')
  await ready()
  const [detector, mesh, iris, embedder] = await Promise.all([
    loadGraph('blazeface'),
    loadGraph('facemesh'),
    loadGraph('iris'),
    loadEmbedder(),
  ])
  return { detector, mesh, iris, embedder }
}

/** Loads and verifies the models, once a process. */
export function loadModels(): Promise<Models> {
  loading ??= loadAll()
  return loading
}
