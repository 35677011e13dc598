/**
 * Measures the memory that senders who never finish can make a node hold: `node lab/bench/slow_bodies.ts [CONNECTIONS]`, 480 without. From two
 * addresses of the loopback range each connection begins to send the largest chip body or picture, all but its last byte,
 * and waits. Printed are the node's memory before and at its most, and how many were refused. It ends after half a minute.
 */
import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { sdk } from '../../test/service/client.ts'
import { openLocalNode } from './local_node.ts'
import { machine } from './measure.ts'

const durationMs = 30_000
const bodies = {
  'document/chip': { type: 'application/json', bytes: 1024 * 1024, begins: '{"sod":"' },
  'document/front': { type: 'image/jpeg', bytes: 10 * 1024 * 1024, begins: '\xff\xd8\xff' },
} as const

type Kind = keyof typeof bodies

/** Sends from a process of its own, so that the sender's memory is not counted. Prints each status that it gets. */
function sendSlowly(port: number, token: string, kind: Kind, connections: number): void {
  const { type, bytes, begins } = bodies[kind]
  const piece = Buffer.alloc(64 * 1024, 'A')
  for (let n = 0; n < connections; n++) {
    const socket = connect({ port, host: '127.0.0.1', localAddress: `127.0.0.${2 + (n % 2)}` })
    const lines = [`PUT ${sdk}/${kind} HTTP/1.1`, 'Host: localhost', `Authorization: Bearer ${token}`]
    socket.write(`${[...lines, `Content-Type: ${type}`, `Content-Length: ${bytes}`].join('\r\n')}\r\n\r\n${begins}`)
    let left = bytes - begins.length - 1
    const more = (): void => {
      if (left <= 0 || socket.destroyed) return
      socket.write(piece.subarray(0, left), more)
      left -= piece.length
    }
    more()
    socket.once('data', data => console.log(/^HTTP\/1.1 (\d+)/.exec(String(data))?.[1] ?? 'none'))
    socket.on('error', () => {})
  }
}

async function attack(kind: Kind, connections: number): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'slow-bodies-'))
  const key = Buffer.alloc(32, 7).toString('base64')
  const settings = { DATABASE_URL: `sqlite:${join(folder, 'node.db')}`, MASTER_KEY: key, ANALYSIS_ENGINE: 'scripted' }
  const { node, call, open } = await openLocalNode(settings)
  try {
    const token = await open({ document_policy: { chip: 'REQUIRE' } })
    await call('POST', `${sdk}/start`, { token, json: { document_type: 'PASSPORT' } })
    const before = process.memoryUsage.rss()
    const { port } = new URL(node.url)
    const words = [fileURLToPath(import.meta.url), '--send', port, token, kind, String(connections)]
    const sender = spawn(process.execPath, words, { stdio: ['ignore', 'pipe', 'inherit'] })
    const statuses = new Map<string, number>()
    createInterface({ input: sender.stdout }).on('line', status =>
      statuses.set(status, (statuses.get(status) ?? 0) + 1),
    )
    let most = before
    const watch = setInterval(() => {
      most = Math.max(most, process.memoryUsage.rss())
    }, 100)
    let slowest = 0
    for (const until = Date.now() + durationMs; Date.now() < until; ) {
      const asked = performance.now()
      await call('GET', '/healthz')
      slowest = Math.max(slowest, performance.now() - asked)
      await new Promise(resolve => void setTimeout(resolve, 200))
    }
    clearInterval(watch)
    sender.kill()
    const mb = (bytes: number): number => Math.round(bytes / 2 ** 20)
    const answered = JSON.stringify(Object.fromEntries(statuses))
    console.log(`| ${kind} | ${connections} | ${mb(before)} | ${mb(most)} | ${answered} | ${Math.round(slowest)} |`)
  } finally {
    await node.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}

const [first = '480', port = '', token = '', kind = '', connections = ''] = process.argv.slice(2)
if (first === '--send') sendSlowly(Number(port), token, kind as Kind, Number(connections))
else {
  console.log(machine())
  console.log('| body | connections | MB before | MB at most | answers | ms of the slowest /healthz |')
  console.log('| - | - | - | - | - | - |')
  for (const one of Object.keys(bodies) as Kind[]) await attack(one, Number(first))
}
