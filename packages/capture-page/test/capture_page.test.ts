import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import type { Screen } from '../../../machines/capture.ts'
import { newId } from '../../../src/base/ids.ts'
import { createApprovedFindings } from '../../../src/engines/scripted.ts'
import { switchAccount } from '../../../src/identity/accounts/accounts.ts'
import { reviewTransaction } from '../../../src/verification/analysis/review.ts'
import { closeBrowser, openBrowser, serialBrowserTest } from '../../../test/browser.ts'
import { sqlite } from '../../../test/database.ts'
import { openRig, type Rig } from '../../../test/service/rig.ts'
import { inLongTier, rounds } from '../../../test/tier.ts'
import {
  createIdleFindings,
  createInconclusiveFindings,
  createOtherPersonFindings,
} from '../../vision/test/face_findings.ts'
import de from '../page/texts/de.json' with { type: 'json' }
import fr from '../page/texts/fr.json' with { type: 'json' }
import { answerActions, answerChallenge, give, startChallenge } from './photos.ts'
import { blurredPicture, sharpPicture } from './pictures.ts'
import { desktop, phone } from './reader.ts'
import { openVisitor } from './visitor.ts'

const privacy_url = 'https://shop.example/privacy'
const folder = mkdtempSync(join(tmpdir(), 'attestor-branding-'))
const branding = join(folder, 'branding.json')
const photo = join(folder, 'photo.jpg')

let rig: Rig
test.before(async () => {
  writeFileSync(branding, JSON.stringify({ privacy_url }))
  rig = await openRig(sqlite, { BRANDING: branding })
})
test.after.always(async () => {
  await closeBrowser()
  await rig.close()
  rmSync(folder, { recursive: true })
})

function link(sdk_token: string): string {
  return `${rig.node().url}/verify#${sdk_token}`
}

/** A person with the link of a new transaction. The browser of these tests has no camera. */
async function visit(t: ExecutionContext, config: object = {}, body: object = {}, look = phone) {
  const opened = await rig.open(config, body)
  return { ...opened, visitor: await openVisitor(t, await openBrowser(), link(opened.sdk_token), look) }
}

serialBrowserTest('A card has two sides; the person goes back, stops to think, reloads, and finishes', async t => {
  const { visitor, id, sdk_token } = await visit(t, { redirect_url: 'https://shop.example/done?order=7' })
  const { page } = visitor
  await visitor.sees('CONSENT')
  t.is(page.url(), `${rig.node().url}/verify`, 'the token is taken out of the address')
  const link = await page.$eval('main a', ({ href, target, rel }) => ({ href, target, rel }))
  t.deepEqual(link, { href: privacy_url, target: '_blank', rel: 'noopener noreferrer' })
  await visitor.presses('I agree, start')
  await visitor.sees('CHOOSE_DOCUMENT')
  t.is(await page.evaluate('document.activeElement.tagName'), 'H1', 'a new screen is announced by its heading')
  t.is(await page.title(), 'Which document do you have with you? – Attestor')
  await visitor.presses('Passport')
  await visitor.sees('EXPLAIN_PICTURE')
  t.true((await visitor.text()).includes('Step 1 of 3'))
  await page.evaluate('history.back()')
  await visitor.presses('Identity card')
  t.true((await visitor.text()).includes('Step 1 of 4'))
  await visitor.presses('Stop the verification')
  await visitor.sees('CONFIRM_STOP')
  await visitor.presses('Go on with it')
  await visitor.sees('CONSENT')
  await visitor.presses('I agree, start', 'Identity card')
  await give(visitor)
  await visitor.reads('h1', 'Now the back')
  t.is((await rig.view(id)).status, 'INITIATED')
  await page.reload()
  await visitor.reads('h1', 'Now the back')
  await visitor.presses('Back', 'Keep the photo that I took')
  await visitor.reads('h1', 'Now the back')
  await give(visitor)
  await visitor.reads('h1', 'Take a picture of your face')
  await page.setOfflineMode(true)
  await give(visitor)
  await visitor.sees('OFFLINE')
  await page.setOfflineMode(false)
  await answerChallenge(visitor)
  await visitor.sees('RESULT')
  t.true((await visitor.text()).includes('Your identity is confirmed.'))
  t.is((await rig.view(id)).status, 'FINISHED')
  await visitor.presses('Stay on this page')
  const asked = page.waitForRequest(request => request.url().startsWith('https://shop.example/'))
  await visitor.presses('Back to Attestor')
  t.is((await asked).url(), `https://shop.example/done?order=7&transaction_id=${id}`)
  t.false(JSON.stringify(rig.lines).includes(sdk_token), 'no log has the token')
})

