import { answerDigital } from '@attestor/credentials/synthetic'
import type { PictureQuad } from '@attestor/rules'
import test from 'ava'
import { createApprovedFindings } from '../../../src/engines/scripted.ts'
import { createAccount } from '../../../src/identity/accounts/accounts.ts'
import {
  attributesOf,
  browserTest,
  closeBrowser,
  findViolations,
  openBrowser,
  openPage,
  textsOf,
} from '../../../test/browser.ts'
import { openFindings } from '../../../test/console/service.ts'
import { codeAt } from '../../../test/identity/operators/rig.ts'
import { registerCustomer, startCall } from '../../../test/service/client.ts'
import type { Opened, Rig } from '../../../test/service/rig.ts'
import { inLongTier, rounds } from '../../../test/tier.ts'
import { findAllWell, issueTrusted } from '../../../test/wallet/wallet_issuers.ts'
import { checkScreen, clickText, hostile, loaded, openConsole } from './page.ts'

test.after.always(closeBrowser)

const columnsAfterReference = ['Outcome', 'Reason', 'Country', 'Customer', 'Created', 'Took']

/** A transaction of which a stranger wrote every text. */
async function openHostile(rig: Rig) {
  const token = await rig.token()
  const person = { external_customer_id: hostile, email: 'a@example.com', phone_number: '+4670123456' }
  const customer_id = await registerCustomer(rig.call, token, person)
  const opened = await rig.open({ reference: hostile }, { customer_id })
  const device = { ...startCall.device, device_model: hostile, os_version: hostile }
  await opened.phone.start({ ...startCall, device })
  return { ...opened, customer_id }
}

async function finish(rig: Rig, { phone }: Awaited<ReturnType<typeof openHostile>>): Promise<void> {
  await phone.signals()
  await phone.upload('document/front')
  await phone.upload('selfie')
  await phone.liveness()
  await phone.complete()
  await rig.idle()
}

inLongTier(browserTest)(
  'An operator logs in with a one-time code, and a session that is ended elsewhere asks for one',
  async t => {
    const { rig, logIn } = await openConsole(t)
    const { page, operator } = await logIn('ada', 'admin')
    t.is((await textsOf(page, '.person b'))[0], 'ada')
    const other = await openPage(t, await openBrowser(), `${rig.node().url}/console/sessions`)
    await other.waitForSelector('[name=code]')
    await checkScreen(t, other, 'log-in')
    const fillIn = async (password: string) => {
      await other.$eval('form', form => (form as unknown as { reset(): void }).reset())
      await other.type('[name=name]', 'ada')
      await other.type('[name=password]', password)
      await other.type('[name=code]', codeAt(rig.clock.now(), operator.totp.secret))
      await other.keyboard.press('Enter')
    }
    await fillIn('not it')
    await other.waitForFunction("document.querySelector('.failure').textContent.includes('wrong')")
    await rig.advance(30_000)
    await fillIn(operator.password)
    await other.waitForSelector('#main tbody tr:nth-child(2)')
    t.is(new URL(other.url()).pathname, '/console/sessions', 'what was asked for is shown')
    await other.locator('#main tbody tr:not(:has(.busy)) .danger').click()
    await other.locator('dialog .danger').click()
    await other.waitForFunction("document.querySelectorAll('#main tbody tr').length === 1")
    await page.locator('#navigation a[data-path="/system"]').click()
    await page.waitForSelector('[name=code]')
    t.regex((await textsOf(page, '.notice'))[0] ?? '', /session has ended/)
  },
)

