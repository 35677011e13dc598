/**
 * What downloads that nobody reads cost: `node bench/downloads.ts [CONNECTIONS] [CALLS] [SQLite|MariaDB]`. Each
 * connection sends its calls for an image of 10 MB (or for `/docs`) ahead and reads no answer. The service's memory before
 * and at most, and how long another's call takes meanwhile.
 */
import { connect } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import sharp from 'sharp'
import { kyc, sdk } from '../test/service/client.ts'
import { startLoadedService } from './load.ts'
import { machine, median } from './measure.ts'

const [connections = 9, calls = 60] = process.argv.slice(2, 4).map(Number)
const service = await startLoadedService(process.argv[4] ?? 'SQLite')

function watched() {
  return service.program.ask<{ stall_ms: number; rss_mb: number }>('watched')
}

/** What follows a JPEG's end is no part of the picture. */
async function picture(): Promise<Buffer> {
  const jpeg = await sharp({ create: { width: 640, height: 480, channels: 3, background: 'teal' } })
    .jpeg()
    .toBuffer()
  return Buffer.concat([jpeg, Buffer.alloc(10_000_000 - jpeg.length)])
}

async function linkTo(): Promise<string> {
  const [{ token }] = service.accounts
  const { transaction_id, sdk_token } = await service.session(service.accounts[0])
  const upload = await service.call('PUT', `${sdk}/document/front`, sdk_token, await picture())
  if (upload.status !== 200) throw new Error(await upload.text())
  const path = `${kyc}/transaction/${transaction_id}/captures`
  const { data } = (await (await service.call('GET', path, token)).json()) as { data: { id: string }[] }
  const link = await service.call('POST', `${path}/${data[0]?.id}/link`, token)
  return new URL(((await link.json()) as { url: string }).url).pathname
}

async function attack(path: string): Promise<void> {
  await service.program.ask('watch')
  const before = (await watched()).rss_mb
  const { port, hostname } = new URL(service.url)
  const sockets = Array.from({ length: connections }, () => connect(Number(port), hostname))
  for (const socket of sockets) {
    socket.on('error', () => {})
    socket.pause()
    socket.write(`GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`.repeat(calls))
  }
  const delays: number[] = []
  for (let n = 0; n < 30; n++) {
    const began = performance.now()
    await (await service.call('GET', `${kyc}/transaction`, service.accounts[1].token)).text()
    delays.push(performance.now() - began)
    await pause(500)
  }
  const { rss_mb } = await watched()
  for (const socket of sockets) socket.destroy()
  const name = path === '/docs' ? path : 'an image of 10 MB'
  console.log(
    `${connections} connections with ${calls} calls each for ${name}, unread: ${before.toFixed(0)} MB before, ${rss_mb.toFixed(0)} MB at most; another's call ${median(delays).toFixed(0)} ms, ${Math.max(...delays).toFixed(0)} at most`,
  )
}

try {
  console.log(machine())
  await attack('/docs')
  await attack(await linkTo())
} finally {
  await service.end()
}
