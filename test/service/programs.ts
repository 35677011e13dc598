import { type ChildProcess, fork, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { Readable } from 'node:stream'
import sharp from 'sharp'
import { attestor as runCommand } from '../../src/cli/program.ts'
import type { TestDatabase } from '../database.ts'

const root = join(import.meta.dirname, '../..')

/** A process of the service's. */
export interface Program {
  readonly child: ChildProcess
  /** Every line of its standard output so far. */
  readonly lines: string[]
  readonly stderr: () => string
  /** Resolves with its address as soon as it listens. @throws {Error} when it ends before */
  listening(): Promise<string>
  /** Resolves with its address once it is ready. @throws {Error} when it ends before */
  ready(): Promise<string>
  /** Its exit code, or the signal that ended it. */
  readonly ended: Promise<number | NodeJS.Signals>
}

function watch(child: ChildProcess): Program {
  const lines: string[] = []
  let errors = ''
  child.stderr?.on('data', data => {
    errors += String(data)
  })
  const said = { listening: Promise.withResolvers<string>(), ready: Promise.withResolvers<string>() }
  const ended = once(child, 'close').then(([code, signal]) => {
    for (const { reject } of Object.values(said)) reject(new Error(`it ended with ${code ?? signal}: ${errors}`))
    return code ?? signal
  })
  for (const { promise } of Object.values(said)) promise.catch(() => {})
  if (child.stdout !== null)
    createInterface({ input: child.stdout }).on('line', line => {
      lines.push(line)
      const word = /"message":"(listening|ready)"/.exec(line)?.[1]
      if (word === 'listening' || word === 'ready') said[word].resolve((JSON.parse(line) as { url: string }).url)
    })
  const { listening, ready } = said
  return {
    child,
    lines,
    stderr: () => errors,
    listening: () => listening.promise,
    ready: () => ready.promise,
    ended,
  }
}

/** `npm start`, without npm. Nothing but `environment` is set. */
export function startProgram(environment: Readonly<Record<string, string>>): Program {
  return watch(spawn(process.execPath, [join(root, 'src/main.ts')], { env: environment, cwd: root }))
}

/** The service with a scripted engine; see `service_child.ts`. */
export function startChild(
  environment: Readonly<Record<string, string>>,
  offsetMs: number,
  time: 'real' | 'advanced' = 'advanced',
  start: 'now' | 'waits' = 'now',
): Program {
  return watch(
    fork(join(import.meta.dirname, 'service_child.ts'), [String(offsetMs), time, start], {
      env: { ...environment },
      execArgv: [],
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    }),
  )
}

/** A command that stays, such as `attestor listen`. */
export function startCommand(words: readonly string[], environment: Readonly<Record<string, string>>): Program {
  return watch(spawn(process.execPath, [join(root, 'src/cli.ts'), ...words], { env: environment, cwd: root }))
}

/** Runs a command in this process; resolves also when it fails. */
export async function attestor(words: readonly string[], env: Readonly<Record<string, string>>, input = '') {
  const said = { stdout: '', stderr: '' }
  const outputTo = (name: keyof typeof said) => ({
    write(text: string) {
      said[name] += text
    },
  })
  const stdin = Readable.from([input])
  try {
    const code = await runCommand(words, { env, stdin, stdout: outputTo('stdout'), stderr: outputTo('stderr') })
    return { code, ...said }
  } finally {
    // A command that reads pictures keeps its process from loading others, and this one goes on: its tests draw some.
    sharp.unblock({ operation: ['VipsForeignLoad'] })
  }
}

/** `DATABASE_URL` of a test's database. */
export function urlOf({ address }: TestDatabase): string {
  return address.dialect === 'sqlite'
    ? `sqlite:${address.file}`
    : `mysql://${encodeURIComponent(address.user)}:${encodeURIComponent(address.password)}@${address.host}:${address.port}/${address.database}`
}
