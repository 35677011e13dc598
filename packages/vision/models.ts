import type { Embedding } from './face/embedding.ts'
import { type FaceModels, faceOutputs, type RunNetwork } from './face/face_models.ts'
import { mobileFaceNet } from './face/mobile_face_net.ts'
import type { PassiveLiveness } from './face/presence.ts'
import { modelFiles, readPinnedFile } from './model_files.ts'
import { openFile, openSession } from './networks/session.ts'
import { readTfjs, type TfjsGraph } from './networks/tfjs.ts'
import { readTflite } from './networks/tflite.ts'

export interface Models extends FaceModels {
  readonly embedding: Embedding
  /** The operator's own model; null if there is none. */
  readonly passiveLiveness: PassiveLiveness | null
}

/** Files of the operator's own models; null for those that come with the service. */
export interface OwnModelFiles {
  readonly face: string | null
  readonly liveness: string | null
}

async function loadGraph(name: keyof typeof faceOutputs): Promise<RunNetwork> {
  const graph = JSON.parse((await readPinnedFile(`human/${name}.json`)).toString('utf8')) as TfjsGraph
  return openSession(readTfjs(graph, await readPinnedFile(`human/${name}.bin`), faceOutputs[name]))
}

/** Loads the reader of models' descriptions only if the operator has models of its own: it takes 4 MB of a process. */
function importOwnModelFiles() {
  return import('./own_model_files.ts')
}

async function loadEmbedding(own: string | null): Promise<Embedding> {
  if (own !== null) {
    const { readFaceModel } = await importOwnModelFiles()
    const { bytes, input, description } = readFaceModel(own)
    return { model: description, run: await openFile(bytes, input) }
  }
  const file = 'embedding/MobileFaceNet.tflite'
  const run = await openSession(readTflite(await readPinnedFile(file)))
  return { model: { ...mobileFaceNet, name: `${mobileFaceNet.name}/${modelFiles[file].slice(0, 12)}` }, run }
}

async function loadPassiveLiveness(own: string | null): Promise<PassiveLiveness | null> {
  if (own === null) return null
  const { readLivenessModel } = await importOwnModelFiles()
  const { bytes, input, description } = readLivenessModel(own)
  return { model: description, run: await openFile(bytes, input) }
}

async function loadAll(own: OwnModelFiles): Promise<Models> {
  const [detector, mesh, iris, embedding, passiveLiveness] = await Promise.all([
    loadGraph('blazeface'),
    loadGraph('facemesh'),
    loadGraph('iris'),
    loadEmbedding(own.face),
    loadPassiveLiveness(own.liveness),
  ])
  return { detector, mesh, iris, embedding, passiveLiveness }
}

const loading = new Map<string, Promise<Models>>()

/** Loads and verifies the models, once a process. @throws {Error} for a file of the operator's that can't be used */
export function loadModels(own: OwnModelFiles = { face: null, liveness: null }): Promise<Models> {
  const key = JSON.stringify(own)
  const models = loading.get(key) ?? loadAll(own)
  loading.set(key, models)
  return models
}
