import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { freePort } from '../ports.ts'
import { type Example, root } from './page.ts'

/** Files that a run leaves in the folder in which it happens. */
const own = ['.git', 'data', 'sample-photos', 'account.json', 'test-account.json']

/** A service as the quickstart has it started, in a folder that looks like a fresh clone. */
export interface DocumentedService {
  /** Runs the pages' own commands, as a reader pastes them into one shell; resolves with the output of each. */
  run(examples: readonly Example[]): Promise<string[]>
  stop(): Promise<void>
}

function clone(): string {
  const folder = mkdtempSync(join(tmpdir(), 'attestor-docs-'))
  for (const name of readdirSync(root)) if (!own.includes(name)) symlinkSync(join(root, name), join(folder, name))
  return folder
}

/** Ends a command and all its descendants. */
async function end(child: ChildProcess): Promise<void> {
  const { pid } = child
  if (pid === undefined) return
  const ended = child.exitCode === null && child.signalCode === null ? once(child, 'exit') : null
  try {
    process.kill(-pid, 'SIGTERM')
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error
  }
  await ended
}

async function ready(child: ChildProcess): Promise<string> {
  if (child.stdout === null) throw new Error('no output')
  for await (const line of createInterface({ input: child.stdout })) {
    const { message, url } = line.startsWith('{') ? JSON.parse(line) : {}
    if (message === 'ready') return String(url)
  }
  throw new Error('the service ended before it was ready')
}

const marker = '--- end of example ---'

/** The pages start the service and install it themselves; here that was done. */
function isDone(line: string): boolean {
  return ['npm ci', 'npm start'].includes(line)
}

/** Adds a seed to the command, as random photos may show somebody in a bad light: a test always takes the same ones. */
function seededPhotos(line: string): string {
  return line === 'npm run sample-photos' ? `${line} -- --seed 20` : line
}

/** The system's Node where it is older than ours: readers have that one first in their path. */
function findOlderNode(): string | null {
  const asked = spawnSync('/usr/bin/node', ['-p', 'process.versions.node.split(".")[0]'], { encoding: 'utf8' })
  const ours = Number(process.versions.node.split('.')[0])
  return asked.status === 0 && Number(asked.stdout) < ours ? '/usr/bin' : null
}

/** Null where none is installed: the pages then run with the Node of this process. */
export const olderNode = findOlderNode()

/** Starts it by `npm start`. Pages name its usual port and that of a receiver: here both are free ones. */
export async function startDocumentedService(): Promise<DocumentedService> {
  const folder = clone()
  const PATH = `${olderNode ?? dirname(process.execPath)}:${process.env.PATH ?? ''}`
  const env = { PATH, HOME: folder, PORT: String(await freePort()) }
  const service = spawn('npm', ['start'], { cwd: folder, env, detached: true, stdio: ['ignore', 'pipe', 'inherit'] })
  const url = await ready(service)
  service.stdout?.resume()
  const hosts = { '127.0.0.1:3000': new URL(url).host, 8080: String(await freePort()) }
  const here = (text: string): string =>
    Object.entries(hosts).reduce((before, [usual, host]) => before.replaceAll(usual, host), text)
  const asWritten = (text: string): string =>
    Object.entries(hosts).reduce((before, [usual, host]) => before.replaceAll(host, usual), text)
  const scriptOf = ({ command: { text } }: Example): string => {
    const lines = text.split('\n').flatMap(line => (isDone(line) ? [] : [seededPhotos(line)]))
    return `${here(lines.join('\n'))}\nprintf '\\n%s\\n' '${marker}'\n`
  }
  return {
    async run(examples) {
      const script = `set -eu\n${examples.map(scriptOf).join('')}`
      const shell = spawn('timeout', ['240', 'bash', '-c', script], {
        cwd: folder,
        env: { ...env, URL: url },
        detached: true,
        stdio: ['ignore', 'pipe', 'pipe'],
      })
      const out: string[] = []
      const err: string[] = []
      shell.stdout.on('data', chunk => out.push(String(chunk)))
      shell.stderr.on('data', chunk => err.push(String(chunk)))
      const closed = once(shell, 'close')
      const [code] = await once(shell, 'exit')
      // Its background processes hold its output open.
      await end(shell)
      await closed
      const answers = asWritten(out.join('')).split(`\n${marker}\n`)
      const said = answers.pop() ?? ''
      const stoppedAt = examples[answers.length]?.command.text ?? 'the end'
      if (code !== 0) throw new Error(`exit ${code} at\n${stoppedAt}\n${said}\n${err.join('')}`)
      return answers
    },
    async stop() {
      await end(service)
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
