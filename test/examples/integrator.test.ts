import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test from 'ava'
import { createClient } from '../../clients/typescript/src/client.ts'
import { openKeySet, type Verification } from '../../clients/typescript/src/verify_webhook.ts'
import { createIntegrator } from '../../examples/integrator/integrator.ts'
import { freePort } from '../ports.ts'
import { attestor, startChild } from '../service/programs.ts'

const walk = '/api/account/integration/kyc/test/transaction/{transaction_id}/walk'

test('The sample integrator sends a person to Attestor, takes its webhooks, and shows the person the decision', async t => {
  const folder = mkdtempSync(join(tmpdir(), 'attestor-example-'))
  const port = await freePort()
  const environment = {
    ...{ PORT: '0', DATABASE_URL: `sqlite:${join(folder, 'attestor.sqlite')}`, ANALYSIS_BACKOFF_SECONDS: '0' },
    ...{ MASTER_KEY: Buffer.alloc(32, 9).toString('base64'), WEBHOOK_ALLOW_HOSTS: `127.0.0.1:${port}` },
  }
  t.is((await attestor(['migrate'], environment)).code, 0)
  const { stdout } = await attestor(['account', 'create', '--name', 'Acme', '--test', '--json'], environment)
  const { client_id: clientId, client_secret: clientSecret } = JSON.parse(stdout)
  const program = startChild(environment, 0)
  t.teardown(() => {
    program.child.kill('SIGKILL')
    rmSync(folder, { recursive: true, force: true })
  })
  const baseUrl = await program.ready()

  const client = createClient({ baseUrl, clientId, clientSecret })
  const keys = openKeySet(`${baseUrl}/.well-known/jwks.json`)
  const publicUrl = `http://127.0.0.1:${port}`
  const seen: Verification[] = []
  const finished = Promise.withResolvers<void>()
  const observe = (result: Verification): void => {
    seen.push(result)
    if (result.verified && result.notification.status === 'FINISHED') finished.resolve()
  }
  const server = createIntegrator({ attestor: client, keys, publicUrl, observe }).listen(port, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => {
    server.close()
    server.closeAllConnections()
  })

  const shop = await fetch(publicUrl)
  t.regex(await shop.text(), /<form method="post" action="\/verifications">/)
  const begun = await fetch(`${publicUrl}/verifications`, { method: 'POST', redirect: 'manual' })
  t.is(begun.status, 303)
  t.true(begun.headers.get('location')?.startsWith(`${baseUrl}/verify#`))
  const Cookie = begun.headers.getSetCookie()[0]?.split(';')[0] ?? ''
  const transaction_id = Cookie.replace('transaction_id=', '')

  const back = `${publicUrl}/verified?transaction_id=${transaction_id}`
  const show = async (headers: Record<string, string>) => {
    const response = await fetch(back, { headers })
    return { status: response.status, text: await response.text() }
  }
  t.is((await show({})).status, 404, 'a stranger with the address')
  t.regex((await show({ Cookie })).text, /One moment/)
  const params = { path: { transaction_id } }
  const walked = await client.api.POST(walk, { params, body: { to: 'COMPLETED' } })
  t.is(walked.response.status, 200)
  await finished.promise
  t.regex((await show({ Cookie })).text, /You are verified/)
  t.deepEqual(
    [...new Set(seen.map(one => one.verified && one.notification.status))],
    ['INITIATED', 'COMPLETED', 'PROCESSING', 'FINISHED'],
  )

  const body = JSON.stringify({ transaction_id, status: 'FINISHED' })
  const headers = { 'X-Timestamp': new Date().toISOString(), 'X-Signature': 'Zm9yZ2Vk' }
  const post = async (request: RequestInit) =>
    (await fetch(`${publicUrl}/webhooks`, { method: 'POST', ...request })).status
  t.is(await post({ headers, body }), 401)
  t.is(await post({ headers, body: 'x'.repeat(65_537) }), 413)
})
