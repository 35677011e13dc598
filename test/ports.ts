import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:net'

const lowest = 10_000
/** The ports from here on the system gives to whoever asks for any, as Linux does if nobody has told it otherwise. */
const usual_end = 32_768

const end = (): number => {
  try {
    const given = Number(readFileSync('/proc/sys/net/ipv4/ip_local_port_range', 'utf8').split(/\s/)[0])
    return given > 2 * lowest ? given : usual_end
  } catch {
    return usual_end
  }
}

/** Each process of a run has so many to itself, as far as there are enough. */
const of_a_process = 64
const shares = Math.floor((end() - lowest) / of_a_process)
let taken = 0

const isFree = async (port: number): Promise<boolean> => {
  const server = createServer().listen(port, '127.0.0.1')
  try {
    await once(server, 'listening')
  } catch {
    return false
  }
  server.close()
  await once(server, 'close')
  return true
}

/**
 * A port of 127.0.0.1 that nobody listens on now, and that the system gives to nobody: for a program that is to listen on
 * it later, or again and again.
 */
export const freePort = async (): Promise<number> => {
  for (; taken < of_a_process; taken++) {
    const port = lowest + (process.pid % shares) * of_a_process + taken
    if (await isFree(port)) {
      taken += 1
      return port
    }
  }
  throw new Error('no free port')
}
