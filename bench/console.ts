/**
 * From a commit to the eye in the console: `node bench/console.ts`. A device takes and drops its selfie; Chromium
 * shows the transaction, and its chart lights the state. The clock starts at the commit and stops when the frame with the
 * lit state was painted.
 */

import { commandLine } from '../src/identity/operators/audit.ts'
import { createOperator } from '../src/identity/operators/operators.ts'
import { browserTimeout, launchChromium } from '../test/chromium.ts'
import { openOperated } from '../test/console/service.ts'
import { oneDialect } from '../test/database.ts'
import { codeAt } from '../test/identity/operators/rig.ts'
import { picture } from '../test/service/client.ts'
import { machine, median, table } from './measure.ts'

const rounds = 12
const [engine] = oneDialect
if (engine === undefined) throw new Error('no database')
const { rig } = await openOperated(engine)
const { id, phone } = await rig.open()
await phone.start()

const operator = await createOperator(rig.node().service, { name: 'ada', role: 'viewer' }, commandLine)
const browser = await launchChromium()
const page = await browser.newPage()
page.setDefaultTimeout(browserTimeout)
await page.goto(`${rig.node().url}/console/transactions/${id}`)
await page.waitForSelector('[name=code]')
await page.type('[name=name]', 'ada')
await page.type('[name=password]', operator.password)
await page.type('[name=code]', codeAt(rig.clock.now(), operator.totp.secret))
await page.keyboard.press('Enter')
await page.waitForSelector('.chart-box .active')
await page.waitForSelector('#live.live')
/** When the frame after the lit states changed was painted, each time: kept in the page. */
await page.evaluate(`window.paintedAt = []
new MutationObserver(() => {
  requestAnimationFrame(() => setTimeout(() => paintedAt.push(performance.timeOrigin + performance.now())))
}).observe(document.querySelector('.chart-box [data-state="open.INITIATED.selfie.captured"]'), { attributeFilter: ['class'] })`)

function now(): number {
  return performance.timeOrigin + performance.now()
}

/** The host calls at once after the commit: before the device has its answer, and before the console is sent anything. */
let committedAt = 0
rig.node().service.host.subscribe(actor => {
  if (actor.id === id) committedAt = now()
})
const image = await picture(7)
const lags: number[] = []
for (let round = 0; round < rounds; round++) {
  const before = Number(await page.evaluate('paintedAt.length'))
  const { status } = round % 2 === 0 ? await phone.upload('selfie', image) : await phone.drop('selfie')
  if (status >= 300) throw new Error(`answered ${status}`)
  await page.waitForFunction(`paintedAt.length > ${before}`, { polling: 5 })
  lags.push(Number(await page.evaluate('paintedAt.at(-1)')) - committedAt)
}
console.log(machine())
console.log(
  table([
    ['from the commit to the pixel, ms', 'median', 'longest'],
    ['lit state in the console', median(lags).toFixed(0), Math.max(...lags).toFixed(0)],
  ]),
)
await browser.close()
await rig.close()
process.exit(0)
