import { lookup } from 'node:dns/promises'
import { once } from 'node:events'
import test from 'ava'
import { createGuard } from '../../src/webhooks/guard.ts'
import { openNameServer } from './name_server.ts'
import { startReceiver } from './receiver.ts'

const dial = (guard: ReturnType<typeof createGuard>, host: string, signal: AbortSignal) =>
  guard.dial(new URL(`https://${host}/`), signal)

test('a hundred names whose servers are silent hold up no other name, no thread, and end when they are called off', async t => {
  const server = await openNameServer({ 'private.example': ['10.0.0.1'], 'gone.example': null, 'empty.example': [] })
  t.teardown(server.close)
  const guard = createGuard({ nameServers: [server.address] })
  const patience = new AbortController()
  const silent = Array.from({ length: 100 }, (_, index) => dial(guard, `silent-${index}.example`, patience.signal))
  const ends = Promise.allSettled(silent)
  const { signal } = new AbortController()
  const [private_address, gone, empty] = await Promise.all([
    t.throwsAsync(dial(guard, 'private.example', signal)),
    t.throwsAsync(dial(guard, 'gone.example', signal)),
    t.throwsAsync(dial(guard, 'empty.example', signal)),
    // The system's look-up goes through libuv's threads: they are free.
    lookup('localhost'),
  ])
  t.like(private_address, { code: 'DESTINATION_REFUSED' })
  t.like(gone, { code: 'ENOTFOUND' })
  t.like(empty, { code: 'ENODATA' })
  patience.abort()
  for (const end of await ends) t.is(end.status, 'rejected')
  t.true([...server.asked].some(name => name.startsWith('silent-')))
  t.true(server.asked.has('private.example'))
})

test('a host that the operator allows is looked up as the system does, its host file included', async t => {
  const server = await openNameServer({})
  t.teardown(server.close)
  const receiver = await startReceiver((_request, response) => response.end())
  t.teardown(receiver.close)
  const guard = createGuard({ allow: [`localhost:${receiver.port}`], nameServers: [server.address] })
  const socket = await guard.dial(new URL(`http://localhost:${receiver.port}/`), new AbortController().signal)
  t.is(socket.remotePort, receiver.port)
  socket.destroy()
  await once(socket, 'close')
  t.is(server.asked.size, 0)
})
