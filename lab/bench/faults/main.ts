/**
 * `npm run test:faults -- [--seconds 300] [--seed 1] [--only words]`: two nodes on a Galera cluster of three members,
 * all on loopback, under load, to which one fault after the other is done at random instants. Afterwards the client's own record is
 * compared with the database and with what the receiver of webhooks had. Exits 0 only if nothing is missing, and 2 if that is so but a
 * fault could not be tried. The seed repeats the order and the instants, and what clients do. Needs Debian's `galera-4`, `mariadb-server` and `rsync`; a slow disk needs `strace`,
 * a separated member `iptables`, and a member with a wrong clock `libfaketime`.
 */
import { setTimeout as pause } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { migrate, openStore } from 'durable-xstate-sql'
import { readDatabaseAddress } from '../../../src/config/settings.ts'
import { schema } from '../../../src/database/schema.ts'
import { missing } from '../galera_members.ts'
import { machine, type Program, startProgram, table } from '../measure.ts'
import { compare, drain, findDifferences, findStuck } from './check.ts'
import { type ClientOptions, type LoadRecord, newRecord } from './client.ts'
import { type Fault, faults, type Stage } from './faults.ts'
import { runLoad } from './load.ts'
import { createAccount, sharedSettings, startNode } from './nodes.ts'
import { seededRandom } from './random.ts'
import { checkAudit, readBack } from './read_back.ts'
import { openReceiver, type Receiver } from './receiver.ts'
import { joinUrls } from './try.ts'

const { values: given } = parseArgs({
  options: {
    seconds: { type: 'string', default: '300' },
    seed: { type: 'string', default: '1' },
    only: { type: 'string', default: '' },
  },
})

const chosen = faults.filter(({ name }) => name.includes(given.only))
if (chosen.length === 0) throw new Error(`--only: no fault has ‘${given.only}’ in its name`)

interface Done {
  readonly name: string
  readonly note: string | null
  /** The longest time without any acknowledgement. */
  readonly gap_ms: number
}

function longestGap(times: readonly number[], from: number, to: number): number {
  const within = [from, ...times.filter(time => time > from && time < to), to]
  return Math.max(...within.slice(1).map((time, index) => time - (within[index] ?? time)))
}

function shuffled<T>(all: readonly T[], random: () => number): readonly T[] {
  return all
    .map(one => ({ one, at: random() }))
    .sort((a, b) => a.at - b.at)
    .map(({ one }) => one)
}

/** Faults in rounds, each round in another order, until the time is over; a fault that has begun is not ended early. */
async function harm(stage: Stage, record: LoadRecord, seconds: number): Promise<readonly Done[]> {
  const done: Done[] = []
  const until = performance.now() + seconds * 1000
  const one = async ({ name, run }: Fault): Promise<void> => {
    await pause(1000 + stage.random() * 3000)
    const from = performance.now()
    const note = await run(stage)
    for (const node of stage.nodes) await node.ready()
    await pause(4000)
    const gap_ms = longestGap(record.acknowledged, from, performance.now())
    done.push({ name, note, gap_ms })
    console.log(`${name}: ${note === null ? `longest gap ${(gap_ms / 1000).toFixed(1)} s` : `not tried: ${note}`}`)
  }
  do for (const fault of shuffled(chosen, stage.random)) if (performance.now() < until) await one(fault)
  while (performance.now() < until)
  return done
}

interface Outcome {
  readonly record: LoadRecord
  readonly receiver: Receiver
  readonly account: ClientOptions['account']
}

