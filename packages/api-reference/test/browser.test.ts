import test, { type ExecutionContext } from 'ava'
import type { Page } from 'puppeteer-core'
import {
  attributesOf,
  browserTest,
  closeBrowser,
  findViolations,
  openBrowser,
  openPage,
  textsOf,
} from '../../../test/browser.ts'
import type { Door } from '../../../test/http/door.ts'
import { inLongTier } from '../../../test/tier.ts'
import { closeReference, openReference, readPages } from './rig.ts'

test.after.always(async () => {
  await closeBrowser()
  await closeReference()
})

async function open(t: ExecutionContext, path: string): Promise<{ door: Door; page: Page }> {
  const { door } = await openReference()
  return { door, page: await openPage(t, await openBrowser(), `${door.url}${path}`) }
}

const audited = [
  '/',
  '/docs',
  '/docs/reference/transactions',
  '/docs/reference/webhooks',
  '/docs/reference/errors',
  '/docs/reference/shapes',
]

for (const scheme of ['light', 'dark'])
  inLongTier(browserTest)(
    `Nobody is kept out of the pages: axe finds nothing in the ${scheme} ones, on a desk and on a phone`,
    async t => {
      const { door, page } = await open(t, '/docs')
      await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: scheme }])
      for (const width of [1280, 360]) {
        await page.setViewport({ width, height: 740 })
        for (const path of audited) {
          await page.goto(`${door.url}${path}`)
          await page.$$eval('main details', all => {
            for (const one of all) one.open = true
          })
          t.deepEqual(await findViolations(page), [], `${path} at ${width}`)
        }
      }
    },
  )

inLongTier(browserTest)('On a phone no page is wider than the screen', async t => {
  const { door, page } = await open(t, '/docs')
  await page.setViewport({ width: 360, height: 740 })
  for (const path of (await readPages(door)).keys()) {
    await page.goto(`${door.url}${path}`)
    const width = await page.evaluate('document.documentElement.scrollWidth')
    t.is(width, 360, path)
  }
})

inLongTier(browserTest)('The paths of the first page are not squeezed beside their methods', async t => {
  const { page } = await open(t, '/docs')
  for (const width of [1280, 360]) {
    await page.setViewport({ width, height: 740 })
    const columns = await page.$$eval('.routes code', all => all.map(one => one.getBoundingClientRect().width))
    t.true(columns.length > 10 && Math.min(...columns) > 200, `${Math.min(...columns)} pixels at ${width}`)
  }
})