browserTest(
  'A decision is a sentence, then each rule, with pictures and webhooks, even with hostile texts',
  async t => {
    const { rig, logIn } = await openConsole(t)
    const opened = await openHostile(rig)
    await finish(rig, opened)
    const { page, visit } = await logIn('grace', 'reviewer')
    await loaded(page)
    await page.waitForSelector(`tr[data-id="${opened.id}"]`)
    await checkScreen(t, page, 'transactions')
    await page.type('[name=q]', opened.id)
    await page.keyboard.press('Enter')
    await page.waitForFunction("location.search.startsWith('?q=')")
    await page.locator(`tr[data-id="${opened.id}"] th a`).click()
    await page.waitForSelector('.verdict')
    t.is(await page.evaluate('document.activeElement.tagName'), 'H1', 'the focus is on the new screen')
    t.regex((await textsOf(page, '.verdict h2'))[0] ?? '', /^Approved/)
    t.true((await textsOf(page, '.rules tbody tr')).length > 5)
    t.true((await textsOf(page, '.rules td.score')).some(text => /0\.992/.test(text)))
    await clickText(page, 'Show the pictures')
    await page.waitForFunction("[...document.querySelectorAll('.gallery img')].every(one => one.naturalWidth > 0)")
    await clickText(page, 'Show personal data')
    await page.waitForFunction(`document.querySelector('.on-request').textContent.includes(${JSON.stringify(hostile)})`)
    await page.waitForSelector('.timeline li:nth-child(5)')
    await page.waitForSelector('.chart-box .state.active')
    await page.locator('.deliveries summary').click()
    await checkScreen(t, page, 'transaction')
    const more = ['/reviews', '/customers', '/webhooks', '/trust-anchors', '/sessions']
    for (const path of [`/customers/${opened.customer_id}`, '/system', ...more.slice(0, rounds(0, more.length))]) {
      await visit(path)
      await checkScreen(t, page, path)
    }
    t.deepEqual(await page.$$eval('#navigation a', links => links.map(link => link.getAttribute('data-path'))), [
      '/',
      '/overview',
      '/reviews',
      '/customers',
      '/webhooks',
      '/charts',
      '/system',
      '/trust-anchors',
      '/sessions',
    ])
    t.is((await textsOf(page, '.head .danger')).length, 0, 'a reviewer erases nothing')
  },
)

inLongTier(browserTest)(
  'A wallet is shown with its issuer, its checks, and what it disclosed; of an age only the answer',
  async t => {
    const { rig, logIn } = await openConsole(t)
    rig.script(findAllWell)
    const { credential } = await issueTrusted(rig)
    const { visit, page } = await logIn('mary', 'viewer')
    const answer = async ({ phone }: Opened): Promise<void> => {
      await phone.start({})
      const { body } = await phone.askWallet()
      const [request] = body.requests as readonly { readonly protocol: string; readonly data: object }[]
      if (request === undefined) throw new Error('nothing is asked')
      const data = await answerDigital(credential, request, rig.node().url, { now: rig.clock.now() })
      t.is((await phone.answerWallet(String(body.request_id), { protocol: request.protocol, data })).status, 200)
    }
    const end = async ({ id, phone }: Opened): Promise<string> => {
      t.is((await phone.complete()).status, 202)
      await rig.idle()
      await visit(`/transactions/${id}`)
      await page.waitForSelector('.verdict')
      return (await textsOf(page, '.verdict')).join()
    }
    const known = await rig.open({
      document_policy: {
        wallet: 'REQUIRE',
        wallet_claims: ['last_name', 'personal_number', 'issuing_country', 'portrait'],
      },
    })
    await answer(known)
    await known.phone.upload('selfie')
    await known.phone.liveness()
    const shown = await end(known)
    for (const word of [
      'org.iso.18013.5.1.mDL',
      'SE',
      'Surname',
      'Asked, and withheld',
      'Issuer of the credential is known',
    ])
      t.true(shown.includes(word), `${word}: ${shown}`)
    t.false(shown.includes('Eriksson'), 'nothing personal until somebody asks')
    await checkScreen(t, page, 'wallet')
    const age = await rig.open(
      { age: { over: 18 }, document_policy: { wallet: 'REQUIRE' } },
      { transaction_type: 'AGE' },
    )
    await answer(age)
    t.regex(await end(age), /Age 18.*Reached.*issuer signed/)
    await checkScreen(t, page, 'age')
  },
)