inLongTier(serialBrowserTest)(
  'Who chose the wrong document chooses again after the first picture, and finishes',
  async t => {
    const { visitor, id } = await visit(t)
    await visitor.presses('I agree, start', 'Identity card')
    await give(visitor)
    await visitor.reads('h1', 'Now the back')
    await visitor.presses('I have another document')
    await visitor.sees('CHOOSE_DOCUMENT')
    await visitor.presses('Passport')
    await visitor.reads('h1', 'Photograph your passport')
    t.true((await visitor.text()).includes('Step 1 of 3'))
    t.false((await visitor.text()).includes('Keep the photo that I took'), 'the card’s picture is gone')
    await visitor.page.reload()
    await visitor.reads('h1', 'Photograph your passport')
    await give(visitor)
    await visitor.reads('h1', 'Take a picture of your face')
    await visitor.presses('Back', 'Back')
    await visitor.sees('CHOOSE_DOCUMENT')
    await visitor.presses('Back')
    await visitor.reads('h1', 'Take a picture of your face')
    await give(visitor)
    await answerChallenge(visitor)
    await visitor.sees('RESULT')
    t.is((await rig.view(id)).status, 'FINISHED')
  },
)

inLongTier(serialBrowserTest)('What is wrong with a photo is said in words, and it can be taken again', async t => {
  rig.script(createOtherPersonFindings)
  t.teardown(() => rig.script(createApprovedFindings))
  const { visitor } = await visit(t, {}, {}, { ...phone, scheme: 'dark' })
  await visitor.presses('I agree, start', 'Passport')
  await visitor.sees('EXPLAIN_PICTURE')
  await visitor.chooses(await blurredPicture())
  await visitor.sees('PICTURE_ADVICE')
  t.regex(await visitor.text(), /It is blurred\. Wipe the lens.*You can take it 9 more times\./)
  await visitor.presses('Take it again')
  await visitor.sees('NO_CAMERA')
  t.true((await visitor.text()).includes('We found no camera on this device.'))
  await visitor.chooses(Buffer.from('ftypheic'), 'photo.heic')
  await visitor.sees('PICTURE_REFUSED')
  t.true((await visitor.text()).includes('Photos can be JPEG, PNG or WebP.'))
  await visitor.presses('Use another photo')
  await visitor.sees('NO_CAMERA')
  await visitor.chooses(await sharpPicture())
  await visitor.reads('h1', 'Take a picture of your face')
  await give(visitor)
  await answerChallenge(visitor)
  await visitor.sees('RESULT')
  const text = await visitor.text()
  t.true(text.includes('We could not confirm your identity'))
  t.notRegex(text, /face|mismatch|score/i, 'no reason is given away')
})

inLongTier(serialBrowserTest)('A step-up shows no document, and what is left open is said so', async t => {
  rig.script(createInconclusiveFindings)
  t.teardown(() => rig.script(createApprovedFindings))
  const { visitor } = await visit(t, {}, { transaction_type: 'BIOMETRIC_ONLY' })
  await visitor.sees('CONSENT')
  t.false((await visitor.text()).includes('your identity document'))
  await visitor.presses('I agree, start')
  await give(visitor)
  await startChallenge(visitor)
  await visitor.presses('Go on with photos')
  await visitor.sees('LIVENESS_FILE')
  await rig.advance(121_000)
  await visitor.chooses(await sharpPicture())
  await visitor.sees('LIVENESS_TIMEOUT')
  t.regex(await visitor.text(), /within 2 minutes,.*You can try it 4 more times\./, 'as long as the challenge was open')
  await visitor.presses('Stop the verification')
  await visitor.sees('CONFIRM_STOP')
  await visitor.presses('Go on with it')
  await startChallenge(visitor)
  await answerActions(visitor)
  await visitor.sees('RESULT')
  t.true((await visitor.text()).includes('We could not confirm everything by ourselves.'))
})

