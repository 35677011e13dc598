import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import test, { type ExecutionContext } from 'ava'
import { eachDialect } from '../../../test/database.ts'

const root = join(import.meta.dirname, '../../..')
const library = join(root, 'packages/durable')
const run = promisify(execFile)

function scratch(t: ExecutionContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'durable-'))
  t.teardown(() => rmSync(folder, { recursive: true }))
  return folder
}

/** Packs a copy, so that nothing is compiled into the folder that other tests read. */
async function pack(folder: string): Promise<string> {
  const copy = join(folder, 'packages/durable')
  mkdirSync(copy, { recursive: true })
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
  cpSync(join(root, 'tsconfig.json'), join(folder, 'tsconfig.json'))
  cpSync(library, copy, { recursive: true, filter: path => !path.endsWith('/dist') })
  const path = `${join(root, 'node_modules/.bin')}:${process.env.PATH}`
  const { stdout } = await run('npm', ['pack', '--json', '--pack-destination', folder], {
    cwd: copy,
    // `npm run` sets that scripts of packages do not run, but this package is made by one.
    env: { ...process.env, PATH: path, npm_config_ignore_scripts: 'false' },
  })
  const [, name = ''] = /"filename": "([^"]+)"/.exec(stdout) ?? []
  return join(folder, name)
}

const manual = readFileSync(join(library, 'MANUAL.md'), 'utf8')

/** The files of the manual by their names, which stand before them. */
const files = [...manual.matchAll(/`(\w+\.ts)`[^`\n]*:\n\n```ts\n([\s\S]*?)```/g)].map(([, name = '', text = '']) => ({
  name,
  text,
}))

/** An empty project with the package, as the manual says. */
async function install(t: ExecutionContext): Promise<string> {
  const tarball = await pack(scratch(t))
  const folder = scratch(t)
  await run('npm', ['init', '-y'], { cwd: folder })
  await run('npm', ['pkg', 'set', 'type=module', 'overrides.typeorm.better-sqlite3=13.2.0'], { cwd: folder })
  await run('npm', ['install', '--prefer-offline', '--no-audit', '--no-fund', tarball, 'xstate'], { cwd: folder })
  for (const { name, text } of files) writeFileSync(join(folder, name), text)
  return folder
}

interface Life {
  readonly folder: string
  readonly file: string
  readonly env: Readonly<Record<string, string>>
  /** The output at which it is killed. */
  readonly killAt?: string
}

/** Runs a program until it ends or is killed; resolves with its output. */
async function live(t: ExecutionContext, { folder, file, env, killAt }: Life): Promise<string> {
  const child: ChildProcess = spawn(process.execPath, [file], {
    cwd: folder,
    env: { PATH: process.env.PATH, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let output = ''
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    output += text
    if (killAt !== undefined && output.includes(killAt)) child.kill('SIGKILL')
  })
  const [code, signal] = await once(child, 'close')
  t.is(killAt === undefined ? code : signal, killAt === undefined ? 0 : 'SIGKILL')
  return output
}

function readKeys(output: string): readonly string[] {
  return [...output.matchAll(/charging card-1 by the key (\S+)/g)].map(([, key = '']) => key)
}

test('The package installs into an empty project, is typed, and its example survives kill -9 where XState by hand does not', async t => {
  t.deepEqual(
    files.map(({ name }) => name),
    ['order_machine.ts', 'orders.ts', 'address.ts', 'data_source.ts', 'main.ts', 'by_hand.ts'],
  )
  const folder = await install(t)
  const types = ['--typeRoots', join(root, 'node_modules/@types'), '--types', 'node']
  const options = ['--noEmit', '--strict', '--module', 'nodenext', '--target', 'es2024', '--allowImportingTsExtensions']
  await run(join(root, 'node_modules/.bin/tsc'), [...options, ...types, 'main.ts', 'data_source.ts'], {
    cwd: folder,
  })
  for (const engine of eachDialect) {
    const database = await engine.empty()
    t.teardown(database.drop)
    const { address } = database
    const env =
      address.dialect === 'sqlite'
        ? { ORDERS_SQLITE: address.file }
        : {
            ORDERS_MYSQL: `mysql://${address.user}:${encodeURIComponent(address.password)}@${address.host}:${address.port}/${address.database}`,
          }
    await run(
      'npx',
      ['typeorm', 'migration:generate', '-d', 'data_source.ts', '--esm', '-o', `migrations/${address.dialect}/initial`],
      {
        cwd: folder,
        env: { PATH: process.env.PATH, ...env },
      },
    )
    const before = await live(t, { folder, file: 'main.ts', env, killAt: 'charging card-1' })
    const after = await live(t, { folder, file: 'main.ts', env })
    t.is(readKeys(after)[0], readKeys(before)[0], 'the same charge')
    t.regex(after, / PAID\n/)
    t.regex(after, / EXPIRED\n/)
  }
  const env = { ORDERS_SQLITE: join(folder, 'by_hand.sqlite') }
  await live(t, { folder, file: 'by_hand.ts', env, killAt: 'Ada CHARGING' })
  const after = await live(t, { folder, file: 'by_hand.ts', env })
  t.regex(after, /charging card-1\n/, 'charged again')
  t.notRegex(after, /EXPIRED/, 'its time-out is forgotten')
})
