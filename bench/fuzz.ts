/**
 * Calls made from the API's own document, thrown at a front door: `node bench/fuzz.ts [COUNT] [SEED]`. Ends with 1
 * at the first answer that the document does not speak of, and prints the call. `TEST_MYSQL_URL` takes MariaDB.
 */
import fc from 'fast-check'
import { eachDialect } from '../test/database.ts'
import { callsOf, judgeAnswers } from '../test/http/fuzz.ts'
import { fuzzedDoor } from '../test/http/fuzzed_door.ts'

const count = Number(process.argv[2] ?? '20000')
const seed = Number(process.argv[3] ?? '1')
const engine = eachDialect.at(-1)
if (engine === undefined) throw new Error('no engine')
const { door, document, known, send } = await fuzzedDoor(engine)
try {
  const judge = judgeAnswers(document)
  const seen = new Map<string, number>()
  let slowest_ms = 0
  await fc.assert(
    fc.asyncProperty(callsOf(document, known), async call => {
      const began = performance.now()
      const { status, type, text } = await send(call)
      slowest_ms = Math.max(slowest_ms, performance.now() - began)
      const key = `${call.operation} ${status}`
      seen.set(key, (seen.get(key) ?? 0) + 1)
      const wrong = judge(call, status, type, text)
      if (wrong !== null) throw new Error(`${call.method} ${call.path} ${wrong}`)
    }),
    { numRuns: count, seed },
  )
  const statuses = new Map<string, number>()
  for (const [key, times] of seen) {
    const status = key.split(' ')[1] ?? ''
    statuses.set(status, (statuses.get(status) ?? 0) + times)
  }
  const counts = [...statuses].sort().map(([status, times]) => `${status}: ${times}`)
  console.log(`${count} calls on ${engine.name}, seed ${seed}: ${seen.size} kinds of answers; ${counts.join(', ')}`)
  console.log(
    `slowest ${slowest_ms.toFixed(0)} ms; ${door.lines.filter(({ level }) => level === 'error').length} faults logged`,
  )
} finally {
  await door.close()
}