inLongTier(serialBrowserTest)('Who has a keyboard alone finishes', async t => {
  const { visitor, id } = await visit(t, {}, {}, desktop)
  const { page } = visitor
  const focused = (): Promise<unknown> =>
    page.evaluate(`document.activeElement.closest('label, button')?.textContent ?? null`)
  /** Moves the focus from the heading, which a new screen focuses, to the element with this text. */
  const goesTo = async (text: string): Promise<void> => {
    for (let n = 0; (await focused()) !== text; n++) {
      if (n > 10) throw new Error(`${text} is not reached; the page shows: ${await visitor.text()}`)
      await page.keyboard.press('Tab')
    }
    t.is(await page.evaluate(`getComputedStyle(document.activeElement.closest('label, button')).outlineStyle`), 'solid')
  }
  const presses = async (screen: Screen, text: string): Promise<void> => {
    await visitor.sees(screen)
    await goesTo(text)
    await page.keyboard.press('Enter')
  }
  const chooses = async (screen: Screen, text: string): Promise<void> => {
    await visitor.sees(screen)
    await goesTo(text)
    const chooser = page.waitForFileChooser()
    // Chromium opens its own dialog for a key that it handles before it knows that a test waits.
    await page.evaluate('true')
    await page.keyboard.press('Enter')
    await (await chooser).accept([photo])
  }
  await presses('CHOOSE_DEVICE', 'Use this computer')
  await presses('CONSENT', 'I agree, start')
  await presses('CHOOSE_DOCUMENT', 'Passport')
  writeFileSync(photo, await sharpPicture())
  await chooses('EXPLAIN_PICTURE', 'Choose a photo instead')
  await visitor.reads('h1', 'Take a picture of your face')
  writeFileSync(photo, await sharpPicture())
  await chooses('EXPLAIN_PICTURE', 'Choose a photo instead')
  await presses('EXPLAIN_LIVENESS', 'Start')
  await presses('NO_CAMERA', 'Go on with photos')
  for (let n = 1; n <= 4; n++) {
    await visitor.reads('.progress', `Movement ${n} of 4`)
    writeFileSync(photo, await sharpPicture())
    await chooses('LIVENESS_FILE', 'Choose a photo')
  }
  await visitor.sees('RESULT')
  t.is((await rig.view(id)).status, 'FINISHED')
})

inLongTier(serialBrowserTest)('A link that leads nowhere says why, and what to do', async t => {
  const browser = await openBrowser()
  const unknown = await openVisitor(t, browser, link('no-such-token'))
  await unknown.sees('UNKNOWN_LINK')
  for (const damaged of ['%E2%82', '%E2%82%AC', 'no-such%0Atoken', 'x'.repeat(20_000)]) {
    const visitor = await openVisitor(t, browser, link(damaged))
    await visitor.sees('UNKNOWN_LINK')
  }
  const empty = await openVisitor(t, browser, `${rig.node().url}/verify`)
  await empty.sees('UNKNOWN_LINK')
  const { visitor: stopped, id } = await visit(t)
  await stopped.presses('Stop the verification', 'Stop for good')
  await stopped.sees('CANCELLED')
  t.is((await rig.view(id)).status, 'FAILED')
  await stopped.page.reload()
  await stopped.sees('FAILED')
  const { visitor: late } = await visit(t, { transaction_ttl_minutes: 5 })
  await late.presses('I agree, start', 'Passport')
  await rig.advance(6 * 60_000)
  await give(late)
  await late.sees('EXPIRED')
})

const languages = {
  en: 'Which document do you have with you?',
  es: '¿Qué documento tiene a mano?',
  fr: 'Quel document avez-vous sous la main ?',
  de: 'Welches Dokument haben Sie zur Hand?',
} as const

