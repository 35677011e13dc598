import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, realpathSync } from 'node:fs'
import { Socket } from 'node:net'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { asError } from '../errors.ts'
import type { VisionClock } from '../surroundings.ts'
import type { PoolLimits } from './pool_limits.ts'
import { type ChildConnection, connectToChild } from './protocol.ts'
import { pipeDescriptor } from './serve.ts'

export interface ChildOptions {
  readonly clock: VisionClock
  /** The program that the child runs, and its arguments. */
  readonly entry: URL
  readonly args: readonly string[]
  /** Files that it may read beside the program and its packages. */
  readonly readable?: readonly string[]
  readonly limits: PoolLimits
}

/** A child process, for its slot. */
export interface Child<Request, Response> extends Pick<ChildConnection<Request, Response>, 'send' | 'stage'> {
  /** Resolves when the child is ready; rejects with the reason if it ends before that. */
  readonly ready: Promise<void>
  /** Resolves with the reason when the child has ended. */
  readonly ended: Promise<string>
  /** Ends the child at once; its requests reject with `reason`. */
  kill(reason: string): void
  readonly pid: number | undefined
}

/** A child that takes a gigabyte a second overshoots its limit by a quarter of one. */
const memoryCheckMs = 250
const pageBytes = 4096
const maxErrorCharacters = 400

/** Returns the resident memory of a process in megabytes; 0 on a system without /proc. */
export function readResidentMb(pid: number): number {
  try {
    // The files of /proc are in memory: an asynchronous read costs 170 µs of CPU instead of 6, and a buffer of 64 KiB.
    const [, pages] = readFileSync(`/proc/${pid}/statm`, 'utf8').split(' ')
    return (Number(pages) * pageBytes) / 2 ** 20
  } catch {
    return 0
  }
}

/** Kills a child that exceeds its memory limit. The returned function ends the watch. */
function watchMemory({ clock, limits }: ChildOptions, pid: number, kill: (reason: string) => void): () => void {
  let cancel = (): void => {}
  let isOver = false
  const check = (): void => {
    const megabytes = readResidentMb(pid)
    if (megabytes > limits.memoryLimitMb)
      kill(`took ${Math.round(megabytes)} MB of memory, ${limits.memoryLimitMb} allowed`)
    else if (!isOver) cancel = clock.setTimer(memoryCheckMs, check)
  }
  check()
  return () => {
    isOver = true
    cancel()
  }
}

/** Size of each half of V8's young generation. Pixels soon become garbage, but are not on this heap. */
const youngGenerationMb = 4

/** Memory that V8 and the threads' stacks reserve but never touch: 570 MB measured. */
const reservedMb = 640

const compiledFolder = fileURLToPath(new URL('../ready/compiled/', import.meta.url))

/** The releases since which a process can give up a permission (permissions.html#permissiondropscope-reference). */
const droppingSince: Readonly<Record<number, number>> = { 24: 21, 26: 6 }

/**
 * Returns the folder in which Node keeps the compiled program of the children, without types: a child that finds it starts
 * in less time and memory. Node reads it only where it may be written too, so that a child gets this permission for its
 * start, and none where it can't give it up. Null if there is none.
 */
function openCompiledFolder(): string | null {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
  const since = droppingSince[major]
  if (since === undefined || minor < since) return null
  try {
    mkdirSync(compiledFolder, { recursive: true })
    return compiledFolder
  } catch {
    // The installation is read-only, as in a container: a child compiles its program.
    return null
  }
}

const packages = 'node_modules/'
/** Folders of the children's program, its packages and their models. */
const readableFolders: readonly string[] = [
  ...['../', '../../rules/'].map(folder => fileURLToPath(new URL(folder, import.meta.url))),
  fileURLToPath(import.meta.resolve('sharp')).replace(new RegExp(`(?<=${packages}).*`), ''),
]

/**
 * Lists the folders in which a program's packages are sought, from its folder upwards. The permission model judges the
 * path that is asked for, so that a link counts beside the folder that it names.
 */
function listPackageFolders(folder: string): readonly string[] {
  const place = join(folder, packages)
  const own = existsSync(place) ? [place, join(realpathSync(place), '/')] : []
  const above = dirname(folder)
  return above === folder ? own : [...own, ...listPackageFolders(above)]
}

/**
 * Returns the program and its arguments. `RLIMIT_DATA` (getrlimit(2)) makes the kernel refuse an allocation beyond the
 * limit at once, in V8, wasm and libvips alike. The watch over resident memory catches the memory that this limit does
 * not count.
 */
