import test from 'ava'
import { run, type Unit } from 'durable-xstate-sql'
import type { Page } from 'puppeteer-core'
import { newId } from '../../../src/base/ids.ts'
import { attributesOf, browserTest, closeBrowser, textsOf } from '../../../test/browser.ts'
import { openOperated } from '../../../test/console/service.ts'
import { oneDialect } from '../../../test/database.ts'
import { startCall } from '../../../test/service/client.ts'
import { inLongTier } from '../../../test/tier.ts'
import { checkScreen, hostile, openConsole } from './page.ts'

test.after.always(closeBrowser)

/** Resolves when exactly these states without states inside are lit. */
function lit(page: Page, ...wanted: readonly string[]) {
  return page.waitForFunction(`JSON.stringify(
    [...document.querySelectorAll('.chart-box .state.active:not(.compound, .parallel)')].map(state => state.dataset.state).sort()
  ) === ${JSON.stringify(JSON.stringify([...wanted].sort()))}`)
}

function shows(page: Page, selector: string, text: string) {
  return page.waitForFunction(
    `document.querySelector(${JSON.stringify(selector)})?.textContent.includes(${JSON.stringify(text)})`,
  )
}

function initiated(...regions: readonly string[]) {
  return regions.map(region => `open.INITIATED.${region}`)
}

const begun = initiated(
  'document.awaiting_front',
  'selfie.awaiting_selfie',
  'liveness.awaiting_challenge',
  'signals.unreported',
  'attestation.unchallenged',
)
const events = 'ul[aria-label=Events]'
const transactions = 'ul[aria-label=Transactions]'
const live = '.player [aria-pressed]'

browserTest(
  'The newest transaction is followed on its chart while Live is on, step by step, with its webhooks',
  async t => {
    const { rig, logIn } = await openConsole(t)
    const { page, visit } = await logIn('joan', 'viewer')
    await visit('/charts')
    await page.waitForSelector('#live.live')
    t.regex((await textsOf(page, '.chart-head'))[0] ?? '', /None yet/)
    const first = await rig.open()
    await lit(page, 'open.CREATED')
    await first.phone.start()
    await lit(page, ...begun)
    t.true((await attributesOf(page, '.chart-box .state.active', 'data-state')).includes('open.INITIATED'))
    t.deepEqual(await textsOf(page, `${events} b`), ['CREATE', 'START'])
    t.deepEqual(await textsOf(page, '.chart-box .transition.taken .event'), ['START'])
    const resized = `[...document.querySelectorAll('.chart-box text')]
    .filter(text => getComputedStyle(text).fontSize !== text.getAttribute('font-size') + 'px').length`
    t.is(await page.evaluate(resized), 0, 'nothing of the page’s own style reaches into the drawing')
    const smallest = `(() => {
      const svg = document.querySelector('.chart-box svg')
      const scale = svg.getBoundingClientRect().width / svg.viewBox.baseVal.width
      return scale * Math.min(...[...svg.querySelectorAll('text')].map(text => parseFloat(getComputedStyle(text).fontSize)))
    })()`
    t.true(Number(await page.evaluate(smallest)) >= 12, 'every text can be read without zooming, in CSS pixels')
    const inView = `(() => {
      const [box, state] = ['.chart-box', '[data-state="open.INITIATED.document.awaiting_front"]']
        .map(selector => document.querySelector(selector).getBoundingClientRect())
      return state.top >= box.top && state.bottom <= box.bottom && state.left >= box.left && state.right <= box.right
    })()`
    t.true(await page.evaluate(inView), 'the first state that was entered is in view')
    const second = await rig.open()
    await lit(page, 'open.CREATED')
    t.is(await page.$eval(live, button => button.getAttribute('aria-pressed')), 'true')
    await page.waitForSelector(`${transactions} [data-id="${second.id}"][aria-current=true]`)
    await page.locator(`${transactions} [data-id="${first.id}"]`).click()
    await lit(page, ...begun)
    t.is(new URL(page.url()).search, `?id=${first.id}`)
    await rig.open()
    await page.waitForFunction(`document.querySelectorAll('${transactions} li').length >= 5`)
    await lit(page, ...begun)
    await first.phone.upload('document/front')
    await lit(page, ...initiated('document.front_is_there.captured'), ...begun.slice(1))
    await page.locator('::-p-text(↳)').click()
    await page.waitForSelector('.chart-box [data-state=delivered].active')
    await page.locator(live).click()
    await lit(page, 'open.CREATED')
  },
)

