/** The image, built by its own Dockerfile and run without a Docker engine, where `buildah` and `mmdebstrap` are installed. */

import { type ChildProcess, execFile, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import {
  closeSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import test from 'ava'
import { freePort } from './ports.ts'

const root = join(import.meta.dirname, '..')
const isInstalled = ['buildah', 'mmdebstrap'].every(name => spawnSync(name, ['--version']).status === 0)
const base = /^FROM (\S+)$/m.exec(readFileSync(join(root, 'docker/Dockerfile'), 'utf8'))?.[1] ?? ''

/** The call is not synchronous: the test's own clock goes on meanwhile. */
async function run(program: string, ...words: readonly string[]): Promise<string> {
  return (await promisify(execFile)(program, [...words], { maxBuffer: 2 ** 26 })).stdout.trim()
}

/** The machine's settings of npm, and the authorities that it trusts. */
async function listMounts(folder: string): Promise<string[]> {
  const authorities = '/etc/ssl/certs'
  const bundle = process.env.NODE_EXTRA_CA_CERTS ?? ''
  const ofNpm = join(folder, 'npmrc')
  // The commands of a build do not see its environment: npm reads the bundle's name in a file.
  writeFileSync(ofNpm, bundle === '' ? '' : `cafile=${bundle}\n`)
  const settings = await run('npm', 'config', 'get', 'userconfig')
  return [
    ...(existsSync(authorities) ? ['--volume', `${authorities}:${authorities}:ro`] : []),
    ...(existsSync(settings) ? ['--volume', `${settings}:/root/.npmrc:ro`] : []),
    ...['--volume', `${ofNpm}:/usr/local/etc/npmrc:ro`],
  ]
}

/** Debian with this Node and this npm in it, in place of the image that the Dockerfile begins with. */
async function makeBase(folder: string): Promise<void> {
  const archive = join(folder, 'base.tar')
  await run('mmdebstrap', '--variant=minbase', '--include=ca-certificates', 'bookworm', archive)
  const container = await run('buildah', 'from', 'scratch')
  const npm = dirname(dirname(realpathSync(await run('which', 'npm'))))
  await run('buildah', 'add', container, archive, '/')
  await run('buildah', 'copy', container, process.execPath, '/usr/local/bin/node')
  await run('buildah', 'copy', container, npm, '/usr/local/lib/node_modules/npm')
  const inside = (...words: readonly string[]) =>
    run('buildah', 'run', '--isolation', 'chroot', container, '--', ...words)
  await inside('ln', '-s', '/usr/local/lib/node_modules/npm/bin/npm-cli.js', '/usr/local/bin/npm')
  await inside('useradd', '--uid', '1000', '--create-home', 'node')
  await run('buildah', 'commit', '--rm', container, `docker.io/library/${base}`)
}

interface Started {
  readonly process: ChildProcess
  readonly url: string
}

/** The processes that a process started, with their own. */
function listDescendants(pid: number): number[] {
  const children = readdirSync(`/proc/${pid}/task`).flatMap(task =>
    readFileSync(`/proc/${pid}/task/${task}/children`, 'utf8').split(' ').filter(Boolean).map(Number),
  )
  return [...children, ...children.flatMap(listDescendants)]
}

/** `buildah` passes no signal on, and one to its group ends it first: the service's own process is looked for. */
function findService(buildah: number): number | undefined {
  return listDescendants(buildah).find(pid =>
    readFileSync(`/proc/${pid}/cmdline`, 'utf8').startsWith('node\0src/main.ts'),
  )
}

const waitMs = 240_000

async function answers(url: string): Promise<boolean> {
  return fetch(url).then(
    ({ ok }) => ok,
    () => false,
  )
}

test('the image is built, gets ready, is without an error of doctor, stops, and starts again on its volume', async t => {
  if (!isInstalled) {
    t.log('buildah or mmdebstrap is not installed: skipped')
    t.pass()
    return
  }
  t.timeout(20 * 60_000)
  const folder = mkdtempSync(join(tmpdir(), 'attestor-image-'))
  const image = 'localhost/attestor-test'
  const [context, data, log] = [join(folder, 'context'), join(folder, 'data'), join(folder, 'log')]
  t.teardown(() => {
    spawnSync('buildah', ['rm', image.split('/')[1] ?? ''])
    spawnSync('buildah', ['rmi', image])
    rmSync(folder, { recursive: true, force: true })
  })
  mkdirSync(context)
  mkdirSync(data)
  await run('chown', '1000:1000', data)
  await run('git', '-C', root, 'archive', '--output', join(folder, 'context.tar'), 'HEAD')
  await run('tar', '-xf', join(folder, 'context.tar'), '-C', context)
  if (spawnSync('buildah', ['inspect', '--type', 'image', `docker.io/library/${base}`]).status !== 0)
    await makeBase(folder)
  const dockerfile = join(context, 'docker/Dockerfile')
  await run(
    'buildah',
    'build',
    '--isolation',
    'chroot',
    '--network',
    'host',
    ...(await listMounts(folder)),
    '-f',
    dockerfile,
    '-t',
    image,
    context,
  )
  const container = await run('buildah', 'from', '--pull-never', image)
  t.teardown(() => spawnSync('buildah', ['rm', container]))
  const port = String(await freePort())
  // The compose file's: empty is as if it were not set.
  const settings = ['BASE_URL=', 'TRUSTED_PROXY_HOPS=0', 'MASTER_KEY=', `PORT=${port}`, 'HOST=127.0.0.1']
  const inside = (...words: readonly string[]): string[] => [
    'run',
    ...['--isolation', 'chroot', '--network', 'host', '--user', 'node', '--volume', `${data}:/data`],
    ...[container, '--', 'env', ...settings, ...words],
  ]
  const start = async (): Promise<Started> => {
    const output = openSync(log, 'a')
    const child = spawn('buildah', inside('node', 'src/main.ts'), { stdio: ['ignore', output, output] })
    closeSync(output)
    const url = `http://127.0.0.1:${port}`
    const until = Date.now() + waitMs
    while (!(await answers(`${url}/readyz`))) {
      if (Date.now() > until || child.exitCode !== null) throw new Error(readFileSync(log, 'utf8').slice(-2000))
      await once(AbortSignal.timeout(500), 'abort')
    }
    return { process: child, url }
  }
  const stop = async ({ process: child, url }: Started): Promise<void> => {
    const exited = once(child, 'exit')
    const service = findService(child.pid ?? 0)
    if (service === undefined) throw new Error('the service has no process')
    process.kill(service, 'SIGTERM')
    t.deepEqual(await exited, [0, null])
    t.false(await answers(`${url}/readyz`))
  }
  const first = await start()
  const created = JSON.parse(
    await run('buildah', ...inside('attestor', 'account', 'create', '--name', 'kept', '--json')),
  )
  const findings = JSON.parse(await run('buildah', ...inside('attestor', 'doctor', '--json'))) as {
    findings: { level: string; check: string; message: string }[]
  }
  t.deepEqual(
    findings.findings.filter(({ level }) => level === 'error'),
    [],
  )
  await stop(first)
  t.regex(readFileSync(log, 'utf8'), /stopped/)
  const second = await start()
  t.regex(
    await run('buildah', ...inside('attestor', 'account', 'list', '--json')),
    new RegExp(String(created.account_id)),
  )
  await stop(second)
  const size = /^\S+\s+(\S+\s?[GM]B)$/m.exec(
    await run('buildah', 'images', '--noheading', '--format', '{{.Name}} {{.Size}}', image),
  )?.[1]
  t.log(`${image}: ${size}`)
})
