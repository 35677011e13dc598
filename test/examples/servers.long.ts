/** The samples that serve the plain page: Express, installed with the packed client, and FastAPI. */
import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { cpSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import type { Frame, Page } from 'puppeteer-core'
import { createClient } from '../../clients/typescript/src/client.ts'
import { polling } from '../../packages/capture-page/test/reader.ts'
import { awaited } from '../awaited.ts'
import { browserTest, closeBrowser, findViolations, openBrowser, openPage } from '../browser.ts'
import { freePort } from '../ports.ts'
import { type SampleService, startSampleService, walk } from './service.ts'

const root = join(import.meta.dirname, '../..')
interface Sample {
  readonly name: string
  /** Installs it, and returns the command that starts it; null if the machine lacks a program that it needs. */
  readonly prepare: (port: string) => readonly string[] | null
}

function prepareExpress(): readonly string[] {
  execFileSync(process.execPath, [join(root, 'tools/pack.ts'), join(service.folder, 'packed')])
  cpSync(join(root, 'examples'), join(service.folder, 'examples'), { recursive: true })
  const cwd = join(service.folder, 'examples/express')
  const words = ['install', '--no-save', '--no-audit', '--no-fund', '../../packed/attestor-client-0.1.0.tgz']
  execFileSync('npm', words, { cwd, stdio: 'inherit' })
  return [process.execPath, join(cwd, 'server.js')]
}

/** Debian's packages are of Debian's Python, which need not be the first on the path. */
function prepareFastApi(port: string): readonly string[] | null {
  const needs = ['-c', 'import fastapi, uvicorn, cryptography']
  const python = ['python3', '/usr/bin/python3'].find(name => spawnSync(name, needs).status === 0)
  const words = ['-m', 'uvicorn', '--app-dir', join(root, 'examples/fastapi'), '--port', port, 'main:app']
  return python === undefined ? null : [python, ...words]
}

const samples: readonly Sample[] = [
  { name: 'Express', prepare: prepareExpress },
  { name: 'FastAPI', prepare: prepareFastApi },
]

let ports: readonly number[]
let service: SampleService

test.before(async () => {
  ports = await Promise.all(samples.map(freePort))
  const hosts = ports.map(port => `localhost:${port}`)
  service = await startSampleService(hosts, { EMBED_ORIGINS: hosts.map(host => `http://${host}`).join() })
})
test.after.always(async () => {
  await closeBrowser()
  service?.end()
})

/** Resolves when the sample says where it listens. */
async function startSample(t: ExecutionContext, command: readonly string[], env: NodeJS.ProcessEnv): Promise<void> {
  const [program = '', ...words] = command
  const child = spawn(program, words, { env, stdio: 'pipe' })
  t.teardown(() => child.kill('SIGKILL'))
  const listening = Promise.withResolvers<void>()
  let said = ''
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', data => {
      said += data
      if (said.includes(`:${env.PORT}`)) listening.resolve()
    })
  child.once('exit', () => listening.reject(new Error(said)))
  await awaited(`${program} listens`, listening.promise)
}

/** The capture page, in its dialog over the shop. */
async function findDialog(page: Page): Promise<Frame> {
  const handle = await page.waitForSelector('dialog iframe', { visible: true })
  const frame = await handle?.contentFrame()
  if (frame === null || frame === undefined) throw new Error('the dialog has no frame')
  return frame
}

for (const [n, { name, prepare }] of samples.entries())
  browserTest(`${name}: a person presses the button of the plain page, and reads the decision there`, async t => {
    const PORT = String(ports[n])
    const command = prepare(PORT)
    if (command === null) {
      t.log(`${name} is not installed here: skipped`)
      t.pass()
      return
    }
    const shop = `http://localhost:${PORT}`
    const { client_id: clientId, client_secret: clientSecret } = await service.createAccount('--test')
    const { baseUrl } = service
    await startSample(t, command, {
      ...process.env,
      ATTESTOR_URL: baseUrl,
      PORT,
      PUBLIC_URL: shop,
      CLIENT_ID: clientId,
      CLIENT_SECRET: clientSecret,
      PYTHONPATH: join(root, 'clients/python'),
      PYTHONDONTWRITEBYTECODE: '1',
    })
    const page = await openPage(t, await openBrowser(), shop)
    t.deepEqual(await findViolations(page), [])
    t.is((await fetch(`${shop}/verifications/mine`)).status, 404)
    await page.click('#verify')
    const frame = await findDialog(page)
    await frame.waitForSelector('h1', { visible: true })
    const transaction_id =
      (await page.browserContext().cookies()).find(one => one.name === 'transaction_id')?.value ?? ''

    const forged = { 'X-Timestamp': new Date().toISOString(), 'X-Signature': 'Zm9yZ2Vk' }
    const body = JSON.stringify({ transaction_id, status: 'FINISHED' })
    t.is((await fetch(`${shop}/webhooks`, { method: 'POST', headers: forged, body })).status, 401)
    t.is((await fetch(`${shop}/webhooks`, { method: 'POST', headers: forged, body: 'x'.repeat(65_537) })).status, 413)
    t.is(await page.$eval('#words', words => words.textContent), 'Before you buy, we must know you.')

    const client = createClient({ baseUrl, clientId, clientSecret })
    const params = { path: { transaction_id } }
    t.is((await client.api.POST(walk, { params, body: { to: 'COMPLETED' } })).response.status, 200)
    const text = `document.querySelector('#words').textContent`
    await page.waitForFunction(`${text} === 'You are verified. Welcome!'`, { polling })
    t.is(await page.$('dialog[open]'), null)
    t.deepEqual(await findViolations(page), [])
  })

test('No sample is longer than 80 lines', t => {
  for (const name of ['page/index.html', 'express/server.js', 'koa/integrator.ts', 'fastapi/main.py']) {
    const lines = readFileSync(join(root, 'examples', name), 'utf8').split('\n').length - 1
    t.log(name, lines)
    t.true(lines <= 80, name)
  }
})
