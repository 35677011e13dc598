import { freePort } from '../../../test/ports.ts'
import { attestor, type Program, startChild } from '../../../test/service/programs.ts'

/** A node of the service that is started again whenever it dies. */
export interface FaultyNode {
  readonly url: string
  kill(): void
  signal(signal: NodeJS.Signals): void
  /** Starts it again with a clock that is so far ahead. */
  setClock(ms: number): void
  ready(): Promise<unknown>
  /** Errors that it logged. */
  errors(): readonly string[]
  stop(): Promise<void>
}

export type Environment = Readonly<Record<string, string>>

/** Settings that nodes share: nothing waits long, and no limit refuses. */
export function sharedSettings(url: string): Environment {
  return {
    DATABASE_URL: url,
    MASTER_KEY: Buffer.alloc(32, 9).toString('base64'),
    DATABASE_CONNECTIONS: '6',
    LEASE_SECONDS: '5',
    POLL_MS: '300',
    IMAGE_PROCESSES: '1',
    ANALYSIS_BACKOFF_SECONDS: '0',
    // The engine fails the first look at each transaction in each life.
    ANALYSIS_ATTEMPTS: '20',
    CHALLENGE_ATTEMPTS: '50',
    WEBHOOK_SCHEDULE_SECONDS: Array.from({ length: 30 }, (_, n) => Math.min(n, 2)).join(),
    WEBHOOK_ALLOW_HOSTS: '127.0.0.1',
    RATE_LIMIT_READS: '0',
    RATE_LIMIT_WRITES: '0',
    RATE_LIMIT_TOKENS: '0',
    RATE_LIMIT_DEVICE: '0',
  }
}

export async function startNode(settings: Environment): Promise<FaultyNode> {
  const port = await freePort()
  let offsetMs = 0
  let stopping = false
  let program: Program
  const errors: string[] = []
  const begin = (): void => {
    const mine = startChild({ ...settings, PORT: String(port) }, offsetMs, 'real')
    program = mine
    void mine.ended.then(how => {
      errors.push(...mine.lines.filter(line => line.includes('"level":"error"')))
      if (stopping) return
      if (how !== 'SIGKILL') errors.push(`ended with ${how}: ${mine.stderr().slice(-1000)}`)
      begin()
    })
  }
  begin()
  const kill = (): void => void program.child.kill('SIGKILL')
  return {
    url: `http://127.0.0.1:${port}`,
    kill,
    signal: signal => void program.child.kill(signal),
    setClock(ms) {
      offsetMs = ms
      kill()
    },
    ready: () => program.ready(),
    errors: () => [...errors, ...program.lines.filter(line => line.includes('"level":"error"'))],
    async stop() {
      stopping = true
      program.child.kill('SIGCONT')
      program.child.kill('SIGKILL')
      await program.ended
    },
  }
}

/** An account's credentials, made by the command line. */
export async function createAccount(settings: Environment) {
  const { stdout, stderr } = await attestor(['account', 'create', '--name', 'Acme', '--json'], settings)
  if (stdout === '') throw new Error(stderr)
  return JSON.parse(stdout) as { client_id: string; client_secret: string }
}
