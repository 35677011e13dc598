import test from 'ava'
import { browserTest, closeBrowser, textsOf } from '../../../test/browser.ts'
import { insertManyDays } from '../../../test/console/many_days.ts'
import { checkScreen, clickText, loaded, openConsole } from './page.ts'

test.after.always(closeBrowser)

browserTest('A viewer sees the overview as a picture and in numbers, for each period and account', async t => {
  const { rig, logIn } = await openConsole(t)
  const { account_id } = rig.account
  await insertManyDays(rig.node().service.store, account_id, rig.clock.now())
  const { page } = await logIn('joan', 'viewer')
  await page.keyboard.press('g')
  await page.keyboard.press('v')
  await loaded(page)
  t.deepEqual(await textsOf(page, 'h1'), ['Overview'])
  const bars = () => page.$$eval('.bars g', all => all.length)
  t.is(await bars(), 7)
  // The day with the most is as high as 100 in the chart.
  const heights = await page.$$eval('.bars g', days =>
    days.map(day => [...day.children].reduce((sum, one) => sum + Number(one.getAttribute('height')), 0)),
  )
  const created = (await textsOf(page, 'td[data-name=Created]')).map(Number).reverse()
  t.deepEqual(
    heights.map(height => Math.round(height)),
    created.map(count => Math.round((count / Math.max(...created)) * 100)),
  )
  t.is(created.length, 7)
  await checkScreen(t, page, 'overview')
  await page.select('[name=days]', '90')
  await page.waitForFunction("document.querySelectorAll('.bars g').length === 90")
  t.is(new URL(page.url()).search, '?days=90')
  await checkScreen(t, page, 'overview of 90 days')
  await page.select('[name=account_id]', account_id)
  await page.waitForFunction(`location.search.includes('${account_id}')`)
  await clickText(page, 'Face mismatch')
  await page.waitForSelector('tbody tr')
  t.is(new URL(page.url()).searchParams.get('issue'), 'FACE_MISMATCH')
})
