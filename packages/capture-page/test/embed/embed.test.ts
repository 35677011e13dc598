import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import test, { type ExecutionContext } from 'ava'
import type { Browser, CDPSession, Frame, Page } from 'puppeteer-core'
import {
  browserTest,
  cameraTest,
  closeBrowser,
  findViolations,
  openBrowser,
  openPage,
  serialBrowserTest,
  textsOf,
} from '../../../../test/browser.ts'
import { fullChromiumPath, launchChromium } from '../../../../test/chromium.ts'
import { sqlite } from '../../../../test/database.ts'
import { allowEveryPage } from '../../../../test/fake_camera.ts'
import { type Opened, openRig, type Rig } from '../../../../test/service/rig.ts'
import { inLongTier, isLong } from '../../../../test/tier.ts'
import { findAllWell, issueTrusted } from '../../../../test/wallet/wallet_issuers.ts'
import { captureScriptIntegrity, readCaptureScript } from '../../embed/script.ts'
import { sharpPicture } from '../pictures.ts'
import { createReader, polling, type Reader } from '../reader.ts'
import { hearRequests, openVirtualWallet } from '../wallet_person.ts'

/** The integrator's page, on another site than the service. It stores the events that it receives. */
const site = createServer((request, response) => {
  const service = rig.node().url
  const [path, fragment = '', given = '{}'] = (request.url ?? '').split('?')
  const verify_url = `${service}/${decodeURIComponent(fragment)}`
  const bodies: Readonly<Record<string, string>> = {
    '/dialog': '<button id="open">Verify</button>',
    '/element': `<attestor-capture style="height:700px" verify-url="${verify_url}"></attestor-capture>`,
    '/later': '<attestor-capture style="height:700px" verify-url=""></attestor-capture>',
    '/plain': `<iframe title="Verification" src="${verify_url}" width="400" height="700"></iframe>`,
  }
  const headers = JSON.parse(decodeURIComponent(given)) as Record<string, string>
  const script = `<script src="${service}/capture.js" integrity="${captureScriptIntegrity()}" crossorigin></script>`
  // Sites load the script in the head and again with a widget.
  response.writeHead(200, { 'Content-Type': 'text/html; charset=utf-8', ...headers }).end(`<!doctype html>
    <html lang="en"><meta name="viewport" content="width=device-width"><title>Shop</title>${script}<main><h1>Shop</h1>${bodies[path ?? ''] ?? ''}</main>
    ${script}
    <script>
      window.heard = []
      window.verify_url = '${verify_url}'
      const on = event => heard.push(event)
      document.querySelector('#open')?.addEventListener('click', () => Attestor.open({ verify_url: '${verify_url}', on }))
      for (const type of ['ready', 'step', 'submitted', 'finished', 'stopped', 'closed', 'error', 'leave'])
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
  rig = await openRig(sqlite, { EMBED_ORIGINS: origin, CHALLENGE_ACTIONS: '2' })
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
  /** Headers of the site's page. */
  readonly headers?: Readonly<Record<string, string>>
  readonly browser?: Browser
}

async function visitSite(
  t: ExecutionContext,
  path: string,
  { id, sdk_token }: Opened,
  { narrow = false, browser, headers = {} }: Look = {},
) {
  const page = await openPage(t, browser ?? (await openBrowser()), 'about:blank')
  await page.setViewport(
    narrow ? { width: 390, height: 844, isMobile: true, hasTouch: true } : { width: 1280, height: 900 },
  )
  await page.evaluateOnNewDocument(`Object.defineProperty(navigator, 'languages', { get: () => ['en'] })`)
  const query = [`verify-${id}#${sdk_token}`, JSON.stringify(headers)].map(encodeURIComponent).join('?')
  await page.goto(`${origin}${path}?${query}`)
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
  const picture = (await sharpPicture()).toString('base64')
  await frame.waitForSelector('input[type=file]')
  // Puppeteer's own upload knows no frames of other processes.
  await frame.evaluate(`{
    const input = document.querySelector('input[type=file]')
    const files = new DataTransfer()
    files.items.add(new File([Uint8Array.fromBase64('${picture}')], 'photo.jpg'))
    input.files = files.files
    input.dispatchEvent(new Event('change'))
  }`)
}

test('the page can be framed only by the origins of its transaction, while the operator allows them', async t => {
  const policyOf = async (path: string) => {
    const { headers, status } = await fetch(`${rig.node().url}${path}`)
    t.is(status, 200)
    const [, ancestors] = /frame-ancestors (.*)$/.exec(headers.get('content-security-policy') ?? '') ?? []
    const coming = ['x-frame-options', 'cross-origin-resource-policy', 'cross-origin-embedder-policy']
    return [ancestors, ...coming.map(name => headers.get(name))]
  }
  const closed = ["'none'", 'DENY', 'same-origin', null]
  const { id } = await openTransaction()
  t.deepEqual(await policyOf(`/verify-${id}`), [origin, null, 'cross-origin', 'require-corp'])
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
  t.true(text.length < 12_000, String(text.length))
  t.is(response.headers.get('content-type'), 'text/javascript; charset=utf-8')
  t.is(response.headers.get('access-control-allow-origin'), '*')
  t.is(response.headers.get('cross-origin-resource-policy'), 'cross-origin')
})

for (const narrow of isLong ? [false, true] : [true])
  serialBrowserTest(
    `A dialog ${narrow ? 'that fills a phone' : 'over a large page'} leads a person to the end; the site learns where they are, and no reason`,
    async t => {
      const opened = await openTransaction({ device_policy: { on_gps_ip_location_mismatch: 'REJECT' } })
      const { page, frame, reader } = await openDialog(t, opened, { narrow })
      // The permission is set as the site's: a frame has its parent's, if `allow` names it.
      await page.browserContext().overridePermissions(origin, ['geolocation'])
      await page.setGeolocation({ latitude: 59.3, longitude: 18.1 })
      await reader.sees('CONSENT')
      t.deepEqual(await findViolations(page), [])
      const sizes = await page.$eval('iframe', one => [one.clientWidth, one.clientHeight])
      t.deepEqual(sizes, narrow ? [390, 844] : [480, 800])
      t.is(await page.evaluate('document.activeElement.tagName'), 'IFRAME')
      await reader.presses('I agree, start', 'Passport')
      await choose(frame)
      await reader.reads('h1', 'Take a picture of your face')
      await choose(frame)
      await reader.sees('EXPLAIN_LIVENESS')
      await reader.presses('Start', 'Go on with photos')
      for (let n = 1; n <= 2; n++) {
        await reader.reads('.progress', `Movement ${n} of 2`)
        await choose(frame)
      }
      await reader.sees('RESULT')
      await reader.presses('Back to Attestor')
      await page.waitForFunction(`document.querySelector('dialog') === null`, { polling })
      t.is(await page.evaluate('document.activeElement.id'), 'open', 'the focus is given back')
      t.deepEqual(await hears(page, 8), [
        { type: 'ready' },
        { type: 'step', step: 'document_front' },
        { type: 'step', step: 'selfie' },
        { type: 'step', step: 'liveness' },
        { type: 'error', code: 'camera_missing' },
        { type: 'submitted' },
        { type: 'finished', status: 'FINISHED' },
        { type: 'closed' },
      ])
      const { metadata } = (await rig.view(opened.id)).result_data as { metadata: object }
      t.like(metadata, { geolocation: { latitude: 59.3, longitude: 18.1 } })
    },
  )

inLongTier(serialBrowserTest)('A wallet is asked in the frame, unless the page around keeps it from that', async t => {
  rig.script(findAllWell)
  const { credential } = await issueTrusted(rig)
  const requires = () => openTransaction({ document_policy: { wallet: 'REQUIRE' } })
  const barred = await openDialog(t, await requires(), {
    headers: { 'Permissions-Policy': 'digital-credentials-get=()' },
  })
  await barred.reader.presses('I agree, start')
  await barred.reader.sees('WALLET')
  t.deepEqual(await textsOf(barred.frame as unknown as Page, '.actions > *'), ['Continue on my phone'])
  const { page, frame, reader } = await openDialog(t, await requires())
  const asked = hearRequests(page)
  await reader.presses('I agree, start')
  await reader.sees('WALLET')
  t.deepEqual(await hears(page, 2), [{ type: 'ready' }, { type: 'step', step: 'document_wallet' }])
  t.deepEqual(await findViolations(page), [])
  const { client } = frame as unknown as { readonly client: CDPSession }
  await openVirtualWallet(client).answers(rig, credential, await asked())
  await reader.presses('Open my wallet')
  await reader.reads('h1', 'Take a picture of your face')
})

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
    t.deepEqual(await hears(page, 3), [{ type: 'ready' }, { type: 'stopped' }, { type: 'closed' }])
  },
)

