/**
 * `npm run test:faults:sqlite -- [--kills 1000] [--seconds 3600] [--seed 1]`: a node on SQLite is killed with SIGKILL again and again,
 * each time at another instant of a commit or a job, which the seed repeats. Whenever a life comes to its end, the
 * client's record is compared with the database. Exits 0 only if nothing was lost and nothing happened twice.
 */
import { fork } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { type CrashPoint, crashPoints } from '../../src/durable/crash_points.ts'
import { openStore } from '../../src/durable/store/source.ts'
import type { Store } from '../../src/durable/store/store.ts'
import type { Life } from '../../src/durable/test/crash_life.ts'
import { engines, leaseMs, readEvents, readRows, readStatus } from '../../src/durable/test/support.ts'
import { machine } from '../bench/measure.ts'
import { seededRandom } from './random.ts'

const { values: given } = parseArgs({
  options: {
    kills: { type: 'string', default: '1000' },
    seconds: { type: 'string', default: '3600' },
    seed: { type: 'string', default: '1' },
  },
})

const random = seededRandom(Number(given.seed))
const pick = <T>(all: readonly T[]): T => all[Math.floor(random() * all.length)] as T
const lifeFile = join(import.meta.dirname, '../../src/durable/test/crash_life.ts')

type Orders = Pick<Life, 'paid' | 'expired' | 'file'>

const newOrders = (): Orders => ({
  paid: [randomUUID(), randomUUID()],
  expired: [randomUUID()],
  file: join(tmpdir(), `orders-killed-${randomUUID()}`),
})

/** What the client knows and the database does not, or the other way. */
const compare = async (store: Store, { paid, expired, file }: Orders): Promise<readonly string[]> => {
  const faults: string[] = []
  for (const line of existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : []) {
    const [id = '', type = ''] = line.split(' ')
    if (!(await readEvents(store, id)).includes(type)) faults.push(`${id}: ${type} was acknowledged and is missing`)
  }
  for (const id of paid) {
    const events = await readEvents(store, id)
    const status = String(await readStatus(store, id))
    // The first charge of each life fails: whoever meets too many lives is declined.
    if (!['PAID', 'DECLINED'].includes(status)) faults.push(`${id}: is ${status}`)
    const charged = events.filter(type => type === 'xstate.done.actor.charge').length
    if (charged !== (status === 'PAID' ? 1 : 0)) faults.push(`${id}: is ${status} and was charged ${charged} times`)
    if (events.filter(type => type === 'PAY').length !== 1) faults.push(`${id}: PAY did not happen once`)
  }
  for (const id of expired) if ((await readStatus(store, id)) !== 'EXPIRED') faults.push(`${id}: its timer is lost`)
  for (const { id } of await readRows(store, 'SELECT id FROM scheduled_jobs')) faults.push(`the job ${id} is stuck`)
  rmSync(file, { force: true })
  return faults
}

const main = async (): Promise<boolean> => {
  const engine = engines[0]
  if (engine === undefined) throw new Error('there is no engine')
  const { address, drop } = await engine.open()
  const until = performance.now() + Number(given.seconds) * 1000
  const faults: string[] = []
  let [kills, lives, compared, orders] = [0, 0, 0, newOrders()]
  const reached = new Map<CrashPoint, number>()
  // The last life is let live.
  for (let isLast = false; ; ) {
    isLast = kills >= Number(given.kills) || performance.now() > until
    const [point, nth] = [pick(crashPoints), isLast ? Number.POSITIVE_INFINITY : 1 + Math.floor(random() * 8)]
    const startsAt = Date.UTC(2026, 10, 17) + lives++ * 2 * leaseMs
    const life: Life = { address, point, nth: isLast ? 1e9 : nth, startsAt, ...orders }
    const child = fork(lifeFile, [JSON.stringify(life)], { silent: true })
    let errors = ''
    child.stderr?.on('data', chunk => {
      errors += chunk
    })
    const [code, signal] = await once(child, 'exit')
    if (signal === 'SIGKILL') {
      kills += 1
      reached.set(point, (reached.get(point) ?? 0) + 1)
      continue
    }
    if (code !== 0) faults.push(`a life ended with ${code ?? signal}: ${errors.slice(-500)}`)
    const store = openStore(address, 1)
    faults.push(...(await compare(store, orders)))
    await store.close()
    compared += 1
    orders = newOrders()
    if (isLast || faults.length > 0) break
  }
  await drop()
  console.log(`${kills} kills in ${lives} lives, ${compared} records compared: ${faults.length} faults`)
  console.log([...reached].map(([point, count]) => `${point} ${count}`).join(', '))
  for (const fault of faults) console.log(`FAULT: ${fault}`)
  console.log(`seed ${given.seed}; ${machine()}`)
  return faults.length === 0
}

process.exitCode = (await main()) ? 0 : 1
