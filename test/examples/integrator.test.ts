import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import test, { type ExecutionContext } from 'ava'
import { createClient } from '../../clients/typescript/src/client.ts'
import { openKeySet, type Verification } from '../../clients/typescript/src/verify_webhook.ts'
import { createIntegrator } from '../../examples/koa/integrator.ts'
import { answerChallenge, give } from '../../packages/capture-page/test/photos.ts'
import { polling } from '../../packages/capture-page/test/reader.ts'
import { checkScreen, openVisitor } from '../../packages/capture-page/test/visitor.ts'
import { browserTest, closeBrowser, openBrowser } from '../browser.ts'
import { freePort } from '../ports.ts'
import { inLongTier } from '../tier.ts'
import { type SampleService, startSampleService, walk } from './service.ts'

const sample = join(import.meta.dirname, '../../examples/koa/main.ts')

let ports: readonly [inProcess: number, program: number]
let service: SampleService

test.before(async () => {
  ports = [await freePort(), await freePort()]
  service = await startSampleService([`127.0.0.1:${ports[0]}`, `localhost:${ports[1]}`])
})
test.after.always(async () => {
  await closeBrowser()
  service?.end()
})

test('The sample integrator sends a person to Attestor, takes its webhooks, and shows the person the decision', async t => {
  const { client_id: clientId, client_secret: clientSecret } = await service.createAccount('--test')
  const { baseUrl } = service
  const client = createClient({ baseUrl, clientId, clientSecret })
  const keys = openKeySet(`${baseUrl}/.well-known/jwks.json`)
  const [port] = ports
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

/** The sample as its page says that it is started. A browser takes `localhost` for another site than `127.0.0.1`. */
async function startSample(t: ExecutionContext): Promise<string> {
  const { client_id: CLIENT_ID, client_secret: CLIENT_SECRET } = await service.createAccount()
  const PORT = String(ports[1])
  const env = { ATTESTOR_URL: service.baseUrl, PORT, PUBLIC_URL: `http://localhost:${PORT}`, CLIENT_ID, CLIENT_SECRET }
  const child = spawn(process.execPath, [sample], { env, stdio: ['ignore', 'pipe', 'inherit'] })
  t.teardown(() => child.kill('SIGKILL'))
  for await (const line of createInterface({ input: child.stdout })) return line
  throw new Error('the sample ended')
}

inLongTier(browserTest)(
  'A person clicks from the shop to Attestor and back to the decision, or stops half-way',
  async t => {
    const shop = await startSample(t)
    const visitor = await openVisitor(t, await openBrowser(), shop)
    const { page } = visitor
    await visitor.reads('main p', 'Before you buy, we must know you.')
    await checkScreen(t, page, 'the shop')
    await visitor.presses('Verify yourself')
    await visitor.sees('CONSENT')

    const id = (await page.browserContext().cookies()).find(({ name }) => name === 'transaction_id')?.value
    const impatient = await page.browserContext().newPage()
    await impatient.goto(`${shop}/verified?transaction_id=${id}`)
    t.regex(await impatient.$eval('main', main => main.textContent ?? ''), /One moment/)
    await page.bringToFront()

    await visitor.presses('I agree, start', 'Passport')
    await give(visitor)
    await visitor.reads('h1', 'Take a picture of your face')
    await give(visitor)
    await answerChallenge(visitor)
    await visitor.sees('RESULT')
    await visitor.presses('Back to Attestor')
    await visitor.reads('main p', 'You are verified. Welcome!')
    t.is(page.url(), `${shop}/verified?transaction_id=${id}`)
    await checkScreen(t, page, 'the decision')
    await impatient.bringToFront()
    const text = `document.querySelector('main p')?.textContent`
    await impatient.waitForFunction(`${text} === 'You are verified. Welcome!'`, { polling })
    await page.bringToFront()

    await page.click('main a')
    await visitor.presses('Verify yourself', 'Stop the verification', 'Stop for good')
    await visitor.sees('CANCELLED')
    await visitor.presses('Back to Attestor')
    await visitor.reads('main p', 'The verification ended without a result. You may begin again.')
    await visitor.presses('Verify yourself')
    await visitor.sees('CONSENT')
  },
)
