/**
 * Several test files in one process, one test after the other: they load the service, and start a browser and the child
 * process that checks images, once. There `import test from 'ava'` means this module's; a file's hooks run around its own
 * tests, as they do by itself. `npm test` groups the files of a folder. The long tier, and a run of files that were named,
 * give each its own process, in which tests run side by side.
 */
import { appendFileSync } from 'node:fs'
import { registerHooks } from 'node:module'
import { relative } from 'node:path'
import { pathToFileURL } from 'node:url'
import ava, { type ExecutionContext } from 'ava'
import { lasting } from './lasting.ts'
import { type FileCost, readTreeCpuSeconds } from './profile.ts'

type Body = (t: ExecutionContext) => unknown

interface TestFile {
  readonly path: string
  readonly before: Body[]
  readonly after: Body[]
  readonly beforeEach: Body[]
  readonly afterEach: Body[]
  registered: number
  run: number
  ready: Promise<void> | null
  wallSeconds: number
  cpuSeconds: number
}

let loading: TestFile | null = null

/** ava begins soon after the first test is registered with it, and takes none from then on. */
const registrations: (() => void)[] = []

function currentFile(): TestFile {
  if (loading === null) throw new Error('a test is registered after its file was loaded')
  return loading
}

/** Charges the time that is spent from here on to the file, until `pause`. */
function resume(file: TestFile): void {
  file.wallSeconds -= performance.now() / 1000
  file.cpuSeconds -= readTreeCpuSeconds()
}

function pause(file: TestFile): void {
  file.wallSeconds += performance.now() / 1000
  file.cpuSeconds += readTreeCpuSeconds()
}

async function runAll(bodies: readonly Body[], t: ExecutionContext): Promise<void> {
  for (const body of bodies) await body(t)
}

async function end(file: TestFile, t: ExecutionContext): Promise<void> {
  await runAll(file.after, t)
  pause(file)
  const { path, wallSeconds, cpuSeconds } = file
  const cost: FileCost = { file: pathToFileURL(path).href, wallSeconds, cpuSeconds }
  if (process.env.TEST_PROFILE !== undefined) appendFileSync(process.env.TEST_PROFILE, `${JSON.stringify(cost)}\n`)
}

function register(title: string, body: Body): void {
  const file = currentFile()
  file.registered += 1
  const run = async (t: ExecutionContext): Promise<void> => {
    file.run += 1
    // Teardowns run in reverse order, so this one runs last.
    if (file.run === file.registered) t.teardown(() => end(file, t))
    if (file.run === 1) resume(file)
    file.ready ??= runAll(file.before, t)
    await file.ready
    try {
      await runAll(file.beforeEach, t)
      await body(t)
    } finally {
      await runAll(file.afterEach, t)
    }
  }
  registrations.push(() => ava.serial(titleOf(file, title), run))
}

function skip(title: string): void {
  const file = currentFile()
  registrations.push(() => ava.serial.skip(titleOf(file, title), () => {}))
}

function addBefore(body: Body): void {
  currentFile().before.push(body)
}

function addAfter(body: Body): void {
  currentFile().after.push(body)
}

function addBeforeEach(body: Body): void {
  currentFile().beforeEach.push(body)
}

function addAfterEach(body: Body): void {
  currentFile().afterEach.push(body)
}

function titleOf(file: TestFile, title: string): string {
  return `${relative(import.meta.dirname, file.path).replace(/\.test\.ts$/, '')} › ${title}`
}

const parts = {
  before: addBefore,
  after: Object.assign(addAfter, { always: addAfter }),
  beforeEach: addBeforeEach,
  afterEach: Object.assign(addAfterEach, { always: addAfterEach }),
  skip,
}

export default Object.assign((title: string, body: Body) => register(title, body), parts, {
  serial: Object.assign(register, parts),
})

/** Loads files, in this order. */
export async function loadGroup(paths: readonly string[]): Promise<void> {
  lasting.inGroup = true
  registerHooks({
    resolve: (specifier, context, next) =>
      specifier === 'ava' && context.parentURL !== import.meta.url
        ? { url: import.meta.url, shortCircuit: true }
        : next(specifier, context),
  })
  for (const path of paths) {
    const file: TestFile = {
      path,
      before: [],
      after: [],
      beforeEach: [],
      afterEach: [],
      registered: 0,
      run: 0,
      ready: null,
      wallSeconds: 0,
      cpuSeconds: 0,
    }
    loading = file
    resume(file)
    await import(pathToFileURL(path).href)
    pause(file)
  }
  loading = null
  for (const add of registrations) add()
  ava.after.always(async () => {
    for (const stop of lasting.ends) await stop()
  })
}