inLongTier(serialBrowserTest)(
  'The integrator’s language counts before the browser’s; nothing scrolls sideways at 320 pixels',
  async t => {
    const narrow = { width: 320, height: 640, isPhone: true } as const
    for (const [locale, title] of Object.entries(languages)) {
      const { visitor } = await visit(t, { locale: `${locale}-XX` }, {}, { ...narrow, language: 'fr-CH' })
      await visitor.page.waitForFunction(`document.documentElement.lang === '${locale}'`)
      await visitor.sees('CONSENT')
      await visitor.page.evaluate(`document.querySelector('.primary').click()`)
      await visitor.sees('CHOOSE_DOCUMENT')
      t.is(await visitor.page.$eval('h1', h1 => h1.textContent), title)
      await visitor.page.evaluate(`document.querySelector('.choice').click()`)
      await visitor.sees('EXPLAIN_PICTURE')
    }
    const { visitor } = await visit(t, {}, {}, { ...narrow, language: 'de-AT' })
    await visitor.page.waitForFunction(`document.documentElement.lang === 'de'`)
  },
)

inLongTier(serialBrowserTest)(
  'Who waits for a reviewer may go, and their link says how it stands until the decision is read',
  async t => {
    rig.script(createInconclusiveFindings)
    t.teardown(() => rig.script(createApprovedFindings))
    const { service } = rig.node()
    const { account_id } = rig.account
    await switchAccount(service, account_id, 'review', true)
    t.teardown(() => switchAccount(service, account_id, 'review', false))
    const step_up = { transaction_type: 'BIOMETRIC_ONLY' }
    const { visitor, id, sdk_token } = await visit(t, { redirect_url: 'https://shop.example/done' }, step_up)
    await visitor.presses('I agree, start')
    await give(visitor)
    await answerChallenge(visitor)
    await visitor.sees('IN_REVIEW')
    t.regex(await visitor.text(), /A person is looking at it.*You will be taken back in a few seconds/)
    await visitor.presses('Stay on this page')
    const asked = visitor.page.waitForRequest(request => request.url().startsWith('https://shop.example/'))
    await visitor.presses('Back to Attestor')
    t.is((await asked).url(), `https://shop.example/done?transaction_id=${id}`)
    // Long after the transaction's lifetime.
    await rig.skip(20 * 3_600_000)
    const browser = await openBrowser()
    const again = await openVisitor(t, browser, link(sdk_token))
    await again.sees('IN_REVIEW')
    await again.presses('Stay on this page')
    const review = { transaction_id: id, operator_id: newId(), decision: 'APPROVED', reason: 'It is them.' } as const
    await reviewTransaction(service.transactions, review)
    await again.sees('RESULT')
    await rig.skip(71 * 3_600_000)
    const late = await openVisitor(t, browser, link(sdk_token))
    await late.sees('RESULT')
    t.true((await late.text()).includes('Your identity is confirmed.'))
    await rig.skip(2 * 3_600_000)
    const over = await openVisitor(t, browser, link(sdk_token))
    await over.sees('EXPIRED')
  },
)

inLongTier(serialBrowserTest)(
  'Who did not follow the movements is asked for them alone, once more, on the same link',
  async t => {
    const { service } = rig.node()
    const { account_id } = rig.account
    await switchAccount(service, account_id, 'resubmission', true)
    t.teardown(() => switchAccount(service, account_id, 'resubmission', false))
    rig.script(createIdleFindings)
    t.teardown(() => rig.script(createApprovedFindings))
    const { visitor, id, sdk_token } = await visit(t)
    await visitor.presses('I agree, start', 'Passport')
    await give(visitor)
    await visitor.reads('h1', 'Take a picture of your face')
    await give(visitor)
    await answerChallenge(visitor)
    await visitor.sees('TAKE_AGAIN')
    t.regex(await visitor.text(), /Something was not seen well enough.*only for what is missing/)
    const again = await openVisitor(t, await openBrowser(), link(sdk_token))
    await again.presses('Try again')
    await again.sees('EXPLAIN_LIVENESS')
    t.true((await again.text()).includes('Step 3 of 3'))
    rig.script(createApprovedFindings)
    await answerChallenge(again)
    await again.sees('RESULT')
    t.is((await rig.view(id)).status, 'FINISHED')
    await visitor.presses('Stop the verification', 'Stop for good')
    await visitor.sees('RESULT')
  },
)