inLongTier(browserTest)(
  'One goes back and on through a transaction’s steps by slider, keys and list, with the context after each',
  async t => {
    const { rig, logIn } = await openConsole(t)
    const { id, phone } = await rig.open()
    await phone.start()
    await phone.capture()
    await phone.complete()
    await rig.idle()
    await rig.open()
    const { page, visit } = await logIn('joan', 'viewer')
    await visit(`/charts?id=${id}`)
    await lit(page, 'FINISHED')
    await checkScreen(t, page, 'charts')
    t.deepEqual(await textsOf(page, '.legend li'), ['Active', 'Transition taken', 'Status, not active'])
    await page.focus('.player input')
    await page.keyboard.press('Home')
    await lit(page, 'open.CREATED')
    await shows(page, '.context', 'DOCUMENT_AND_BIOMETRIC')
    await page.keyboard.press('ArrowRight')
    await lit(page, ...begun)
    await page.focus('h1')
    await page.keyboard.press(',')
    await lit(page, 'open.CREATED')
    await page.keyboard.press('.')
    await lit(page, ...begun)
    await page.locator(`${events} li:last-child button`).click()
    await lit(page, 'FINISHED')
    await page.keyboard.press('l')
    await lit(page, 'open.CREATED')
    await page.locator(`${transactions} [data-id=all]`).click()
    await page.waitForSelector('.chart-box .count')
    const counted = '.chart-box .state:has(> .count:not(.none))'
    const states = await attributesOf(page, counted, 'data-state')
    const counts = await textsOf(page, `${counted} > .count`)
    t.deepEqual(states.map((state, index) => `${state} ${counts[index]}`).sort(), [
      'FINISHED 1',
      'open 1',
      'open.CREATED 1',
    ])
    await checkScreen(t, page, 'all transactions')
  },
)

inLongTier(browserTest)('A journal that can’t be replayed is said to be so, as text, and others are shown', async t => {
  const { rig, logIn } = await openConsole(t)
  const whole = await rig.open()
  const { id, phone } = await rig.open()
  await phone.start()
  await rig.node().service.store.commit(function* (): Unit<void> {
    const event = JSON.stringify({ type: hostile })
    yield* run({ sql: 'UPDATE journal SET event = ? WHERE actor_id = ? AND sequence = 2', values: [event, id] })
  })
  const { page, visit } = await logIn('joan', 'viewer')
  await visit('/charts')
  await shows(page, '.chart-head .notice', `entry 2: ${hostile} is not possible in CREATED`)
  await checkScreen(t, page, 'not shown')
  await page.locator(`${transactions} [data-id="${whole.id}"]`).click()
  await page.waitForFunction("document.querySelector('.chart-head .notice') === null")
  await lit(page, 'open.CREATED')
})

for (const engine of oneDialect)
  test(`On ${engine.name} steps are names and counts, of one transaction or the last of each`, async t => {
    const { rig, login } = await openOperated(engine)
    t.teardown(rig.close)
    const { call } = await login('joan', 'viewer')
    const other = await rig.open()
    const { id, phone } = await rig.open({ reference: 'canary' })
    await phone.start({ ...startCall, device: { ...startCall.device, device_model: 'canary' } })
    await rig.idle()
    const of = async (query: string) =>
      (await call('GET', `/step${query}`)).body.data as readonly Record<string, unknown>[]
    const mine = await of(`?transaction_id=${id}`)
    t.deepEqual(
      mine.map(one => [one.actor_type, one.event, one.chart]),
      [
        ['transaction', 'CREATE', '/charts/transaction/1.svg'],
        ['transaction', 'START', '/charts/transaction/1.svg'],
        ['delivery', 'ATTEMPT_DONE', '/charts/delivery/1.svg'],
      ],
    )
    t.false(JSON.stringify(mine).includes('canary'))
    t.like(mine[0], { accepted_event: { type: 'CREATE' }, context: { transaction_type: 'DOCUMENT_AND_BIOMETRIC' } })
    const last = await of('')
    t.deepEqual(
      last.map(one => [one.id, one.event]).filter(([one]) => one === id || one === other.id),
      [
        [other.id, 'CREATE'],
        [id, 'START'],
      ],
    )
    t.is((await call('GET', `/step?transaction_id=${newId()}`)).status, 404)
  })
