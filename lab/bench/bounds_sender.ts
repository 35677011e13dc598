/** Sends requests for `bounds.ts`, in a thread of its own: what they cost the sender is not the node's. */
import { connect } from 'node:net'
import { parentPort, workerData } from 'node:worker_threads'

const { port, host } = workerData as { readonly port: number; readonly host: string }

/** Sends a request over a connection of its own; the status comes once that is closed. */
parentPort?.on('message', (request: Uint8Array) => {
  const socket = connect(port, host, () => socket.write(request))
  let status = ''
  socket.on('data', chunk => {
    status ||= chunk.toString('latin1').slice(9, 12)
  })
  socket.on('close', () => parentPort?.postMessage(status))
})
