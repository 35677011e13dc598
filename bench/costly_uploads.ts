/**
 * What an account that sends costly pictures does to another's uploads: `node bench/costly_uploads.ts [SESSIONS]
 * [SQLite|MariaDB] [ROUNDS]`. Quiet and attacked rounds take turns: in each the other account uploads photos one after another,
 * while each session of the first has one costly picture on its way at any time.
 */
import sharp from 'sharp'
import { anotherTake, sdk } from '../test/service/client.ts'
import { startLoadedService } from './load.ts'
import { machine, median } from './measure.ts'

const sessions = Number(process.argv[2] ?? 30)
const rounds = Number(process.argv[4] ?? 3)
const uploads = 6
const service = await startLoadedService(process.argv[3] ?? 'SQLite')
const [costlyAccount, account] = service.accounts

/** Few bytes and many pixels: nearly all that it costs is its decoding. */
const costly = await sharp({ create: { width: 7000, height: 7000, channels: 3, background: 'teal' } })
  .png()
  .toBuffer()
const noise = { type: 'gaussian', mean: 128, sigma: 20 } as const
const photo = await sharp({ create: { width: 3000, height: 4000, channels: 3, background: 'black', noise } })
  .jpeg({ quality: 60 })
  .toBuffer()

async function put(sdk_token: string, image: Uint8Array): Promise<number> {
  const answer = await service.call('PUT', `${sdk}/selfie`, sdk_token, anotherTake(image))
  await answer.text()
  return answer.status
}

async function upload(): Promise<number[]> {
  const { sdk_token } = await service.session(account)
  const delays: number[] = []
  for (let n = 0; n < uploads; n++) {
    const began = performance.now()
    const status = await put(sdk_token, photo)
    if (status !== 200) console.log(`an upload of the other account was answered ${status}`)
    delays.push(performance.now() - began)
  }
  return delays
}

async function attackedWhile<T>(tokens: readonly string[], work: () => Promise<T>): Promise<T> {
  let over = false
  const counts = new Map<number, number>()
  const attacks = tokens.map(async token => {
    while (!over) {
      const status = await put(token, costly)
      counts.set(status, (counts.get(status) ?? 0) + 1)
    }
  })
  // The queue fills first.
  await new Promise(resolve => setTimeout(resolve, 2000))
  const result = await work()
  over = true
  await Promise.all(attacks)
  console.log(`  the costly ones were answered ${JSON.stringify(Object.fromEntries(counts))}`)
  return result
}

try {
  console.log(`${machine()}; costly ${costly.length} bytes, 49 megapixels; photo ${photo.length} bytes, 12 megapixels`)
  await upload()
  const all: Record<'quiet' | 'attacked', number[]> = { quiet: [], attacked: [] }
  for (let round = 0; round < rounds; round++) {
    all.quiet.push(...(await upload()))
    const opened = await Promise.all(Array.from({ length: sessions }, () => service.session(costlyAccount)))
    all.attacked.push(
      ...(await attackedWhile(
        opened.map(({ sdk_token }) => sdk_token),
        upload,
      )),
    )
  }
  const quiet = median(all.quiet)
  const attacked = median(all.attacked)
  console.log(
    `an upload takes ${quiet.toFixed(0)} ms (${Math.max(...all.quiet).toFixed(0)} at most); beside ${sessions} sessions with costly pictures ${attacked.toFixed(0)} (${Math.max(...all.attacked).toFixed(0)} at most): ${(attacked / quiet).toFixed(2)} ×`,
  )
} finally {
  await service.end()
}