inLongTier(browserTest)(
  'The list says why a transaction was not approved, how long it took, and when in the reader’s zone',
  async t => {
    const { rig, logIn } = await openConsole(t)
    const { page, visit } = await logIn('joan', 'viewer')
    await page.emulateTimezone('Asia/Tokyo')
    await visit('/')
    await page.waitForSelector('#live.live')
    const differing = { distance: 0.82, similarity: { score: 0.013, threshold: 0.809 } }
    rig.script(request => {
      const found = createApprovedFindings(request)
      return { ...found, face: found.face && { ...found.face, ...differing } }
    })
    const { id, phone } = await rig.open()
    await phone.start()
    await rig.advance(125_000)
    for (const path of ['document/front', 'selfie']) await phone.upload(path)
    await phone.signals()
    await phone.liveness()
    await phone.complete()
    await rig.idle()
    const cell = (name: string) => `tr[data-id="${id}"] td[data-name=${name}]`
    await page.waitForFunction(`document.querySelector('${cell('Reason')}')?.textContent === 'Face mismatch'`)
    t.is((await attributesOf(page, `${cell('Reason')} span`, 'title'))[0], 'FACE_MISMATCH')
    t.deepEqual(await textsOf(page, cell('Took')), ['2 minutes'])
    const created = String((await rig.view(id)).created_at)
    t.is((await attributesOf(page, `${cell('Created')} time`, 'title'))[0], created)
    const inTokyo = new Date(Date.parse(created) + 9 * 3_600_000).toISOString().slice(11, 16)
    t.true(
      (await textsOf(page, cell('Created')))[0]?.includes(`${inTokyo} GMT+9`),
      (await textsOf(page, cell('Created')))[0],
    )
    await checkScreen(t, page, 'transactions')
    await page.locator(`tr[data-id="${id}"] th a`).click()
    await page.waitForSelector('.chart-box [data-state=FINISHED].active')
    const isSeen = `(() => {
      const [box, state] = ['.chart-box', '.chart-box [data-state=FINISHED]']
        .map(selector => document.querySelector(selector).getBoundingClientRect())
      return state.top >= box.top && state.bottom <= box.bottom && state.left >= box.left && state.right <= box.right
    })()`
    await page.waitForFunction(isSeen)
    t.true(await page.$eval('.chart-box', box => box.scrollLeft + box.scrollTop > 0), 'its chart opens there')
  },
)

inLongTier(browserTest)(
  'The list counts what it finds, sorts by how long it took, and shows references to who may read them',
  async t => {
    const { rig, logIn } = await openConsole(t)
    const quick = await openHostile(rig)
    await finish(rig, quick)
    const slow = await rig.open({ reference: 'order 2' })
    await slow.phone.start()
    await rig.advance(125_000)
    await slow.phone.capture()
    await slow.phone.complete()
    await rig.idle()
    const open = await rig.open({ reference: 'order 3' })
    const { page, visit } = await logIn('grace', 'reviewer')
    await visit('/')
    await page.waitForFunction("document.querySelector('.totals')?.textContent === '3 found: 2 approved, 1 not ended'")
    const rows = () => attributesOf(page, 'tbody tr', 'data-id')
    t.deepEqual(await rows(), [open.id, slow.id, quick.id])
    t.deepEqual(await textsOf(page, 'thead th'), ['Transaction', ...columnsAfterReference])

    await page.select('[name=order]', 'longest')
    await page.waitForFunction("document.querySelectorAll('tbody tr').length === 2")
    t.deepEqual(await rows(), [slow.id, quick.id], 'what has not ended took nothing yet')
    await page.select('[name=order]', 'shortest')
    await page.waitForFunction(`document.querySelector('tbody tr').dataset.id === '${quick.id}'`)
    await page.select('[name=order]', '')
    await page.waitForFunction("document.querySelectorAll('tbody tr').length === 3")

    await page.locator('[name=references]').click()
    const cell = (id: string) => `tr[data-id="${id}"] td[data-name=Reference] .words`
    await page.waitForFunction(
      `document.querySelector('${cell(quick.id)}')?.textContent === ${JSON.stringify(hostile)}`,
    )
    t.deepEqual(await textsOf(page, 'td[data-name=Reference] .words'), ['order 3', 'order 2', hostile])
    await checkScreen(t, page, 'references')
    const later = await rig.open({ reference: 'order 4' })
    await page.waitForFunction(`document.querySelector('${cell(later.id)}')?.textContent === 'order 4'`)
    const { phone } = open
    await phone.start()
    await rig.idle()
    await page.waitForFunction(`document.querySelector('tr[data-id="${open.id}"] .first').textContent === 'Capturing'`)
    const looks = await rig.rows("SELECT subject_id FROM audit WHERE action = 'personal_data_read' ORDER BY sequence")
    t.deepEqual(
      looks.map(look => look.subject_id).sort(),
      [quick.id, slow.id, open.id, later.id].sort(),
      'each is read once, however often the list changes',
    )
    await page.locator('[type=reset]').click()
    await page.waitForFunction("document.querySelector('td[data-name=Reference]') === null")
    t.is(await page.evaluate('location.search'), '')

    const viewer = await logIn('joan', 'viewer')
    await viewer.visit('/?references=shown')
    await viewer.page.waitForSelector(`tr[data-id="${quick.id}"]`)
    t.deepEqual(await textsOf(viewer.page, '[name=references], td[data-name=Reference]'), [])
  },
)