/** The dialog is closed, nothing has happened to the transaction, and its link leads on. */
async function comesBack(t: ExecutionContext, page: Page, opened: Opened): Promise<void> {
  await page.waitForFunction(`document.querySelector('dialog') === null`, { polling })
  t.deepEqual(await hears(page, 2), [{ type: 'ready' }, { type: 'closed' }])
  t.is((await rig.view(opened.id)).status, 'CREATED')
  await page.click('#open')
  await readerOf(await findFrame(page)).sees('CHOOSE_DEVICE')
}

serialBrowserTest('A cross and a tap beside the dialog ask once; who comes back later finds the link good', async t => {
  const opened = await openTransaction()
  const { page, frame, reader } = await openDialog(t, opened)
  await reader.sees('CONSENT')
  await page.mouse.click(20, 400)
  await reader.sees('CONFIRM_STOP')
  await reader.presses('Go on with it')
  await reader.sees('CHOOSE_DEVICE')
  t.is(await frame.$eval('.close', cross => cross.ariaLabel), 'Close')
  await frame.evaluate(`document.querySelector('.close').click()`)
  await reader.sees('CONFIRM_STOP')
  t.deepEqual(await findViolations(page), [])
  // The page around removes the frame, in which nothing answers any more.
  await frame.evaluate(
    `setTimeout(() => [...document.querySelectorAll('button')].find(one => one.textContent === 'Later').click())`,
  )
  await comesBack(t, page, opened)
})

