import { type FaceModels, findLandmarks, measureEyeOpenings } from '@attestor/vision/guidance'
import { setThreadsCount, setWasmPaths } from '@tensorflow/tfjs-backend-wasm'
import { env, type io, ready, setBackend } from '@tensorflow/tfjs-core'
import { createActionWatch } from './action_watch.ts'
import { searchFace } from './face_look.ts'
import type { FaceMemory } from './face_memory.ts'
import { openNetwork } from './face_networks.ts'
import { createSelfieWatch } from './selfie_watch.ts'
import { serve } from './serve.ts'

// Each name is written out, because the server finds a page's files by these words.
const files = {
  wasm: new URL('../../../../lib/tfjs-backend-wasm-simd.wasm', import.meta.url),
  detector: [
    new URL('../../../../lib/models/blazeface.json', import.meta.url),
    new URL('../../../../lib/models/blazeface.bin', import.meta.url),
  ],
  mesh: [
    new URL('../../../../lib/models/facemesh.json', import.meta.url),
    new URL('../../../../lib/models/facemesh.bin', import.meta.url),
  ],
  iris: [
    new URL('../../../../lib/models/iris.json', import.meta.url),
    new URL('../../../../lib/models/iris.bin', import.meta.url),
  ],
} as const

/** Fetches with less priority than anything that the page requests: the person may still be at the document. */
async function fetchFile(url: URL): Promise<Response> {
  const response = await fetch(url, { priority: 'low' })
  if (!response.ok) throw new Error(`${url.pathname}: ${response.status}`)
  return response
}

/** A model's description and its weights. */
async function fetchModel([json, weights]: readonly [URL, URL]) {
  const [description, bytes] = await Promise.all([fetchFile(json), fetchFile(weights)])
  return { description: (await description.json()) as io.ModelJSON, weights: await bytes.arrayBuffer() }
}

async function startBackend(): Promise<void> {
  // Threads need response headers that the page does not have, and hang in browsers that support them in part.
  env().set('WASM_HAS_MULTITHREAD_SUPPORT', false)
  setWasmPaths(new URL('.', files.wasm).href)
  setThreadsCount(1)
  if (!(await setBackend('wasm'))) throw new Error('the wasm backend did not start')
  await ready()
}

/** The first run of a network prepares it. */
async function warmUp(models: FaceModels): Promise<void> {
  await searchFace(models, grey)
  const detection = {
    score: 1,
    left: 8,
    top: 8,
    width: 48,
    height: 48,
    eyes: [
      [24, 24],
      [40, 24],
    ],
  } as const
  await measureEyeOpenings(models, grey, await findLandmarks(models, grey, detection))
}

const grey = { data: new Uint8Array(3 * 64 * 64).fill(128), width: 64, height: 64 }

async function loadFiles() {
  const [detector, mesh, iris] = await Promise.all([
    fetchModel(files.detector),
    fetchModel(files.mesh),
    fetchModel(files.iris),
    startBackend(),
  ])
  return { detector, mesh, iris }
}

/** Begins when the worker starts, which may be long before a guide is asked for. */
const loading = loadFiles()
// Ignore the error here: the next caller that asks for a guide retries, and gets it.
loading.catch(() => {})

async function openModels(): Promise<FaceModels> {
  const { detector, mesh, iris } = await loading.catch(loadFiles)
  const models = {
    detector: await openNetwork('blazeface', detector.description, detector.weights),
    mesh: await openNetwork('facemesh', mesh.description, mesh.weights),
    iris: await openNetwork('iris', iris.description, iris.weights),
  }
  await warmUp(models)
  return models
}

const memory: FaceMemory = { selfie: null, mouth: null }
let models: FaceModels | null = null

serve({
  async open() {
    models = await openModels()
  },
  createWatch(goal) {
    if (models === null || goal.kind === 'document') throw new Error(`a face guide looks for no ${goal.kind}`)
    return goal.kind === 'selfie' ? createSelfieWatch(models, memory) : createActionWatch(models, memory, goal.action)
  },
})
