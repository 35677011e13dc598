import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import test, { type ExecutionContext } from 'ava'
import type { Browser, Frame, Page } from 'puppeteer-core'
import { captureScriptIntegrity, readCaptureScript } from '../../../src/pages/embed/script.ts'
import {
  browserTest,
  cameraTest,
  closeBrowser,
  findViolations,
  openBrowser,
  openPage,
  serialBrowserTest,
} from '../../browser.ts'
import { fullChromiumPath, launchChromium } from '../../chromium.ts'
import { sqlite } from '../../database.ts'
import { allowEveryPage } from '../../fake_camera.ts'
import { type Opened, openRig, type Rig } from '../../service/rig.ts'
import { sharpPicture } from '../capture/pictures.ts'
import { createReader, polling, type Reader } from '../capture/reader.ts'

/** The integrator's page, on another site than the service. It keeps the events that it hears. */
const site = createServer((request, response) => {
  const service = rig.node().url
  const [path, fragment = ''] = (request.url ?? '').split('?')
  const verify_url = `${service}/${decodeURIComponent(fragment)}`
  const bodies: Readonly<Record<string, string>> = {
    '/dialog': '<button id="open">Verify</button>',
    '/element': `<attestor-capture style="height:700px" verify-url="${verify_url}"></attestor-capture>`,
    '/plain': `<iframe title="Verification" src="${verify_url}" width="400" height="700"></iframe>`,
  }
  response.writeHead(200, { 'Content-Type': 'text/html; charset=utf-8' }).end(`<!doctype html>
    <html lang="en"><meta name="viewport" content="width=device-width"><title>Shop</title><main><h1>Shop</h1>${bodies[path ?? ''] ?? ''}</main>
    <script src="${service}/capture.js" integrity="${captureScriptIntegrity()}" crossorigin></script>
    <script>
      window.heard = []
      const on = event => heard.push(event)
      document.querySelector('#open')?.addEventListener('click', () => Attestor.open({ verify_url: '${verify_url}', on }))
      for (const type of ['ready', 'step', 'submitted', 'finished', 'stopped', 'error', 'leave'])
        document.querySelector('attestor-capture')?.addEventListener(type, ({ detail }) => on({ type, ...detail }))
      const frame = document.querySelector('main > iframe')
      addEventListener('message', ({ source, data }) => frame && source === frame.contentWindow && on(data))
      if (frame) frame.addEventListener('load', () => frame.contentWindow.postMessage({ attestor: 1, type: 'hello' }, '${service}'))
    </script></html>`)
})

let rig: Rig
let origin: string
test.before(async () => {
  await new Promise<void>(resolve => site.listen(0, '127.0.0.1', resolve))
  origin = `http://localhost:${(site.address() as AddressInfo).port}`
  rig = await openRig(sqlite, { EMBED_ORIGINS: origin })
})
test.after.always(async () => {
  await closeBrowser()
  await rig.close()
  site.close()
})

async function openTransaction(config: object = {}): Promise<Opened> {
  return rig.open({ embed_origins: [origin], ...config })
}

interface Look {
  readonly narrow?: boolean
  readonly browser?: Browser
}

