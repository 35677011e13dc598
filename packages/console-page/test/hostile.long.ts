/** Every text that somebody else writes, at its longest, on every screen that shows it. */
import test, { type ExecutionContext } from 'ava'
import { run } from 'durable-xstate-sql'
import type { Page } from 'puppeteer-core'
import { commandLine } from '../../../src/identity/operators/audit.ts'
import { createOperator } from '../../../src/identity/operators/operators.ts'
import { browserTest, closeBrowser, textsOf } from '../../../test/browser.ts'
import { openReference } from '../../../test/engines/http_reference.ts'
import { codeAt } from '../../../test/identity/operators/rig.ts'
import { registerCustomer, signalsCall, startCall } from '../../../test/service/client.ts'
import type { Rig } from '../../../test/service/rig.ts'
import { hostile, loaded, openConsole } from './page.ts'

test.after.always(closeBrowser)

const secret = Buffer.alloc(32, 5)

/** Returns the hostile text with a mark of its place, filled up with a word that has no end. */
function fill(where: string, length: number): string {
  return `${where}${hostile}`.padEnd(length, 'W')
}

const engine = {
  name: fill('engine', 200),
  version: fill('version', 200),
  models: { [fill('model', 100)]: 'b'.repeat(64) },
}
const shared = { engine, codes: ['W'.repeat(64), 'their.code'] }

/** Returns another engine's answer: anything that its schema accepts. */
function answer(isRejected: boolean) {
  return {
    document: {
      ...shared,
      reading: 'READ',
      portrait_found: true,
      mrz: {
        format: 'TD3',
        valid: !isRejected,
        document_code: isRejected ? '<b>' : 'P',
        lines: ['<'.repeat(44)],
        last_name: fill('surname', 200),
        first_name: fill('first name', 200),
        document_number: fill('number', 200),
        nationality: fill('nationality', 200),
        check_digits: isRejected ? [fill('digit', 200), 'W'.repeat(200)].map(name => ({ name, passed: false })) : [],
      },
    },
    liveness: { ...shared, method: 'EXTERNAL' },
    face: {
      ...shared,
      faces_in_selfie: 1,
      usable: true,
      reference: 'DOCUMENT',
      distance: 0.1,
      accept_below: 0.4,
      reject_above: 0.6,
    },
  }
}

/** A running console whose engine, account and receiver are strangers. */
async function openStrangers(t: ExecutionContext) {
  let now = (): number => 0
  const service = await openReference(secret, () => now())
  const opened = await openConsole(t, {
    ANALYSIS_ENGINE: 'http',
    ANALYSIS_HTTP_URL: service.url,
    ANALYSIS_HTTP_SECRET: secret.toString('base64'),
  })
  t.teardown(service.close)
  const { rig } = opened
  now = rig.clock.now
  rig.hook.answer(() => ({ status: 500, text: fill('receiver', 400) }))
  const renaming = { sql: 'UPDATE accounts SET name = ?', values: [fill('account', 100)] }
  await rig.node().service.store.commit(() => run(renaming))
  return { ...opened, service }
}

async function finish(rig: Rig, number: number, expected_data: object) {
  const customer_id = await registerCustomer(rig.call, await rig.token(), {
    external_customer_id: fill('customer', 254) + number,
    email: 'a@example.com',
    phone_number: '+4670123456',
  })
  const url = new URL(`/${encodeURIComponent(hostile)}?${encodeURIComponent(hostile)}`, rig.hook.url).href
  const config = { webhook: { url }, reference: fill('reference', 255), expected_data }
  const { id, phone } = await rig.open(config, { customer_id })
  const text = (where: string) => fill(where, 255)
  await phone.start({
    ...startCall,
    device: {
      ...startCall.device,
      device_model: text('device'),
      os_version: text('system'),
      sdk_version: text('sdk'),
      sdk_platform: text('platform'),
    },
  })
  const network = { ...signalsCall.network, carrier_name: text('carrier'), connection_type: text('connection') }
  await phone.capture()
  await phone.signals({ ...signalsCall, network })
  await phone.complete()
  await rig.idle()
  return { id, customer_id }
}

/** Logs somebody in with a browser whose name is a hostile text. */
async function logInElsewhere(rig: Rig): Promise<void> {
  const { password, totp } = await createOperator(rig.node().service, { name: 'eve', role: 'viewer' }, commandLine)
  const headers = { 'X-Attestor-Console': '1', Origin: rig.node().url, 'User-Agent': fill('browser', 400) }
  const json = { name: 'eve', password, code: codeAt(rig.clock.now(), totp.secret) }
  const { status } = await rig.call('POST', '/console/api/login', { json, headers })
  if (status !== 200) throw new Error(`answered ${status}`)
}

