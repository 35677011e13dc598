import test, { type ExecutionContext } from 'ava'
import type { Browser, Page } from 'puppeteer-core'
import { cameraTest } from '../../../test/browser.ts'
import { fullChromiumPath, launchChromium } from '../../../test/chromium.ts'
import { sqlite } from '../../../test/database.ts'
import { allowEveryPage } from '../../../test/fake_camera.ts'
import { openRig, type Rig } from '../../../test/service/rig.ts'
import de from '../page/texts/de.json' with { type: 'json' }
import { give } from './photos.ts'
import { type Look, phone, polling } from './reader.ts'
import { openVisitor, type Visitor } from './visitor.ts'

let rig: Rig
let browser: Browser
test.before(async () => {
  rig = await openRig(sqlite)
  if (fullChromiumPath !== null)
    browser = await launchChromium(['--use-fake-device-for-media-stream=device-count=2', allowEveryPage], {
      executablePath: fullChromiumPath,
    })
})
test.after.always(async () => {
  await browser?.close()
  await rig.close()
})

async function visit(t: ExecutionContext, look: Look = phone) {
  const { sdk_token } = await rig.open()
  return openVisitor(t, browser, `${rig.node().url}/verify#${sdk_token}`, look)
}

const filming = `document.querySelector('video')?.srcObject?.getVideoTracks()[0]`
const select = '.tools select'

/** Resolves when the camera with this name films, and the choice shows so. */
async function films({ page }: Visitor, name: string): Promise<void> {
  await page.waitForFunction(
    `${filming}?.label === '${name}' && document.querySelector('${select}')?.selectedOptions[0]?.text === '${name}'`,
    { polling },
  )
}

function optionsOf(page: Page): Promise<Readonly<Record<string, string>>> {
  return page.$$eval(`${select} option`, all => Object.fromEntries(all.map(one => [one.text, one.value])))
}

async function opensCamera(visitor: Visitor): Promise<void> {
  await visitor.sees('EXPLAIN_PICTURE')
  await visitor.presses('Open the camera')
}

cameraTest('The person chooses one of several cameras, and all pictures and a reload remember it', async t => {
  const visitor = await visit(t)
  const { page } = visitor
  await visitor.presses('I agree, start', 'Passport')
  await opensCamera(visitor)
  await films(visitor, 'fake_device_0')
  const { fake_device_1 = '', ...others } = await optionsOf(page)
  t.deepEqual(Object.keys(others), ['fake_device_0'])
  await visitor.sees('PICTURE_CAMERA')
  await page.select(select, fake_device_1)
  await films(visitor, 'fake_device_1')
  await page.reload()
  await visitor.presses('I agree, start', 'Passport')
  await opensCamera(visitor)
  await films(visitor, 'fake_device_1')
  await visitor.presses('Back')
  await give(visitor)
  await visitor.reads('h1', 'Take a picture of your face')
  await opensCamera(visitor)
  await films(visitor, 'fake_device_1')
})

cameraTest('A camera that was chosen and is pulled out is replaced', async t => {
  const visitor = await visit(t)
  await visitor.presses('I agree, start', 'Passport')
  await visitor.page.evaluate(`sessionStorage.setItem('attestor.camera.environment', 'pulled out')`)
  await opensCamera(visitor)
  await films(visitor, 'fake_device_0')
})

cameraTest('A person without network before the camera is ready is informed, and goes on when it is back', async t => {
  const visitor = await visit(t)
  await visitor.presses('I agree, start')
  await visitor.sees('CHOOSE_DOCUMENT')
  await visitor.page.setOfflineMode(true)
  await visitor.presses('Passport')
  await opensCamera(visitor)
  await visitor.sees('OFFLINE')
  await visitor.page.setOfflineMode(false)
  await films(visitor, 'fake_device_0')
})

