/**
 * `npm run test:faults:core -- [--kills 1000] [--seconds 3600] [--seed 1]`: the durable core alone, with the charts of its example, on
 * SQLite is killed with SIGKILL again and again under load: every other time from outside, at a random instant, and else at a crash point of a commit or a job. After
 * every fifty kills a last life ends what was begun, the clients' record is compared with the database, and another
 * database begins. Exits 0 only if nothing was lost and nothing happened twice. The seed repeats instants and points.
 */
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { copyFileSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { migrate } from 'durable-xstate-sql'
import { crashPoints, schema } from 'durable-xstate-sql/testing'
import { machine } from '../measure.ts'
import { findFaults } from './core_check.ts'
import { type Life, leaseMs } from './core_life.ts'
import { given } from './kill_options.ts'
import { seededRandom } from './random.ts'

const random = seededRandom(Number(given.seed))

function pick<T>(all: readonly T[]): T {
  return all[Math.floor(random() * all.length)] as T
}

const lifeFile = join(import.meta.dirname, 'core_life.ts')
/** Kills on one database. */
const roundKills = 50
/** A life that is killed from outside lasts at most so long. */
const maxLifeMs = 150
/** A point that is reached as seldom as this is waited for no longer. */
const patienceMs = 5_000
const folder = mkdtempSync(join(tmpdir(), 'attestor-kills-'))

/** Loaded ahead, so that a kill costs no start. */
function startLife() {
  const env = { PATH: process.env.PATH, NODE_COMPILE_CACHE: join(folder, 'compiled') }
  const child = fork(lifeFile, { env, silent: true })
  let errors = ''
  child.stderr?.on('data', chunk => {
    errors += chunk
  })
  return { child, loaded: once(child, 'message'), errors: () => errors.slice(-1000) }
}

let next = startLife()

async function killLater(child: ChildProcess): Promise<void> {
  await once(child, 'message')
  await pause(random() * maxLifeMs)
  child.kill('SIGKILL')
}

/** Lives until the end of it. */
async function live(life: Life): Promise<'killed' | 'done'> {
  const { child, loaded, errors } = next
  next = startLife()
  await loaded
  const ended = once(child, 'exit')
  child.send(life)
  if (!life.isLast && life.dies === null) await killLater(child)
  const impatient = life.isLast ? undefined : setTimeout(() => child.kill('SIGKILL'), patienceMs)
  const [code, signal] = await ended
  clearTimeout(impatient)
  if (signal === 'SIGKILL') return 'killed'
  if (code === 0) return 'done'
  throw new Error(`a life ended with ${code ?? signal}: ${errors()}`)
}

function choose(kills: number): Life['dies'] {
  return kills % 2 === 0 ? null : { point: pick(crashPoints), nth: 1 + Math.floor(random() * 12) }
}

async function main(): Promise<boolean> {
  const template = join(folder, 'template.sqlite')
  await migrate({ dialect: 'sqlite', file: template }, schema)
  const until = performance.now() + Number(given.seconds) * 1000
  const faults: string[] = []
  let kills = 0
  let rounds = 0
  let events = 0
  const isOver = (): boolean => kills >= Number(given.kills) || performance.now() > until
  while (!isOver() && faults.length === 0) {
    const file = join(folder, `${rounds}.sqlite`)
    const record = join(folder, `${rounds}.record`)
    copyFileSync(template, file)
    let lives = 0
    const liveOnce = (isLast: boolean, dies: Life['dies']) =>
      live({ file, record, dies, isLast, aheadMs: lives++ * 2 * leaseMs })
    for (let count = 0; count < roundKills && !isOver(); count++) {
      await liveOnce(false, choose(kills))
      kills += 1
    }
    await liveOnce(true, null)
    const acknowledged = existsSync(record) ? readFileSync(record, 'utf8').trim().split('\n') : []
    events += acknowledged.length
    faults.push(...findFaults(file, acknowledged))
    rounds += 1
    console.log(`${kills} kills, ${events} acknowledged events, ${faults.length} faults`)
    for (const ending of ['', '-wal', '-shm']) rmSync(file + ending, { force: true })
  }
  for (const fault of faults.slice(0, 40)) console.log(`FAULT: ${fault}`)
  console.log(`${rounds} databases, seed ${given.seed}; ${machine()}`)
  return faults.length === 0
}

try {
  process.exitCode = (await main()) ? 0 : 1
} finally {
  next.child.kill('SIGKILL')
  await once(next.child, 'exit')
  rmSync(folder, { recursive: true, maxRetries: 5 })
}
