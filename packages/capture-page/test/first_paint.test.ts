import test, { type ExecutionContext } from 'ava'
import { browserTest, closeBrowser, openBrowser, openPage } from '../../../test/browser.ts'
import { sqlite } from '../../../test/database.ts'
import { openTestDoor } from '../../../test/http/door.ts'
import { type OperatorBranding, plainBranding } from '../branding.ts'
import de from '../page/texts/de.json' with { type: 'json' }
import en from '../page/texts/en.json' with { type: 'json' }
import es from '../page/texts/es.json' with { type: 'json' }
import { polling } from './reader.ts'
import { checkScreen } from './visitor.ts'

test.after.always(closeBrowser)

const branding: OperatorBranding = {
  ...plainBranding,
  name: 'Banco <Uno> & Söhne',
  logo: { type: 'image/svg+xml', content: Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>') },
  accent: '#ffd000',
  privacy_url: 'https://uno.example/privacy?a=1&b=2',
  contact_url: 'tel:+34911234567',
  texts: { es: { 'loading.title': '</script><b>Ya va' } },
}

async function open(t: ExecutionContext) {
  return openTestDoor(t, sqlite, { branding })
}

test('The page comes in the reader’s language, with the operator’s name, logo and colour, whatever is in them', async t => {
  const door = await open(t)
  const read = async (language: string) =>
    (await door.call('GET', '/verify', { headers: { 'Accept-Language': language } })).text
  const german = await read('sv, de-AT;q=0.8, en;q=0.5')
  t.regex(german, /<html lang="de" dir="ltr">/)
  t.true(german.includes(`<h1>${de['loading.title']}</h1>`))
  t.true(german.includes(`texts/de.json.js">`), 'its texts are asked for at once')
  t.true(german.includes('<header><img src="verify/logo" alt=""><span>Banco &#60;Uno&#62; &#38; Söhne</span><select '))
  t.true(german.includes('<link rel="icon" href="verify/logo">'))
  t.true(german.includes(':root{--accent:#ffd000;--on-accent:#000000}'), 'black can be read on yellow')
  const spanish = await read('es')
  t.true(spanish.includes('<h1>&#60;/script&#62;&#60;b&#62;Ya va</h1>'))
  const [, json = ''] = /<script type="application\/json" id="branding">(.*?)<\/script>/s.exec(spanish) ?? []
  t.deepEqual(JSON.parse(json), {
    name: branding.name,
    privacy_url: branding.privacy_url,
    contact_url: branding.contact_url,
    texts: branding.texts,
  })
  t.regex(await read('sv'), /<html lang="en" dir="ltr">/)
})

test('The page is sent compressed to browsers that can read that', async t => {
  const door = await open(t)
  const { headers, text } = await door.call('GET', '/verify')
  t.is(headers.get('content-encoding'), 'gzip')
  const plain = await door.call('GET', '/verify', { headers: { 'Accept-Encoding': 'identity' } })
  t.is(plain.headers.get('content-encoding'), null)
  t.is(plain.text, text)
})

browserTest('The first screen is painted without any other answer, and says later that something is wrong', async t => {
  const door = await open(t)
  const page = await openPage(t, await openBrowser(), 'about:blank')
  await page.setRequestInterception(true)
  const held: string[] = []
  page.on('request', request => {
    const { pathname } = new URL(request.url())
    if (pathname === '/verify') return void request.continue()
    held.push(pathname)
  })
  await page.setExtraHTTPHeaders({ 'Accept-Language': 'en' })
  // Its loading never ends.
  await page.evaluate(`location.href = '${door.url}/verify'`)
  await page.waitForFunction(`performance.getEntriesByName('first-contentful-paint').length === 1`, { polling })
  t.true(
    held.some(path => path.endsWith('main.ts')),
    'the script was asked for, and did not come',
  )
  t.is(await page.$eval('h1', h1 => h1.textContent), en['loading.title'])
  t.is(await page.evaluate(`getComputedStyle(document.querySelector('.spinner')).borderTopColor`), 'rgb(255, 208, 0)')
  await checkScreen(t, page, 'first paint')
  const isLate = `getComputedStyle(document.querySelector('.late')).visibility`
  t.is(await page.evaluate(isLate), 'hidden')
  await page.evaluate(`document.querySelector('.late').getAnimations()[0].finish()`)
  t.is(await page.evaluate(isLate), 'visible')
  t.is(await page.$eval('.late', late => late.textContent), en['loading.late'])
  await checkScreen(t, page, 'late')
})

browserTest('A person without scripts reads why nothing comes, in their language', async t => {
  const door = await open(t)
  const page = await openPage(t, await openBrowser(), 'about:blank')
  await page.setJavaScriptEnabled(false)
  await page.setExtraHTTPHeaders({ 'Accept-Language': 'es' })
  await page.goto(`${door.url}/verify`)
  t.deepEqual(await page.$$eval('h1', all => all.filter(h1 => h1.checkVisibility()).map(h1 => h1.textContent)), [
    es['page.title'],
  ])
  t.is(await page.$eval('noscript p', text => text.textContent), es['page.needs_script'])
})
