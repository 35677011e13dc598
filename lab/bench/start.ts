/**
 * From the start of a node until `/readyz` answers 200: `node lab/bench/start.ts [ROUNDS]`. `src/main.ts` with scripted
 * analysis on an SQLite file that exists, against a process that only imports what it imports; they take turns. The CPU
 * is that of the process alone, and then with its children, which decode uploads.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { freePort } from '../../test/ports.ts'
import { machine, processCpuMilliseconds, spread, table, treeCpuMilliseconds } from './measure.ts'

const rounds = Number(process.argv[2] ?? 5)
const source = join(import.meta.dirname, '../../src')
/** The imports of `main.ts`, which can't be imported itself without being started. */
const imported = [
  'base/clock.ts',
  'node/open_log.ts',
  'node/start_node.ts',
  'config/settings.ts',
  'node/tracing/open_tracing.ts',
]

interface Start {
  readonly wall_ms: number
  readonly cpu_ms: number
  /** CPU time with its children's. */
  readonly tree_ms: number
}

async function end(child: ChildProcess): Promise<void> {
  const ended = once(child, 'exit')
  child.kill('SIGKILL')
  await ended
}

/** Runs a program until `isReady`. */
async function measure(
  args: readonly string[],
  settings: Readonly<Record<string, string>>,
  isReady: (child: ChildProcess) => Promise<unknown>,
): Promise<Start> {
  const began = performance.now()
  const child = spawn(process.execPath, args, {
    env: { PATH: process.env.PATH, ...settings },
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  })
  const { pid = 0 } = child
  const ended = once(child, 'exit').then(() => {
    throw new Error(`${args.join(' ')} ended`)
  })
  await Promise.race([isReady(child), ended])
  const start = {
    wall_ms: performance.now() - began,
    cpu_ms: processCpuMilliseconds(pid),
    tree_ms: treeCpuMilliseconds(pid),
  }
  ended.catch(() => {})
  await end(child)
  return start
}

async function isReady(url: string): Promise<void> {
  for (;;) {
    // The port is not open yet.
    const answer = await fetch(url).catch(() => null)
    if (answer?.status === 200) return
    await pause(10)
  }
}

function importAlone(): Promise<Start> {
  const imports = imported.map(file => `import(${JSON.stringify(join(source, file))})`).join(', ')
  const program = `await Promise.all([${imports}]); process.send('imported')`
  return measure(['--input-type=module', '-e', program], {}, child => once(child, 'message'))
}

const folder = mkdtempSync(join(tmpdir(), 'attestor-bench-'))
const settings = {
  DATABASE_URL: `sqlite:${join(folder, 'attestor.sqlite')}`,
  MASTER_KEY: randomBytes(32).toString('base64'),
  ANALYSIS_ENGINE: 'scripted',
}

async function startNode(): Promise<Start> {
  const PORT = String(await freePort())
  return measure([join(source, 'main.ts')], { ...settings, PORT }, () => isReady(`http://127.0.0.1:${PORT}/readyz`))
}

try {
  // The first makes the file.
  await startNode()
  const all: { readonly node: Start; readonly imports: Start }[] = []
  for (let round = 0; round < rounds; round++) all.push({ node: await startNode(), imports: await importAlone() })
  const row = (name: string, what: keyof Start): readonly string[] => [
    name,
    ...[all.map(({ node }) => node[what]), all.map(({ imports }) => imports[what])].map(times => spread(times, 0)),
    spread(
      all.map(({ node, imports }) => node[what] / imports[what]),
      2,
    ),
  ]
  console.log(machine())
  console.log(
    table([
      ['', 'start to ready, ms', 'imports, ms', 'start ÷ imports'],
      row('CPU', 'cpu_ms'),
      row('CPU with children', 'tree_ms'),
      row('wall', 'wall_ms'),
    ]),
  )
} finally {
  rmSync(folder, { recursive: true, force: true })
}
