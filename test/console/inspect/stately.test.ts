import type { StatelyInspectionEvent } from '@statelyai/inspect'
import test, { type ExecutionContext } from 'ava'
import type { Page } from 'puppeteer-core'
import type { AnyEventObject } from 'xstate'
import { createMachine } from 'xstate'
import { deliveriesOf, journalOf, rowOf } from '../../../packages/durable/test/actors/charts.ts'
import { newId } from '../../../src/base/ids.ts'
import { browserTest, closeBrowser, findViolations, openBrowser, openPage } from '../../browser.ts'
import { oneDialect, sqlite, type TestEngine } from '../../database.ts'
import { text } from '../../raw_row.ts'
import { serveReceiver } from './receiver.ts'
import { type Inspector, openInspector } from './rig.ts'

test.after.always(closeBrowser)

async function receiverOf(t: ExecutionContext): Promise<string> {
  const { url, close } = await serveReceiver()
  t.teardown(close)
  return url
}

async function receivedBy(page: Page, count: number): Promise<readonly StatelyInspectionEvent[]> {
  const frame = await page.waitForFrame(one => one.url().endsWith('/inspect'))
  await frame.waitForFunction(`window.received?.length >= ${count}`)
  return (await frame.evaluate('window.received')) as readonly StatelyInspectionEvent[]
}

const capture = { capture_id: newId(), digest: 'two' }
const moves: readonly AnyEventObject[] = [
  { type: 'START', declared_document: 'PASSPORT', facts: capture },
  { type: 'SIGNALS', capture },
  { type: 'CANCEL', by: 'integrator' },
]

/** Opens a page without any expectation. */
async function openFreePage(t: ExecutionContext): Promise<Page> {
  const context = await (await openBrowser()).createBrowserContext()
  t.teardown(() => context.close())
  return context.newPage()
}

/** Checks that the receiver got a transaction's journal, and that the last snapshot is the stored one. */
async function matchesJournal(
  t: ExecutionContext,
  rig: Inspector,
  received: readonly StatelyInspectionEvent[],
  id: string,
) {
  const mine = received.filter(({ sessionId }) => sessionId === id)
  const journal = await journalOf(rig.store, id)
  const types = journal.map(row => JSON.parse(text(row, 'event')).type)
  t.deepEqual(
    mine.flatMap(one => (one.type === '@xstate.event' ? [one.event.type] : [])),
    types,
  )
  const snapshots = mine.flatMap(one => (one.type === '@xstate.snapshot' ? [one.snapshot] : []))
  t.deepEqual(
    snapshots.map(snapshot => (snapshot as unknown as { tags: string[] }).tags),
    journal.map(row => [text(row, 'status')]),
  )
  const { snapshot } = await rowOf(rig.store, 'transactions', id)
  const stored = JSON.parse(String(snapshot))
  const last = snapshots.at(-1) as unknown as { value: unknown; status: string }
  t.deepEqual([last.value, last.status], [stored.value, stored.status])
  t.is(mine[0]?.type, '@xstate.actor', 'first of all the actor')
}

/** Checks that the receiver got a new delivery's present state. */
async function matchesDelivery(
  t: ExecutionContext,
  rig: Inspector,
  received: readonly StatelyInspectionEvent[],
  id: string,
) {
  const mine = received.filter(({ sessionId }) => sessionId === id)
  t.deepEqual(
    mine.map(({ type }) => type),
    ['@xstate.actor', '@xstate.event', '@xstate.snapshot'],
  )
  const last = mine.at(-1) as unknown as { snapshot: { tags: string[]; value: unknown } }
  const { snapshot, status } = await rowOf(rig.store, 'deliveries', id)
  t.deepEqual([last.snapshot.value, last.snapshot.tags], [JSON.parse(String(snapshot)).value, [status]] as never)
}

function walk(engine: TestEngine) {
  return browserTest(
    `On ${engine.name} the real receiver of @statelyai/inspect gets transactions and deliveries with their charts, each step in order, live`,
    async t => {
      const stately_url = await receiverOf(t)
      const rig = await openInspector(t, engine, { stately_url })
      const past = await rig.open()
      await rig.send(past, ...moves)
      const page = await openPage(t, await openBrowser(), rig.server.url)
      // 3 messages of a creation and 2 of each step; two deliveries begin, one of them with its turn.
      const history = await receivedBy(page, 3 + 3 * 2 + 2 * 3)
      t.is(history.length, 15)
      await matchesJournal(t, rig, history, past)
      const live = await rig.open()
      await rig.send(live, ...moves.slice(0, 2))
      const received = await receivedBy(page, 15 + 3 + 2 * 2 + 3)
      for (const id of [past, live]) {
        await matchesJournal(t, rig, received, id)
        for (const delivery of await deliveriesOf(rig.store, id))
          await matchesDelivery(t, rig, received, text(delivery, 'id'))
      }
      const actors = received.flatMap(one => (one.type === '@xstate.actor' ? [one] : []))
      t.deepEqual(
        actors.map(({ definition }) => createMachine(JSON.parse(definition ?? '')).id),
        ['transaction', 'delivery', 'delivery', 'transaction', 'delivery'],
      )
      t.deepEqual(
        actors.map(({ parentId }) => parentId ?? null),
        [null, past, past, null, live],
      )
    },
  )
}

for (const engine of oneDialect) walk(engine)

browserTest('The page says without a network where else to look; an address that was used says so', async t => {
  const rig = await openInspector(t, sqlite)
  const page = await openFreePage(t)
  await page.goto(rig.server.url)
  const state = () => page.$eval('#state', one => one.textContent ?? '')
  t.regex(await state(), /Without a network, see \/console\/charts/)
  const stately_url = await receiverOf(t)
  const other = await openInspector(t, sqlite, { stately_url })
  for (const said of ['Live at', 'used before']) {
    await page.goto('about:blank')
    await page.goto(other.server.url)
    await page.waitForFunction(`document.querySelector('#state').textContent.includes('${said}')`)
    t.notRegex(page.url(), /#/, 'the token is nowhere to be seen')
    t.deepEqual(await findViolations(page), [], said)
  }
})

browserTest('No other page can be shown in place of Stately’s', async t => {
  const stately_url = await receiverOf(t)
  const rig = await openInspector(t, sqlite, { stately_url })
  await rig.open()
  const page = await openFreePage(t)
  await page.goto(rig.server.url)
  t.is((await receivedBy(page, 3)).length, 3)
  const frame = await page.waitForFrame(one => one.url().endsWith('/inspect'))
  const { promise: said, resolve } = Promise.withResolvers<string>()
  page.on('console', message => resolve(message.text()))
  await frame.evaluate(`location = ${JSON.stringify(stately_url.replace('localhost', '127.0.0.1'))}; 0`)
  t.regex(await said, /violates the following Content Security Policy directive: "frame-src /)
})
