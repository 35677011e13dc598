/**
 * `node lab/bench/console_rows.ts [rows] [seconds]`: a reader presses "Show more" in the console's list until it ends or the
 * time is over, while one more transaction is opened every 200 ms. Prints the rows that were read, and the time of a press.
 */
import { setTimeout } from 'node:timers/promises'
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

let opened = 0
const traffic = setInterval(() => void rig.open().then(() => opened++), 200)
const began = performance.now()

/** Presses in the page itself, as asking it from outside takes its time. A press ends when the rows have been painted. */
const reading = `new Promise(done => {
  const times = []
  const list = document.querySelector('.list')
  const [button, shown] = ['button', 'p'].map(name => list.querySelector('footer ' + name))
  // Counting the rows themselves, or a search below them, would take longer with each press.
  const count = () => Number.parseInt(shown.textContent)
  let pressed = null
  const finish = () => {
    observer.disconnect()
    done({ times, ids: [...list.querySelectorAll('tbody tr')].map(row => row.dataset.id) })
  }
  const look = () => {
    if (pressed !== null && (count() >= pressed.rows + 25 || button.hidden)) {
      const { at } = pressed
      pressed = null
      requestAnimationFrame(() => setTimeout(() => {
        times.push(performance.now() - at)
        look()
      }))
    } else if (button.hidden || performance.now() > ${limitMs}) finish()
    else if (pressed === null && !button.disabled) {
      pressed = { at: performance.now(), rows: count() }
      button.click()
    }
  }
  const observer = new MutationObserver(look)
  observer.observe(list, { subtree: true, childList: true, attributes: true, attributeFilter: ['disabled', 'hidden'] })
  look()
})`
await page.evaluate(`void ${reading}.then(read => { globalThis.read = read })`)
while (!(await page.evaluate('"read" in globalThis'))) await setTimeout(1000)
const { times, ids } = (await page.evaluate('globalThis.read')) as { readonly times: number[]; readonly ids: string[] }
clearInterval(traffic)
console.log(`${ids.length} rows read, ${new Set(ids).size} of them different; ${opened} arrived meanwhile`)
console.log(
  `${times.length} presses in ${Math.round((performance.now() - began) / 1000)} s; median ${median(times).toFixed(0)} ms, of the last ten ${median(times.slice(-10)).toFixed(0)} ms`,
)
for (let from = 0; from < times.length; from += 40)
  console.log(
    `presses ${from + 1} to ${Math.min(times.length, from + 40)}: median ${median(times.slice(from, from + 40)).toFixed(0)} ms`,
  )
await browser.close()
await rig.close()