browserTest('Signals that no browser can measure are one line of a decision, which opens', async t => {
  const { rig, logIn } = await openConsole(t)
  const { id, phone } = await rig.open()
  const { sdk_platform, sdk_version, os_version, device_model } = startCall.device
  const device = { sdk_platform, sdk_version, os_version, device_model }
  await phone.start({ ...startCall, device, location_permission: 'not_requested' })
  for (const path of ['document/front', 'selfie']) await phone.upload(path)
  await phone.liveness()
  await phone.complete()
  await rig.idle()
  const { page, visit } = await logIn('grace', 'reviewer')
  await visit(`/transactions/${id}`)
  await page.waitForSelector('.verdict')
  t.deepEqual(await textsOf(page, '.verdict > ul.issues code'), ['SURNAME_NOT_EVALUABLE'])
  t.regex((await textsOf(page, '.verdict summary')).join(), /^7 signals were not measured,1 note$/)
  await clickText(page, '7 signals were not measured')
  t.true((await textsOf(page, '.verdict details[open] code')).includes('EMULATOR_NOT_EVALUABLE'))
})

browserTest('A review shows the document’s portrait, cut out, before the selfie; a viewer enlarges both', async t => {
  const { rig, logIn } = await openConsole(t)
  const region = { x: 0.2, y: 0.1, width: 0.4, height: 0.5 }
  // Each of its 44 columns takes a fiftieth of the width.
  const quad = (left: number, top: number, right: number, bottom: number): PictureQuad => [
    { x: left, y: top },
    { x: right, y: top },
    { x: right, y: bottom },
    { x: left, y: bottom },
  ]
  const zone = quad(0.06, 0.8, 0.94, 0.9)
  const at = (y: number): PictureQuad => quad(0.4, y, 0.6, y + 0.05)
  const places = { portrait: region, zone, fields: { last_name: at(0.2) }, lines: [at(0.3), at(0.4)] }
  rig.script(request => {
    const found = openFindings(request)
    const printed = { printed_lines: ['FIRST LINE', 'SECOND LINE'], regions: { document_front: places } }
    return {
      ...found,
      document: found.document && { ...found.document, ...printed },
      face: found.face && { ...found.face, regions: { selfie: { face: region } } },
    }
  })
  const opened = await openHostile(rig)
  await finish(rig, opened)
  const { page, visit } = await logIn('grace', 'reviewer')
  await visit(`/reviews/${opened.id}`)
  await page.waitForFunction("[...document.querySelectorAll('.gallery img')].every(one => one.naturalWidth > 0)")
  const names = await textsOf(page, '.faces figcaption b')
  t.deepEqual(names.slice(0, 2), ['Portrait of the document', 'Selfie'])
  const cut = `(() => {
    const canvas = document.querySelector('.portrait canvas')
    const front = document.querySelector('.documents img')
    const middle = canvas.getContext('2d').getImageData(canvas.width / 2, canvas.height / 2, 1, 1).data
    const whole = new OffscreenCanvas(front.naturalWidth, front.naturalHeight).getContext('2d')
    whole.drawImage(front, 0, 0)
    const [x, y] = [front.naturalWidth * 0.4, front.naturalHeight * 0.35]
    const expected = whole.getImageData(x, y, 1, 1).data
    return [canvas.width - Math.floor(front.naturalWidth * 0.72), Math.max(...expected.map((one, i) => Math.abs(one - middle[i]))) < 40 && middle[3] === 255]
  })()`
  t.deepEqual(await page.evaluate(cut), [0, true], 'its middle is that of the portrait')
  const looks = await rig.rows("SELECT COUNT(*) AS n FROM audit WHERE action = 'capture_read'")
  const looksBefore = Number(looks[0]?.n)
  t.is(looksBefore, (await textsOf(page, '.gallery img')).length, 'no picture is asked for twice')
  for (const name of ['Portrait of the document', 'Selfie']) {
    const button = `button[aria-label="Enlarge: ${name}"]`
    await page.focus(button)
    await page.keyboard.press('Enter')
    await page.waitForSelector('dialog.viewer .turned > :is(img, canvas)')
    const natural =
      "(document.querySelector('.turned > img')?.naturalWidth ?? document.querySelector('.turned > canvas').width)"
    const width = "document.querySelector('.turned').getBoundingClientRect().width"
    await page.keyboard.press('1')
    t.is(await page.evaluate(`Math.round(${width} - ${natural})`), 0, `${name}: each pixel is one of the page`)
    await page.keyboard.press('+')
    t.is(await page.evaluate(`Math.round(100 * ${width} / ${natural})`), 125, name)
    const isTurned = "document.querySelector('.turned').style.transform.includes('rotate(90deg)')"
    await page.keyboard.press('r')
    t.true(await page.evaluate(isTurned), name)
    t.deepEqual(await findViolations(page), [], name)
    if (process.env.SCREENSHOTS) await page.screenshot({ path: `${process.env.SCREENSHOTS}/viewer-${name}.png` })
    await page.keyboard.press('Escape')
    await page.waitForSelector('dialog', { hidden: true })
    t.is(await page.evaluate("document.activeElement.getAttribute('aria-label')"), `Enlarge: ${name}`)
    t.is(await page.$eval(button, one => one.firstElementChild?.tagName), name === 'Selfie' ? 'IMG' : 'CANVAS')
  }
  t.is(Number((await rig.rows("SELECT COUNT(*) AS n FROM audit WHERE action = 'capture_read'"))[0]?.n), looksBefore)
  await page.locator('button[aria-label="Enlarge: Document, front"]').click()
  await page.locator('dialog ::-p-text(Show personal data)').click()
  const outline = async (name: string): Promise<readonly number[] | undefined> => {
    await page.locator(`dialog .lead ::-p-text(${name})`).click()
    const outlined = await page.waitForSelector('dialog polygon.field')
    return outlined?.evaluate(one => one.getAttribute('points')?.split(/[ ,]/).map(Number).map(Math.round))
  }
  t.deepEqual(await outline('Date of birth'), [320, 850, 440, 850, 440, 900, 320, 900], 'in the zone')
  t.deepEqual(await outline('Surname'), [400, 200, 600, 200, 600, 250, 400, 250], 'in print')
  t.deepEqual(await outline('SECOND LINE'), [400, 400, 600, 400, 600, 450, 400, 450])
  t.deepEqual(await findViolations(page), [], 'a field in the viewer')
  await page.keyboard.press('Escape')
  await checkScreen(t, page, 'review')
})