function createCommand(
  { entry, limits, args, readable = [] }: ChildOptions,
  compiled: string | null,
): readonly [program: string, args: string[]] {
  // Node's permission model: no further process or thread, no access to the service's files, nor to its environment in
  // /proc, which has the keys. A child that is ready for requests has given up what it was granted here (`serve.ts`). The
  // model binds JavaScript only; native code (libvips) may be loaded.
  const home = dirname(fileURLToPath(entry))
  const folders = [...new Set([...readableFolders, home, ...listPackageFolders(home), ...readable])]
  const node = [
    `--max-old-space-size=${limits.heapLimitMb}`,
    `--max-semi-space-size=${youngGenerationMb}`,
    // No request waits for a child's event loop: threads that collect beside the program take a tenth more CPU, and
    // marking in steps takes three times as much as marking at once. Images count as garbage that calls for a
    // collection, so that a small heap is searched often: a limit of thrice its size instead of twice halves that.
    '--single-threaded-gc',
    '--no-incremental-marking',
    '--heap-growing-percent=200',
    '--expose-gc',
    '--permission',
    ...folders.map(folder => `--allow-fs-read=${folder}`),
    ...(compiled === null ? [] : [`--allow-fs-write=${compiled}`]),
    '--allow-addons',
    '--disable-warning=SecurityWarning',
    fileURLToPath(entry),
    ...args,
  ]
  if (process.platform !== 'linux' || !existsSync('/bin/sh')) return [process.execPath, node]
  const limit = `ulimit -c 0; ulimit -d ${(limits.memoryLimitMb + reservedMb) * 1024}; exec "$0" "$@"`
  return ['/bin/sh', ['-c', limit, process.execPath, ...node]]
}

/** Blocks of this size are returned to the system as soon as they are free: those of a large picture. */
const returnedBytes = String(16 * 2 ** 20)

/**
 * glibc keeps freed memory in its arenas, of which one is enough (mallopt(3)). It also keeps the smaller blocks: each one
 * that is taken from the system again costs a page fault for every 4 KiB, which was a quarter of an analysis when blocks of
 * 128 KiB were returned.
 */
const allocator = {
  MALLOC_ARENA_MAX: '1',
  MALLOC_MMAP_THRESHOLD_: returnedBytes,
  MALLOC_TRIM_THRESHOLD_: returnedBytes,
} as const

/** @throws {Error} if the system has no process or no pipe left */
function spawnChild(options: ChildOptions): { readonly process: ChildProcess; readonly pipe: Socket } {
  // The child gets nothing of the service's environment: no database, no keys.
  const compiled = openCompiledFolder()
  const env = { TZ: 'UTC', ...allocator, ...(compiled !== null && { NODE_COMPILE_CACHE: compiled }) }
  const child = spawn(...createCommand(options, compiled), { env, stdio: ['ignore', 'ignore', 'pipe', 'pipe'] })
  const pipe = child.stdio?.[pipeDescriptor]
  if (pipe instanceof Socket) return { process: child, pipe }
  // The `error` event comes later and has the same cause.
  child.on('error', () => {})
  throw new Error('gets no pipe: too many files are open')
}

function attach<Request, Response>(
  { clock, limits }: ChildOptions,
  { process: child, pipe }: ReturnType<typeof spawnChild>,
): Child<Request, Response> {
  const ready = Promise.withResolvers<void>()
  const ended = Promise.withResolvers<string>()
  const connection = connectToChild<Request, Response>(pipe, ready.resolve)
  let over: Error | null = null
  let reason: string | null = null
  let errorOutput = ''
  const kill = (why: string | null): void => {
    reason ??= why
    child.kill('SIGKILL')
    // Nothing more is written to it: its request may be freed.
    pipe.destroy()
  }
  const end = (how: string): void => {
    over = new Error(reason ?? `${how} ${errorOutput.trim()}`.trim())
    ready.reject(over)
    connection.close(over)
    ended.resolve(over.message)
  }
  child.stderr?.on('data', (chunk: Buffer) => {
    errorOutput = (errorOutput + chunk.toString('utf8')).slice(-maxErrorCharacters)
  })
  child.on('error', error => end(String(error)))
  // At `exit` the child's last messages may still be on their way.
  child.on('close', (code, signal) => end(signal ? `ended by ${signal}` : `ended with code ${code}`))
  // A pipe breaks when the child ends, for which there is another reason. Errors without a system code are the
  // protocol's.
  pipe.on('error', error => kill('code' in error ? null : error.message))
  pipe.on('close', () => kill(null))
  const cancelStart = clock.setTimer(limits.startLimitMs, () =>
    kill(`took longer than ${limits.startLimitMs / 1000} s to start: is the machine too busy, or its disk too slow?`),
  )
  // This also avoids an unhandled rejection: there may be no caller that waits for it.
  ready.promise.then(cancelStart, cancelStart)
  return {
    ready: ready.promise,
    ended: ended.promise,
    send: request => (over === null ? connection.send(request) : Promise.reject(over)),
    stage: connection.stage,
    kill,
    pid: child.pid,
  }
}

function createFailedChild(error: Error): Child<never, never> {
  const ready = Promise.reject(error)
  ready.catch(() => {})
  const send = () => Promise.reject(error)
  return { ready, ended: Promise.resolve(error.message), send, kill: () => {}, pid: undefined, stage: () => null }
}

/** Starts a child process. It never throws: every failure, also a lack of processes or files, rejects its promises. */
export function startChild<Request, Response>(options: ChildOptions): Child<Request, Response> {
  try {
    const child = attach<Request, Response>(options, spawnChild(options))
    if (child.pid !== undefined) void child.ended.then(watchMemory(options, child.pid, child.kill))
    return child
  } catch (error) {
    return createFailedChild(asError(error))
  }
}
