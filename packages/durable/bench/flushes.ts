/**
 * `node packages/durable/bench/flushes.ts [ORDERS [ROUNDS]]`: durable steps for each flush of the disk, and CPU
 * microseconds for each step, with 1, 16 and 256 orders at once. The disk's own limit stands beside it: a loop that appends
 * a page to a file and flushes it (fsync), in the same folder and in turns. SQLite flushes its log once a COMMIT; the
 * copies of the log into the file, every 8,000 pages, are not counted.
 */
import { closeSync, fsyncSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describeMachine, openShop, payAll, spread } from './shop.ts'

const [orders = 2000, rounds = 5] = process.argv.slice(2).map(Number)
const stepsOfOrder = 3
const folder = mkdtempSync(join(tmpdir(), 'flushes-'))

/** Flushes a second of a loop that does nothing else. */
function flushDisk(): number {
  const file = openSync(join(folder, 'pages'), 'a')
  const page = Buffer.alloc(4096, 1)
  const begun = performance.now()
  let flushes = 0
  for (; performance.now() - begun < 500; flushes++) {
    writeSync(file, page)
    fsyncSync(file)
  }
  closeSync(file)
  return (flushes * 1000) / (performance.now() - begun)
}

interface Measured {
  readonly stepsASecond: number
  readonly stepsAFlush: number
  readonly ofLimit: number
  readonly cpuUsAStep: number
}

async function openLevel(atOnce: number) {
  let flushes = 0
  const shop = await openShop(join(folder, `${atOnce}.sqlite`), atOnce, point => {
    if (point === 'commit.durable') flushes++
  })
  return {
    atOnce,
    measured: [] as Measured[],
    close: shop.close,
    async measure(limit: number): Promise<Measured> {
      const before = flushes
      const steps = orders * stepsOfOrder
      const { ms, cpuUs } = await payAll(shop, orders, atOnce)
      const made = flushes - before
      return {
        stepsASecond: (steps * 1000) / ms,
        stepsAFlush: steps / made,
        ofLimit: (100 * ((made * 1000) / ms)) / limit,
        cpuUsAStep: cpuUs / steps,
      }
    },
  }
}

const levels = await Promise.all([1, 16, 256].map(openLevel))
const limits: number[] = []
try {
  for (let round = 0; round < rounds; round++)
    for (const level of levels) {
      const limit = flushDisk()
      limits.push(limit)
      level.measured.push(await level.measure(limit))
    }
} finally {
  for (const { close } of levels) await close()
  rmSync(folder, { recursive: true })
}
console.log(`${describeMachine()}; ${rounds} rounds of ${orders} orders, median (least–most)`)
console.log(`the disk alone: ${spread(limits, 0)} flushes a second\n`)
console.log('| orders at once | steps a second | steps a flush | % of the disk’s flushes | CPU µs a step |')
console.log('| - | - | - | - | - |')
for (const { atOnce, measured } of levels)
  console.log(
    `| ${atOnce} | ${[
      spread(
        measured.map(({ stepsASecond }) => stepsASecond),
        0,
      ),
      spread(
        measured.map(({ stepsAFlush }) => stepsAFlush),
        1,
      ),
      spread(
        measured.map(({ ofLimit }) => ofLimit),
        0,
      ),
      spread(
        measured.map(({ cpuUsAStep }) => cpuUsAStep),
        0,
      ),
    ].join(' | ')} |`,
  )
