import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'
import type { MysqlAddress } from 'durable-xstate-sql/sql'

/** The way to a database server, which can be cut and restored. */
export interface Way {
  readonly port: number
  cut(): Promise<void>
  repair(): Promise<void>
  close(): Promise<void>
}

/** Opens a way on a free port of its own, which nobody else can take while it is cut: each connection is closed at once. */
export async function openWay({ host, port }: MysqlAddress): Promise<Way> {
  const sockets = new Set<Socket>()
  let isCut = false
  const join = (from: Socket, to: Socket): void => {
    sockets.add(from)
    from.pipe(to)
    from.on('error', () => {})
    from.once('close', () => {
      sockets.delete(from)
      to.destroy()
    })
  }
  const server: Server = createServer(inside => {
    if (isCut) return void inside.destroy()
    const outside = connect(port, host)
    join(inside, outside)
    join(outside, inside)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const cut = async (): Promise<void> => {
    isCut = true
    for (const socket of sockets) socket.destroy()
  }
  return {
    port: (server.address() as AddressInfo).port,
    cut,
    async repair() {
      isCut = false
    },
    async close() {
      await cut()
      const closed = once(server, 'close')
      server.close()
      await closed
    },
  }
}
