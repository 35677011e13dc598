import type { Embedding } from './face/embedding.ts'
import type { FaceModels, RunNetwork } from './face/face_models.ts'
import { mobileFaceNet } from './face/mobile_face_net.ts'
import type { PassiveLiveness } from './face/presence.ts'
import { modelFiles } from './model_files.ts'
import { readNetwork } from './networks/ready.ts'
import type { NetworkName } from './networks/ready_files.ts'
import { openFile, openFixed } from './networks/session.ts'

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

async function load(name: NetworkName): Promise<RunNetwork> {
  return openFixed(await readNetwork(name))
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
  const digest = modelFiles['embedding/MobileFaceNet.tflite']
  const model = { ...mobileFaceNet, name: `${mobileFaceNet.name}/${digest.slice(0, 12)}` }
  return { model, run: await load('mobilefacenet') }
}

async function loadPassiveLiveness(own: string | null): Promise<PassiveLiveness | null> {
  if (own === null) return null
  const { readLivenessModel } = await importOwnModelFiles()
  const { bytes, input, description } = readLivenessModel(own)
  return { model: description, run: await openFile(bytes, input) }
}

async function loadAll(own: OwnModelFiles): Promise<Models> {
  const embedding = await loadEmbedding(own.face)
  const mesh = await load('facemesh')
  const iris = await load('iris')
  const detector = await load('blazeface')
  const passiveLiveness = await loadPassiveLiveness(own.liveness)
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
