import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import { callTo } from '../calls.ts'
import { inLongTier } from '../tier.ts'
import { kyc, openTransaction, requestToken } from './client.ts'
import { attestor, startChild, startCommand } from './programs.ts'

interface Heard {
  readonly headers: IncomingHttpHeaders
  readonly status: string
}

/** A developer's own receiver, on plain http; `all` resolves with its first `count` webhooks. */
async function openReceiver(count: number) {
  const received: Heard[] = []
  const all = Promise.withResolvers<readonly Heard[]>()
  const server = createServer((request, response) => {
    let text = ''
    request.on('data', data => {
      text += String(data)
    })
    request.on('end', () => {
      received.push({ headers: request.headers, status: (JSON.parse(text) as { status: string }).status })
      response.writeHead(200).end('heard')
      if (received.length === count) all.resolve(received)
    })
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return { url: `http://127.0.0.1:${port}/hook`, all: all.promise, close: () => server.close() }
}

/** Checks the message for a person who starts it wrongly. */
async function refuses(
  t: ExecutionContext,
  words: readonly string[],
  environment: Record<string, string>,
  client_id: string,
): Promise<void> {
  const wrong = await attestor([...words, '--client-id', client_id, '--client-secret', 'wrong'], environment)
  t.deepEqual([wrong.code, wrong.stdout], [1, ''])
  t.regex(wrong.stderr, /^invalid_client: /)
  const live = JSON.parse((await attestor(['account', 'create', '--name', 'B', '--json'], environment)).stdout)
  const refused = await attestor(
    [...words, '--client-id', live.client_id, '--client-secret', live.client_secret],
    environment,
  )
  t.deepEqual([refused.code, refused.stderr], [1, 'account: must be a test account\n'])
  const nobody = ['listen', '--forward-to', 'http://127.0.0.1:1', '--url', 'http://127.0.0.1:1']
  const alone = await attestor([...nobody, '--client-id', client_id, '--client-secret', 'wrong'], environment)
  t.deepEqual([alone.code, alone.stdout], [1, ''])
  t.regex(alone.stderr, /^http:\/\/127\.0\.0\.1:1\/oauth2\/token: no answer: /)
  t.is(
    (await attestor(['listen', '--forward-to', 'ftp://x', '--client-id', 'a', '--client-secret', 'b'], environment))
      .code,
    2,
  )
}

inLongTier(test)(
  'attestor listen brings a test account’s webhooks to a plain http receiver, and says what it answered',
  async t => {
    const within = mkdtempSync(join(tmpdir(), 'attestor-listen-'))
    t.teardown(() => rmSync(within, { recursive: true, force: true }))
    const MASTER_KEY = Buffer.alloc(32, 9).toString('base64')
    const environment = { PORT: '0', DATABASE_URL: `sqlite:${join(within, 'attestor.sqlite')}`, MASTER_KEY }
    t.is((await attestor(['migrate'], environment)).code, 0)
    const made = await attestor(['account', 'create', '--name', 'Acme', '--test', '--json'], environment)
    const { client_id = '', client_secret = '' } = JSON.parse(made.stdout) as Record<string, string>
    const program = startChild(environment, 0)
    t.teardown(() => program.child.kill('SIGKILL'))
    const url = await program.ready()

    const receiver = await openReceiver(4)
    t.teardown(receiver.close)
    const words = ['listen', '--forward-to', receiver.url, '--url', url]
    const listener = startCommand([...words, '--client-id', client_id, '--client-secret', client_secret], environment)
    t.teardown(() => listener.child.kill('SIGKILL'))

    const call = callTo(() => url)
    const token = await requestToken(call, { client_id, client_secret })
    const config = { webhook: { url: 'https://listen.invalid/hook' }, test: { decision: 'APPROVED' } }
    const { transaction_id } = await openTransaction(call, token, { config })
    const walked = await call('POST', `${kyc}/test/transaction/${transaction_id}/walk`, {
      token,
      json: { to: 'COMPLETED' },
    })
    t.is(walked.status, 200, walked.text)
    const received = await receiver.all
    t.deepEqual(
      received.map(({ status }) => status),
      ['INITIATED', 'COMPLETED', 'PROCESSING', 'FINISHED'],
    )
    for (const { headers } of received) t.truthy(headers['x-signature'] && headers['x-timestamp'])
    listener.child.kill('SIGTERM')
    await listener.ended
    t.is(
      listener.lines.filter(line => line.includes(String(transaction_id)) && line.includes('  200  ')).length >= 3,
      true,
    )

    await refuses(t, words, environment, client_id)
  },
)

/** A service that gives these responses one after the other, and records its requests. */
async function playService(answers: readonly (readonly [status: number, body: string])[]) {
  const asked: string[] = []
  const server = createServer((request, response) => {
    const [status, body] = answers[asked.length] ?? [500, '{}']
    asked.push(`${request.url?.replace(kyc, '')} ${request.headers.authorization ?? ''}`.trim())
    request.resume().on('end', () => response.writeHead(status).end(body))
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return { url: `http://127.0.0.1:${port}`, asked, close: () => server.close() }
}

test('attestor listen renews its token between an attempt and its answer, and ends where it is not let in', async t => {
  const receiver = await openReceiver(1)
  t.teardown(receiver.close)
  const body = JSON.stringify({ transaction_id: 'T', status: 'FINISHED' })
  const delivery = { delivery_id: 'D', lease: 'L', headers: { 'X-Delivery-Attempt': '1' }, body }
  const service = await playService([
    [200, '{"access_token":"one"}'],
    [200, JSON.stringify({ delivery })],
    [401, '{"error":"expired"}'],
    [200, '{"access_token":"two"}'],
    [204, ''],
    [502, '<html>'],
    [401, '{"error":"expired"}'],
    [401, '{"error":"invalid_client","error_description":"revoked"}'],
  ])
  t.teardown(service.close)
  const words = ['listen', '--forward-to', receiver.url, '--url', service.url]
  const listened = await attestor([...words, '--client-id', 'a', '--client-secret', 'b'], {})
  t.deepEqual(service.asked, [
    '/oauth2/token',
    '/test/listen Bearer one',
    '/test/listen/D Bearer one',
    '/oauth2/token',
    '/test/listen/D Bearer two',
    '/test/listen Bearer two',
    '/test/listen Bearer two',
    '/oauth2/token',
  ])
  t.regex(listened.stdout, /FINISHED {4}T {2}200 {2}\d+ ms\n$/)
  t.is(listened.code, 1)
  t.regex(listened.stderr, /\/test\/listen: its answer is no JSON; trying again\ninvalid_client: revoked\n$/)
})
