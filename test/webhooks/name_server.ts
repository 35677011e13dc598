import { createSocket } from 'node:dgram'
import { once } from 'node:events'

/** A name server on loopback: its answer for each name, `null` for no such name; it stays silent about others. */
export interface NameServer {
  readonly address: string
  /** Names that were asked for, each once. */
  readonly asked: ReadonlySet<string>
  close(): Promise<void>
}

function question(query: Buffer): { name: string; type: number; end: number } {
  const labels: string[] = []
  let at = 12
  for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length))
    at += length + 1
  }
  return { name: labels.join('.'), type: query.readUInt16BE(at + 1), end: at + 5 }
}

/** RFC 1035 §4: the header, the question again, and an A record for each address. */
function answer(query: Buffer, addresses: readonly string[] | null): Buffer {
  const { type, end } = question(query)
  const records = type === 1 && addresses !== null ? addresses : []
  const header = Buffer.from(query.subarray(0, 12))
  header.writeUInt16BE(addresses === null ? 0x8183 : 0x8180, 2)
  header.writeUInt16BE(records.length, 6)
  header.writeUInt32BE(0, 8)
  const found = records.map(address =>
    Buffer.from([0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 60, 0, 4, ...address.split('.').map(Number)]),
  )
  return Buffer.concat([header, query.subarray(12, end), ...found])
}

export async function openNameServer(names: Readonly<Record<string, readonly string[] | null>>): Promise<NameServer> {
  const socket = createSocket('udp4')
  const asked = new Set<string>()
  socket.on('message', (query, from) => {
    const { name } = question(query)
    asked.add(name)
    const known = names[name]
    if (known !== undefined) socket.send(answer(query, known), from.port, from.address)
  })
  socket.bind(0, '127.0.0.1')
  await once(socket, 'listening')
  return {
    address: `127.0.0.1:${socket.address().port}`,
    asked,
    close: async () => {
      socket.close()
      await once(socket, 'close')
    },
  }
}
