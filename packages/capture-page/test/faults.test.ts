import test, { type ExecutionContext } from 'ava'
import type { HTTPRequest, Page } from 'puppeteer-core'
import { closeBrowser, openBrowser, serialBrowserTest } from '../../../test/browser.ts'
import { sqlite } from '../../../test/database.ts'
import { openRig, type Rig } from '../../../test/service/rig.ts'
import { inLongTier } from '../../../test/tier.ts'
import de from '../page/texts/de.json' with { type: 'json' }
import { blurredPicture, sharpPicture } from './pictures.ts'
import type { Look } from './reader.ts'
import { openVisitor } from './visitor.ts'

let rig: Rig
test.before(async () => {
  rig = await openRig(sqlite, { CHALLENGE_ATTEMPTS: '1' })
})
test.after.always(async () => {
  await closeBrowser()
  await rig.close()
})

// The longest words on the narrowest screen.
const narrow: Look = { width: 320, height: 568, isPhone: true, language: 'de-AT' }

async function open(t: ExecutionContext, body: object = {}) {
  const opened = await rig.open({ redirect_url: 'https://shop.example/done' }, body)
  return {
    ...opened,
    visitor: await openVisitor(t, await openBrowser(), `${rig.node().url}/verify#${opened.sdk_token}`, narrow),
  }
}

async function visit(t: ExecutionContext, body: object = {}) {
  return (await open(t, body)).visitor
}

serialBrowserTest(
  'A proxy’s error page is a service that is busy; any other fault is said to be ours; nothing is lost',
  async t => {
    const visitor = await visit(t)
    const { page } = visitor
    let status: number | null = null
    page.on('request', request => {
      const isCall = new URL(request.url()).pathname.startsWith('/api/')
      void (isCall && status !== null
        ? request.respond({ status, contentType: 'text/html', body: '<html><title>Bad Gateway</title></html>' })
        : request.continue())
    })
    await page.setRequestInterception(true)
    await visitor.presses(de['consent.agree'], de['document.PASSPORT'])
    await visitor.sees('EXPLAIN_PICTURE')
    status = 502
    await visitor.chooses(await sharpPicture())
    await visitor.sees('OFFLINE')
    t.true((await visitor.text()).includes(de['offline.busy.title']))
    status = 500
    await visitor.presses(de['page.again'])
    await visitor.sees('BROKEN')
    status = null
    await visitor.presses(de['page.again'])
    await visitor.sees('CONSENT')
  },
)

/** Loses the next answer of this path, after the service has done its work. */
async function loseAnswer(page: Page, path: string): Promise<void> {
  const session = await page.createCDPSession()
  session.on('Fetch.requestPaused', ({ requestId }) => {
    void session
      .send('Fetch.failRequest', { requestId, errorReason: 'ConnectionReset' })
      .then(() => session.send('Fetch.disable'))
  })
  await session.send('Fetch.enable', { patterns: [{ urlPattern: `*${path}`, requestStage: 'Response' }] })
}

serialBrowserTest('A picture whose answer is lost is sent again, and uses up one attempt', async t => {
  const { visitor, phone } = await open(t, { transaction_type: 'BIOMETRIC_ONLY' })
  await visitor.presses(de['consent.agree'])
  await visitor.sees('EXPLAIN_PICTURE')
  await loseAnswer(visitor.page, '/selfie')
  await visitor.chooses(await blurredPicture())
  await visitor.sees('OFFLINE')
  await visitor.presses(de['page.again'])
  await visitor.sees('PICTURE_ADVICE')
  const text = await visitor.text()
  t.true(text.includes(de['advice.IMAGE_BLURRED']), 'its advice is not lost')
  t.true(text.includes(de['advice.left'].replace('{n}', '9')))
  const { steps } = (await phone.session()).body as { steps: { step: string; attempts_left: number }[] }
  t.is(steps.find(({ step }) => step === 'selfie')?.attempts_left, 9)
})

inLongTier(serialBrowserTest)('Who has used up all challenges sees so at once', async t => {
  const visitor = await visit(t, { transaction_type: 'BIOMETRIC_ONLY' })
  await visitor.presses(de['consent.agree'])
  await visitor.sees('EXPLAIN_PICTURE')
  await visitor.chooses(await sharpPicture())
  await visitor.sees('EXPLAIN_LIVENESS')
  await visitor.presses(de['live.start'])
  await visitor.sees('NO_CAMERA')
  await visitor.presses(de['nocamera.files'])
  await visitor.sees('LIVENESS_FILE')
  await rig.advance(121_000)
  await visitor.chooses(await sharpPicture())
  await visitor.sees('NO_ATTEMPTS')
  await visitor.page.reload()
  await visitor.sees('NO_ATTEMPTS')
})

/** Holds calls back. Resolves with a function that lets them through. */
async function holdCalls(page: Page): Promise<() => Promise<void>> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const pass = (request: HTTPRequest): void => {
    const isCall = new URL(request.url()).pathname.startsWith('/api/')
    void (isCall ? promise : Promise.resolve()).then(() => request.continue())
  }
  page.on('request', pass)
  await page.setRequestInterception(true)
  return async () => {
    resolve()
    page.off('request', pass)
    await page.setRequestInterception(false)
  }
}

inLongTier(serialBrowserTest)(
  'A call that takes its time is said; so is what a frame lacks, and what a try costs',
  async t => {
    const visitor = await visit(t, { transaction_type: 'BIOMETRIC_ONLY' })
    const { page } = visitor
    await visitor.sees('CONSENT')
    const open = await holdCalls(page)
    await page.reload()
    await visitor.sees('LOADING')
    await open()
    await visitor.presses(de['consent.agree'])
    await visitor.sees('EXPLAIN_PICTURE')
    const send = await holdCalls(page)
    await visitor.chooses(await sharpPicture())
    await visitor.sees('SENDING_PICTURE')
    await send()
    await visitor.presses(de['live.start'], de['nocamera.files'])
    await visitor.sees('LIVENESS_FILE')
    const sendFrame = await holdCalls(page)
    await visitor.chooses(await blurredPicture())
    await visitor.sees('SENDING_FRAME')
    await sendFrame()
    await visitor.sees('FRAME_ADVICE')
    t.true((await visitor.text()).includes(de['advice.IMAGE_BLURRED']))
    t.false((await visitor.text()).includes(de['live.left_none']), 'the same movement may be shown again')
    await visitor.presses(de['advice.retake'])
    await visitor.sees('LIVENESS_FILE')
    await visitor.chooses(Buffer.from('ftypheic'), 'photo.heic')
    await visitor.sees('FRAME_REFUSED')
    await visitor.presses(de['refused.retake'])
    for (const n of [1, 2, 3, 4]) {
      await visitor.reads('.progress', de['live.of'].replace('{n}', String(n)).replace('{all}', '4'))
      await visitor.sees('LIVENESS_FILE')
      await visitor.chooses(await (n < 4 ? sharpPicture() : blurredPicture()))
    }
    await visitor.sees('FRAME_ADVICE')
    t.true((await visitor.text()).includes(de['live.left_none']), 'another try would be another challenge')
    await visitor.presses(de['advice.keep'])
    await visitor.sees('RESULT')
  },
)
