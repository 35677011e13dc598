import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { Socket } from 'node:net'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { asError } from '../base/api_error.ts'
import type { Clock } from '../base/clock.ts'
import { onChildMessage, sendToChild } from './protocol.ts'
import { openRequests } from './questions.ts'
import { pipe_descriptor } from './serve.ts'

/** How a child is started and what it may take. */
export interface ProcessOptions {
  readonly clock: Clock
  /** The program that the child runs; tests give their own. */
  readonly entry: URL
  readonly args: readonly string[]
  /** V8's heap in megabytes. What wasm and libvips take comes on top: `memory_limit_mb` covers it all. */
  readonly heap_limit_mb: number
  /** Resident memory in megabytes at which the child is killed. */
  readonly memory_limit_mb: number
}

/** One child process, as the pool sees it. */
export interface AskedProcess<Request, Answer> {
  /** Resolves when it is warm; rejects with the reason when it ends before. */
  readonly ready: Promise<void>
  /** Resolves with the reason when it has ended. */
  readonly ended: Promise<string>
  /** Rejects with the reason where the child fails or ends. */
  ask(request: Request): Promise<Answer>
  /** Ends it at once; what it was doing rejects with `reason`. */
  kill(reason: string): void
  readonly pid: number | undefined
  /** The stage that its last work had reached; null before its first. */
  stage(): string | null
}

/** Memory is looked at this often: a child that takes a gigabyte a second overshoots its limit by a quarter of one. */
const memory_check_ms = 250
const page_bytes = 4096
const kept_error_characters = 400

/** Resident memory of a process in megabytes; 0 where the system keeps no /proc. */
export const residentMegabytes = async (pid: number): Promise<number> => {
  try {
    const [, pages] = (await readFile(`/proc/${pid}/statm`, 'utf8')).split(' ')
    return (Number(pages) * page_bytes) / 2 ** 20
  } catch {
    return 0
  }
}

/** Kills `child` when it takes more memory than it may; the returned function ends the watch. */
const watchMemory = (
  { clock, memory_limit_mb }: ProcessOptions,
  pid: number,
  kill: (reason: string) => void,
): (() => void) => {
  let cancel = (): void => {}
  const look = async (): Promise<void> => {
    const megabytes = await residentMegabytes(pid)
    if (megabytes > memory_limit_mb) kill(`took ${Math.round(megabytes)} MB of memory, ${memory_limit_mb} allowed`)
    else if (!over) cancel = clock.setTimer(memory_check_ms, () => void look())
  }
  let over = false
  void look()
  return () => {
    over = true
    cancel()
  }
}

/** V8's young generation, each half of it: pixels are garbage soon, and lie outside the heap. */
const young_mb = 4

/** What V8 and the threads' stacks reserve as writable without ever touching it, measured at 570 MB. */
const reserved_mb = 640

const packages = 'node_modules/'
/** Where the children's own program, the packages and their models lie. */
const readable: readonly string[] = [
  fileURLToPath(new URL('../', import.meta.url)),
  fileURLToPath(import.meta.resolve('sharp')).replace(new RegExp(`(?<=${packages}).*`), ''),
]

/**
 * The program and its arguments. `RLIMIT_DATA` (getrlimit(2)) makes the kernel refuse what goes beyond the limit at the
 * moment of the allocation, in V8, wasm and libvips alike; the watch over resident memory is for what slips by it.
 */
const commandOf = ({
  entry,
  heap_limit_mb,
  memory_limit_mb,
  args,
}: ProcessOptions): readonly [program: string, args: string[]] => {
  // Node's permission model: no writing, no further process or thread, and no file of ours, nor this process's
  // environment in /proc, which holds the keys. It binds JavaScript; native code (libvips) it only lets be loaded.
  const files = [...readable, dirname(fileURLToPath(entry))].map(folder => `--allow-fs-read=${folder}`)
  const permissions = ['--permission', ...files, '--allow-addons']
  const node = [
    `--max-old-space-size=${heap_limit_mb}`,
    `--max-semi-space-size=${young_mb}`,
    ...permissions,
    '--disable-warning=SecurityWarning',
    ...[fileURLToPath(entry), ...args],
  ]
  if (process.platform !== 'linux' || !existsSync('/bin/sh')) return [process.execPath, node]
  const limit = `ulimit -c 0; ulimit -d ${(memory_limit_mb + reserved_mb) * 1024}; exec "$0" "$@"`
  return ['/bin/sh', ['-c', limit, process.execPath, ...node]]
}

