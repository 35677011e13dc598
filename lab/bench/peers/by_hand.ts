/**
 * The bench's chart persisted by hand, as one program without a library would: the snapshot, a journal without hashes,
 * timers and jobs in one commit on SQLite, and one COMMIT for all events of a turn of the event loop.
 */
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { type AnyEventObject, initialTransition, transition } from 'xstate'
import { peerMachine } from './chart.ts'
import { analyse, notify, readOptions, serve } from './contender.ts'

const { hook, data } = readOptions()
const database = new Database(join(data, 'by_hand.sqlite'))
database.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;
  CREATE TABLE actors (id TEXT PRIMARY KEY, snapshot TEXT NOT NULL, status TEXT NOT NULL, version INTEGER NOT NULL) WITHOUT ROWID;
  CREATE TABLE journal (id TEXT, version INTEGER, event TEXT NOT NULL, at INTEGER NOT NULL, PRIMARY KEY (id, version)) WITHOUT ROWID;
  CREATE TABLE jobs (id TEXT, name TEXT, due INTEGER NOT NULL, payload TEXT NOT NULL, PRIMARY KEY (id, name)) WITHOUT ROWID;
  CREATE INDEX jobs_due ON jobs (due)`)
const begin = database.prepare('BEGIN IMMEDIATE')
const commit = database.prepare('COMMIT')
const readActor = database.prepare('SELECT snapshot, version FROM actors WHERE id = ?')
const readStatus = database.prepare('SELECT status FROM actors WHERE id = ?').pluck()
const addActor = database.prepare('INSERT INTO actors VALUES (?, ?, ?, ?)')
const updateActor = database.prepare('UPDATE actors SET snapshot = ?, status = ?, version = ? WHERE id = ?')
const addEntry = database.prepare('INSERT INTO journal VALUES (?, ?, ?, ?)')
const addJob = database.prepare('INSERT INTO jobs VALUES (?, ?, ?, ?)')
const removeJob = database.prepare('DELETE FROM jobs WHERE id = ? AND name = ?')
const readDue = database.prepare('SELECT id, name, payload FROM jobs WHERE due <= ? ORDER BY due LIMIT 100')

let waiting: (() => void)[] = []

function flush(): void {
  const units = waiting
  waiting = []
  begin.run()
  for (const unit of units) unit()
  commit.run()
}

/** Uses one COMMIT for all units of a turn of the event loop; no caller gets an answer before it. */
function inGroup(unit: () => void): Promise<void> {
  return new Promise((resolve, reject) => {
    if (waiting.length === 0) setImmediate(flush)
    waiting.push(() => {
      try {
        unit()
        setImmediate(resolve)
      } catch (error) {
        setImmediate(reject, error)
      }
    })
  })
}

type Snapshot = ReturnType<typeof peerMachine.resolveState>
type Actions = ReturnType<typeof transition<typeof peerMachine>>[1]

function keep({ value, context, status, tags }: Snapshot): [string, string] {
  return [JSON.stringify({ value, context, status }), [...tags].join()]
}

const jobs: Readonly<Record<string, (id: string) => Promise<unknown>>> = { analyse, notify: id => notify(hook, id) }

/** A job whose process died begins again at the start of the next, which this bench never needs. */
async function runJob(id: string, name: string): Promise<void> {
  const output = await jobs[name]?.(id)
  await send(id, { type: `xstate.done.actor.${name}`, output })
}

function writeJobs(id: string, actions: Actions): void {
  for (const { type, params } of actions as readonly { type: string; params?: unknown }[]) {
    const given = (params ?? {}) as { id: string; sendId: string; delay: number; event: unknown }
    if (type === 'xstate.raise') addJob.run(id, given.id, Date.now() + given.delay, JSON.stringify(given.event))
    else if (type === 'xstate.cancel') removeJob.run(id, given.sendId)
    else if (type === 'xstate.spawnChild') {
      addJob.run(id, given.id, Number.MAX_SAFE_INTEGER, '{}')
      // The job runs after the COMMIT, like all work outside of the database.
      setImmediate(() => void runJob(id, given.id))
    } else if (type === 'xstate.stopChild') removeJob.run(id, typeof params === 'string' ? params : given.id)
  }
}

function send(id: string, event: AnyEventObject): Promise<void> {
  return inGroup(() => {
    const row = readActor.get(id) as { snapshot: string; version: number }
    const before = peerMachine.resolveState(JSON.parse(row.snapshot))
    if (!before.can(event as never)) throw new Error(`${event.type} is not possible`)
    const [next, actions] = transition(peerMachine, before, event as never)
    updateActor.run(...keep(next), row.version + 1, id)
    addEntry.run(id, row.version + 1, JSON.stringify(event), Date.now())
    if (event.type.startsWith('xstate.done.actor.')) removeJob.run(id, event.type.slice('xstate.done.actor.'.length))
    writeJobs(id, actions)
  })
}

setInterval(() => {
  for (const { id, name, payload } of readDue.all(Date.now()) as Record<string, string>[])
    void inGroup(() => removeJob.run(id, name)).then(() => send(id ?? '', JSON.parse(payload ?? '')))
}, 1000)

await serve({
  create: id =>
    inGroup(() => {
      const [first, actions] = initialTransition(peerMachine, { id })
      addActor.run(id, ...keep(first), 1)
      addEntry.run(id, 1, JSON.stringify({ type: 'CREATE' }), Date.now())
      writeJobs(id, actions)
    }),
  send,
  readStatus: async id => readStatus.get(id),
})
