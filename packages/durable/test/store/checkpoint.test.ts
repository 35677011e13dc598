import { execFile, fork } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import test, { type ExecutionContext } from 'ava'
import type Database from 'better-sqlite3'
import { type Checkpointer, createCheckpointer } from '../../store/sqlite_checkpoint.ts'
import { openSqliteFile } from '../../store/sqlite_file.ts'

const pages = 60
const insertRow = 'INSERT INTO rows (content) VALUES (randomblob(20000))'

function makeFile(t: ExecutionContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'attestor-checkpoint-'))
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  const file = join(folder, 'test.sqlite')
  const database = openSqliteFile(file)
  database.exec('CREATE TABLE rows (id INTEGER PRIMARY KEY, content BLOB)')
  database.close()
  return file
}

function open(t: ExecutionContext, file: string): Database.Database {
  const database = openSqliteFile(file)
  t.teardown(() => database.close())
  return database
}

function checkpointer(t: ExecutionContext, database: Database.Database): Checkpointer {
  const made = createCheckpointer(database, pages)
  t.teardown(made.close)
  return made
}

/** Returns how many pages the log has, and how many of them are in the file. */
function readLog(database: Database.Database): { log: number; checkpointed: number } {
  return (database.pragma('wal_checkpoint(NOOP)') as [{ log: number; checkpointed: number }])[0]
}

/** Commits rows of seven pages each, and looks after each commit. */
function insertRows(database: Database.Database, many: number, look = (): void => {}): void {
  for (let row = 0; row < many; row++) {
    database.exec(insertRow)
    look()
  }
}

test('A long log is copied while commits go on, and then begins again', async t => {
  const database = open(t, makeFile(t))
  const { look, idle } = checkpointer(t, database)
  insertRows(database, 16, look)
  t.is(readLog(database).checkpointed, 0, 'no commit has copied it')
  let isIdle = false
  const ended = idle().then(() => {
    isIdle = true
  })
  for (let row = 0; row < 200 && !isIdle; row++) {
    insertRows(database, 1)
    await new Promise(setImmediate)
  }
  await ended
  const { log, checkpointed } = readLog(database)
  t.is(checkpointed, log)
  insertRows(database, 1)
  t.true(readLog(database).log < pages)
})

test('A short log is left as it is', async t => {
  const database = open(t, makeFile(t))
  const { look, idle } = checkpointer(t, database)
  insertRows(database, 8, look)
  await idle()
  t.true(readLog(database).log < pages)
  t.is(readLog(database).checkpointed, 0)
})

test('A log that no thread copies is copied by a commit, once it is four times as long', t => {
  const database = open(t, makeFile(t))
  checkpointer(t, database)
  insertRows(database, 30)
  t.is(readLog(database).checkpointed, 0)
  insertRows(database, 20)
  t.true(readLog(database).log < 4 * pages, 'it has begun again')
})

test('The log is tried again only when it has grown while another connection reads; then it is copied', async t => {
  const file = makeFile(t)
  const database = open(t, file)
  const reader = open(t, file)
  const { look, idle } = checkpointer(t, database)
  reader.exec('BEGIN')
  reader.prepare('SELECT COUNT(*) FROM rows').get()
  insertRows(database, 16, look)
  await idle()
  t.is(readLog(database).checkpointed, 0)
  reader.exec('COMMIT')
  insertRows(database, 8, look)
  await idle()
  t.is(readLog(database).checkpointed, 0, 'fewer than 60 pages more')
  insertRows(database, 8, look)
  await idle()
  const { log, checkpointed } = readLog(database)
  t.is(checkpointed, log)
})

test('A copy that fails is reported, loses nothing, and is tried again', async t => {
  const file = makeFile(t)
  const database = open(t, file)
  const { look, idle } = checkpointer(t, database)
  const warned = once(process, 'warning') as Promise<[Error]>
  renameSync(file, `${file}.moved`)
  mkdirSync(file)
  insertRows(database, 16, look)
  await idle()
  const [{ message }] = await warned
  t.is(message, `${file}-wal could not be copied: unable to open database file`)
  t.is(readLog(database).checkpointed, 0)
  rmdirSync(file)
  renameSync(`${file}.moved`, file)
  insertRows(database, 16, look)
  await idle()
  t.is(readLog(database).checkpointed, readLog(database).log)
  t.is(database.prepare('SELECT COUNT(*) FROM rows').pluck().get(), 32)
})

test('A store that is closed during a copy waits for it, and its thread ends', async t => {
  const file = makeFile(t)
  const child = join(import.meta.dirname, 'checkpoint_close.ts')
  const { stdout, stderr } = await promisify(execFile)(process.execPath, [child, file])
  t.is(stderr, '', 'no copy met a closed file')
  t.is(stdout, 'closed\n')
  t.false(existsSync(`${file}-wal`), 'nobody else has the file open')
})

test('A node that is killed again and again during copies loses no acknowledged commit', async t => {
  const file = makeFile(t)
  const said = `${file}.said`
  const child = join(import.meta.dirname, 'checkpoint_child.ts')
  for (let life = 0; life < 6; life++) {
    const dying = fork(child, [file, said, String(life * 1000 + 1), String(24 + 7 * life)], { silent: true })
    const [, signal] = await once(dying, 'exit')
    t.is(signal, 'SIGKILL')
  }
  const database = open(t, file)
  t.is(database.pragma('integrity_check', { simple: true }), 'ok')
  const kept = database.prepare('SELECT id FROM rows ORDER BY id').pluck().all()
  const acknowledged = readFileSync(said, 'utf8').trim().split('\n').map(Number)
  t.deepEqual(kept, acknowledged, 'and the commit that was under way at the kill was not begun again')
  t.is(acknowledged.length, 6 * 24 + 7 * 15)
})
