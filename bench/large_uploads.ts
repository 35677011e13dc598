/**
 * How long uploads hold the event loop: `node bench/large_uploads.ts [SQLite|MariaDB] [MEGABYTES] [UPLOADS]`. One
 * upload at a time. The longest turn of each, by the clock and by the CPU of the service's main thread: on a busy machine
 * the clock also counts what others took meanwhile.
 */
import { randomBytes } from 'node:crypto'
import sharp from 'sharp'
import { sdk } from '../test/service/client.ts'
import { startLoadedService } from './load.ts'
import { machine, spread } from './measure.ts'

const [name = 'SQLite', megabytes = '10', uploads = '30'] = process.argv.slice(2)
const service = await startLoadedService(name)
const byteCount = Number(megabytes) * 1_000_000
const jpeg = await sharp({ create: { width: 640, height: 480, channels: 3, background: 'teal' } })
  .jpeg()
  .toBuffer()

/** What follows a JPEG's end is no part of the picture. */
function createPicture(): Buffer {
  return Buffer.concat([jpeg, randomBytes(byteCount - jpeg.length)])
}

interface Turns {
  readonly turn_ms: number
  readonly turn_cpu_ms: number
  readonly cpu_ms: number
}

/** Each in a session of its own: none replaces another. */
async function upload(): Promise<Turns & { readonly took_ms: number }> {
  const { sdk_token } = await service.session(service.accounts[0])
  const picture = createPicture()
  await service.program.ask('watchTurns')
  const began = performance.now()
  const answer = await service.call('PUT', `${sdk}/document/front`, sdk_token, picture)
  const text = await answer.text()
  const took_ms = performance.now() - began
  if (answer.status !== 200) throw new Error(text)
  return { ...(await service.program.ask<Turns>('watchedTurns')), took_ms }
}

try {
  for (let n = 0; n < 3; n++) await upload()
  const all: (Turns & { readonly took_ms: number })[] = []
  for (let n = 0; n < Number(uploads); n++) all.push(await upload())
  console.log(`${machine()}; ${name}, ${uploads} uploads of ${megabytes} MB, one after another`)
  for (const [what, field] of [
    ['longest turn, ms of CPU', 'turn_cpu_ms'],
    ['longest turn, ms', 'turn_ms'],
    ['CPU ms of the service’s process', 'cpu_ms'],
    ['ms until the answer', 'took_ms'],
  ] as const)
    console.log(
      `${what}: ${spread(
        all.map(one => one[field]),
        1,
      )}`,
    )
} finally {
  await service.end()
}
