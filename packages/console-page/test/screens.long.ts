import test from 'ava'
import type { Page } from 'puppeteer-core'
import { claimMs } from '../../../src/console/claims.ts'
import { browserTest, closeBrowser, openBrowser, openPage, textsOf } from '../../../test/browser.ts'
import { identityClient, openProvider } from '../../../test/console/identity_provider.ts'
import { openFindings } from '../../../test/console/service.ts'
import type { Rig } from '../../../test/service/rig.ts'
import { checkScreen, clickText, openConsole } from './page.ts'

test.after.always(closeBrowser)

async function awaitReview(rig: Rig): Promise<string> {
  const { id, phone } = await rig.open()
  await phone.capture()
  await phone.complete()
  await rig.idle()
  return id
}

browserTest('A second reviewer sees who has a case, takes it over, and has it until the time is up', async t => {
  const { rig, logIn } = await openConsole(t)
  rig.script(openFindings)
  const id = await awaitReview(rig)
  const grace = await logIn('grace', 'reviewer')
  await grace.visit(`/reviews/${id}`)
  await grace.page.waitForSelector('.decide')
  const linus = await logIn('linus', 'reviewer')
  const reviewer = async (page: Page) => (await textsOf(page, 'tbody td[data-name=Reviewer]')).join()
  await linus.visit('/reviews')
  await linus.page.waitForSelector('tbody .button')
  t.is(await reviewer(linus.page), 'grace')
  await linus.page.locator('[name=references]').click()
  await linus.page.waitForFunction(`document.querySelector('td[data-name=Reference]')?.textContent === 'person-0'`)
  await checkScreen(t, linus.page, 'references of the queue')
  await linus.visit('/customers')
  await linus.page.locator('[name=references]').click()
  await linus.page.waitForFunction(`document.querySelector('td[data-name="External id"]')?.textContent === 'person-0'`)
  t.true(linus.page.url().endsWith('/customers?references=shown'))
  await checkScreen(t, linus.page, 'external ids of customers')
  const joan = await logIn('joan', 'viewer')
  await joan.visit('/reviews?references=shown')
  await joan.page.waitForSelector('tbody .button')
  t.deepEqual(await textsOf(joan.page, '[name=references], td[data-name=Reference]'), [])
  await joan.visit('/customers?references=shown')
  await joan.page.waitForSelector('tbody th a')
  t.deepEqual(await textsOf(joan.page, '[name=references], td[data-name="External id"]'), [])
  await linus.visit(`/reviews/${id}`)
  await linus.page.waitForFunction("document.querySelector('#main').textContent.includes('grace has looked at it')")
  await checkScreen(t, linus.page, 'a case of another reviewer')
  await clickText(linus.page, 'Take it over')
  await linus.page.waitForFunction("!document.querySelector('#main').textContent.includes('has looked at it')")
  await grace.visit('/reviews')
  await grace.page.waitForSelector('tbody .button')
  t.is(await reviewer(grace.page), 'linus')
  await linus.visit('/reviews')
  await linus.page.waitForSelector('tbody .button')
  t.is(await reviewer(linus.page), 'You')
  await rig.advance(claimMs)
  await grace.visit('/reviews')
  await grace.page.waitForSelector('tbody .button')
  t.is(await reviewer(grace.page), '', 'a case that nobody decided is free again')
})

browserTest('An account’s page leads to its receivers: their rate, their last error and their deliveries', async t => {
  const { rig, logIn } = await openConsole(t)
  await rig.open()
  await rig.idle()
  rig.hook.answer(() => ({ status: 503 }))
  const { id, phone } = await rig.open()
  await phone.capture()
  await phone.complete()
  await rig.idle()
  const { page, visit } = await logIn('ada', 'admin')
  await visit(`/accounts/${rig.account.account_id}`)
  await clickText(page, 'Deliveries by origin')
  await page.waitForSelector('tbody td[data-name=Delivered]')
  t.regex((await textsOf(page, 'tbody td[data-name=Delivered]'))[0] ?? '', /^\d+% of \d+$/)
  t.regex((await textsOf(page, 'tbody td[data-name="Last error"]'))[0] ?? '', /503/)
  await checkScreen(t, page, 'receivers')
  await page.locator('tbody th a').click()
  await page.waitForFunction("document.querySelector('caption')?.textContent === 'Deliveries, the newest first'")
  t.regex((await textsOf(page, 'dl')).join(), /Delivered\d+% of \d+Last erroranswered 503/)
  t.true((await textsOf(page, 'td[data-name="Last error"]')).includes('answered 503'))
  await checkScreen(t, page, 'a receiver')
  await page.locator('tbody th a').click()
  await page.waitForFunction(`location.pathname === '/console/transactions/${id}'`)
})

browserTest('A person signs in to the console by the button of the company’s identity provider', async t => {
  const provider = await openProvider(t, { ada: ['attestor-admin'] })
  const { rig } = await openConsole(t, {
    OIDC_ISSUER: provider.issuer,
    OIDC_CLIENT_ID: identityClient.client_id,
    OIDC_CLIENT_SECRET: identityClient.client_secret,
    OIDC_ROLES_CLAIM: 'groups',
  })
  provider.serve(`${rig.node().url}/console/api/sign-on/callback`)
  const page = await openPage(t, await openBrowser(), `${rig.node().url}/console`)
  await page.waitForSelector('.company a')
  await checkScreen(t, page, 'sign-in by the company')
  await page.locator('.company a').click()
  await page.waitForSelector('[name=login]')
  await page.type('[name=login]', 'ada')
  await page.type('[name=password]', 'any')
  await page.keyboard.press('Enter')
  await page.waitForSelector('[name=prompt][value=consent]')
  await page.locator('[type=submit]').click()
  await page.waitForSelector('.person b')
  t.is((await textsOf(page, '.person b'))[0], 'ada')
  t.is(new URL(page.url()).origin, rig.node().url)
})

browserTest('Screens without a row teach what fills them', async t => {
  const { logIn } = await openConsole(t)
  const { page, visit } = await logIn('ada', 'admin')
  for (const [path, text] of [
    ['/webhooks', 'No webhook was sent yet'],
    ['/trust-anchors', 'Nothing is imported yet'],
    ['/reviews', 'Nothing awaits a review'],
    ['/customers', 'No customer matches'],
  ] as const) {
    await visit(path)
    await page.waitForFunction(`document.querySelector('#main').textContent.includes('${text}')`)
    await checkScreen(t, page, `${path}, empty`)
  }
})
