import { randomUUID } from 'node:crypto'
import { cpus, loadavg } from 'node:os'
import { createChargeHandler, order, schema } from '../example/orders.ts'
import { type CrashHook, machineClock as clock, createHost, migrate, openStore, startWorker } from '../index.ts'

/** The input of each order. */
export const input = { amountCents: 1200, paymentTimeoutMs: 60_000 }

/** A way to run orders. */
export interface Way {
  /** Places one, and resolves when it is paid. */
  pay(): Promise<void>
  close(): Promise<void>
}

/** This package on a file, with so many charges at once. An order is three steps: placed, charging, paid. */
export async function openShop(file: string, slots: number, crashHook?: CrashHook): Promise<Way> {
  const address = { dialect: 'sqlite', file } as const
  await migrate(address, schema)
  const store = await openStore(address, 1, crashHook && { crashHook })
  const host = createHost(store, clock)
  const ended = new Map<string, () => void>()
  host.subscribe(({ id, status }) => {
    if (status === 'PAID') ended.get(id)?.()
  })
  const handlers = [{ ...createChargeHandler(async () => 'receipt-1'), slots: () => slots }]
  const deps = { store, host, clock, log: console, definitions: [order], handlers }
  const worker = startWorker({ ...deps, leaseMs: 3000, pollMs: 1000 })
  return {
    async pay() {
      const id = randomUUID()
      const { promise, resolve } = Promise.withResolvers<void>()
      ended.set(id, resolve)
      await host.create(order, { id, account_id: 'shop', input, columns: { customer: 'Ada' } })
      await host.send(order, id, { type: 'PAY', card: 'card-1' })
      await promise
      ended.delete(id)
    },
    async close() {
      await worker.stop(Promise.resolve())
      await store.close()
    },
  }
}

/** Pays orders, so many at once. Returns the milliseconds that all took, and the CPU microseconds. */
export async function payAll(
  { pay }: Way,
  orders: number,
  atOnce: number,
): Promise<{ readonly ms: number; readonly cpuUs: number }> {
  const cpu = process.cpuUsage()
  const begun = performance.now()
  let left = orders
  const payOneByOne = async (): Promise<void> => {
    while (left-- > 0) await pay()
  }
  await Promise.all(Array.from({ length: atOnce }, payOneByOne))
  const { user, system } = process.cpuUsage(cpu)
  return { ms: performance.now() - begun, cpuUs: user + system }
}

/** Returns the median, and the least and the most. */
export function spread(values: readonly number[], digits: number): string {
  const sorted = [...values].sort((one, other) => one - other)
  const [least = 0, middle = 0, most = 0] = [0, Math.floor(sorted.length / 2), sorted.length - 1].map(at => sorted[at])
  return `${middle.toFixed(digits)} (${least.toFixed(digits)}–${most.toFixed(digits)})`
}

export function describeMachine(): string {
  return `${cpus().length} × ${cpus()[0]?.model}, Node ${process.version}, load ${loadavg()[0]?.toFixed(1)}`
}