inLongTier(serialBrowserTest)(
  'A phone’s back button goes a step back in the dialog, and asks before it closes it',
  async t => {
    const opened = await openTransaction()
    const { page, frame, reader } = await openDialog(t, opened, { narrow: true })
    await reader.sees('CONSENT')
    await page.evaluate('history.back()')
    await reader.sees('CHOOSE_DEVICE')
    await page.evaluate('history.back()')
    await reader.sees('CONFIRM_STOP')
    await frame.evaluate(`setTimeout(() => document.querySelector('.close').click())`)
    await comesBack(t, page, opened)
  },
)

inLongTier(serialBrowserTest)(
  'A page goes where it wants to after the dialog was closed, and one entry of history is all',
  async t => {
    const opened = await openTransaction()
    const page = await visitSite(t, '/dialog', opened)
    const length = Number(await page.evaluate('history.length'))
    const errors: unknown[] = []
    page.on('pageerror', error => errors.push(error))
    for (let n = 0; n < 3; n++)
      await page.evaluate(`new Promise(resolve => Attestor.open({ verify_url, on: resolve }).close())`)
    t.is(await page.evaluate('history.length'), length + 1)
    for (const [n, go] of [
      'location.assign(`/left?1`)',
      'setTimeout(() => location.assign(`/left?2`))',
      'location.href = `/left?3`',
    ].entries()) {
      await page.evaluate(`{ const dialog = Attestor.open({ verify_url }); dialog.close(); ${go}; 0 }`)
      await page.waitForFunction(`location.href === '${origin}/left?${n + 1}'`, { polling })
      await page.evaluate(`window.verify_url = '${rig.node().url}/verify-${opened.id}#${opened.sdk_token}'`)
    }
    t.deepEqual(errors, [], 'the script is loaded twice')
  },
)

