import test, { type ExecutionContext } from 'ava'
import type { Page } from 'puppeteer-core'
import type { AnyEventObject } from 'xstate'
import { run, type Unit } from '../../../packages/durable/store/statement.ts'
import { newId } from '../../../src/base/ids.ts'
import { attributesOf, browserTest, closeBrowser, openBrowser, openPage, textsOf } from '../../browser.ts'
import { oneDialect } from '../../database.ts'
import { inLongTier } from '../../tier.ts'
import { type Inspector, openInspector } from './rig.ts'

test.after.always(closeBrowser)

const capture = { capture_id: newId(), digest: 'two' }

function frame(position: number) {
  return { type: 'FRAME_CAPTURED', challenge_id: 'one', position, capture }
}

const captured: readonly AnyEventObject[] = [
  { type: 'START', declared_document: 'PASSPORT', facts: capture },
  { type: 'FRONT_CAPTURED', capture },
  { type: 'SELFIE_CAPTURED', capture },
  { type: 'CHALLENGE_ISSUED', challenge_id: 'one', actions: ['TURN_LEFT', 'TURN_RIGHT'], expires_at: 1 },
  frame(0),
  frame(1),
]

function litStates(page: Page): Promise<readonly string[]> {
  return attributesOf(page, '#chart .state.active', 'data-state')
}

/** Resolves when exactly these states without states inside are lit. */
function lit(page: Page, ...wanted: readonly string[]) {
  return page.waitForFunction(`JSON.stringify(
    [...document.querySelectorAll('#chart .state.active:not(.compound, .parallel)')].map(state => state.dataset.state).sort()
  ) === ${JSON.stringify(JSON.stringify([...wanted].sort()))}`)
}

function shows(page: Page, selector: string, text: string) {
  return page.waitForFunction(
    `document.querySelector(${JSON.stringify(selector)})?.textContent === ${JSON.stringify(text)}`,
  )
}

function initiated(...regions: readonly string[]) {
  return regions.map(region => `open.INITIATED.${region}`)
}

async function opened(
  t: ExecutionContext,
  ...options: Parameters<typeof openInspector> extends [unknown, unknown, ...infer O] ? O : never
): Promise<{ rig: Inspector; page: Page }> {
  const [engine] = oneDialect
  if (engine === undefined) throw new Error('no database')
  const rig = await openInspector(t, engine, ...options)
  return { rig, page: await openPage(t, await openBrowser(), rig.server.newUrl('own')) }
}

browserTest('A transaction moves on its chart as it is committed, and its webhooks beside it', async t => {
  const { rig, page } = await opened(t)
  await shows(page, '#actor-name', 'No transaction yet')
  const id = await rig.open()
  await rig.read()
  await lit(page, 'open.CREATED')
  await rig.send(id, ...captured.slice(0, 2))
  await rig.read()
  const waiting = ['selfie.awaiting_selfie', 'liveness.awaiting_challenge', 'signals.unreported']
  await lit(page, ...initiated('document.captured', ...waiting))
  t.true((await litStates(page)).includes('open.INITIATED'), 'and the states that those are in')
  t.deepEqual(await textsOf(page, '#chart .transition.taken .event'), ['FRONT_CAPTURED'])
  t.deepEqual(await textsOf(page, '#step-list .event'), ['CREATE', 'START', 'FRONT_CAPTURED'])
  await rig.send(id, ...captured.slice(2), { type: 'COMPLETE' })
  await rig.read()
  await lit(page, 'submitted.COMPLETED')
  t.deepEqual(await textsOf(page, '#actor-list .delivery .name'), ['↳ INITIATED', '↳ COMPLETED'])
  const resized = `[...document.querySelectorAll('#chart text')]
    .filter(text => getComputedStyle(text).fontSize !== text.getAttribute('font-size') + 'px').length`
  t.is(await page.evaluate(resized), 0, 'nothing of the page’s own style reaches into the drawing')
  await page.locator('#actor-list .delivery').click()
  await lit(page, 'attempting')
  t.regex((await textsOf(page, '#actor-name'))[0] ?? '', /^delivery INITIATED /)
})

