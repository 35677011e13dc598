/**
 * How long the pages of the API's reference are, in screens of 800 pixels: `node bench/reference_screens.ts URL`, with
 * the address of a running service.
 */
import { launchChromium } from '../test/chromium.ts'
import { table } from './measure.ts'

const [url = 'http://127.0.0.1:3000'] = process.argv.slice(2)
const screen = 800
const pages = [
  '',
  '/reference/transactions',
  '/reference/webhooks',
  '/reference/device',
  '/reference/errors',
  '/reference/shapes',
]

const browser = await launchChromium()
const page = await browser.newPage()

async function countScreens(path: string, width: number): Promise<string> {
  await page.setViewport({ width, height: screen })
  const answer = await page.goto(`${url}/docs${path}`)
  if (answer?.status() !== 200) throw new Error(`${path}: ${answer?.status()}`)
  return (Number(await page.evaluate('document.documentElement.scrollHeight')) / screen).toFixed(1)
}

const rows = [['page', '1280 pixels wide', '360 pixels wide']]
for (const path of pages) rows.push([`/docs${path}`, await countScreens(path, 1280), await countScreens(path, 360)])
await browser.close()
console.log(table(rows))