// A page under `require-corp` must be allowed more than under `credentialless`, so the quick tier tries that one.
for (const policy of isLong ? ['require-corp', 'credentialless'] : ['require-corp'])
  serialBrowserTest(`A page that is isolated (${policy}) shows the frame, whose workers start`, async t => {
    const headers = { 'Cross-Origin-Opener-Policy': 'same-origin', 'Cross-Origin-Embedder-Policy': policy }
    const page = await visitSite(t, '/element', await openTransaction(), { headers })
    t.true(await page.evaluate('crossOriginIsolated'))
    const frame = await findFrame(page)
    await passDesktop(readerOf(frame))
    t.deepEqual(await hears(page, 1), [{ type: 'ready' }])
    const script = (await frame.$eval('script[type=module]', one => (one as unknown as { src: string }).src)).replace(
      'main.ts',
      'guidance/document_worker.ts',
    )
    t.is(
      await frame.evaluate(`new Promise(resolve => {
        const worker = new Worker(${JSON.stringify(script)}, { type: 'module' })
        worker.onerror = () => resolve('is blocked')
        worker.onmessage = () => resolve('starts')
        fetch(${JSON.stringify(script)}).then(({ headers }) => resolve(headers.get('cross-origin-embedder-policy')))
      })`),
      'require-corp',
    )
  })

inLongTier(serialBrowserTest)(
  'The address of an element may come later, by an attribute or a property, and change',
  async t => {
    const opened = await openTransaction()
    const page = await visitSite(t, '/later', opened)
    const written: string[] = []
    page.on('console', message => written.push(message.text()))
    const urlOf = () => page.evaluate(`document.querySelector('iframe')?.src ?? null`)
    t.is(await urlOf(), null, 'an empty one frames nothing')
    await page.evaluate(`document.querySelector('attestor-capture').setAttribute('verify-url', verify_url)`)
    await readerOf(await findFrame(page)).sees('CHOOSE_DEVICE')
    t.deepEqual(await hears(page, 1), [{ type: 'ready' }])
    const other = await openTransaction()
    const another = `${rig.node().url}/verify-${other.id}#${other.sdk_token}`
    await page.evaluate(`document.querySelector('attestor-capture').verifyUrl = ${JSON.stringify(another)}`)
    t.is(await urlOf(), another)
    t.deepEqual(await hears(page, 2), [{ type: 'ready' }, { type: 'ready' }])
    t.is(await page.evaluate(`document.querySelector('attestor-capture').verifyUrl`), another)
    for (const wrong of ['undefined', '/verify', 'javascript:alert(1)', `${origin}/later`]) {
      await page.evaluate(
        `document.querySelector('attestor-capture').setAttribute('verify-url', ${JSON.stringify(wrong)})`,
      )
      t.is(await urlOf(), null, wrong)
      t.regex(
        String(
          await page.evaluate(
            `try { Attestor.open({ verify_url: ${JSON.stringify(wrong)} }) } catch (error) { String(error) }`,
          ),
        ),
        /must be the absolute URL/,
      )
    }
    t.deepEqual(((await hears(page, 6)) as object[]).slice(2), Array(4).fill({ type: 'error', code: 'invalid_url' }))
    t.is(written.filter(line => line.includes('verify_url: must be')).length, 4)
  },
)

serialBrowserTest('The element leads a person in its place of the page, and its events are its own', async t => {
  const page = await visitSite(t, '/element', await openTransaction(), { narrow: true })
  const reader = readerOf(await findFrame(page))
  await passDesktop(reader)
  await reader.presses('I agree, start', 'Passport')
  await reader.sees('EXPLAIN_PICTURE')
  t.deepEqual(await hears(page, 2), [{ type: 'ready' }, { type: 'step', step: 'document_front' }])
  t.deepEqual(await findViolations(page), [])
  // A message from another window is ignored.
  await page.evaluate(`postMessage({ attestor: 1, type: 'finished', status: 'FINISHED' }, '*')`)
  await page.evaluate(`document.querySelector('attestor-capture').remove()`)
  t.is(await page.$('iframe'), null)
  t.deepEqual(await page.evaluate('heard.length'), 2)
})

/** The five seconds of silence are over at once. */
const hasty = `{ const late = setTimeout; window.setTimeout = (run, ms = 0) => late(run, ms / 20) }`