browserTest('Time goes back and forth by slider, keys and list, and on again with what comes', async t => {
  const { rig, page } = await opened(t)
  const id = await rig.open()
  await rig.send(id, ...captured, { type: 'COMPLETE' })
  await rig.read()
  await lit(page, 'submitted.COMPLETED')
  await page.focus('#slider')
  await page.keyboard.press('Home')
  await lit(page, 'open.CREATED')
  await page.keyboard.press('ArrowRight')
  const begun = [
    'document.awaiting_front',
    'selfie.awaiting_selfie',
    'liveness.awaiting_challenge',
    'signals.unreported',
  ]
  await lit(page, ...initiated(...begun))
  t.is((await textsOf(page, '#live[aria-pressed=false]')).length, 1)
  await rig.send(id, { type: 'CANCEL', by: 'integrator', client_id: 'x' })
  await rig.read()
  await shows(page, '#actor-list [aria-current=true] .status', 'FAILED')
  await lit(page, ...initiated(...begun))
  await page.locator('#chart').click()
  await page.keyboard.press('ArrowLeft')
  await lit(page, 'open.CREATED')
  await page.locator('#step-list li:nth-child(8) button').click()
  await lit(page, 'submitted.COMPLETED')
  await page.locator('#live').click()
  await lit(page, 'FAILED')
  t.is((await textsOf(page, '#context dd')).at(-1), 'CANCELLED')
})

browserTest('All transactions are counted on the chart, and found by id and status', async t => {
  const { rig, page } = await opened(t)
  const ids = [await rig.open(), await rig.open(), await rig.open()]
  await rig.send(ids[0] ?? '', ...captured.slice(0, 1))
  await rig.read()
  await page.waitForSelector('#chart svg')
  await page.locator('#actor-list li:first-child button').click()
  const counted = '#chart .state:has(> .count:not(.none))'
  const counts = async () => {
    const states = await attributesOf(page, counted, 'data-state')
    const texts = await textsOf(page, `${counted} > .count`)
    return states.map((state, index) => `${state} ${texts[index]}`)
  }
  await page.waitForSelector('#chart .count')
  t.true((await counts()).includes('open.CREATED 2'))
  t.true((await counts()).includes('open.INITIATED 1'))
  await page.type('#filter', 'initiated')
  await shows(page, '#actor-count', '1 found')
  t.deepEqual(await textsOf(page, '#actor-list li:not(:first-child) .name'), [ids[0]?.slice(-6)])
})

browserTest('What a hostile hand wrote into the database is shown as text', async t => {
  const { rig, page } = await opened(t)
  const id = await rig.open()
  await rig.send(id, ...captured.slice(0, 1))
  const hostile = '<img src=x onerror="document.title=1"><script>document.title=1</script>'
  await rig.store.commit(function* (): Unit<void> {
    const event = JSON.stringify({ type: hostile })
    yield* run({ sql: 'UPDATE journal SET event = ? WHERE actor_id = ? AND sequence = 2', values: [event, id] })
    yield* run({ sql: 'UPDATE transactions SET transaction_type = ? WHERE id = ?', values: ['<b>x</b>', id] })
  })
  await rig.read()
  const reason = `can’t be shown: entry 2: ${hostile} is not possible in CREATED`
  await shows(page, '#actor-status', reason)
  t.is(await page.$('img, main script, main b'), null)
  t.regex(await page.title(), /^not shown/)
})

inLongTier(browserTest)('An address opens once; its page may be loaded again', async t => {
  const { rig } = await opened(t)
  await rig.open()
  await rig.read()
  const url = rig.server.newUrl('own')
  const page = await openPage(t, await openBrowser(), url)
  await lit(page, 'open.CREATED')
  t.notRegex(page.url(), /#/, 'the token is nowhere to be seen')
  await page.reload()
  await lit(page, 'open.CREATED')
  const other = await openPage(t, await openBrowser(), url)
  await shows(other, '#connection', 'this address was used before: run the command again for a new one')
  t.is(await other.$('#chart svg'), null)
})

inLongTier(browserTest)('The page is usable on a small screen: nothing is wider than it', async t => {
  const { rig, page } = await opened(t)
  await page.setViewport({ width: 360, height: 740 })
  const id = await rig.open()
  await rig.send(id, ...captured)
  await rig.read()
  await page.waitForSelector('#chart .state.active')
  t.true((await page.evaluate('document.documentElement.scrollWidth <= innerWidth')) === true)
  const seen = "document.querySelector('#timeline').getBoundingClientRect().bottom <= innerHeight + 1"
  t.true(await page.evaluate(seen), 'the slider stays in sight')
})
