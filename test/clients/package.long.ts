import { execFileSync, execSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import test, { type ExecutionContext } from 'ava'
import { freePort } from '../ports.ts'

const root = join(import.meta.dirname, '../..')
const source = join(root, 'clients/typescript')

/** Versions that people have; the packages are made with the present one. */
const npmVersions = ['10', '11']

/** This Node, and the machine's own: the package takes any from 20.3. */
const nodes = [process.execPath, ...(process.env.PATH ?? '').split(':').map(folder => join(folder, 'node'))].filter(
  existsSync,
)

const program = `
import { createClient } from '@attestor/client'
import { createDeviceClient } from '@attestor/client/device'
import { AttestorError } from '@attestor/client/errors'
import { openKeySet, verifyWebhook } from '@attestor/client/verify_webhook'
import vectors from './webhook_vectors.json' with { type: 'json' }
const [{ steps: [step] }] = vectors.receivers
const keys = openKeySet('https://attestor.invalid/', {
  now: () => Date.parse(step.at),
  fetch: async () => Response.json(vectors.key_sets[step.published]),
})
const fetch = async () => Response.json({ error: 'invalid_client' }, { status: 401 })
const client = createClient({ baseUrl: 'https://attestor.invalid', clientId: 'id', clientSecret: 'secret', fetch })
const error = await client.getTransaction('1').catch(error => error)
const device = createDeviceClient({ baseUrl: 'data:application/json,{}#', sdkToken: 'token' })
console.log((await verifyWebhook(step, keys)).verified, error instanceof AttestorError && error.code)
console.log(await device.getSession())
`

const types = `
import { createClient } from '@attestor/client'
import type { Session, Transaction } from '@attestor/client/api'
import { createDeviceClient } from '@attestor/client/device'
import type { Picture } from '@attestor/client/device_calls'
const client = createClient({ baseUrl: '', clientId: '', clientSecret: '' })
const device = createDeviceClient({ baseUrl: '', sdkToken: '' })
// @ts-expect-error: there is no such picture
export const picture: Picture = 'passport'
export const upload = (image: Blob) => device.upload('selfie', image)
export const follow = async (seen: number): Promise<Session> => device.getSession({ wait: 20, seen })
export const decide = async (id: string): Promise<string | undefined> => {
  const transaction: Transaction = await client.getTransaction(id)
  // @ts-expect-error: there is no such status
  if (transaction.status === 'DONE') return
  return transaction.result_data?.decision
}
`

/** The commands of a page's first block that has this text. */
function commandsOf(page: string, text: string): readonly string[] {
  const blocks = readFileSync(join(root, page), 'utf8').matchAll(/^```(\w*)\n(.*?)^```$/gms)
  const commands = [...blocks].filter(([, language = '']) => ['', 'sh'].includes(language))
  const block = commands.map(([, , inside = '']) => inside).find(inside => inside.includes(text))
  return (block ?? '').trim().split('\n')
}

/**
 * Makes the packages, and returns the page's command to install one. Here `npm ci` was run, and the clone is elsewhere.
 */
function packAsSaid(page: string): string {
  const [make = '', install = ''] = commandsOf(page, 'npm run pack')
  execSync(make.replace('npm ci && ', ''), { cwd: root })
  return install.replace('../attestor', root)
}

function readVersion(): string {
  return JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).version
}

/** Returns the builder of a clone's packages. */
function readProvenance(clone: string): { readonly builder: string } {
  const { predicate } = JSON.parse(readFileSync(join(clone, 'packed/provenance.json'), 'utf8'))
  return { builder: predicate.runDetails.builder.id }
}

function openFolder(t: ExecutionContext): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'attestor-package-')))
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

function runsOn(node: string, cwd: string): string {
  return execFileSync(node, ['--no-warnings', 'program.js'], { cwd, encoding: 'utf8' })
}

test.serial('The client is installed as its page says, is plain JavaScript with types, and runs on every Node', t => {
  const install = packAsSaid('docs/integrate/clients.md')
  t.regex(install, /^npm install /)
  for (const npm of npmVersions) {
    const folder = openFolder(t)
    execSync(install.replace('npm', `npx --yes npm@${npm}`), { cwd: folder })
    symlinkSync(join(root, 'node_modules/@types'), join(folder, 'node_modules/@types'))
    cpSync(join(root, 'clients/webhook_vectors.json'), join(folder, 'webhook_vectors.json'))
    writeFileSync(join(folder, 'program.js'), program)
    writeFileSync(join(folder, 'types.ts'), types)
    execSync('npm pkg set type=module', { cwd: folder })
    const tsc = createRequire(join(source, 'package.json')).resolve('typescript/bin/tsc')
    const options = ['--strict', '--skipLibCheck', '--noEmit', '--module', 'nodenext', '--types', 'node']
    execFileSync(process.execPath, [tsc, ...options, join(folder, 'types.ts')], { cwd: folder, stdio: 'inherit' })
    const versions = new Set<string>()
    for (const node of nodes) {
      const version = execFileSync(node, ['--version'], { encoding: 'utf8' }).trim()
      if (versions.has(version) || Number(version.slice(1).split('.')[0]) < 20) continue
      versions.add(version)
      t.is(runsOn(node, folder), 'true invalid_client\n{}\n', version)
    }
    t.log(`npm ${npm}: runs on ${[...versions].join(', ')}`)
    t.true(versions.size >= 1)
  }
})