/** Gives every camera a light, which may refuse to be turned on. Chromium's fake devices have none. */
function withLight(refuses: boolean): string {
  return `(() => {
  const { getCapabilities, getSettings } = MediaStreamTrack.prototype
  const lit = new WeakMap()
  Object.assign(MediaStreamTrack.prototype, {
    getCapabilities() { return { ...getCapabilities.call(this), torch: true } },
    getSettings() { return { ...getSettings.call(this), torch: lit.get(this) ?? false } },
    async applyConstraints({ advanced: [{ torch }] }) {
      if (${refuses}) throw new DOMException('setPhotoOptions failed', 'UnknownError')
      lit.set(this, torch)
    },
  })
})()`
}

cameraTest('A document in the dark is lit where the camera has a light; a face is not', async t => {
  const visitor = await visit(t, { ...phone, width: 320, height: 568, language: 'de' })
  const { page } = visitor
  const isLit = async (): Promise<unknown> => page.evaluate(`${filming}.getSettings().torch`)
  await page.evaluateOnNewDocument(withLight(false))
  await page.reload()
  await visitor.presses(de['consent.agree'], de['document.PASSPORT'], de['picture.open'], de['camera.light_on'])
  await visitor.reads('.tools button', de['camera.light_off'])
  t.true(await isLit())
  await visitor.sees('PICTURE_CAMERA')
  await visitor.presses(de['camera.light_off'])
  await visitor.reads('.tools button', de['camera.light_on'])
  t.false(await isLit())
  await visitor.presses(de['page.back'])
  await give(visitor)
  await visitor.reads('h1', de['selfie.title'])
  await visitor.presses(de['picture.open'])
  await films(visitor, 'fake_device_0')
  t.true(await page.$eval('.tools button', button => button.hidden))
})

cameraTest('A light that can’t be turned on is offered no longer, and the person goes on without', async t => {
  const visitor = await visit(t)
  const { page } = visitor
  await page.evaluateOnNewDocument(withLight(true))
  await page.reload()
  await visitor.presses('I agree, start', 'Passport')
  await opensCamera(visitor)
  await visitor.sees('PICTURE_CAMERA')
  await visitor.presses('Turn the light on')
  await page.waitForFunction(`document.querySelector('.tools button').hidden`, { polling })
  await visitor.presses('Take the photo')
  // The fake device's picture may be good enough or not.
  const after = `['picture_advice', 'explain_picture'].includes(document.querySelector('main').className)`
  await page.waitForFunction(after, { polling })
  t.pass()
})

cameraTest('A phone that is unfolded, turned and folded while it films goes on with the same camera', async t => {
  const visitor = await visit(t)
  const { page } = visitor
  await visitor.presses('I agree, start', 'Passport')
  await opensCamera(visitor)
  await page.waitForFunction(`${filming}?.readyState === 'live'`, { polling })
  const id = await page.evaluate(`${filming}.id`)
  for (const [width, height] of [
    [884, 1104],
    [717, 512],
    [1180, 820],
    [820, 1180],
    [344, 882],
  ] as const) {
    const name = `${width} x ${height}`
    await page.setViewport({ width, height, isMobile: true, hasTouch: true })
    t.is(await page.evaluate(`${filming}?.readyState === 'live' && ${filming}.id`), id, name)
    t.false(await page.$eval('video', video => video.paused), name)
    const [finder, shutter, frame] = await Promise.all(
      ['.viewfinder', '.shutter', '.frame'].map(one =>
        page.$eval(one, element => {
          const { left, right, top, bottom } = element.getBoundingClientRect()
          return { left, right, top, bottom }
        }),
      ),
    )
    if (finder === undefined || shutter === undefined || frame === undefined) return t.fail(name)
    t.true(shutter.bottom <= height + 1 && shutter.top >= 0, `${name}: the shutter is in sight`)
    const filled = finder.bottom - finder.top
    t.true(filled >= height * 0.45, `${name}: ${filled} px of picture`)
    t.true(frame.left >= finder.left && frame.right <= finder.right && frame.bottom <= finder.bottom, name)
  }
})
