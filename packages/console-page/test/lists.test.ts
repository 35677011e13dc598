import test, { type ExecutionContext } from 'ava'
import type { Page } from 'puppeteer-core'
import { browserTest, closeBrowser, textsOf } from '../../../test/browser.ts'
import { insertManyRows } from '../../../test/console/many_rows.ts'
import { openFindings } from '../../../test/console/service.ts'
import { inLongTier } from '../../../test/tier.ts'
import { checkScreen, clickText, openConsole } from './page.ts'

test.after.always(closeBrowser)

const rowCount = "document.querySelectorAll('#main tbody tr').length"

async function showMore(page: Page, rows: number): Promise<void> {
  await clickText(page, 'Show more')
  await page.waitForFunction(`${rowCount} >= ${rows}`)
}

async function openList(t: ExecutionContext, rows: number) {
  const { rig, logIn } = await openConsole(t)
  const { store } = rig.node().service
  await insertManyRows(store, rows)
  const { page, visit } = await logIn('joan', 'viewer')
  await visit('/')
  await page.waitForSelector('#live.live')
  await page.waitForFunction(`${rowCount} === 25`)
  return { rig, page }
}

browserTest('Show more keeps what it showed while new transactions arrive and shown ones end', async t => {
  const { rig, page } = await openList(t, 1100)
  const early = await rig.open()
  await page.waitForSelector(`tr[data-id="${early.id}"]`)
  await showMore(page, 50)
  await showMore(page, 75)
  await page.$eval('.list footer button', button => {
    button.setAttribute('data-kept', '')
    ;(button as unknown as { focus(): void }).focus()
  })
  const last = await page.$eval('#main tbody tr:last-child', row => row.getAttribute('data-id'))
  const isLastShown = `document.querySelector('tr[data-id="${last}"]') !== null`
  for (let round = 0; round < 3; round++) {
    const { id } = await rig.open()
    await page.waitForSelector(`tr[data-id="${id}"]`)
    t.true(await page.evaluate(isLastShown), `round ${round}`)
    t.true(await page.evaluate("document.activeElement.hasAttribute('data-kept')"), 'the button keeps the focus')
  }
  await rig.call('POST', `/api/account/integration/kyc/transaction/${early.id}/cancel`, { token: await rig.token() })
  await page.waitForFunction(`document.querySelector('tr[data-id="${early.id}"]').innerText.includes('Failed')`)
  t.true(await page.evaluate(isLastShown))
  const ids = await page.$$eval('#main tbody tr', all => all.map(row => row.getAttribute('data-id')))
  t.is(new Set(ids).size, ids.length, 'no row stands twice')
  t.true(ids.length >= 78)
  await showMore(page, ids.length + 25)
  t.true(await page.evaluate(isLastShown))
})

inLongTier(browserTest)('A transaction says that it is analysed, and then that it awaits a person', async t => {
  const { rig, logIn } = await openConsole(t)
  const analysis = Promise.withResolvers<void>()
  rig.script(async request => {
    await analysis.promise
    return openFindings(request)
  })
  const { page } = await logIn('joan', 'viewer')
  await page.waitForSelector('#live.live')
  const { id, phone } = await rig.open()
  await phone.capture()
  await phone.complete()
  const says = (text: string) =>
    page.waitForFunction(`document.querySelector('tr[data-id="${id}"] .badge')?.textContent === '${text}'`)
  await says('Analysing')
  analysis.resolve()
  await rig.idle()
  await says('Awaits review')
  t.is((await rig.view(id)).status, 'PROCESSING', 'the status is the same')
})

inLongTier(browserTest)(
  'An account’s page leads a new one to its first result, and changes how its people see it',
  async t => {
    const { rig, logIn } = await openConsole(t)
    const { page, visit } = await logIn('ada', 'admin')
    await visit(`/accounts/${rig.account.account_id}`)
    await page.waitForSelector('.look .agree')
    await checkScreen(t, page, 'account of a new integrator')
    t.true((await textsOf(page, '.steps li')).some(text => text.includes('quickstart')))
    await page.$eval('.settings [name=name]', input => {
      ;(input as unknown as { value: string }).value = ''
    })
    await page.type('.settings [name=name]', 'Nordwind Bank')
    t.true((await textsOf(page, '.look p'))[0]?.includes('Nordwind Bank'), 'the preview follows')
    await page.locator('.beside .settings .primary').click()
    await page.waitForSelector('.beside .buttons button:nth-child(2)')
    await page.locator('.steps .primary').click()
    await page.waitForSelector('dialog .qr')
    await checkScreen(t, page, 'a test verification')
    const link = await page.$eval('dialog a[target]', one => (one as unknown as { href: string }).href)
    await page.goto(link)
    await page.waitForFunction("document.querySelector('header').innerText.includes('Nordwind Bank')")
  },
)