const causes = [
  [
    'origin',
    /EMBED_ORIGINS/,
    'an origin that the transaction does not name',
    { 'Cross-Origin-Embedder-Policy': 'require-corp', 'Content-Security-Policy-Report-Only': "frame-src 'none'" },
  ],
  ['frame_src', /frame-src/, 'a policy of the site', { 'Content-Security-Policy': "frame-src 'self'" }],
  ['unreachable', /can’t be reached/, 'a service that is down', {}],
  [undefined, /connect-src/, 'a policy that hides the cause', { 'Content-Security-Policy': "connect-src 'self'" }],
] as const

for (const [cause, line, what, headers] of causes)
  (cause === undefined ? inLongTier(browserTest) : browserTest)(
    `A frame that shows nothing for ${what} gives the person words and ways out, and the developer the cause`,
    async t => {
      const opened = await rig.open()
      const page = await (await (await openBrowser()).createBrowserContext()).newPage()
      t.teardown(() => page.browserContext().close())
      const written: string[] = []
      page.on('console', message => written.push(message.text()))
      await page.evaluateOnNewDocument(
        `${hasty}; Object.defineProperty(navigator, 'languages', { get: () => ['xx', 'de-AT'] })`,
      )
      const query = [`verify-${opened.id}#${opened.sdk_token}`, JSON.stringify(headers)]
        .map(encodeURIComponent)
        .join('?')
      await page.goto(`${origin}/dialog?${query}`)
      // Nothing listens there.
      if (cause === 'unreachable')
        await page.evaluate(
          `Attestor.open({ verify_url: 'http://127.0.0.1:9/verify-x#y', on: event => heard.push(event) })`,
        )
      else await page.click('#open')
      t.deepEqual(await hears(page, 1), [{ type: 'error', code: 'not_loaded', ...(cause && { cause }) }])
      t.true(
        written.some(one => one.startsWith('attestor: ') && line.test(one)),
        written.join('\n'),
      )
      t.regex(await page.$eval('dialog', one => one.innerText), /Die Prüfung wird hier nicht angezeigt/)
      t.is(await page.evaluate('document.activeElement.textContent'), 'In einem neuen Tab öffnen')
      t.regex(String(await page.evaluate('document.activeElement.href')), /\/verify-.*#./)
      if (cause === 'origin') await page.keyboard.press('Escape')
      else await page.click('dialog button')
      await page.waitForFunction(`document.querySelector('dialog') === null`, { polling })
    },
  )

inLongTier(serialBrowserTest)('A page that comes late takes the place of the words', async t => {
  const page = await openPage(t, await openBrowser(), 'about:blank')
  const { id, sdk_token } = await openTransaction()
  // Five milliseconds.
  await page.evaluateOnNewDocument(`${hasty.replace('20', '1000')}
    new MutationObserver(() => { window.seen ||= document.querySelector('[role=alert]') !== null })
      .observe(document, { childList: true, subtree: true })`)
  await page.goto(`${origin}/element?${encodeURIComponent(`verify-${id}#${sdk_token}`)}`)
  await page.waitForFunction(`heard.some(({ type }) => type === 'ready')`, { polling })
  t.true(await page.evaluate('seen'))
  t.is(await page.$('[role=alert]'), null)
})

async function openCameraBrowser(t: ExecutionContext): Promise<Browser> {
  const browser = await launchChromium(['--use-fake-device-for-media-stream', allowEveryPage], {
    executablePath: fullChromiumPath ?? '',
  })
  t.teardown(() => browser.close())
  return browser
}

const filming = `document.querySelector('video')?.srcObject?.getVideoTracks()[0]`

inLongTier(cameraTest)(
  'The camera films in the frame, at the second step too, and again after it was lost there',
  async t => {
    const browser = await openCameraBrowser(t)
    const { frame, reader } = await openDialog(t, await openTransaction(), { narrow: true, browser })
    const films = () =>
      frame.waitForFunction(`${filming}?.readyState === 'live' && !document.querySelector('.shutter').disabled`, {
        polling,
      })
    await reader.presses('I agree, start', 'Passport', 'Open the camera')
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
  },
)

inLongTier(cameraTest)(
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
    await reader.presses('I agree, start', 'Passport', 'Open the camera')
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
