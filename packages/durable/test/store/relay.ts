import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import type { DatabaseHost, MysqlAddress } from '../../store/mysql_address.ts'

/** The fault of the next COMMIT: it never arrives, or its answer doesn't; the connection breaks in both cases. */
export type Loss = 'commit' | 'answer'

/** A host of a cluster that can break, before a server that does not. */
export interface Relay extends DatabaseHost {
  /** Statements that write, from callers. */
  readonly writes: () => number
  lose(loss: Loss): void
  /** Closes all connections, and each new one. */
  cut(): void
  /** Accepts connections and sends nothing. */
  hang(): void
  repair(): void
  close(): void
}

export async function openRelay({ host, port }: MysqlAddress): Promise<Relay> {
  let state: 'open' | 'cut' | 'hung' = 'open'
  let loss: Loss | null = null
  let writes = 0
  const sockets = new Set<Socket>()
  const keep = (socket: Socket, other: Socket): void => {
    sockets.add(socket)
    socket.on('error', () => {})
    socket.on('close', () => {
      sockets.delete(socket)
      other.destroy()
    })
  }
  const server = createServer(near => {
    if (state === 'cut') return void near.destroy()
    const far = connect(port, host)
    keep(near, far)
    keep(far, near)
    let isDeaf = false
    near.on('data', data => {
      if (state === 'hung') return
      if (data.includes('INSERT') || data.includes('UPDATE')) writes += 1
      const losing = loss !== null && data.includes('COMMIT') ? loss : null
      if (losing !== null) loss = null
      if (losing === 'commit') return void near.destroy()
      isDeaf = losing === 'answer'
      far.write(data)
    })
    far.on('data', data => {
      if (state === 'hung') return
      if (isDeaf) return void near.destroy()
      near.write(data)
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const hangUp = (): void => {
    for (const socket of sockets) socket.destroy()
  }
  return {
    host: '127.0.0.1',
    port: (server.address() as AddressInfo).port,
    writes: () => writes,
    lose(next) {
      loss = next
    },
    cut() {
      state = 'cut'
      hangUp()
    },
    hang() {
      state = 'hung'
    },
    repair() {
      state = 'open'
    },
    close() {
      hangUp()
      server.close()
    },
  }
}