test.serial('The client in Python is installed as its page says', t => {
  const [install = ''] = commandsOf('docs/integrate/clients.md', 'pip install')
  const folder = openFolder(t)
  // pip builds in the folder that it is given.
  cpSync(join(root, 'clients/python'), join(folder, 'attestor/clients/python'), { recursive: true })
  mkdirSync(join(folder, 'yours'))
  const run = (command: string) => execSync(command, { cwd: join(folder, 'yours'), encoding: 'utf8' })
  run('python3 -m venv --system-site-packages ../env')
  run(`../env/bin/${install}`)
  const program =
    'import importlib.metadata, attestor, attestor.verify_webhook; print(importlib.metadata.version("attestor-client"))'
  t.is(run(`../env/bin/python3 -c '${program}'`).trim(), readVersion())
})

test.serial('The client in Go is required as its page says', t => {
  const [require = ''] = commandsOf('docs/integrate/clients.md', 'go mod edit')
  t.true(require.includes(`v${readVersion()} `))
  const folder = openFolder(t)
  cpSync(join(root, 'clients/go/sample/main.go'), join(folder, 'main.go'))
  const env = { ...process.env, GOPROXY: 'off', GOFLAGS: '' }
  for (const command of ['go mod init shop', require.replace('../attestor', root), 'go build -o shop .'])
    execSync(command, { cwd: folder, env, stdio: 'pipe' })
  t.true(existsSync(join(folder, 'shop')))
})

test.serial('Both packages are made of a clean clone as the page says, by each npm', t => {
  // Two installs of everything.
  t.timeout(1_200_000)
  const [make = ''] = commandsOf('docs/integrate/clients.md', 'npm run pack')
  t.is(make, 'npm ci && npm run pack')
  for (const npm of npmVersions) {
    const clone = join(openFolder(t), 'clone')
    execFileSync('git', ['clone', '-q', '--no-hardlinks', root, clone])
    execSync(make.replaceAll('npm ', `npx --yes npm@${npm} `), { cwd: clone, stdio: 'pipe' })
    const { builder } = readProvenance(clone)
    t.regex(builder, new RegExp(`npm ${npm}\\.`))
    for (const [name, file] of [
      ['attestor', 'src/cli.js'],
      ['attestor', 'packages/vision/ready/text_read.onnx'],
      ['attestor-client', 'dist/client.js'],
    ]) {
      const words = ['-tzf', `packed/${name}-${readVersion()}.tgz`]
      const files = execFileSync('tar', words, { cwd: clone, encoding: 'utf8' }).split('\n')
      t.true(files.includes(`package/${file}`), `npm ${npm}: ${file}`)
    }
  }
})

test.serial('A client that was not built is not packed', t => {
  const words = ['pack', '--workspace', '@attestor/client', '--dry-run']
  t.throws(() => execFileSync('npm', words, { cwd: root, stdio: 'pipe' }), { message: /must have name and version/ })
})

test.serial('The service is installed as its page says, and its programs run', async t => {
  const install = packAsSaid('docs/operate/install.md')
  for (const npm of npmVersions) {
    const folder = openFolder(t)
    execSync(install.replace('npm', `npx --yes npm@${npm}`), { cwd: folder })
    const attestor = (command: string) => execSync(`npx attestor ${command}`, { cwd: folder, encoding: 'utf8' })
    const before = performance.now()
    t.regex(attestor('demo --once'), /is FINISHED: APPROVED/)
    t.log(`npm ${npm}: ${((performance.now() - before) / 1000).toFixed(1)} s from the demo's command to its end`)
    const env = { ...process.env, PORT: String(await freePort()) }
    const service = spawn('npx', ['attestor', 'start'], {
      cwd: folder,
      env,
      stdio: ['ignore', 'pipe', 'inherit'],
      detached: true,
    })
    const ended = once(service, 'exit')
    for await (const line of createInterface({ input: service.stdout })) if (JSON.parse(line).message === 'ready') break
    const page = await fetch(`http://127.0.0.1:${env.PORT}/verify`)
    const script = /modulepreload" href="([^"]+)"/.exec(await page.text())?.[1]
    t.is(
      (await fetch(`http://127.0.0.1:${env.PORT}/${script}`)).headers.get('content-type')?.split(';')[0],
      'text/javascript',
    )
    t.regex(attestor('doctor || true'), /ok +database/)
    process.kill(-(service.pid ?? 0), 'SIGTERM')
    await ended
  }
})
