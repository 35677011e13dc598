/**
 * The capture page on a phone with a quarter of this core and a slow network (Chromium's "Fast 3G"): when something is
 * painted, when the person can read the first screen, and what was sent until then. No round has anything in its cache.
 *
 *     node test/bench/capture_page.ts [rounds, 5 by default]
 */
import puppeteer, { PredefinedNetworkConditions } from 'puppeteer-core'
import { chromiumPath } from '../chromium.ts'
import { databases } from '../database.ts'
import { openRig } from '../service/rig.ts'
import { machine, median, table } from './measure.ts'

const rounds = Number(process.argv[2] ?? 5)
const [engine] = databases
if (engine === undefined || chromiumPath === null) throw new Error('no database, or no Chromium')

const rig = await openRig(engine)
const browser = await puppeteer.launch({ executablePath: chromiumPath, args: ['--no-sandbox', '--disable-gpu'] })

interface Round {
  readonly paint: number
  readonly shown: number
  readonly bytes: number
  readonly requests: number
}

const figures = `(() => {
  const sent = [...performance.getEntriesByType('navigation'), ...performance.getEntriesByType('resource')]
  return {
    paint: performance.getEntriesByName('first-paint')[0].startTime,
    shown: performance.now(),
    bytes: sent.reduce((sum, { transferSize }) => sum + transferSize, 0),
    requests: sent.length,
  }
})()`

const visit = async (isThrottled: boolean): Promise<Round> => {
  const { sdk_token } = await rig.open()
  const context = await browser.createBrowserContext()
  const page = await context.newPage()
  await page.setViewport({ width: 390, height: 844, isMobile: true, hasTouch: true, deviceScaleFactor: 2 })
  if (isThrottled) {
    await page.emulateCPUThrottling(4)
    await page.emulateNetworkConditions(PredefinedNetworkConditions['Fast 3G'])
  }
  await page.goto(`${rig.node().url}/verify#${sdk_token}`)
  await page.waitForSelector('main.consent')
  const round = (await page.evaluate(figures)) as Round
  await context.close()
  return round
}

await visit(false)
const measured: Record<'as it is' | 'throttled', Round[]> = { 'as it is': [], throttled: [] }
for (let n = 0; n < rounds; n++) {
  measured['as it is'].push(await visit(false))
  measured.throttled.push(await visit(true))
}
await browser.close()
await rig.close()

const row = (name: keyof typeof measured): string[] => [
  name,
  ...(['paint', 'shown', 'bytes', 'requests'] as const).map(key =>
    median(measured[name].map(one => one[key])).toFixed(0),
  ),
]
console.log(`${machine()}; ${rounds} rounds, medians`)
console.log(
  table([['', 'first paint, ms', 'first screen, ms', 'bytes', 'requests'], row('as it is'), row('throttled')]),
)
