/** Each button that changes something is clicked by hand, and its effect in the service is checked. */
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import type { Page } from 'puppeteer-core'
import { createApprovedFindings } from '../../../src/engines/scripted.ts'
import { browserTest, closeBrowser, textsOf } from '../../../test/browser.ts'
import { openFindings } from '../../../test/console/service.ts'
import { picture, tokenForm } from '../../../test/service/client.ts'
import type { Opened, Rig } from '../../../test/service/rig.ts'
import { checkScreen, clickText, hostile, loaded, openConsole } from './page.ts'

test.after.always(closeBrowser)

/** The button of the dialog, which then closes. */
async function confirm(page: Page): Promise<void> {
  await page.locator('dialog[open] [type=submit]').click()
  await page.waitForFunction("document.querySelector('dialog') === null")
}

function waitForText(page: Page, selector: string, text: string) {
  return page.waitForFunction(
    `[...document.querySelectorAll(${JSON.stringify(selector)})].some(one => one.textContent.includes(${JSON.stringify(text)}))`,
  )
}

async function finish(rig: Rig): Promise<Opened> {
  const one = await rig.open({ reference: hostile })
  await one.phone.capture()
  await one.phone.complete()
  await rig.idle()
  return one
}

/** Returns the actions in the audit log, newest first. */
async function listDeeds(rig: Rig): Promise<readonly unknown[]> {
  return (await rig.rows('SELECT action FROM audit ORDER BY sequence DESC')).map(({ action }) => action)
}

/** Clicks the link, and reads the file that the browser saved. */
async function downloadEvidence(t: ExecutionContext, page: Page) {
  const folder = await mkdtemp(join(tmpdir(), 'evidence-'))
  t.teardown(() => rm(folder, { recursive: true }))
  const browser = await page.createCDPSession()
  await browser.send('Browser.setDownloadBehavior', {
    behavior: 'allow',
    downloadPath: folder,
    eventsEnabled: true,
    browserContextId: page.browserContext().id,
  } as never)
  const ended = new Promise<void>(resolve =>
    browser.on('Browser.downloadProgress', ({ state }) => (state === 'completed' ? resolve() : undefined)),
  )
  await page.locator('.head a[download]').click()
  await ended
  const [name = ''] = await readdir(folder)
  const evidence = JSON.parse(await readFile(join(folder, name), 'utf8')) as Record<string, unknown>
  return { name, evidence }
}

browserTest(
  'A transaction is cancelled, its webhook sent again, its evidence downloaded, and it is erased',
  async t => {
    const { rig, logIn } = await openConsole(t)
    const { page, visit } = await logIn('ada', 'admin')
    const going = await rig.open()
    await going.phone.start()
    await visit(`/transactions/${going.id}`)
    await page.locator('.head .actions button:not(.danger)').click()
    await confirm(page)
    await waitForText(page, '.verdict h2', 'Failed')
    t.is((await rig.view(going.id)).status, 'FAILED')

    const done = await finish(rig)
    const count = () => rig.hook.received.filter(({ body }) => body.status === 'FINISHED').length
    t.is(count(), 1)
    await visit(`/transactions/${done.id}`)
    await page.locator('.deliveries li:last-child summary').click()
    await page.locator('.deliveries li:last-child .buttons button').click()
    await rig.hook.seen(() => count() === 2)
    await rig.idle()
    await waitForText(page, '.deliveries li:last-child', '2 attempts')

    const { name, evidence } = await downloadEvidence(t, page)
    t.is(name, `evidence-${done.id}.json`)
    t.true('payload' in evidence && 'signature' in evidence)

    await page.locator('.head .danger').click()
    await page.waitForSelector('dialog[open] input')
    await page.locator('dialog[open] [type=submit]').click()
    t.not(await page.$('dialog[open]'), null, 'nothing is erased before the word is typed')
    await page.type('dialog[open] input', 'erase')
    await confirm(page)
    await waitForText(page, '.verdict h2', 'Erased')
    const [row] = await rig.rows('SELECT erasure_id FROM transactions WHERE id = ?', done.id)
    t.truthy(row?.erasure_id)
    t.is((await textsOf(page, '.head .danger, .gallery figure, .on-request')).length, 0)
    t.deepEqual((await listDeeds(rig)).slice(0, 4), [
      'transaction_erased',
      'evidence_exported',
      'delivery_redelivered',
      'transaction_cancelled',
    ])
  },
)

