import test, { type ExecutionContext } from 'ava'
import type { Page } from 'puppeteer-core'
import { browserTest, closeBrowser } from '../browser.ts'
import { insertManyRows } from './many_rows.ts'
import { clickText, openConsole } from './page.ts'

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
