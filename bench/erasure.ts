/**
 * What erasing a customer costs everybody else: `node bench/erasure.ts [TRANSACTIONS] [SQLite|MariaDB]`. The longest
 * that the node's event loop stands still meanwhile, the longest that another's call takes, and how long it lasts.
 */
import { setTimeout as pause } from 'node:timers/promises'
import { kyc } from '../test/service/client.ts'
import { startLoadedService } from './load.ts'
import { machine, median } from './measure.ts'

const count = Number(process.argv[2] ?? 12_000)
const service = await startLoadedService(process.argv[3] ?? 'SQLite')
const [account, other] = service.accounts

/** Another's writes until `over`: those meet the erasure's commits. */
async function othersUntil(over: () => boolean): Promise<number[]> {
  const delays: number[] = []
  while (!over()) {
    const began = performance.now()
    await (
      await service.call('POST', `${kyc}/customer`, other.token, { external_customer_id: crypto.randomUUID() })
    ).text()
    delays.push(performance.now() - began)
    await pause(20)
  }
  return delays
}

function described(delays: readonly number[]): string {
  return `${median(delays).toFixed(0)} ms, ${Math.max(...delays).toFixed(0)} at most`
}

async function watching(what: string, work: () => Promise<unknown>): Promise<void> {
  await service.program.ask('watch')
  const began = performance.now()
  let over = false
  const others = othersUntil(() => over)
  const result = await work()
  over = true
  const took = performance.now() - began
  const delays = await others
  const { stall_ms, usual_ms } = await service.program.ask<{ stall_ms: number; usual_ms: number }>('watched')
  console.log(
    `${what}: ${(took / 1000).toFixed(1)} s, longest stall ${stall_ms.toFixed(0)} ms, of a thousand the second ${usual_ms.toFixed(0)}; another's call ${described(delays)}${result}`,
  )
}

try {
  console.log(machine())
  const { customer_id } = await service.program.ask<{ customer_id: string }>('seed', { ...account, count })
  await watching('quiet', async () => {
    await pause(5000)
    return ''
  })
  await watching(`a customer with ${count} transactions is erased`, async () => {
    const erased = await service.call('DELETE', `${kyc}/customer/${customer_id}`, account.token)
    return `\n${erased.status} ${await erased.text()}`
  })
} finally {
  await service.end()
}