browserTest('Webhooks to an origin are paused and resumed, and waiting ones are sent', async t => {
  const { rig, logIn } = await openConsole(t)
  await finish(rig)
  const before = rig.hook.received.length
  const { page, visit } = await logIn('ada', 'admin')
  await visit('/webhooks')
  await page.locator('tbody button').click()
  await confirm(page)
  await waitForText(page, 'tbody td', 'Paused')
  t.regex((await textsOf(page, 'tbody tr'))[0] ?? '', /by ada/)
  const held = await finish(rig)
  t.is(rig.hook.received.length, before, 'nothing is sent meanwhile')
  await visit(`/transactions/${held.id}`)
  await page.locator('.deliveries summary').click()
  await waitForText(page, '.deliveries .notice', 'are paused')
  await visit('/webhooks?state=paused')
  await page.locator('tbody button').click()
  await confirm(page)
  await rig.advance(60_000)
  t.true(rig.hook.received.some(({ body }) => body.transaction_id === held.id && body.status === 'FINISHED'))
  t.deepEqual((await listDeeds(rig)).slice(0, 2), ['origin_resumed', 'origin_paused'])
})

browserTest('A signing key is rotated; an account and a client are made, and one is revoked', async t => {
  const { rig, logIn } = await openConsole(t)
  const { page, visit } = await logIn('ada', 'admin')
  await visit('/keys')
  await page.locator('.head button').click()
  await page.waitForSelector('dialog[open] [name=in_hours]')
  await confirm(page)
  await waitForText(page, 'tbody td', 'Next')
  t.is((await textsOf(page, 'tbody tr')).length, 2)

  await visit('/accounts')
  await page.locator('.head .primary').click()
  await page.type('dialog [name=name]', hostile)
  await page.locator('dialog [name=review]').click()
  await page.locator('dialog [type=submit]').click()
  await page.waitForSelector('dialog .whole')
  await page.keyboard.press('Escape')
  // A new account's page says what to do next.
  await waitForText(page, 'h1', hostile)
  await waitForText(page, '.facts', 'On Switch off')
  await clickText(page, 'Switch off')
  await confirm(page)
  await waitForText(page, '.facts', 'Off')
  await clickText(page, 'Add a client')
  await page.locator('dialog[open] [type=submit]').click()
  await page.waitForSelector('dialog .whole')
  const texts = await textsOf(page, 'dialog .whole')
  const [id = '', secret = ''] = texts.map(text => text.trim())
  const form = tokenForm({ client_id: id, client_secret: secret })
  const requestToken = () => rig.call('POST', '/oauth2/token', { form })
  t.is((await requestToken()).status, 200, 'the client is one at once')
  await page.keyboard.press('Escape')
  await page.waitForSelector('tbody tr:nth-child(2) .danger')
  const rows = await textsOf(page, 'tbody th')
  const nth = rows.findIndex(text => id.endsWith(text.trim().slice(-4))) + 1
  await page.locator(`tbody tr:nth-child(${nth}) .danger`).click()
  await confirm(page)
  await waitForText(page, 'tbody td', 'Revoked')
  t.is((await requestToken()).status, 401)
})

browserTest('A reviewer rejects with a reason, by the keyboard alone', async t => {
  const { rig, logIn } = await openConsole(t)
  rig.script(openFindings)
  const one = await finish(rig)
  const { page, visit } = await logIn('grace', 'reviewer')
  await loaded(page)
  const press = async (...keys: readonly ('g' | 'r' | 'x' | 'Tab' | 'Enter')[]) => {
    for (const key of keys) await page.keyboard.press(key)
  }
  await press('g', 'r')
  await page.waitForSelector('tbody .button')
  for (let n = 0; n < 30; n++) {
    await press('Tab')
    if (await page.evaluate("document.activeElement.matches('tbody .button')")) break
  }
  await press('Enter')
  await page.waitForSelector('.decide')
  await page.waitForFunction("document.activeElement.tagName === 'H1'")
  await press('x')
  await page.waitForFunction("document.activeElement.tagName === 'TEXTAREA'")
  await page.keyboard.type(hostile)
  await press('Tab', 'Enter')
  await page.waitForSelector('.undo')
  // Leaving the page ends the time in which the decision can be taken back.
  await visit(`/transactions/${one.id}`)
  await page.waitForFunction("document.querySelector('.verdict')?.textContent.includes('Decided by grace')")
  await rig.idle()
  t.like((await rig.view(one.id)).result_data, { decision: 'REJECTED' })
})