/**
 * glibc keeps what images leave in its arenas. One arena, and blocks of an image's size given back as soon as they are
 * free (mallopt(3)), took a child's peak from 323 to 243 MB with V8's young generation held small; the CPU is the same.
 */
const allocator = { MALLOC_ARENA_MAX: '1', MALLOC_MMAP_THRESHOLD_: '131072', MALLOC_TRIM_THRESHOLD_: '131072' } as const

/** @throws {Error} where the system has no process or no pipe to give */
const spawned = (options: ProcessOptions): { readonly child: ChildProcess; readonly pipe: Socket } => {
  // Nothing of ours: no database, no keys.
  const env = { TZ: 'UTC', ...allocator }
  const child = spawn(...commandOf(options), { env, stdio: ['ignore', 'ignore', 'pipe', 'pipe'] })
  const pipe = child.stdio?.[pipe_descriptor]
  if (pipe instanceof Socket) return { child, pipe }
  // What it tells, too late for whoever starts it, is the same.
  child.on('error', () => {})
  throw new Error('gets no pipe: too many files are open')
}

/** Listens to a child that was started. */
const attend = <Request, Answer>(options: ProcessOptions): AskedProcess<Request, Answer> => {
  const { child, pipe } = spawned(options)
  const started = Promise.withResolvers<void>()
  const ended = Promise.withResolvers<string>()
  const questions = openRequests<Request, Answer>()
  let over: Error | null = null
  let reason: string | null = null
  let complaint = ''
  child.stderr?.on('data', (chunk: Buffer) => {
    complaint = (complaint + chunk.toString('utf8')).slice(-kept_error_characters)
  })
  const kill = (why: string | null): void => {
    reason ??= why
    child.kill('SIGKILL')
  }
  const end = (how: string): void => {
    stopWatching()
    const why = reason ?? `${how} ${complaint.trim()}`.trim()
    over = new Error(why)
    started.reject(over)
    questions.end(over)
    ended.resolve(why)
  }
  const stopWatching = child.pid === undefined ? () => {} : watchMemory(options, child.pid, kill)
  child.on('error', error => end(String(error)))
  // Not at its exit: what it said before may still be on the way.
  child.on('close', (code, signal) => end(signal ? `ended by ${signal}` : `ended with code ${code}`))
  // A pipe breaks where the child ends, which says why by itself; ours are the errors without a code of the system's.
  pipe.on('error', error => kill('code' in error ? null : error.message))
  pipe.on('close', () => kill(null))
  onChildMessage(pipe, told => {
    if (told.kind === 'ready') started.resolve()
    else questions.hear(told)
  })
  // Whoever waits hears of it; nobody waiting is no unhandled rejection.
  started.promise.catch(() => {})
  const ask = (request: Request): Promise<Answer> => {
    if (over !== null) return Promise.reject(over)
    const { question, answer } = questions.put(request)
    sendToChild(pipe, question)
    return answer
  }
  return { ready: started.promise, ended: ended.promise, ask, kill, pid: child.pid, stage: questions.stage }
}

const neverStarted = (error: Error): AskedProcess<never, never> => {
  const ready = Promise.reject(error)
  ready.catch(() => {})
  const ask = () => Promise.reject(error)
  return { ready, ended: Promise.resolve(error.message), ask, kill: () => {}, pid: undefined, stage: () => null }
}

/** Starts a child process. Nothing it does, and no want of the system's, can throw here: all comes out of its promises. */
export const startProcess = <Request, Answer>(options: ProcessOptions): AskedProcess<Request, Answer> => {
  try {
    return attend(options)
  } catch (error) {
    return neverStarted(asError(error))
  }
}
