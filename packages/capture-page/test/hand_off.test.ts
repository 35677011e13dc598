import test, { type ExecutionContext } from 'ava'
import { closeBrowser, openBrowser, serialBrowserTest } from '../../../test/browser.ts'
import { sqlite } from '../../../test/database.ts'
import { readQrCodes } from '../../../test/qr_code.ts'
import { openRig, type Rig } from '../../../test/service/rig.ts'
import { inLongTier } from '../../../test/tier.ts'
import { answerChallenge, give } from './photos.ts'
import { desktop, phone, polling } from './reader.ts'
import { openVisitor } from './visitor.ts'

let rig: Rig
test.before(async () => {
  rig = await openRig(sqlite, hook => ({ HANDOFF_WEBHOOK: hook.url }))
})
test.after.always(async () => {
  await closeBrowser()
  await rig.close()
})

/** Leads a desktop to its code, and a phone to the consent; a link that a machine opened first is still good. */
async function takeOver(t: ExecutionContext) {
  const browser = await openBrowser()
  const { id, sdk_token } = await rig.open(
    { redirect_url: 'https://shop.example/done' },
    { transaction_type: 'BIOMETRIC_ONLY' },
  )
  const atDesk = await openVisitor(t, browser, `${rig.node().url}/verify#${sdk_token}`, desktop)
  await atDesk.sees('CHOOSE_DEVICE')
  await atDesk.presses('Continue on my phone')
  await atDesk.sees('HANDOFF')
  const code = await atDesk.page.waitForSelector('svg.qr')
  const link = await atDesk.page.$eval('.link[readonly]', input => (input as unknown as { value: string }).value)
  t.regex(link, /\/verify#handoff=[\w-]+$/)
  t.deepEqual(await readQrCodes((await code?.screenshot()) ?? Buffer.of()), [link])
  // A machine opens the link of a message first: its script runs, but it presses nothing.
  const scanner = await openVisitor(t, browser, link, phone)
  await scanner.sees('TAKE_OVER')
  const early = await openVisitor(t, browser, link, phone)
  await early.presses('Continue here')
  await early.sees('CONSENT')
  await atDesk.sees('FOLLOWING')
  await scanner.presses('Continue here')
  await scanner.sees('USED_LINK')
  return { browser, id, sdk_token, atDesk, early, link }
}

serialBrowserTest('A desktop shows a code, and follows the phone that opens it', async t => {
  const { sdk_token, early, link } = await takeOver(t)
  t.true((await early.text()).includes('I agree, start'))
  t.notRegex(JSON.stringify(rig.lines), new RegExp(`${sdk_token}|${link.split('=')[1]}`), 'no log has a secret')
})

inLongTier(serialBrowserTest)('A desktop takes the capture back, follows another phone, and finishes', async t => {
  const { browser, id, sdk_token, atDesk, early, link } = await takeOver(t)
  await atDesk.presses('Show a new code')
  await atDesk.page.waitForFunction(
    `![null, ${JSON.stringify(link)}].includes(document.querySelector('.link[readonly]')?.value ?? null)`,
    { polling },
  )
  const another = await atDesk.page.$eval('.link[readonly]', input => (input as unknown as { value: string }).value)
  await early.presses('I agree, start')
  await give(early)
  await early.sees('USED_LINK')
  const inHand = await openVisitor(t, browser, another, phone)
  await inHand.page.reload()
  await inHand.presses('Continue here')
  await inHand.sees('CONSENT')
  await atDesk.sees('FOLLOWING')
  await inHand.page.goto('about:blank')
  await inHand.page.goto(another)
  await inHand.sees('CONSENT')
  await inHand.presses('I agree, start')
  await give(inHand)
  await atDesk.page.waitForFunction(`document.querySelector('li.captured') !== null`, { polling })
  await atDesk.page.reload()
  await atDesk.sees('FOLLOWING')
  await inHand.page.reload()
  await answerChallenge(inHand)
  await inHand.sees('RESULT')
  t.true((await inHand.text()).includes('go on at your computer'))
  t.is(await inHand.page.$('.primary'), null, 'the phone goes nowhere: the desktop does')
  await atDesk.sees('RESULT')
  t.true((await atDesk.text()).includes('Your identity is confirmed.'))
  const asked = atDesk.page.waitForRequest(request => request.url().startsWith('https://shop.example/'))
  await atDesk.presses('Back to Attestor')
  t.is((await asked).url(), `https://shop.example/done?transaction_id=${id}`)
  t.notRegex(JSON.stringify(rig.lines), new RegExp(`${sdk_token}|${link.split('=')[1]}`), 'no log has a secret')
})

inLongTier(serialBrowserTest)(
  'A desktop has the link sent, where the operator set that up, and says what became of it',
  async t => {
    const { sdk_token } = await rig.open({ webhook: null })
    const visitor = await openVisitor(t, await openBrowser(), `${rig.node().url}/verify#${sdk_token}`, desktop)
    const { page } = visitor
    await visitor.presses('Continue on my phone')
    await page.waitForSelector('input[name=recipient]')
    await page.type('input[name=recipient]', '+44 (20) 7946-0123')
    await visitor.presses('Send the link')
    await page.waitForFunction(`document.querySelector('form').innerText.includes('The link was sent.')`, { polling })
    const link = await page.$eval('.link[readonly]', input => (input as unknown as { value: string }).value)
    t.like(rig.hook.received.at(-1)?.body, { channel: 'SMS', recipient: '+442079460123', link })
    rig.hook.answer(() => ({ status: 503 }))
    await visitor.presses('Send the link')
    await page.waitForFunction(`document.querySelector('form').innerText.includes('could not be sent')`, { polling })
    t.is(await page.evaluate(`document.querySelectorAll('svg.qr').length`), 1)
  },
)

inLongTier(serialBrowserTest)(
  'A code that can’t be drawn is not missed: the link is there, and the code comes with the next',
  async t => {
    const { sdk_token } = await rig.open()
    const visitor = await openVisitor(t, await openBrowser(), `${rig.node().url}/verify#${sdk_token}`, desktop)
    const { page } = visitor
    let isCut = true
    page.on('request', request => {
      void (isCut && request.url().includes('uqr') ? request.abort('internetdisconnected') : request.continue())
    })
    await page.setRequestInterception(true)
    await visitor.presses('Continue on my phone')
    await page.waitForFunction(`document.querySelector('.link[readonly]')?.value.includes('#handoff=')`, { polling })
    await page.waitForFunction(`document.querySelector('.code').hidden`, { polling })
    await visitor.sees('HANDOFF')
    t.deepEqual(await page.$$eval('main p', all => all.filter(one => !one.hidden).map(one => one.textContent)), [
      'Send yourself the link:',
      'It works once, for ten minutes. Don’t give it to anybody else.',
    ])
    t.is(await page.evaluate('document.activeElement.tagName'), 'H1')
    isCut = false
    await visitor.presses('Use this computer instead', 'Continue on my phone')
    await page.waitForSelector('svg.qr')
  },
)

inLongTier(serialBrowserTest)('The computer takes the capture back from a phone', async t => {
  const browser = await openBrowser()
  const { sdk_token } = await rig.open({}, { transaction_type: 'BIOMETRIC_ONLY' })
  const atDesk = await openVisitor(t, browser, `${rig.node().url}/verify#${sdk_token}`, desktop)
  await atDesk.presses('Continue on my phone')
  await atDesk.page.waitForFunction(`document.querySelector('.link[readonly]')?.value.includes('#handoff=')`, {
    polling,
  })
  const link = await atDesk.page.$eval('.link[readonly]', input => (input as unknown as { value: string }).value)
  const inHand = await openVisitor(t, browser, link, phone)
  await inHand.presses('Continue here', 'I agree, start')
  await inHand.reads('h1', 'Take a picture of your face')
  await atDesk.sees('FOLLOWING')
  await atDesk.presses('Use this computer instead', 'Use this computer')
  await atDesk.sees('CONSENT')
  await atDesk.presses('I agree, start')
  await give(inHand)
  await inHand.sees('USED_LINK')
  await give(atDesk)
  await answerChallenge(atDesk)
  await atDesk.sees('RESULT')
})

inLongTier(serialBrowserTest)('A person who shows a code goes on at the computer after all', async t => {
  const { sdk_token } = await rig.open({}, { transaction_type: 'BIOMETRIC_ONLY' })
  const visitor = await openVisitor(t, await openBrowser(), `${rig.node().url}/verify#${sdk_token}`, desktop)
  await visitor.presses('Continue on my phone')
  await visitor.sees('HANDOFF')
  await visitor.page.waitForFunction(`document.querySelector('.link[readonly]')?.value.includes('#handoff=')`, {
    polling,
  })
  const link = await visitor.page.$eval('.link[readonly]', input => (input as unknown as { value: string }).value)
  await visitor.presses('Use this computer instead')
  await visitor.sees('CHOOSE_DEVICE')
  const late = await openVisitor(t, await openBrowser(), link, phone)
  await late.presses('Continue here')
  await late.sees('USED_LINK')
  t.false((await visitor.text()).includes('document'), 'a step-up asks for none')
  await visitor.presses('Use this computer')
  await visitor.sees('CONSENT')
  await visitor.presses('I agree, start')
  await give(visitor)
  await answerChallenge(visitor)
  await visitor.sees('RESULT')
})