browserTest('A list that changes leaves the focus, and a click that has begun, where they are', async t => {
  const { rig, logIn } = await openConsole(t)
  rig.script(openFindings)
  const one = await finish(rig)
  const { page, visit } = await logIn('grace', 'reviewer')
  await visit('/reviews')
  await page.waitForSelector('tbody .button')
  await page.focus('tbody .button')
  await finish(rig)
  await page.waitForFunction("document.querySelectorAll('tbody tr').length === 2")
  t.is(await page.evaluate("document.activeElement.closest('tr')?.dataset.id"), one.id)
  t.true(await page.evaluate("document.activeElement.matches('.button')"))
  await page.locator('tbody .button').hover()
  await page.mouse.down()
  await finish(rig)
  await page.waitForFunction("document.querySelectorAll('tbody tr').length === 3")
  await page.mouse.up()
  await page.waitForFunction(`location.pathname === '/console/reviews/${one.id}'`)
})

browserTest('A click is not lost where its row changes meanwhile', async t => {
  const { rig, logIn } = await openConsole(t)
  const one = await rig.open()
  const { page } = await logIn('joan', 'viewer')
  await page.locator(`tr[data-id="${one.id}"] th a`).hover()
  await page.mouse.down()
  await one.phone.start()
  await waitForText(page, `tr[data-id="${one.id}"]`, 'Capturing')
  await page.mouse.up()
  await page.waitForSelector('.verdict')
  t.true(page.url().endsWith(`/console/transactions/${one.id}`))
})

/** The element that somebody has selected or focused is the same one as before. */
const isKept = `(() => {
  const { element, button } = globalThis.kept
  return getSelection().toString() === element.textContent && document.activeElement === button
})()`

browserTest('The parts that a reviewer has opened, selected and focused stay while the person goes on', async t => {
  const { rig, logIn } = await openConsole(t)
  const { id, phone } = await rig.open()
  await phone.start()
  await phone.upload('document/front', await picture(101))
  const { page, visit } = await logIn('grace', 'reviewer')
  await visit(`/transactions/${id}`)
  await clickText(page, 'Show the pictures')
  await page.waitForSelector('.gallery img')
  await page.evaluate(`{
    const element = document.querySelector('.timeline b')
    const button = document.querySelector('.facts .copy')
    globalThis.kept = { element, button }
    button.focus()
    getSelection().selectAllChildren(element)
  }`)
  await phone.upload('selfie', await picture(102))
  await page.waitForFunction("document.querySelectorAll('.gallery img').length === 2")
  t.true(await page.evaluate(isKept), 'a picture came')
  await phone.capture()
  await phone.complete()
  await rig.idle()
  await waitForText(page, '.verdict', 'Approved')
  await page.waitForFunction("document.querySelectorAll('.gallery img').length === 6")
  t.true(await page.evaluate(isKept), 'it was decided')
})

browserTest('A picture in the viewer stays there while more come, and lies in its place afterwards', async t => {
  const { rig, logIn } = await openConsole(t)
  const { id, phone } = await rig.open()
  await phone.start()
  await phone.upload('selfie', await picture(101))
  const { page, visit } = await logIn('grace', 'reviewer')
  await visit(`/transactions/${id}`)
  await clickText(page, 'Show the pictures')
  await page.locator('.gallery .frame').click()
  await page.waitForSelector('.viewer .stage img')
  await phone.upload('document/front', await picture(102))
  await waitForText(page, '.timeline', 'Front of the document captured')
  t.is((await page.$$('.viewer .stage img')).length, 1)
  await page.keyboard.press('Escape')
  await page.waitForFunction("document.querySelectorAll('.gallery img').length === 2")
})

