import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import test, { type ExecutionContext } from 'ava'
import type { Frame, Page } from 'puppeteer-core'
import sharp from 'sharp'
import { inventPhotographs } from '../../lab/demo/people.ts'
import { createReader } from '../../packages/capture-page/test/reader.ts'
import { browserTest, closeBrowser, openBrowser, openPage } from '../browser.ts'

test.after.always(closeBrowser)

/** Starts the demo. Resolves with the address of its one page once its own verification has ended. */
async function startDemo(t: ExecutionContext): Promise<string> {
  const program = join(import.meta.dirname, '../../lab/demo/main.ts')
  const child = spawn(process.execPath, [program], { stdio: ['ignore', 'pipe', 'inherit'] })
  t.teardown(() => child.kill('SIGINT'))
  let address = ''
  for await (const line of createInterface({ input: child.stdout })) {
    address = /on one page, without a login: (\S+)/.exec(line)?.[1] ?? address
    if (line.startsWith('Your own link is above')) return address
  }
  throw new Error('the demo ended')
}

/** The page's instructions, and the frame that answers each. */
const shown: Readonly<Record<string, string>> = {
  'Turn your head to your left': 'TURN_LEFT',
  'Turn your head to your right': 'TURN_RIGHT',
  'Close both eyes for a moment': 'BLINK',
  'Open your mouth wide': 'OPEN_MOUTH',
  'Look up': 'LOOK_UP',
}

async function frameOf(page: Page, title: string): Promise<Frame> {
  const element = await page.waitForSelector(`iframe[title="${title}"]`)
  const frame = await element?.contentFrame()
  if (!frame) throw new Error(`no frame: ${title}`)
  return frame
}

/** A customer who gives files in place of the camera. */
async function verify(t: ExecutionContext, shop: Frame): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'attestor-frame-'))
  t.teardown(() => rmSync(folder, { recursive: true }))
  const photographs = await inventPhotographs(false)
  // A frame is asked by the same methods as a page.
  const customer = createReader(shop as unknown as Page)
  const choose = async (picture: Uint8Array | undefined): Promise<void> => {
    const path = join(folder, 'photo.jpg')
    // The demo's own customer has sent the same pictures, and nobody's are taken twice.
    writeFileSync(path, await sharp(picture).jpeg({ quality: 94 }).toBuffer())
    const input = await shop.waitForSelector('input[type=file]')
    await (input as unknown as { uploadFile(path: string): Promise<void> }).uploadFile(path)
  }
  await customer.presses('Verify yourself')
  await shop.waitForFunction("location.pathname.endsWith('/verify')")
  await customer.presses('Use this computer', 'I agree, start', 'Passport')
  await customer.reads('h1', 'Photograph your passport')
  await choose(photographs.document_front)
  await customer.reads('h1', 'Take a picture of your face')
  await choose(photographs.selfie)
  await customer.presses('Start', 'Go on with photos')
  for (let n = 1; n <= 4; n++) {
    await customer.reads('.progress', `Movement ${n} of 4`)
    const asked = await shop.$eval('h1', h1 => h1.textContent ?? '')
    await choose(photographs.frames[shown[asked] ?? ''])
  }
  await customer.sees('RESULT')
  t.true((await customer.text()).includes('Your identity is confirmed.'))
}

browserTest(
  'Within the demo’s one page a customer is verified by the real models, and the shop and the console show it',
  async t => {
    const address = await startDemo(t)
    const page = await openPage(t, await openBrowser(), address)
    const shop = await frameOf(page, 'Your shop, and its customer')
    const console = await frameOf(page, 'Your console')
    const charts = await frameOf(page, 'The chart of a transaction')
    for (const frame of [console, charts])
      t.true(await frame.evaluate('innerWidth >= 1280'), 'rows are in sight, and the chart beside its list')
    const approved =
      "[...document.querySelectorAll('#main tbody .badge')].filter(one => one.textContent === 'Approved').length"
    await console.waitForFunction(`${approved} === 1`)
    await verify(t, shop)
    await console.waitForFunction(`${approved} === 2`)
    await charts.waitForFunction(
      "[...document.querySelectorAll('[aria-label=Transactions] .badge')].filter(one => one.textContent === 'Finished').length === 2",
    )
    const welcomed = async (): Promise<void> => {
      const back = await frameOf(page, 'Your shop, and its customer')
      await back.waitForFunction("document.body.innerText.includes('You are verified. Welcome!')")
    }
    // The shop is of another process than the service: the frame that waited may be gone.
    await welcomed().catch(welcomed)
    if (process.env.SCREENSHOTS) await page.screenshot({ path: `${process.env.SCREENSHOTS}/side_by_side.png` })
  },
)
