/**
 * `npm run cluster -- [minutes]`: a Galera cluster of three members on loopback to try things out on, for an hour where
 * nothing else is said. Prints the `DATABASE_URL`; Ctrl-C ends the members and removes their data.
 */
import { once } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'
import { migrate } from 'durable-xstate-sql'
import { readDatabaseAddress } from '../../../src/config/settings.ts'
import { schema } from '../../../src/database/schema.ts'
import { missing } from '../galera_members.ts'
import { type Program, startProgram } from '../measure.ts'

const minutes = Number(process.argv[2] ?? 60)

/** One `DATABASE_URL` for all members, in their order. */
export function joinUrls(urls: readonly string[]): string {
  const [first = ''] = urls
  return first.replace(new URL(first).host, urls.map(url => new URL(url).host).join())
}

async function offer(members: Program): Promise<void> {
  const { urls, failed } = await members.ask<{ urls: readonly string[]; failed?: string }>('open')
  if (failed !== undefined) throw new Error(failed)
  const url = joinUrls(urls)
  await migrate(readDatabaseAddress({ DATABASE_URL: url }), schema)
  console.log(`export DATABASE_URL='${url}' MASTER_KEY=$(openssl rand -base64 32)`)
  console.log(`The members end with Ctrl-C, or in ${minutes} minutes. Members one by one:\n${urls.join('\n')}`)
  const waiting = new AbortController()
  const stopped = Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')])
  await Promise.race([stopped, pause(minutes * 60_000, null, { signal: waiting.signal }).catch(() => null)])
  waiting.abort()
}

if (import.meta.main) {
  const absent = missing()
  if (absent.length > 0) {
    console.log(`${absent.join(', ')} not installed (Debian: apt-get install galera-4 mariadb-server rsync)`)
    process.exitCode = 1
  } else {
    const members = startProgram('galera_members.ts', {})
    await offer(members).finally(() => members.end())
    process.exit()
  }
}