browserTest('The page of the system leaves what somebody has selected while it is read again', async t => {
  const { logIn } = await openConsole(t)
  const { page, visit } = await logIn('joan', 'viewer')
  await page.evaluateOnNewDocument('globalThis.setInterval = work => { globalThis.poll = work }')
  await visit('/system')
  await page.evaluate("getSelection().selectAllChildren(document.querySelector('tbody th'))")
  await page.$eval('#main .contents > p', summary => {
    summary.textContent = ''
  })
  await page.evaluate('globalThis.poll()')
  await page.waitForFunction("document.querySelector('#main .contents > p').textContent !== ''")
  t.not(await page.evaluate('getSelection().toString()'), '')
})

const region = { x: 0.2, y: 0.1, width: 0.4, height: 0.5 }

function corner(x: number, y: number) {
  return { x, y }
}

browserTest('Findings are drawn over a picture, named in words, and hidden by a button', async t => {
  const { rig, logIn } = await openConsole(t)
  rig.script(request => {
    const found = createApprovedFindings(request)
    const outline = [corner(-0.05, 0.1), corner(0.9, 0.1), corner(0.9, 0.9), corner(-0.05, 0.9)] as const
    const zone = [corner(0.1, 0.7), corner(0.8, 0.7), corner(0.8, 0.85), corner(0.1, 0.85)] as const
    return {
      ...found,
      document: found.document && {
        ...found.document,
        regions: { document_front: { outline, zone, portrait: region } },
      },
      face: found.face && { ...found.face, regions: { selfie: { face: region } } },
      liveness: found.liveness && {
        ...found.liveness,
        surroundings: { score: 0.93, threshold: 0.85 },
        regions: { frame_1: { face: region } },
      },
    }
  })
  const { id } = await finish(rig)
  const { page, visit } = await logIn('grace', 'reviewer')
  await visit(`/transactions/${id}`)
  await clickText(page, 'Show the pictures')
  await page.waitForSelector('.gallery .overlay polygon')
  const marks = await page.$$eval('.gallery figure:not(.portrait)', figures =>
    figures.map(one => [...one.querySelectorAll('.overlay polygon')].map(mark => mark.getAttribute('class')).join(' ')),
  )
  t.deepEqual([...marks].sort(), ['', '', '', 'face', 'face', 'outline zone portrait'].slice(-marks.length).sort())
  const [front = ''] = (await textsOf(page, '.legend')).filter(text => text.includes('Portrait'))
  t.regex(front, /Machine-readable zone: lower centre, 70% of the width, 15% of the height/)
  const [portrait] = await page.$$eval('.tag.portrait', tags => tags.map(tag => tag.getAttribute('style')))
  t.is(portrait, 'left: 20%; top: 10%;')
  t.deepEqual(await textsOf(page, '.ask ~ .issues li'), [
    'Prevents approvalHair and ears move with the face: 0.93passes up to 0.85',
  ])
  t.is((await textsOf(page, '.faces figcaption')).filter(text => /: .+Shown/.test(text)).length, 4)
  const cut = await page.$eval('.faces .cut', box => {
    const { width, height, left, top } = box.getBoundingClientRect()
    const mark = box.querySelector('.overlay polygon.face')?.getBoundingClientRect()
    return mark && [(mark.left + mark.width / 2 - left) / width, (mark.top + mark.height / 2 - top) / height]
  })
  t.deepEqual(
    (cut as readonly number[] | undefined)?.map(share => share.toFixed(1)),
    ['0.5', '0.5'],
    'the face is in the middle of its cut',
  )
  const isShown = () => page.$eval('.gallery .overlay', one => one.checkVisibility())
  t.true(await isShown())
  await checkScreen(t, page, 'marked pictures')
  await clickText(page, 'Mark what was found')
  t.false(await isShown())
  t.is(await page.$eval('[aria-pressed]', one => one.getAttribute('aria-pressed')), 'false')
})
