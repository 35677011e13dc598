import test from 'ava'
import type { Page } from 'puppeteer-core'
import { newId } from '../../../src/base/ids.ts'
import { toOriginId } from '../../../src/webhooks/origins.ts'
import { browserTest, closeBrowser } from '../../../test/browser.ts'
import { insertManyRows, insertRows } from '../../../test/console/many_rows.ts'
import { openFindings } from '../../../test/console/service.ts'
import type { Rig } from '../../../test/service/rig.ts'
import { loaded, openConsole } from './page.ts'

test.after.always(closeBrowser)

async function awaitReview(rig: Rig): Promise<string> {
  const { id, phone } = await rig.open()
  await phone.capture()
  await phone.complete()
  await rig.idle()
  return id
}

const rows = 1100

/** Copies a row so often, with values of its own for these columns. */
async function copyRow(
  rig: Rig,
  into: string,
  id: string,
  change: (n: number) => Readonly<Record<string, string | number>>,
  count = rows,
): Promise<void> {
  const [row] = await rig.rows(`SELECT * FROM ${into} WHERE id = ?`, id)
  if (row === undefined) throw new Error('no such row')
  const copies = Array.from({ length: count }, (_, n) => ({ ...row, ...change(n) }))
  const { store } = rig.node().service
  for (let from = 0; from < count; from += 100)
    await insertRows(
      store,
      `${into} (${Object.keys(row).join(', ')})`,
      copies.slice(from, from + 100).map(copy => Object.values(copy) as (string | number)[]),
    )
}

/** Rows out of view are not drawn, and have no `innerText`. */
const shownRows =
  "[...document.querySelectorAll('#main tbody tr')].map(row => (row.querySelector('a')?.href ?? '') + row.textContent)"

/** Reads a list to its end while `arrive` adds rows: what was shown stays, and no row stands twice. */
async function readToEnd(page: Page, arrive: () => Promise<unknown>): Promise<readonly string[]> {
  const read = () => page.evaluate(shownRows) as Promise<readonly string[]>
  await page.waitForSelector('.list footer button:not([hidden])')
  for (let press = 0; await page.evaluate("!document.querySelector('.list footer button').hidden"); press++) {
    const { length } = await read()
    if (press % 8 === 1) await arrive()
    await page.locator('.list footer button').click()
    await page.waitForFunction(
      `document.querySelectorAll('#main tbody tr').length > ${length} || document.querySelector('.list footer button').hidden`,
    )
  }
  return read()
}

browserTest('Each list is read to its end, over 1,100 rows and while more arrive', async t => {
  const { rig, logIn } = await openConsole(t)
  const { store } = rig.node().service
  const { account_id } = rig.account
  rig.script(openFindings)
  const review = await awaitReview(rig)
  const [delivery] = await rig.rows('SELECT id FROM deliveries LIMIT 1')
  await copyRow(rig, 'deliveries', String(delivery?.id), n => ({
    id: newId(),
    transaction_id: newId(),
    event_id: newId(),
    sequence: n,
  }))
  await copyRow(rig, 'transactions', review, n => ({
    id: newId(),
    token_hash: `many ${n}`,
    awaiting_review_since: n + 1,
  }))
  const [head] = await rig.rows('SELECT MAX(sequence) AS n FROM audit')
  const from = Number(head?.n) + 1
  await insertRows(
    store,
    'audit (sequence, occurred_at, action, address, details, hash)',
    Array.from({ length: rows }, (_, n) => [from + n, n + 1, 'login_refused', 'service', `{"try":${n}}`, '']),
  )
  const origins = Array.from({ length: rows }, (_, n) => `https://receiver-${n}.example:443`)
  await insertRows(
    store,
    'origins (id, account_id, origin)',
    origins.map(origin => [toOriginId(account_id, origin), account_id, origin]),
  )
  await insertManyRows(store, rows * 10)
  const { page, visit } = await logIn('ada', 'admin')
  const own = `origin=${encodeURIComponent(rig.hook.url)}`
  for (const [path, arrive] of [
    ['/reviews', () => awaitReview(rig)],
    ['/customers', () => rig.customer()],
    ['/webhooks', () => rig.open()],
    [`/webhooks/${account_id}?${own}`, () => rig.open()],
    ['/audit', () => rig.call('POST', '/console/api/login', { json: { name: 'no', password: 'no', code: '000000' } })],
  ] as const) {
    await visit(path)
    await loaded(page)
    const read = await readToEnd(page, arrive)
    t.true(read.length >= rows, `${path}: ${read.length}`)
    t.is(new Set(read).size, read.length, `${path}: no row stands twice`)
  }
})

browserTest(
  'An old row that ends stays though its page has moved on, and a new one comes to the end of a list',
  async t => {
    const { rig, logIn } = await openConsole(t)
    rig.script(openFindings)
    const review = await awaitReview(rig)
    const many = (n: number) => ({ id: newId(), token_hash: `many ${n}`, awaiting_review_since: n + 1 })
    await copyRow(rig, 'transactions', review, many, 30)
    const { page, visit } = await logIn('ada', 'admin')
    const early = await rig.open()
    await visit('/')
    await page.waitForSelector('#live.live')
    const isShown = (id: string) => page.waitForSelector(`tr[data-id="${id}"]`)
    await isShown(early.id)
    await page.locator('.list footer button').click()
    await page.waitForFunction("document.querySelectorAll('#main tbody tr').length > 30")
    for (let n = 0; n < 30; n++) {
      const { id } = await rig.open()
      if (n % 5 === 4) await isShown(id)
    }
    await rig.call('POST', `/api/account/integration/kyc/transaction/${early.id}/cancel`, { token: await rig.token() })
    await page.waitForFunction(`document.querySelector('tr[data-id="${early.id}"]').innerText.includes('Cancelled')`)
    await isShown(review)
    await visit('/reviews')
    await page.waitForSelector('#live.live')
    await page.locator('.list footer button').click()
    await page.waitForFunction("document.querySelector('.list footer button').hidden")
    t.is(await page.$$eval('#main tbody tr', all => all.length), 31)
    await isShown(await awaitReview(rig))
  },
)
