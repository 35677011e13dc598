/**
 * Adds a master key, or retires one, and is killed at a crash point. Arguments: `add` or `retire`, the point, the URL, the
 * key that it holds and the other one, in base64.
 */

import { openStore } from 'durable-xstate-sql'
import { readDatabaseAddress } from '../../../src/config/settings.ts'
import { addMasterKey, keyId, openServiceKeys, retireMasterKey } from '../../../src/identity/keys/key_slots.ts'

const [what, point, DATABASE_URL = '', ...texts] = process.argv.slice(2)
const [own = Buffer.alloc(0), other = Buffer.alloc(0)] = texts.map(key => Buffer.from(key, 'base64'))
let isArmed = false
const store = await openStore(readDatabaseAddress({ DATABASE_URL }), 2, {
  crashHook: reached => {
    if (isArmed && reached === point) process.kill(process.pid, 'SIGKILL')
  },
})
const keys = await openServiceKeys(store, own)
isArmed = true
await (what === 'add' ? addMasterKey(store, keys, other) : retireMasterKey(store, own, keyId(other)))
