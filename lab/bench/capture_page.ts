/**
 * The capture page on a phone with a quarter of this core and a slow network (Chromium's "Fast 3G"): when something is
 * painted, when there is something to read, when the person can read the first screen, and what was sent until then. Over
 * HTTP/1.1, and over HTTP/2 as a proxy speaks it. No round has anything in its cache.
 *
 *     node lab/bench/capture_page.ts [rounds, 5 by default]
 */
import { PredefinedNetworkConditions } from 'puppeteer-core'
import { launchChromium } from '../../test/chromium.ts'
import { sqlite } from '../../test/database.ts'
import { openRig } from '../../test/service/rig.ts'
import { openHttp2Front } from './http2_front.ts'
import { machine, median, table } from './measure.ts'

const rounds = Number(process.argv[2] ?? 5)

const rig = await openRig(sqlite)
const front = await openHttp2Front(rig.node().url)
const browser = await launchChromium([], { acceptInsecureCerts: true })

const figures = `(() => {
  const sent = [...performance.getEntriesByType('navigation'), ...performance.getEntriesByType('resource')]
  const timeOf = name => performance.getEntriesByName(name)[0].startTime
  return {
    paint: timeOf('first-paint'),
    text: timeOf('first-contentful-paint'),
    shown: performance.now(),
    bytes: sent.reduce((sum, { transferSize }) => sum + transferSize, 0),
    requests: sent.length,
    protocol: sent[0].nextHopProtocol,
  }
})()`

const columns = ['paint', 'text', 'shown', 'bytes', 'requests'] as const
type Round = Readonly<Record<(typeof columns)[number], number>> & { readonly protocol: string }

async function visit(service: string, isThrottled: boolean): Promise<Round> {
  const { sdk_token } = await rig.open()
  const context = await browser.createBrowserContext()
  const page = await context.newPage()
  await page.setViewport({ width: 390, height: 844, isMobile: true, hasTouch: true, deviceScaleFactor: 2 })
  if (isThrottled) {
    await page.emulateCPUThrottling(4)
    await page.emulateNetworkConditions(PredefinedNetworkConditions['Fast 3G'])
  }
  await page.goto(`${service}/verify#${sdk_token}`)
  await page.waitForSelector('main.consent')
  const round = (await page.evaluate(figures)) as Round
  await context.close()
  return round
}

const looks = {
  'as it is': () => visit(rig.node().url, false),
  'slow phone, HTTP/1.1': () => visit(rig.node().url, true),
  'slow phone, HTTP/2': () => visit(front.url, true),
} as const

for (const look of Object.values(looks)) await look()
const measured = Object.entries(looks).map(([name, look]) => ({ name, look, visits: [] as Round[] }))
for (let n = 0; n < rounds; n++) for (const { look, visits } of measured) visits.push(await look())
await browser.close()
await front.close()
await rig.close()

console.log(`${machine()}; ${rounds} rounds, medians`)
console.log(
  table([
    ['', 'protocol', 'first paint, ms', 'first text, ms', 'first screen, ms', 'bytes', 'requests'],
    ...measured.map(({ name, visits }) => [
      name,
      visits[0]?.protocol ?? '',
      ...columns.map(key => median(visits.map(one => one[key])).toFixed(0)),
    ]),
  ]),
)
