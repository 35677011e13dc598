/**
 * A node that is killed, as by a power cut, while it answers a keyed call: when `instant` is reached, its process ends
 * without another word. Argument: `Doom` as JSON.
 */

import type { DatabaseAddress } from 'durable-xstate-sql'
import type { CrashPoint } from 'durable-xstate-sql/testing'
import { manualClock } from '../clock.ts'
import { sqlite } from '../database.ts'
import { type Door, kyc, openDoor } from './door.ts'

/** The parent's message. */
export interface Doom extends Pick<Door, 'account' | 'token' | 'url'> {
  readonly address: DatabaseAddress
  readonly key: string
  readonly call: unknown
  readonly instant: CrashPoint
}

const { address, account, token, key, call, instant } = JSON.parse(process.argv[2] ?? '') as Doom
const armed = new Set<CrashPoint>()

function reach(reached: CrashPoint): void {
  if (armed.has(reached)) process.kill(process.pid, 'SIGKILL')
}

const database = { address, drop: async () => {} }
const door = await openDoor(sqlite, {}, { beside: { database, clock: manualClock(), account, token }, reach })

function post(what: string, name: string, json: unknown) {
  return door.call('POST', `${kyc}/${what}`, { token, json, headers: { 'Idempotency-Key': name } })
}

// The first keyed call of a node sweeps, in a commit of its own.
await post('customer', `warm-${key}`, { external_customer_id: 'warm' })
armed.add(instant)
await post('transaction', key, call)
