import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer, type Server } from 'node:net'

const lowest = 10_000
/** The ports from here on the system gives to programs that ask for any, as Linux does by default. */
const usualEnd = 32_768

function end(): number {
  try {
    const given = Number(readFileSync('/proc/sys/net/ipv4/ip_local_port_range', 'utf8').split(/\s/)[0])
    return given > 2 * lowest ? given : usualEnd
  } catch {
    return usualEnd
  }
}

/** Each process of a run has so many to itself; it listens on the first as long as it lives, so no other takes them. */
const ofAProcess = 64
const shares = Math.floor((end() - lowest) / ofAProcess)

async function listensOn(port: number): Promise<Server | null> {
  const server = createServer().listen(port, '127.0.0.1')
  try {
    await once(server, 'listening')
    return server
  } catch {
    return null
  }
}

async function claimShare(): Promise<number> {
  for (let n = 0; n < shares; n++) {
    const first = lowest + ((process.pid + n) % shares) * ofAProcess
    const server = await listensOn(first)
    if (server === null) continue
    server.unref()
    return first
  }
  throw new Error('no free ports')
}

async function isFree(port: number): Promise<boolean> {
  const server = await listensOn(port)
  if (server === null) return false
  server.close()
  await once(server, 'close')
  return true
}

let share: Promise<number> | null = null
let taken = 1

/**
 * Returns a port of 127.0.0.1 that is free, and that the system assigns to no other program: for one that is to listen
 * on it later, or again and again.
 */
export async function freePort(): Promise<number> {
  share ??= claimShare()
  const first = await share
  while (taken < ofAProcess) {
    const port = first + taken++
    if (await isFree(port)) return port
  }
  throw new Error('no free port')
}