serialBrowserTest('A language that the person chooses counts before all others, and after a reload too', async t => {
  const { visitor } = await visit(t, { locale: 'de' })
  const { page } = visitor
  await visitor.reads('h1', de['consent.title'])
  t.is(await page.$eval('#language', select => (select as unknown as { value: string }).value), 'de')
  await page.select('#language', 'fr')
  await visitor.reads('h1', fr['consent.title'])
  t.is(await page.evaluate('document.activeElement.tagName'), 'H1')
  t.is(await page.$eval('#language', select => select.ariaLabel), fr['page.language'])
  await page.reload()
  await visitor.reads('h1', fr['consent.title'])
  await visitor.presses(fr['consent.agree'])
  await visitor.sees('CHOOSE_DOCUMENT')
})

inLongTier(serialBrowserTest)('Who blocks all cookies is led on; only a reload needs the link again', async t => {
  const { visitor, sdk_token } = await visit(t)
  await visitor.sees('CONSENT')
  await visitor.page.evaluateOnNewDocument(
    `Object.defineProperty(window, 'sessionStorage', { get() { throw new DOMException('', 'SecurityError') } })`,
  )
  await visitor.page.reload()
  await visitor.sees('UNKNOWN_LINK')
  await visitor.page.goto(link(sdk_token))
  await visitor.sees('CONSENT')
})

const rejecting = { on_gps_ip_location_mismatch: 'REJECT' }
const locationAnswers = [
  { policy: rejecting, permissions: ['camera', 'geolocation'], issue: undefined, latitude: 59.3 },
  { policy: {}, permissions: ['camera', 'geolocation'], issue: 'GEOLOCATION_NOT_REQUESTED', latitude: undefined },
  { policy: rejecting, permissions: ['camera'], issue: 'GEOLOCATION_DENIED', latitude: undefined },
] as const

inLongTier(serialBrowserTest)(
  'The location is asked for where it can reject, with a word of why; a refusal goes on',
  async t => {
    for (const { policy, permissions, issue, latitude } of locationAnswers.slice(0, rounds(1, 3))) {
      const { visitor, id } = await visit(t, { device_policy: policy })
      await visitor.page.browserContext().overridePermissions(rig.node().url, [...permissions])
      await visitor.page.setGeolocation({ latitude: 59.3, longitude: 18.1 })
      await visitor.sees('CONSENT')
      const isAsked = issue !== 'GEOLOCATION_NOT_REQUESTED'
      t.is((await visitor.text()).includes('Your browser will ask for your location'), isAsked)
      await visitor.presses('I agree, start', 'Passport')
      await give(visitor)
      await visitor.reads('h1', 'Take a picture of your face')
      // Earlier answers are known after a reload, too.
      await visitor.page.reload()
      await give(visitor)
      await answerChallenge(visitor)
      await visitor.sees('RESULT')
      const { metadata, issues } = (await rig.view(id)).result_data as {
        metadata: { geolocation: { latitude: number } | null }
        issues: { code: string }[]
      }
      t.is(metadata.geolocation?.latitude, latitude)
      t.is(issues.find(({ code }) => /^GEOLOCATION_/.test(code))?.code, issue)
    }
  },
)

serialBrowserTest('Until the camera opens, a page weighs at most 60 kB', async t => {
  const { visitor } = await visit(t)
  let bytes = 0
  const session = await visitor.page.createCDPSession()
  await session.send('Network.enable')
  // Bodies as they are sent, compressed; headers take what the protocol makes of them.
  session.on('Network.dataReceived', ({ encodedDataLength }) => {
    bytes += encodedDataLength
  })
  await session.send('Network.setCacheDisabled', { cacheDisabled: true })
  await visitor.page.reload()
  await visitor.presses('I agree, start')
  await visitor.sees('CHOOSE_DOCUMENT')
  t.log(`${bytes} bytes until the document is chosen`)
  t.true(bytes > 20_000 && bytes <= 60_000, String(bytes))
})
