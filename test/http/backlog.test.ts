import type { AddressInfo } from 'node:net'
import { Worker } from 'node:worker_threads'
import test from 'ava'
import { createCloser, createHttpServer } from '../../src/http/server.ts'
import { awaited } from '../awaited.ts'

const count = 100

/** Sends calls while the server's thread stands still, and counts the answers. */
const caller = `
  const { connect } = require('node:net')
  const { workerData: { port, count, connected }, parentPort } = require('node:worker_threads')
  const heard = []
  const open = () => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.write('GET / HTTP/1.1\\r\\nHost: a\\r\\n\\r\\n')
      Atomics.add(connected, 0, 1)
      Atomics.notify(connected, 0)
    })
    let text = ''
    socket.on('data', data => (text += data))
    socket.on('error', error => (text += error.code))
    socket.on('close', () => heard.push(text.split('\\r\\n')[0]) === count && parentPort.postMessage(heard))
  }
  parentPort.once('message', () => { for (let n = 0; n < count; n++) open() })
`

test('calls that wait to be accepted when a node stops are answered, and none is reset', async t => {
  const server = createHttpServer()
  const close = createCloser(server)
  server.on('request', (_request, response) => response.setHeader('Connection', 'close').end('served'))
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const connected = new Int32Array(new SharedArrayBuffer(4))
  const worker = new Worker(caller, { eval: true, workerData: { port, count, connected } })
  t.teardown(() => worker.terminate())
  const heard = new Promise<string[]>(resolve => worker.once('message', resolve))
  await awaited('the callers', new Promise(resolve => worker.once('online', resolve)))
  worker.postMessage('begin')
  // The kernel accepts them all, while this thread accepts none.
  for (let seen = 0; seen < count; seen = Atomics.load(connected, 0)) Atomics.wait(connected, 0, seen, 1000)
  const never = new Promise<void>(() => {})
  await awaited('the stop', close(never, never))
  t.deepEqual(await awaited('the answers', heard), Array<string>(count).fill('HTTP/1.1 200 OK'))
})
