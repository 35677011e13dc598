/**
 * A start of the service that ends as soon as it is over. Argument: before which statement to SQLite, its own and the
 * migrations', it dies as in a power cut; 0 for none. It prints how many statements it made.
 */
import Database from 'better-sqlite3'
import { systemClock } from '../../src/base/clock.ts'
import { silentLog } from '../../src/base/log.ts'
import { readConfig } from '../../src/config/settings.ts'
import { createApprovedFindings, scriptedEngine } from '../../src/engines/scripted.ts'
import { startNode } from '../../src/node/start_node.ts'
import { sharedImageChecker } from '../image_checker.ts'

const diesBefore = Number(process.argv[2] ?? '0')
let statements = 0
const { prepare, exec, pragma } = Database.prototype
const known = new WeakSet<Database.Database>()

function counted<T extends unknown[], R>(make: (this: Database.Database, ...words: T) => R) {
  return function (this: Database.Database, ...words: T): R {
    // Without a cache it writes into the file before the COMMIT, and a death in between leaves a journal to roll back.
    if (!known.has(this)) pragma.call(this, 'cache_size = 1')
    known.add(this)
    statements += 1
    if (statements === diesBefore) process.kill(process.pid, 'SIGKILL')
    return make.apply(this, words)
  }
}

Database.prototype.prepare = counted(prepare) as typeof prepare
Database.prototype.exec = counted(exec)
Database.prototype.pragma = counted(pragma)

const node = await startNode({
  config: readConfig(process.env),
  clock: systemClock,
  log: silentLog,
  engine: scriptedEngine(createApprovedFindings),
  imageChecker: sharedImageChecker(),
  lingerMs: 0,
})
await node.stop()
process.stdout.write(`${statements}\n`)
