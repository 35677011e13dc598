/** Commits rows one after another, says which are acknowledged, and kills itself at one of its commits. */
import { appendFileSync } from 'node:fs'
import { openSqlite } from '../../store/sqlite.ts'
import { run } from '../../store/statement.ts'

const [file = '', said = '', first = '', many = ''] = process.argv.slice(2)
const last = Number(first) + Number(many)
let id = Number(first)

function crashHook(point: string): void {
  if (point === 'commit.written' && id === last) process.kill(process.pid, 'SIGKILL')
}

const store = openSqlite(file, { crashHook, checkpointPages: 50 })
for (; ; id++) {
  const sql = 'INSERT INTO rows (id, content) VALUES (?, randomblob(20000))'
  await store.commit(() => run({ sql, values: [id] }))
  appendFileSync(said, `${id}\n`)
}
