/**
 * `node lab/bench/dead_receiver.ts [NODES] [DELIVERIES] [SQLite|MariaDB]` counts how often several nodes try a receiver
 * that only fails, and measures how soon its deliveries leave once it works again. The nodes share a database and a
 * clock that is advanced, so the figures are the same on every machine.
 */

import { createGuard } from '@attestor/outbound'
import { silentLog } from '../../src/base/log.ts'
import { createApprovedFindings, scriptedEngine } from '../../src/engines/scripted.ts'
import { startNode } from '../../src/node/start_node.ts'
import { eachDialect } from '../../test/database.ts'
import { sharedImageChecker } from '../../test/image_checker.ts'
import { openRig } from '../../test/service/rig.ts'

const [nodes = 3, deliveries = 100] = process.argv.slice(2, 4).map(Number)
const engine = eachDialect.find(({ name }) => name === (process.argv[4] ?? 'MariaDB'))
if (engine === undefined) throw new Error('TEST_MYSQL_URL must name a server')
const rig = await openRig(engine, {
  POLL_MS: '1000',
  WEBHOOK_SCHEDULE_SECONDS: '0,5,30,120,600,1800,7200,18000,36000,50400,72000,86400',
})
const { hook, clock } = rig
const first = rig.node()
const others = await Promise.all(
  Array.from({ length: nodes - 1 }, () =>
    startNode({
      config: first.service.config,
      clock,
      log: silentLog,
      engine: scriptedEngine(createApprovedFindings),
      imageChecker: sharedImageChecker(),
      guard: createGuard({ allow: [hook.host], ca: hook.ca }),
      lingerMs: 0,
    }),
  ),
)

async function settle(): Promise<void> {
  await Promise.all([first, ...others].map(async ({ worker }) => worker?.idle()))
}

const minute = 60_000

async function attemptsIn(minutes: number): Promise<number> {
  const before = hook.received.length
  await clock.advance(minutes * minute, settle)
  return hook.received.length - before
}

async function countWaiting(): Promise<number> {
  const rows = await rig.rows("SELECT id FROM deliveries WHERE status <> 'DELIVERED'")
  return rows.length
}

hook.answer(() => ({ status: 500 }))
for (let n = 0; n < deliveries; n++)
  await (await rig.open({ webhook: { url: hook.url }, transaction_ttl_minutes: 1440 })).phone.start()
await settle()
const opened = hook.received.length
console.log(`${nodes} nodes, ${deliveries} deliveries, ${engine.name}; attempts at a receiver that answers 500`)
console.log(`until all were opened ${opened}, then in the first minute ${await attemptsIn(1)}`)
console.log(`in the 9 minutes after it ${await attemptsIn(9)}, in the next 50 ${await attemptsIn(50)}`)
console.log(`in the second hour ${await attemptsIn(60)}`)
hook.answer(() => ({ status: 204 }))
let minutes = 0
while ((await countWaiting()) > 0 && minutes < 24 * 60) {
  await clock.advance(minute, settle)
  minutes++
}
console.log(`once it works, all were delivered after ${minutes} minutes`)
await Promise.all(others.map(node => node.stop()))
await rig.close()
