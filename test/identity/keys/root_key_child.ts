/**
 * Replaces the root key without waiting, and is killed at a crash point of its first commit, or of the one that removes
 * the old key. Arguments: `start` or `removal`, the point, the URL, the master key in base64.
 */

import { openStore } from 'durable-xstate-sql'
import { recordNothing } from 'durable-xstate-sql/sql'
import { readDatabaseAddress } from '../../../src/config/settings.ts'
import { rotateRootKey } from '../../../src/identity/keys/rotate_root_key.ts'
import { manualClock } from '../../clock.ts'

const [when, point, DATABASE_URL = '', key = ''] = process.argv.slice(2)
let isArmed = when === 'start'
const store = await openStore(readDatabaseAddress({ DATABASE_URL }), 2, {
  crashHook: reached => {
    if (isArmed && reached === point) process.kill(process.pid, 'SIGKILL')
  },
})
const deps = {
  store,
  clock: manualClock(),
  master: Buffer.from(key, 'base64'),
  pause: async () => {},
  onProgress: (what: string) => {
    if (what.includes('has finished calls')) isArmed = true
  },
  record: recordNothing,
}
await rotateRootKey(deps, { outstandingMs: 0, now: true })