/** Shows everything that is shown on request, and opens what is folded. */
async function showAll(page: Page): Promise<void> {
  await page.$$eval('main button', buttons => {
    for (const button of buttons) if (/^Show/.test(button.textContent ?? '')) button.click()
  })
  // It does not wait for the network to rest: the stream of events is never over, and a request that a screen aborted
  // may seem so.
  await page.waitForFunction(
    "document.querySelector('main button:disabled:not(.player button)') === null && [...document.querySelectorAll('main img')].every(one => one.complete)",
  )
  await page.$$eval('main details', all => {
    for (const details of all) details.setAttribute('open', '')
  })
}

/** Lists the elements beyond the right edge of the window; the chart scrolls within its box. */
const outside = `[...document.querySelectorAll('main *')]
  .filter(one => !one.closest('.chart-box, .hidden, pre') && one.getBoundingClientRect().right > innerWidth + 1)
  .map(one => one.tagName + '.' + one.className)`

async function checkText(t: ExecutionContext, page: Page, path: string): Promise<void> {
  await showAll(page)
  const made = 'img[src="x"], main b img, script:not([src]), [onerror]'
  t.is(await page.evaluate(`document.querySelectorAll('${made}').length`), 0, path)
  t.not(await page.title(), 'owned', path)
  for (const width of [1280, 360]) {
    await page.setViewport({ width, height: 800 })
    t.deepEqual(await page.evaluate(outside), [], `${path}, ${width}`)
    t.is(await page.evaluate('document.documentElement.scrollWidth - innerWidth'), 0, `${path}, ${width}`)
  }
  await page.setViewport({ width: 1280, height: 800 })
}

/** Every other screen, also at addresses that somebody made up. */
function listPaths(customer_id: string, account: string): readonly string[] {
  const search = encodeURIComponent(hostile)
  return [
    '/',
    '/reviews',
    '/customers',
    `/customers/${customer_id}`,
    '/webhooks',
    '/charts',
    '/system',
    '/accounts',
    '/keys',
    `/accounts/${account}`,
    '/operators',
    '/sessions',
    '/audit',
    `/${search}`,
    `/transactions/${search}`,
    `/?q=${search}&reference=${search}&issue=${search}&status=${search}&created_from=${search}`,
    `/customers?external_customer_id=${search}`,
    `/audit?subject_id=${search}&action=${search}`,
    `/webhooks?state=${search}`,
    `/?account_id=${account}`,
  ]
}

browserTest('A stranger’s text stays text on every screen, and within it', async t => {
  const { rig, logIn, service } = await openStrangers(t)
  service.behave(() => answer(true))
  const strange = { last_name: fill('expected', 255), first_name: fill('expected first', 255) }
  const rejected = await finish(rig, 1, strange)
  service.behave(() => answer(false))
  const read = { last_name: fill('surname', 200), first_name: fill('first name', 200) }
  const { id, customer_id } = await finish(rig, 2, read)
  await logInElsewhere(rig)
  const name = 'w'.repeat(64)
  const { page, visit, operator } = await logIn(name, 'admin')
  await visit(`/reviews/${id}`)
  await page.waitForSelector('.gallery img')
  await checkText(t, page, 'review')
  t.is((await textsOf(page, '.decide fieldset:disabled')).length, 0, 'it awaits a review')
  await page.locator('.decide [type=radio][value=REJECTED]').click()
  await page.type('[name=reason]', `reason${hostile}${'W'.repeat(200)}`)
  await page.locator('.decide [type=submit]').click()
  await page.waitForFunction("location.pathname === '/console/reviews'")
  await loaded(page)
  await rig.idle()

  await visit(`/transactions/${rejected.id}`)
  await checkText(t, page, 'rejected')
  t.true((await textsOf(page, 'main'))[0]?.includes(`expected${hostile}`), 'expected')
  t.regex((await textsOf(page, '.zone-facts'))[0] ?? '', /differ ?Wrong: W{200}/i)

  await visit(`/transactions/${id}`)
  await page.waitForSelector('.chart-box .state.active')
  await checkText(t, page, 'transaction')
  const [shown = ''] = await textsOf(page, 'main')
  const wheres = ['engine', 'customer', 'reference', 'surname', 'first name', 'number']
  for (const where of [...wheres, 'device', 'system', 'sdk', 'platform', 'carrier', 'connection', 'reason', 'receiver'])
    t.true(shown.includes(`${where}${hostile}`), where)
  t.true(shown.includes(`Rejected by ${name}`))

  for (const path of listPaths(customer_id, rig.account.account_id)) {
    await visit(path)
    await checkText(t, page, path)
  }
  await visit('/sessions')
  t.true((await textsOf(page, '.agent')).some(text => text.startsWith(`browser${hostile}`)))
  await visit('/accounts')
  t.true((await textsOf(page, 'tbody th')).some(text => text.startsWith(`account${hostile}`)))
  t.is(operator.name, name)
})