inLongTier(browserTest)(
  'A reviewer decides beside the pictures, and a viewer sees neither them nor the form',
  async t => {
    const { rig, logIn } = await openConsole(t)
    rig.script(openFindings)
    const opened = await openHostile(rig)
    await finish(rig, opened)
    const viewer = await logIn('joan', 'viewer')
    await viewer.visit(`/transactions/${opened.id}`)
    await viewer.page.waitForSelector('.verdict')
    t.is((await textsOf(viewer.page, 'main img, .head .button, .head .actions button, .on-request')).length, 0)
    await viewer.visit(`/reviews/${opened.id}`)
    t.regex((await textsOf(viewer.page, 'h1'))[0] ?? '', /Not found/)
    const { page, visit } = await logIn('grace', 'reviewer')
    await visit('/reviews')
    await page.locator('tbody .button').click()
    await page.waitForSelector('.gallery img')
    await checkScreen(t, page, 'review')
    await page.focus('h1')
    await page.keyboard.press('a')
    await page.type('[name=reason]', hostile)
    await page.locator('.decide [type=submit]').click()
    await page.waitForFunction("location.pathname === '/console/reviews'")
    await page.locator('.undo button').click()
    await page.waitForSelector('.decide :checked')
    t.is(await page.evaluate(`document.querySelector('[name=reason]').value`), hostile, 'it is kept')
    t.is((await rig.view(opened.id)).result_data, null)
    await page.locator('.decide [type=submit]').click()
    await page.waitForSelector('.undo')
    await checkScreen(t, page, 'undo')
    // Leaving the page confirms the decision.
    await visit(`/transactions/${opened.id}`)
    await page.waitForFunction("document.querySelector('.verdict')?.textContent.includes('Decided by grace')")
    await rig.idle()
    t.like((await rig.view(opened.id)).result_data, { decision: 'APPROVED' })
    await page.waitForSelector('.verdict')
    t.regex((await textsOf(page, '.verdict'))[0] ?? '', /Decided by grace.*rules alone had said: undetermined/)
    await clickText(page, 'Show personal data')
    await page.waitForFunction(
      `[...document.querySelectorAll('.on-request dd')].filter(one => one.textContent === ${JSON.stringify(hostile)}).length > 3`,
    )
  },
)

