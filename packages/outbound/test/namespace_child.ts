/**
 * Runs in its own network namespace, in which every address leads to this process: it receives all requests that pass
 * the guard, and nothing can leave. Prints its findings as one line of JSON.
 */
import { once } from 'node:events'
import { connect, createServer, isIP, type LookupFunction } from 'node:net'
import fc from 'fast-check'
import { turnedClock } from '../../../test/webhooks/receiver.ts'
import { createGuard, selfTestGuard } from '../guard.ts'
import { sendWebhook } from '../send.ts'
import { anyV4, carriers, dotted, specialV4, specialV6, spellings, v6Text } from './special_addresses.ts'

const seed = 2026
const said = { refused: 0, reached: 0, controls: 0, controls_reached: 0, public_reached: 0, redirected: 0 }
let connections = 0

const server = createServer(socket => {
  connections++
  socket.on('error', () => {})
  socket.once('data', data => {
    const { localPort } = socket
    // Plain http gets a redirect to the cloud's metadata address; TLS is hung up on.
    if (data.toString('latin1').startsWith('POST'))
      socket.end(`HTTP/1.1 307 Moved\r\nLocation: http://169.254.169.254:${localPort}/\r\nContent-Length: 0\r\n\r\n`)
    else socket.destroy()
  })
})
server.listen(0, '::')
await once(server, 'listening')
const { port } = server.address() as { port: number }

const signal = new AbortController().signal

function answering(...answers: (readonly string[])[]): LookupFunction {
  return (_name, _options, callback) => {
    const addresses = (answers.length > 1 ? answers.shift() : answers[0]) ?? []
    callback(
      null,
      addresses.map(address => ({ address, family: isIP(address) })),
    )
  }
}

function send(url: string, guard = createGuard()) {
  return sendWebhook({ url, headers: { 'Content-Type': 'application/json' }, body: '{}', guard, clock: turnedClock() })
}

/** Every attempt has to be refused, and the listener must receive nothing of it. */
async function mustBeRefused(attempt: () => Promise<string | null>, what: string): Promise<void> {
  const before = connections
  const error = await attempt()
  if (connections > before) said.reached++
  else if (error?.startsWith('destination refused') === true) said.refused++
  else throw new Error(`${what}: ${error}`)
}

async function byDial(host: string, guard = createGuard()): Promise<string | null> {
  const bracketed = isIP(host) === 6 ? `[${host}]` : host
  const url = new URL(`https://${bracketed}:${port}/`)
  return guard.dial(url, signal).then(
    ({ socket }) => {
      socket.destroy()
      return null
    },
    error => (error.code === 'DESTINATION_REFUSED' ? 'destination refused' : String(error)),
  )
}

async function control(address: string): Promise<void> {
  said.controls++
  const socket = connect({ host: address, port })
  const reached = await once(socket, 'connect').then(
    () => true,
    () => false,
  )
  if (reached) said.controls_reached++
  socket.destroy()
}

const v4 = fc.sample(specialV4, { numRuns: 150, seed })
const spelled = fc.sample(specialV4.chain(spellings), { numRuns: 200, seed })
const v6 = fc.sample(specialV6, { numRuns: 150, seed }).map(v6Text)
const carrying = fc
  .sample(fc.tuple(fc.oneof(anyV4, specialV4), fc.constantFrom(...carriers)), { numRuns: 200, seed })
  .map(([value, carry]) => carry(value))
const odd = ['１２７。0。0。1', '127.0.0.1.', '%31%32%37.0.0.1', '[fe80::1%25lo]', 'localhost', 'LOCALHOST.', '0']

await selfTestGuard()
for (const host of [...spelled, ...odd])
  await mustBeRefused(async () => (await send(`https://${host}:${port}/`)).error, host)
for (const address of [...v4.map(dotted), ...v6, ...carrying]) {
  await mustBeRefused(() => byDial(address), address)
  const host = isIP(address) === 6 ? `[${address}]` : address
  await mustBeRefused(async () => (await send(`https://${host}:${port}/`)).error, address)
  await mustBeRefused(() => byDial('receiver.example', createGuard({ lookup: answering([address]) })), address)
}
// The second answer of a name differs from the first; so does the second of two addresses.
for (const address of v4.slice(0, 40).map(dotted)) {
  const rebinding = createGuard({ lookup: answering(['10.0.0.1'], [address]) })
  await mustBeRefused(() => byDial('receiver.example', rebinding), address)
  await mustBeRefused(() => byDial('receiver.example', rebinding), address)
}

// Requests that pass the guard arrive: with the special address beside it, only the public one is dialled.
for (const address of ['1.1.1.1', '93.184.215.14', '2606:4700::1111']) {
  const before = connections
  await byDial('receiver.example', createGuard({ lookup: answering(['169.254.169.254', address]) }))
  if (connections === before + 1) said.public_reached++
}
const allowed = createGuard({ allow: [`127.0.0.1:${port}`] })
const before = connections
const { status } = await send(`http://127.0.0.1:${port}/`, allowed)
if (status === 307 && connections === before + 1) said.redirected++

for (const address of [...v4.map(dotted), ...v6].filter((_, index) => index % 5 === 0)) await control(address)
console.log(JSON.stringify(said))
server.close()
