import { type ChildProcess, execFile, fork, spawn } from 'node:child_process'
import { createWriteStream } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { promisify } from 'node:util'
import type { Verification } from '../../clients/typescript/src/verify_webhook.ts'
import type { Account } from './backend.ts'
import type { HttpsFront } from './https.ts'

const root = join(import.meta.dirname, '../..')

export type SeenWebhook = Verification

/** The service, and the integrator's account on it. */
export interface Connection {
  readonly base_url: string
  readonly account: Account
}

export interface Integrator {
  /** Its page for people. */
  readonly url: string
  readonly webhook_url: string
  readonly ca: string
  connect(connection: Connection): void
  onWebhook(listener: (webhook: SeenWebhook) => void): void
  stop(): Promise<void>
}

function waitForExit(child: ChildProcess): Promise<void> {
  return new Promise(resolve => {
    if (child.exitCode !== null || child.signalCode !== null) resolve()
    else child.once('exit', () => resolve())
  })
}

type Message = { readonly type: string; readonly url?: string; readonly ca?: string }

/** Forks the integrator and waits until it listens. */
export async function startIntegrator(): Promise<Integrator> {
  const child = fork(join(root, 'lab/demo/integrator.ts'), { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] })
  const { url, ca } = await new Promise<{ url: string; ca: string }>((resolve, reject) => {
    child.once('exit', code => reject(new Error(`the integrator ended with ${code}`)))
    child.on('message', (message: Message) => {
      if (message.type === 'ready') resolve({ url: message.url ?? '', ca: message.ca ?? '' })
    })
  })
  return {
    url,
    webhook_url: `${url}/webhooks`,
    ca,
    connect: connection => void child.send({ type: 'connect', ...connection }),
    onWebhook: listener =>
      void child.on('message', (message: Message) => {
        if (message.type === 'webhook') listener(message as unknown as SeenWebhook)
      }),
    async stop() {
      child.kill('SIGTERM')
      await waitForExit(child)
    },
  }
}

/** The service, started as an operator would, on an embedded database in `folder`. */
export interface ServiceProcess {
  /** The service's own address, even behind a proxy. */
  readonly base_url: string
  /** JSON lines. */
  readonly log_file: string
  readonly environment: NodeJS.ProcessEnv
  stop(): Promise<number | null>
}

/** Settings of the service behind an https server. */
function behind({ url }: HttpsFront): NodeJS.ProcessEnv {
  return { BASE_URL: url, TRUSTED_PROXY_HOPS: '1' }
}

/** Waits until the service is ready. Resolves with its address. */
function waitUntilReady(child: ChildProcess, output: Readable, log_file: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let address = ''
    child.once('exit', code => reject(new Error(`the service ended with ${code}; see ${log_file}`)))
    createInterface({ input: output }).on('line', line => {
      const said = JSON.parse(line) as { readonly message: string; readonly address?: string }
      if (said.message === 'listening') address = said.address ?? ''
      if (said.message === 'ready') resolve(address)
    })
  })
}

/** Starts the service on a free port and waits until it is ready. */
export async function startServiceProcess(
  folder: string,
  integrator: Integrator,
  front: HttpsFront | null,
): Promise<ServiceProcess> {
  const caFile = join(folder, 'integrator-ca.pem')
  await writeFile(caFile, integrator.ca)
  const environment: NodeJS.ProcessEnv = {
    PATH: process.env.PATH,
    PORT: '0',
    DATABASE_URL: `sqlite:${join(folder, 'attestor.sqlite')}`,
    WEBHOOK_ALLOW_HOSTS: new URL(integrator.url).host,
    WEBHOOK_CA_FILE: caFile,
    ...(front === null ? {} : behind(front)),
  }
  const child = spawn(process.execPath, [join(root, 'src/main.ts')], {
    env: environment,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const logFile = join(folder, 'service.log')
  child.stdout.pipe(createWriteStream(logFile))
  const base_url = await waitUntilReady(child, child.stdout, logFile)
  front?.forwardTo(base_url)
  return {
    base_url,
    log_file: logFile,
    environment,
    async stop() {
      child.kill('SIGTERM')
      await waitForExit(child)
      return child.exitCode
    },
  }
}

/** Runs `attestor …`, as an operator would. */
async function runCommand(environment: NodeJS.ProcessEnv, ...words: readonly string[]): Promise<unknown> {
  const args = [join(root, 'src/cli.ts'), ...words, '--json']
  const { stdout } = await promisify(execFile)(process.execPath, args, { env: environment })
  return JSON.parse(stdout)
}

export async function createAccount(environment: NodeJS.ProcessEnv): Promise<Account> {
  return (await runCommand(environment, 'account', 'create', '--name', 'Demo')) as Account
}

/** The root of a state, which chips are verified by. */
export async function importRoot(environment: NodeJS.ProcessEnv, file: string): Promise<void> {
  await runCommand(environment, 'csca', 'import', file)
}

/** The login of an operator of the console. */
export interface ConsoleLogin {
  readonly name: string
  readonly password: string
  readonly totp_uri: string
}

export async function createConsoleLogin(environment: NodeJS.ProcessEnv): Promise<ConsoleLogin> {
  return (await runCommand(environment, 'operator', 'create', 'demo', '--role', 'admin')) as ConsoleLogin
}
