import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import test from 'ava'

const run = promisify(execFile)

/** Benches that need nothing but SQLite, each with the smallest arguments that it takes. */
const commands = [
  'event.ts 1',
  'grown.ts 4000 0',
  'read.ts sqlite 1 50',
  'timers.ts 2000 1 100',
  'start.ts 1',
  'duplicates.ts 1000 1',
  'floor_record.ts',
  'retention.ts 300 2',
  'restore.ts 2 2 1',
  'console_search.ts 1000',
]

for (const command of commands)
  test.serial(`the bench still runs: ${command}`, async t => {
    t.timeout(300_000)
    const { TEST_MYSQL_URL: _, ...environment } = process.env
    const { stdout } = await run(process.execPath, `lab/bench/${command}`.split(' '), { env: environment })
    t.regex(stdout, /\d/)
  })