inLongTier(browserTest)('An admin makes accounts, clients and operators, and reads who did what', async t => {
  const { rig, logIn } = await openConsole(t)
  await createAccount(rig.node().service, { name: hostile, mode: 'live' })
  await createAccount(rig.node().service, { name: 'evil\u202e', mode: 'test' })
  const { page, visit } = await logIn('ada', 'admin')
  await visit('/accounts')
  const names = await textsOf(page, 'tbody th')
  t.true(names.includes(hostile) && names.includes('evil\\u202e'), names.join())
  await checkScreen(t, page, 'accounts')
  await page.locator('.head .primary').click()
  await page.type('dialog [name=name]', 'New bank')
  await page.locator('dialog [type=submit]').click()
  await page.waitForSelector('dialog .whole')
  await checkScreen(t, page, 'a secret')
  await page.locator('dialog .primary').click()
  await page.waitForSelector('tbody .danger')
  await checkScreen(t, page, 'account')
  await page.locator('tbody .danger').click()
  await page.locator('dialog .danger').click()
  await page.waitForFunction("document.querySelector('tbody').textContent.includes('Revoked')")
  await visit('/operators')
  await page.locator('.head .primary').click()
  await page.type('dialog [name=name]', 'linus')
  await page.locator('dialog [type=submit]').click()
  await page.waitForSelector('dialog .qr')
  await checkScreen(t, page, 'credentials')
  await page.keyboard.press('Escape')
  await checkScreen(t, page, 'operators')
  await visit('/keys')
  await checkScreen(t, page, 'keys')
  await page.keyboard.press('g')
  await page.keyboard.press('l')
  await page.waitForFunction("location.pathname === '/console/audit'")
  await page.waitForSelector('tbody tr')
  t.true((await textsOf(page, 'tbody td[data-name=Action]')).includes('Operator created'))
  await checkScreen(t, page, 'audit log')
  await page.keyboard.press('?')
  await page.waitForSelector('dialog .shortcuts')
  await checkScreen(t, page, 'shortcuts')
})

inLongTier(browserTest)(
  'What happens is seen as it happens, in the list, on the chart and in the timeline',
  async t => {
    const { rig, logIn } = await openConsole(t)
    const { page } = await logIn('joan', 'viewer')
    await page.waitForSelector('#live.live')
    const { id, phone } = await rig.open()
    const row = `tr[data-id="${id}"]`
    await page.waitForSelector(row)
    await phone.start()
    await page.waitForFunction(`document.querySelector('${row} .badge').textContent === 'Capturing'`)
    await page.locator(`${row} th a`).click()
    await page.waitForSelector('.chart-box [data-state="open.INITIATED.document.awaiting_front"].active')
    await phone.upload('document/front')
    await page.waitForSelector('.chart-box [data-state="open.INITIATED.document.front_is_there.captured"].active')
    await page.waitForFunction(
      "document.querySelector('.timeline').textContent.includes('Front of the document captured')",
    )
    t.is((await textsOf(page, '#live'))[0], 'Live')
  },
)
