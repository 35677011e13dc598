/** Commits until a copy of the log has begun, and closes. The process ends by itself: nothing of the store is left. */
import { openSqlite } from '../../store/sqlite.ts'
import { run } from '../../store/statement.ts'

const store = openSqlite(process.argv[2] ?? '', { checkpointPages: 60 })
const sql = 'INSERT INTO rows (content) VALUES (randomblob(20000))'
for (let row = 0; row < 16; row++) await store.commit(() => run({ sql, values: [] }))
await store.close()
process.stdout.write('closed\n')
