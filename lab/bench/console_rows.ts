/**
 * `node lab/bench/console_rows.ts [rows] [seconds]`: a reader presses "Show more" in the console's list until it ends or the
 * time is over, while one more transaction is opened every 200 ms. Prints the rows that were read, and the time of a press.
 */
import { commandLine } from '../../src/identity/operators/audit.ts'
import { createOperator } from '../../src/identity/operators/operators.ts'
import { launchChromium } from '../../test/chromium.ts'
import { insertManyRows } from '../../test/console/many_rows.ts'
import { openOperated } from '../../test/console/service.ts'
import { sqlite } from '../../test/database.ts'
import { codeAt } from '../../test/identity/operators/rig.ts'
import { machine, median } from './measure.ts'

const rows = Number(process.argv[2] ?? '10000')
const limitMs = Number(process.argv[3] ?? '120') * 1000

console.log(machine())
const { rig } = await openOperated(sqlite)
const { service, url } = rig.node()
await insertManyRows(service.store, rows)
const { password, totp } = await createOperator(service, { name: 'joan', role: 'viewer' }, commandLine)
const browser = await launchChromium()
const page = await browser.newPage()
await page.goto(`${url}/console`)
await page.waitForSelector('[name=code]')
await page.type('[name=name]', 'joan')
await page.type('[name=password]', password)
await page.type('[name=code]', codeAt(rig.clock.now(), totp.secret))
await page.keyboard.press('Enter')
await page.waitForSelector('#live.live')
await page.waitForFunction("document.querySelectorAll('#main tbody tr').length === 25")

function count(): Promise<number> {
  return page.$$eval('#main tbody tr', all => all.length)
}
let opened = 0
const traffic = setInterval(() => void rig.open().then(() => opened++), 200)
const times: number[] = []
const began = performance.now()
const more = '.list footer button:not([hidden], [disabled])'
while ((await page.waitForSelector('.list footer')) && performance.now() - began < limitMs) {
  if (await page.$eval('.list footer button', button => button.hasAttribute('hidden'))) break
  const shown = await count()
  const pressed = performance.now()
  await page.waitForSelector(more)
  await page.$eval(more, button => (button as unknown as { click(): void }).click())
  await page.waitForFunction(`document.querySelectorAll('#main tbody tr').length >= ${shown + 25} ||
    document.querySelector('.list footer button').hidden`)
  times.push(performance.now() - pressed)
}
clearInterval(traffic)
const ids = await page.$$eval('#main tbody tr', all => all.map(row => row.getAttribute('data-id')))
console.log(`${ids.length} rows read, ${new Set(ids).size} of them different; ${opened} arrived meanwhile`)
console.log(
  `${times.length} presses in ${Math.round((performance.now() - began) / 1000)} s; median ${median(times).toFixed(0)} ms, of the last ten ${median(times.slice(-10)).toFixed(0)} ms`,
)
await browser.close()
await rig.close()