async function visitSite(
  t: ExecutionContext,
  path: string,
  { id, sdk_token }: Opened,
  { narrow = false, browser }: Look = {},
) {
  const page = await openPage(t, browser ?? (await openBrowser()), 'about:blank')
  await page.setViewport(
    narrow ? { width: 390, height: 844, isMobile: true, hasTouch: true } : { width: 1280, height: 900 },
  )
  await page.evaluateOnNewDocument(`Object.defineProperty(navigator, 'languages', { get: () => ['en'] })`)
  await page.goto(`${origin}${path}?${encodeURIComponent(`verify-${id}#${sdk_token}`)}`)
  return page
}

async function findFrame(page: Page): Promise<Frame> {
  const element = await page.waitForSelector('iframe')
  const frame = await element?.contentFrame()
  if (!frame) throw new Error('there is no frame')
  return frame
}

/** Reads the page in the frame as a person does. */
function readerOf(frame: Frame) {
  return createReader(frame as unknown as Page)
}

async function hears(page: Page, count: number): Promise<unknown> {
  await page.waitForFunction(`heard.length >= ${count}`, { polling })
  return page.evaluate('heard')
}

/** Chromium emulates no finger in a frame of another process, so that the page takes it for a computer's. */
async function passDesktop(reader: Reader): Promise<void> {
  await reader.presses('Use this computer')
}

async function openDialog(t: ExecutionContext, opened: Opened, look: Look = {}) {
  const page = await visitSite(t, '/dialog', opened, look)
  await page.click('#open')
  const frame = await findFrame(page)
  const reader = readerOf(frame)
  await passDesktop(reader)
  return { page, frame, reader }
}

async function choose(frame: Frame): Promise<void> {
  const picture = [...(await sharpPicture())]
  await frame.waitForSelector('input[type=file]')
  // Puppeteer's own upload knows no frames of other processes.
  await frame.evaluate(`{
    const input = document.querySelector('input[type=file]')
    const files = new DataTransfer()
    files.items.add(new File([new Uint8Array(${JSON.stringify(picture)})], 'photo.jpg'))
    input.files = files.files
    input.dispatchEvent(new Event('change'))
  }`)
}

test('nobody may frame the page but the origins of its transaction, while the operator allows them', async t => {
  const policyOf = async (path: string) => {
    const { headers, status } = await fetch(`${rig.node().url}${path}`)
    t.is(status, 200)
    const [, ancestors] = /frame-ancestors (.*)$/.exec(headers.get('content-security-policy') ?? '') ?? []
    return [ancestors, headers.get('x-frame-options'), headers.get('cross-origin-resource-policy')]
  }
  const closed = ["'none'", 'DENY', 'same-origin']
  const { id } = await openTransaction()
  t.deepEqual(await policyOf(`/verify-${id}`), [origin, null, 'cross-origin'])
  t.deepEqual(await policyOf('/verify'), closed)
  const plain = await rig.open()
  t.deepEqual(await policyOf(`/verify-${plain.id}`), closed)
  t.deepEqual(await policyOf('/verify-0198a1c0-7e5a-7c3e-9f00-0123456789ab'), closed)
  for (const [path, status] of [
    [`/verify-${id}/`, 308],
    [`/verify-${id}?token=x`, 200],
  ] as const) {
    const answer = await fetch(`${rig.node().url}${path}`, { redirect: 'manual' })
    await answer.arrayBuffer()
    t.is(answer.status, status, path)
  }
})

test('the script is small, is for every site, and is what its hash says', async t => {
  const response = await fetch(`${rig.node().url}/capture.js`)
  const text = await response.text()
  t.is(text, readCaptureScript())
  t.true(text.length < 6000, String(text.length))
  t.is(response.headers.get('content-type'), 'text/javascript; charset=utf-8')
  t.is(response.headers.get('access-control-allow-origin'), '*')
  t.is(response.headers.get('cross-origin-resource-policy'), 'cross-origin')
})

for (const narrow of [false, true])
  serialBrowserTest(
    `In a dialog ${narrow ? 'that fills a phone' : 'over a large page'} a person is led to the end; the site learns where they are, and no reason`,
    async t => {
      const opened = await openTransaction({ device_policy: { on_gps_ip_location_mismatch: 'REJECT' } })
      const { page, frame, reader } = await openDialog(t, opened, { narrow })
      // As the site's permission: a frame's is its parent's, where `allow` names it.
      await page.browserContext().overridePermissions(origin, ['geolocation'])
      await page.setGeolocation({ latitude: 59.3, longitude: 18.1 })
      await reader.sees('CONSENT')
      t.deepEqual(await findViolations(page), [])
      const sizes = await page.$eval('iframe', one => [one.clientWidth, one.clientHeight])
      t.deepEqual(sizes, narrow ? [390, 844] : [480, 800])
      t.is(await page.evaluate('document.activeElement.tagName'), 'IFRAME')
      await reader.presses('I agree, start')
      await reader.presses('Passport')
      await choose(frame)
      await reader.reads('h1', 'Take a picture of your face')
      await choose(frame)
      await reader.sees('EXPLAIN_LIVENESS')
      await reader.presses('Start')
      await reader.presses('Go on with photos')
      for (let n = 1; n <= 4; n++) {
        await reader.reads('.progress', `Movement ${n} of 4`)
        await choose(frame)
      }
      await reader.sees('RESULT')
      await reader.presses('Back to Attestor')
      await page.waitForFunction(`document.querySelector('dialog') === null`, { polling })
      t.is(await page.evaluate('document.activeElement.id'), 'open', 'the focus is given back')
      t.deepEqual(await hears(page, 7), [
        { type: 'ready' },
        { type: 'step', step: 'document_front' },
        { type: 'step', step: 'selfie' },
        { type: 'step', step: 'liveness' },
        { type: 'error', code: 'camera_missing' },
        { type: 'submitted' },
        { type: 'finished', status: 'FINISHED' },
      ])
      t.false(JSON.stringify(await page.evaluate('history.state')).includes('attestor'))
      const { metadata } = (await rig.view(opened.id)).result_data as { metadata: object }
      t.like(metadata, { geolocation: { latitude: 59.3, longitude: 18.1 } })
    },
  )

serialBrowserTest(
  'Escape asks, in the page and around it, and stopping is for good only where the person says so',
  async t => {
    const { page, frame, reader } = await openDialog(t, await openTransaction(), { narrow: true })
    await reader.sees('CONSENT')
    await page.keyboard.press('Escape')
    await reader.sees('CONFIRM_STOP')
    await page.keyboard.press('Escape')
    await reader.sees('CHOOSE_DEVICE')
    await page.evaluate(`document.querySelector('dialog').dispatchEvent(new Event('cancel', { cancelable: true }))`)
    await reader.sees('CONFIRM_STOP')
    await reader.presses('Stop for good')
    await reader.sees('CANCELLED')
    // The page around removes the frame: Chromium never answers for a key that is released in a frame that has gone.
    await frame.evaluate(`setTimeout(() => dispatchEvent(new KeyboardEvent('keydown', { key: 'Escape' })))`)
    await page.waitForFunction(`document.querySelector('dialog') === null`, { polling })
    t.deepEqual(await hears(page, 2), [{ type: 'ready' }, { type: 'stopped' }])
  },
)

serialBrowserTest('A phone’s back button closes the dialog, and the same link opens it again', async t => {
  const opened = await openTransaction()
  const { page, reader } = await openDialog(t, opened, { narrow: true })
  await reader.sees('CONSENT')
  await page.evaluate('history.back()')
  await page.waitForFunction(`document.querySelector('dialog') === null`, { polling })
  t.deepEqual(await hears(page, 2), [{ type: 'ready' }, { type: 'stopped' }])
  t.is((await rig.view(opened.id)).status, 'CREATED')
  await page.click('#open')
  await readerOf(await findFrame(page)).sees('CHOOSE_DEVICE')
})

serialBrowserTest('In a place of the page the element leads a person, and its events are of its own', async t => {
  const page = await visitSite(t, '/element', await openTransaction(), { narrow: true })
  const reader = readerOf(await findFrame(page))
  await passDesktop(reader)
  await reader.presses('I agree, start')
  await reader.presses('Passport')
  await reader.sees('EXPLAIN_PICTURE')
  t.deepEqual(await hears(page, 2), [{ type: 'ready' }, { type: 'step', step: 'document_front' }])
  t.deepEqual(await findViolations(page), [])
  // What another window says is nobody's.
  await page.evaluate(`postMessage({ attestor: 1, type: 'finished', status: 'FINISHED' }, '*')`)
  await page.evaluate(`document.querySelector('attestor-capture').remove()`)
  t.is(await page.$('iframe'), null)
  t.deepEqual(await page.evaluate('heard.length'), 2)
})

browserTest('An origin that the transaction does not name sees no page, and its developer learns why', async t => {
  const opened = await rig.open()
  const page = await (await (await openBrowser()).createBrowserContext()).newPage()
  t.teardown(() => page.browserContext().close())
  const written: string[] = []
  page.on('console', message => written.push(message.text()))
  // The twenty seconds of silence are over at once.
  await page.evaluateOnNewDocument(`{ const late = setTimeout; window.setTimeout = (run, ms) => late(run, ms / 50) }`)
  await page.goto(`${origin}/dialog?${encodeURIComponent(`verify-${opened.id}#${opened.sdk_token}`)}`)
  await page.click('#open')
  t.deepEqual(await hears(page, 1), [{ type: 'error', code: 'not_loaded' }])
  t.true(
    written.some(line => line.includes('EMBED_ORIGINS')),
    written.join('\n'),
  )
  t.not(await page.evaluate('document.activeElement.tagName'), 'IFRAME')
  await page.keyboard.press('Escape')
  await page.waitForFunction(`document.querySelector('dialog') === null`, { polling })
})

async function openCameraBrowser(t: ExecutionContext): Promise<Browser> {
  const browser = await launchChromium(['--use-fake-device-for-media-stream', allowEveryPage], {
    executablePath: fullChromiumPath ?? '',
  })
  t.teardown(() => browser.close())
  return browser
}

const filming = `document.querySelector('video')?.srcObject?.getVideoTracks()[0]`

cameraTest('The camera films in the frame, at the second step too, and again after it was lost there', async t => {
  const browser = await openCameraBrowser(t)
  const { frame, reader } = await openDialog(t, await openTransaction(), { narrow: true, browser })
  const films = () =>
    frame.waitForFunction(`${filming}?.readyState === 'live' && !document.querySelector('.shutter').disabled`, {
      polling,
    })
  await reader.presses('I agree, start')
  await reader.presses('Passport')
  await reader.presses('Open the camera')
  await films()
  await reader.presses('Back')
  await choose(frame)
  await reader.reads('h1', 'Take a picture of your face')
  await reader.presses('Open the camera')
  await films()
  // Before it looks, the page would open a lost camera once more by itself.
  await reader.reads('.hint', 'Look into the camera')
  await frame.evaluate(`{ const track = ${filming}; track.stop(); track.dispatchEvent(new Event('ended')) }`)
  await reader.sees('NO_CAMERA')
  await reader.presses('Try again')
  await films()
  t.pass()
})

cameraTest(
  'A frame without the camera’s permission tells the developer, and the person goes on with files',
  async t => {
    const browser = await openCameraBrowser(t)
    const opened = await openTransaction()
    const page = await (await browser.createBrowserContext()).newPage()
    await page.evaluateOnNewDocument(`Object.defineProperty(navigator, 'languages', { get: () => ['en'] })`)
    await page.setViewport({ width: 390, height: 844, isMobile: true, hasTouch: true })
    await page.goto(`${origin}/plain?${encodeURIComponent(`verify-${opened.id}#${opened.sdk_token}`)}`)
    const frame = await findFrame(page)
    const reader = readerOf(frame)
    await passDesktop(reader)
    await reader.presses('I agree, start')
    await reader.presses('Passport')
    await reader.presses('Open the camera')
    await reader.sees('NO_CAMERA')
    t.like(await hears(page, 4), [
      { type: 'ready' },
      { code: 'camera_not_allowed' },
      { type: 'step' },
      { code: 'camera_missing' },
    ])
    t.false((await reader.text()).includes('settings'), await reader.text())
  },
)
