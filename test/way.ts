import { once } from 'node:events'
import { connect, createServer, type Server, type Socket } from 'node:net'
import type { MysqlAddress } from '../src/store/mysql.ts'

/** The way to a database server, which can be cut and mended. */
export interface Way {
  readonly port: number
  cut(): Promise<void>
  mend(): Promise<void>
  close(): Promise<void>
}

/** Opens a way on a free port of its own, which it keeps over a cut. */
export const openWay = async ({ host, port }: MysqlAddress): Promise<Way> => {
  const sockets = new Set<Socket>()
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
    const outside = connect(port, host)
    join(inside, outside)
    join(outside, inside)
  })
  const listen = async (at: number): Promise<number> => {
    server.listen(at, '127.0.0.1')
    await once(server, 'listening')
    const address = server.address()
    return typeof address === 'object' && address !== null ? address.port : 0
  }
  const cut = async (): Promise<void> => {
    if (!server.listening) return
    const closed = once(server, 'close')
    server.close()
    for (const socket of sockets) socket.destroy()
    await closed
  }
  const own_port = await listen(0)
  return { port: own_port, cut, mend: async () => void (await listen(own_port)), close: cut }
}
