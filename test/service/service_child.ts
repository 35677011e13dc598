/**
 * The service as a process of its own, with a scripted engine whose first look at each transaction fails. Argument: by
 * how many milliseconds its clock is ahead; a second one, `real`, says that no time has passed, and that its clock is wrong. It accepts a message `{instant, nth}`: it then dies, as in a power cut, when that
 * instant is reached for the nth time from there on. With a third argument, `waits`, it loads its code, says so, and
 * starts with the first message.
 */

import { once } from 'node:events'
import { AnalysisError } from '@attestor/vision'
import type { CrashPoint } from 'durable-xstate-sql/testing'
import { type Clock, systemClock } from '../../src/base/clock.ts'
import { readConfig } from '../../src/config/settings.ts'
import { createApprovedFindings, scriptedEngine } from '../../src/engines/scripted.ts'
import { openLog } from '../../src/node/open_log.ts'
import { startNode } from '../../src/node/start_node.ts'

const offsetMs = Number(process.argv[2] ?? '0')
const clock: Clock = { ...systemClock, now: () => systemClock.now() + offsetMs }
const { NODE_CHANNEL_FD: _, NODE_CHANNEL_SERIALIZATION_MODE: __, ...environment } = process.env
const config = readConfig(environment)

if (process.argv[4] === 'waits') {
  process.send?.('loaded')
  await once(process, 'message')
}

let armed: { readonly instant: CrashPoint; left: number } | null = null
process.on('message', (message: { instant: CrashPoint; nth: number }) => {
  armed = { instant: message.instant, left: message.nth }
  process.send?.('armed')
})
const seen = new Set<string>()

const node = await startNode({
  config,
  clock,
  followsDatabase: process.argv[3] === 'real',
  log: openLog({ level: config.LOG_LEVEL }),
  engine: scriptedEngine(request => {
    if (seen.has(request.transaction_id)) return createApprovedFindings(request)
    seen.add(request.transaction_id)
    throw new AnalysisError('the first look fails')
  }),
  crashHook: instant => {
    if (armed?.instant !== instant) return
    armed.left -= 1
    if (armed.left <= 0) process.kill(process.pid, 'SIGKILL')
  },
})

async function stop(): Promise<void> {
  await node.stop()
  process.exit(0)
}

process.once('SIGTERM', () => void stop())
// The process that started it is gone.
process.once('disconnect', () => void stop())
