import { once } from 'node:events'
import type { CrashPoint } from 'durable-xstate-sql/testing'
import { poll } from '../awaited.ts'
import { type Answer, callTo } from '../calls.ts'
import type { TestDatabase } from '../database.ts'
import { freePort } from '../ports.ts'
import { requestToken } from './client.ts'
import type { Hook } from './hook.ts'
import { attestor, type Program, startChild, urlOf } from './programs.ts'

/** A killed worker's leases have run out when the next life begins. */
const leaseMs = 2000
export const crashes: readonly (readonly [instant: CrashPoint, nths: readonly number[]])[] = [
  ['commit.begun', [1, 5, 12]],
  ['commit.written', [2, 7, 14]],
  ['commit.durable', [3, 9, 16]],
  ['job.claimed', [1, 3, 6]],
  ['job.handled', [1, 2, 5]],
  ['job.sent', [1, 4, 6]],
  ['timer.found', [1, 2]],
]

/** Keeps a child alive: the next one starts when one dies, and callers wait for it. */
export interface Keeper {
  readonly died: number
  now(): number
  url(): Promise<string>
  arm(instant: CrashPoint, nth: number): Promise<void>
  /** Ends the child without another word; the next one begins. */
  kill(): Promise<void>
  stop(): Promise<void>
}

export function startKeeper(environment: Readonly<Record<string, string>>): Keeper {
  let offsetMs = 0
  let died = 0
  let stopping = false
  let program: Program
  const begin = (): void => {
    program = startChild(environment, offsetMs)
    void program.ended.then(how => {
      if (stopping || how !== 'SIGKILL') return
      died += 1
      offsetMs += leaseMs + 1000
      begin()
    })
  }
  begin()
  return {
    get died() {
      return died
    },
    now: () => Date.now() + offsetMs,
    url: () => program.ready(),
    async arm(instant, nth) {
      for (let isArmed = false; !isArmed; ) {
        await program.ready()
        const { child, ended } = program
        const said = once(child, 'message').then(() => true)
        // It may die at this moment of the previous message: then the next child gets this one.
        child.send({ instant, nth }, () => {})
        isArmed = await Promise.race([said, ended.then(() => false)])
      }
    },
    async kill() {
      await program.ready()
      const { child, ended } = program
      child.kill('SIGKILL')
      await ended
    },
    async stop() {
      stopping = true
      program.child.kill('SIGTERM')
      await program.ended
    },
  }
}

export const master = Buffer.alloc(32, 9)

/** Calls again, as a client may, while the connection breaks or the answer is 5xx, or 429. */
export async function patiently(keeper: Keeper, ask: () => Promise<Answer>): Promise<Answer> {
  let answer: Answer | null = null
  await poll(async () => {
    await keeper.url().catch(() => null)
    answer = await ask().catch(() => null)
    return answer !== null && answer.status < 500 && answer.status !== 429
  })
  return answer ?? Promise.reject(new Error('no answer'))
}

export async function environmentOf(
  database: TestDatabase,
  hook: Hook,
  caFile: string,
): Promise<Record<string, string>> {
  return {
    // After a kill nobody else may answer on its port.
    PORT: String(await freePort()),
    DATABASE_URL: urlOf(database),
    MASTER_KEY: master.toString('base64'),
    LOG_LEVEL: 'info',
    LEASE_SECONDS: String(leaseMs / 1000),
    POLL_MS: '100',
    ANALYSIS_BACKOFF_SECONDS: '0',
    WEBHOOK_SCHEDULE_SECONDS: '0,0,0,0,0,0,0,0',
    WEBHOOK_ALLOW_HOSTS: hook.host,
    WEBHOOK_CA_FILE: caFile,
  }
}

type Credentials = Readonly<Record<'account_id' | 'client_id' | 'client_secret', string>>

export async function accessToken(keeper: Keeper, environment: Record<string, string>): Promise<string> {
  const { stdout } = await attestor(['account', 'create', '--name', 'Acme', '--json'], environment)
  const account = JSON.parse(stdout) as Credentials
  await attestor(['account', 'face-search', account.account_id, 'on'], environment)
  const url = await keeper.url()
  return requestToken(
    callTo(() => url),
    account,
  )
}
