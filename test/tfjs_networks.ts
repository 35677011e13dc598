import { fileURLToPath } from 'node:url'
import { openNetwork } from '@attestor/capture-page/testing'
import type { FaceModels, RunNetwork } from '@attestor/vision/testing'
import { setThreadsCount, setWasmPaths } from '@tensorflow/tfjs-backend-wasm'
import { ready, setBackend } from '@tensorflow/tfjs-core'

type NetworkName = Parameters<typeof openNetwork>[0]

/** The networks as the capture page runs them, in this process. `read` gives a network's files. */
export async function openTfjsNetworks(read: (name: NetworkName, part: 'json' | 'bin') => Buffer): Promise<FaceModels> {
  setWasmPaths(fileURLToPath(new URL('.', import.meta.resolve('@tensorflow/tfjs-backend-wasm'))))
  setThreadsCount(1)
  if (!(await setBackend('wasm'))) throw new Error('the wasm backend did not start')
  await ready()
  const open = (name: NetworkName): Promise<RunNetwork> =>
    openNetwork(name, JSON.parse(read(name, 'json').toString('utf8')), Uint8Array.from(read(name, 'bin')).buffer)
  return { detector: await open('blazeface'), mesh: await open('facemesh'), iris: await open('iris') }
}