async function judge(stage: Stage, { record, receiver, account }: Outcome): Promise<boolean> {
  // Sums over whole tables take long on a busy machine.
  const stores = await Promise.all(
    stage.urls.map(url => {
      const address = readDatabaseAddress({ DATABASE_URL: url })
      return openStore(address.dialect === 'mysql' ? { ...address, timeoutMs: 120_000 } : address, 2)
    }),
  )
  const [store] = stores
  if (store === undefined) throw new Error('there is no member')
  const stuck = await drain(store, 240_000)
  const unreadable = await readBack(stage.nodes[0]?.url ?? '', account, record.carried)
  await Promise.all(stage.nodes.map(node => node.stop()))
  const { faults: found, timers, events } = await compare(store, record.carried, receiver)
  const different = await findDifferences(stores)
  const all = [
    ...found,
    ...unreadable,
    ...(await checkAudit(store)),
    ...(await findStuck(store)),
    ...(stuck === '' ? [] : [stuck]),
    ...different.map(name => `members differ in ${name}`),
  ]
  await Promise.all(stores.map(one => one.close()))
  const late = timers.toSorted((a, b) => a - b)
  const [least = 0, middle = 0, most = 0] = [late[0], late[Math.floor(late.length / 2)], late.at(-1)]
  console.log(
    `${record.carried.length} transactions, ${events} more events and ${receiver.firsts.size} statuses sent (${receiver.count()} webhooks)`,
  )
  console.log(`${late.length} timers, ${least} to ${most} ms after their time, ${middle} at the median`)
  console.log(`refused: ${[...record.refusals].map(([word, count]) => `${word} ${count}`).join(', ') || 'nothing'}`)
  for (const fault of all.slice(0, 40)) console.log(`FAULT: ${fault}`)
  if (least < -1500) console.log('FAULT: a timer was early')
  return all.length === 0 && least >= -1500
}

/** Prints which faults were tried, and which were not. Returns whether each fault that came up could be tried. */
function printFaults(done: readonly Done[]): boolean {
  const rows = [...new Set(done.map(({ name }) => name))].map(name => {
    const gaps = done.filter(one => one.name === name && one.note === null).map(({ gap_ms }) => gap_ms / 1000)
    return [name, String(gaps.length), gaps.map(gap => gap.toFixed(1)).join(', ')]
  })
  console.log(table([['fault', 'times', 'longest time without an answer, s'], ...rows]))
  const left = chosen.filter(({ name }) => done.every(one => one.name !== name)).map(({ name }) => name)
  if (left.length > 0) console.log(`no time was left for: ${left.join(', ')}`)
  const untried = new Set(done.flatMap(({ name, note }) => (note === null ? [] : [`${name} (${note})`])))
  if (untried.size > 0) console.log(`not tried: ${[...untried].join(', ')}`)
  return untried.size === 0
}

/** The exit code. */
async function main(members: Program): Promise<number> {
  const seed = Number(given.seed)
  const random = seededRandom(seed)
  const opened = await members.ask<{ urls: readonly string[]; failed?: string }>('open', { small: true })
  if (opened.failed !== undefined) throw new Error(opened.failed)
  const { urls } = opened
  const url = joinUrls(urls)
  await migrate(readDatabaseAddress({ DATABASE_URL: url }), schema)
  const settings = sharedSettings(url)
  const account = await createAccount(settings)
  const nodes = [await startNode(settings), await startNode(settings)]
  const receiver = await openReceiver()
  try {
    for (const node of nodes) await node.ready()
    const record = newRecord()
    const ending = new AbortController()
    const options = { nodes, hook: receiver.url, account, random: seededRandom(seed + 1), signal: ending.signal }
    const load = runLoad(options, 6, record)
    const stage: Stage = { members, urls, nodes, random }
    const done = await harm(stage, record, Number(given.seconds))
    ending.abort()
    await load
    const holds = await judge(stage, { record, receiver, account })
    const areTried = printFaults(done)
    for (const line of nodes.flatMap(node => node.errors()).slice(0, 10)) console.log(`logged: ${line}`)
    console.log(`seed ${seed}; ${machine()}`)
    if (!holds) return 1
    return areTried ? 0 : 2
  } finally {
    await Promise.all([...nodes.map(node => node.stop()), receiver.close()])
  }
}

const absent = missing()
if (absent.length > 0) {
  console.log(`not tried: ${absent.join(', ')} not installed (Debian: apt-get install galera-4 mariadb-server rsync)`)
  process.exitCode = 2
} else {
  const members = startProgram('galera_members.ts', {})
  process.exitCode = await main(members).finally(() => members.end())
}