inLongTier(browserTest)(
  'On a phone the contents are behind a button, work by keyboard, and lead to an operation',
  async t => {
    const { page } = await open(t, '/docs/reference/customers')
    await page.setViewport({ width: 360, height: 740 })
    const isShown = () => page.$eval('#site-contents', nav => nav.checkVisibility())
    t.false(await isShown())
    await page.focus('.menu')
    await page.keyboard.press('Enter')
    t.true(await isShown())
    await page.keyboard.press('Escape')
    t.false(await isShown())
    await page.click('.menu')
    await page.click('#site-contents a[href="#changeCustomer"]')
    t.false(await isShown())
    t.regex(page.url(), /#changeCustomer$/)
    await page.waitForFunction("document.querySelector('#changeCustomer').getBoundingClientRect().top < 200")
  },
)

async function search(page: Page, query: string): Promise<void> {
  await page.waitForSelector('.search:not([hidden])')
  await page.keyboard.press('/')
  await page.waitForSelector('#site-search[open]')
  await page.keyboard.type(query)
}

function firstResult(page: Page, title: string) {
  return page.waitForFunction(
    `document.querySelector('#site-results li')?.firstChild.textContent === ${JSON.stringify(title)}`,
  )
}

inLongTier(browserTest)('Search is by keyboard: operations, shapes, errors and fields are found', async t => {
  const { page } = await open(t, '/docs/reference/errors')
  const found = {
    'create transaction': ['Create transaction', /reference\/transactions#createTransaction$/],
    deliveryattempt: ['DeliveryAttempt', /reference\/shapes#DeliveryAttempt$/],
    idempotency_key_reused: ['idempotency_key_reused', /reference\/errors#idempotency_key_reused$/],
    on_gps_mock_location: ['config.device_policy.on_gps_mock_location', /device_policy\.on_gps_mock_location$/],
    'webhook url': ['config.webhook.url', /transactions#createTransaction\.body\.config\.webhook\.url$/],
    webhooks: ['Webhooks', /reference\/webhooks$/],
    'chagne custommer': ['Change customer', /reference\/customers#changeCustomer$/],
  } as const
  for (const [query, [title, url]] of Object.entries(found)) {
    await search(page, query)
    await firstResult(page, title)
    // The address alone is not enough: it changes before the page does, and a search that begins in between is lost.
    await Promise.all([page.waitForNavigation(), page.keyboard.press('Enter')])
    t.regex(page.url(), url)
  }
  await search(page, 'customer')
  await page.waitForSelector('#site-results li:nth-child(2)')
  await page.keyboard.press('ArrowDown')
  t.deepEqual(await attributesOf(page, '#site-results li[aria-selected=true]', 'id'), ['result-1'])
  t.deepEqual(await attributesOf(page, '#site-search input', 'aria-activedescendant'), ['result-1'])
  await page.keyboard.press('Escape')
  t.is(await page.$('#site-search[open]'), null)
  await search(page, 'nothingiscalledthis')
  await page.waitForFunction("document.querySelector('#site-found').textContent.includes('nothingiscalledthis')")
})

inLongTier(browserTest)('Where there is no page, search and the contents lead on', async t => {
  const { door, page } = await open(t, '/docs/reference/none')
  for (const width of [1280, 360]) {
    await page.setViewport({ width, height: 740 })
    await page.goto(`${door.url}/docs/reference/none`)
    t.deepEqual(await findViolations(page), [], `${width}`)
    t.is(await page.evaluate('document.documentElement.scrollWidth'), width)
    await search(page, 'chagne custommer')
    await firstResult(page, 'Change customer')
    await Promise.all([page.waitForNavigation(), page.keyboard.press('Enter')])
    t.is(page.url(), `${door.url}/docs/reference/customers#changeCustomer`)
  }
})

inLongTier(browserTest)('The first page gives a path the width of its summary', async t => {
  const { page } = await open(t, '/docs')
  for (const width of [1280, 360]) {
    await page.setViewport({ width, height: 740 })
    const edges = await page.$$eval('.routes a', links =>
      links.map(link =>
        [...link.querySelectorAll(':scope > :not(.method)')].map(part => part.getBoundingClientRect().x),
      ),
    )
    t.true(edges.length > 20)
    for (const [summary, path] of edges) t.is(path, summary)
  }
})

inLongTier(browserTest)('A link to a field unfolds what it is in', async t => {
  const { page } = await open(t, '/docs/reference/transactions#createTransaction.body.config.webhook.url')
  const field = await page.waitForSelector('[id="createTransaction.body.config.webhook.url"]', { visible: true })
  t.true(await field?.isIntersectingViewport())
})

inLongTier(browserTest)('A command is copied as it stands', async t => {
  const { door, page } = await open(t, '/docs/reference/customers')
  await page
    .browserContext()
    .setPermission(
      door.url,
      { permission: { name: 'clipboard-write' }, state: 'granted' },
      { permission: { name: 'clipboard-read' }, state: 'granted' },
    )
  await page.click('#createCustomer figure .copy')
  await page.waitForFunction("document.querySelector('#createCustomer .copy').textContent === 'Copied'")
  const [command] = await textsOf(page, '#createCustomer figure code')
  t.is(await page.evaluate('navigator.clipboard.readText()'), command)
  t.regex(
    command ?? '',
    /^curl "\$BASE_URL\/api\/account\/integration\/kyc\/customer" \\\n {2}-H "Authorization: Bearer \$TOKEN"/,
  )
})

inLongTier(browserTest)('The contents mark what is being read', async t => {
  const { page } = await open(t, '/docs/reference/customers')
  await page.$eval('#getCustomer', element => element.scrollIntoView({ behavior: 'instant' }))
  await page.waitForSelector('#site-contents a[href="#getCustomer"][aria-current]')
  t.is((await page.$$('#site-contents li li [aria-current]')).length, 1)
})

browserTest(
  'Everything can be read without a script: members unfold, the contents open, nothing is a dead button',
  async t => {
    const { door } = await openReference()
    const context = await (await openBrowser()).createBrowserContext()
    t.teardown(() => context.close())
    const page = await context.newPage()
    await page.setJavaScriptEnabled(false)
    await page.setViewport({ width: 360, height: 740 })
    await page.goto(`${door.url}/docs/reference/transactions`)
    await page.click('.menu')
    await page.waitForSelector('#site-contents a[href="#getTransaction"]', { visible: true })
    await page.keyboard.press('Escape')
    await page.click('#createTransaction .members summary')
    await page.waitForSelector('[id="createTransaction.body.config.webhook"]', { visible: true })
    t.is(await page.$('.copy'), null)
    t.is(await page.$('.search:not([hidden])'), null)
  },
)
