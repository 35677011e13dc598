import { createServer } from 'node:http'
import { type AddressInfo, connect, type LookupFunction } from 'node:net'
import test, { type ExecutionContext } from 'ava'
import { makeCertificate, startReceiver, turnedClock } from '../../../test/webhooks/receiver.ts'
import { createGuard } from '../guard.ts'
import { sendWebhook } from '../send.ts'

const certificate = await makeCertificate(['receiver.example'], [])
const publicAddress = '93.184.215.14'

function answering(...addresses: readonly string[]): LookupFunction {
  return (_name, options, callback) => {
    const all = addresses.map(address => ({ address, family: 4 }))
    if (options.all) callback(null, all)
    else callback(null, all[0]?.address ?? '', 4)
  }
}

/** A proxy that connects every call to the receiver on this machine, and records its requests. */
async function startProxy(t: ExecutionContext, port: number, status = 200) {
  const asked: [target: string | undefined, credentials: string | undefined][] = []
  const proxy = createServer()
  proxy.on('connect', (request, socket): void => {
    asked.push([request.url, request.headers['proxy-authorization']])
    if (status !== 200) return void socket.end(`HTTP/1.1 ${status} No\r\n\r\n`)
    const through = connect(port, '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 Connection established\r\n\r\n')
      through.pipe(socket).pipe(through)
    })
    for (const one of [through, socket]) one.on('error', () => void through.destroy(socket.destroy() as never))
  })
  await new Promise<void>(resolve => proxy.listen(0, '127.0.0.1', resolve))
  t.teardown(() => proxy.close())
  return { asked, host: `127.0.0.1:${(proxy.address() as AddressInfo).port}` }
}

function send(guard: ReturnType<typeof createGuard>, url = 'https://receiver.example/hook') {
  return sendWebhook({ url, headers: {}, body: '{}', guard, clock: turnedClock() })
}

test('a webhook goes through the proxy, to an address that was checked before', async t => {
  const receiver = await startReceiver((_request, response) => response.writeHead(204).end(), certificate)
  t.teardown(receiver.close)
  const { asked, host } = await startProxy(t, receiver.port)
  const proxy = new URL(`http://user:p%40ss@${host}`)
  const open = (lookup: LookupFunction) => createGuard({ proxy, lookup, ca: certificate.cert })
  t.like(await send(open(answering('10.0.0.1', publicAddress))), {
    outcome: 'delivered',
    status: 204,
    address: publicAddress,
  })
  const credentials = `Basic ${Buffer.from('user:p@ss').toString('base64')}`
  t.deepEqual(asked.splice(0), [[`${publicAddress}:443`, credentials]])
  const refused = await send(open(answering('169.254.169.254')))
  t.regex(refused.error ?? '', /destination refused/)
  t.regex((await send(open(answering(publicAddress)), 'https://10.0.0.1/')).error ?? '', /refused/)
  t.deepEqual(asked, [], 'the proxy is not asked')
  const untrusted = await send(createGuard({ proxy, lookup: answering(publicAddress) }))
  t.like(untrusted, { outcome: 'failed', status: null }, 'the proxy is no authority')
})

test('a proxy that refuses, or is away, is a failed attempt with that reason', async t => {
  const { host } = await startProxy(t, 1, 407)
  const lookup = answering(publicAddress)
  t.regex((await send(createGuard({ proxy: new URL(`http://${host}`), lookup }))).error ?? '', /proxy answered 407/)
  const away = createGuard({ proxy: new URL('http://127.0.0.1:1'), lookup })
  t.regex((await send(away)).error ?? '', /proxy can't be reached/)
})

test('a host that the operator allows is called without the proxy', async t => {
  const receiver = await startReceiver((_request, response) => response.writeHead(204).end())
  t.teardown(receiver.close)
  const { asked, host } = await startProxy(t, receiver.port)
  const near = `127.0.0.1:${receiver.port}`
  const guard = createGuard({ proxy: new URL(`http://${host}`), allow: [near] })
  t.like(await send(guard, `http://${near}/`), { outcome: 'delivered', address: '127.0.0.1' })
  t.deepEqual(asked, [])
})
