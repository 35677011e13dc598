import { createHash } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import sharp from 'sharp'
import { ConfigError } from '../../../src/base/setting.ts'
import { createRouter } from '../../../src/http/app.ts'
import type { HttpDeps } from '../../../src/http/deps.ts'
import { openBranding } from '../../../src/node/http_deps.ts'
import { browserTest, closeBrowser, openBrowser, openPage } from '../../../test/browser.ts'
import { sqlite } from '../../../test/database.ts'
import { openDoor, openTestDoor } from '../../../test/http/door.ts'
import { openTransaction, sdk } from '../../../test/service/client.ts'
import { type Branding, plainBranding, readBranding } from '../branding.ts'
import en from '../page/texts/en.json' with { type: 'json' }

test.after.always(closeBrowser)

/** Writes files into a folder of their own; resolves paths in it. */
function folderOf(t: ExecutionContext, files: Readonly<Record<string, string | Buffer>>) {
  const folder = mkdtempSync(join(tmpdir(), 'branding-'))
  t.teardown(() => rmSync(folder, { recursive: true }))
  for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, name), content)
  return (name: string): string => join(folder, name)
}

const account_id = '0198a1c0-7e5a-7c3e-9f00-0123456789ab'

const svg = '<svg xmlns="http://www.w3.org/2000/svg" width="8" height="8"><script>document.title = "run"</script></svg>'

test('the page is served with a policy that lets nothing else in, and is kept by no cache', async t => {
  const door = await openTestDoor(t, sqlite)
  const page = await door.call('GET', '/verify')
  t.is(page.status, 200)
  t.is(page.headers.get('content-type'), 'text/html; charset=utf-8')
  t.is(page.headers.get('cache-control'), 'no-store')
  t.is(page.headers.get('referrer-policy'), 'no-referrer')
  t.is(page.headers.get('cross-origin-opener-policy'), 'same-origin')
  t.is(page.headers.get('x-frame-options'), 'DENY')
  t.is(page.headers.get('x-content-type-options'), 'nosniff')
  const styles = [...page.text.matchAll(/<style>(.*?)<\/style>/gs)].map(([, style = '']) => style)
  t.is(styles.length, 1)
  const hash = createHash('sha256')
    .update(styles[0] ?? '')
    .digest('base64')
  t.is(
    page.headers.get('content-security-policy'),
    `default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'sha256-${hash}'; img-src 'self' blob:; ` +
      "connect-src 'self'; media-src 'self' blob:; worker-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  )
  const permissions = (page.headers.get('permissions-policy') ?? '').split(', ')
  t.deepEqual(
    permissions.filter(one => !one.endsWith('=()')),
    ['camera=(self)', 'digital-credentials-get=(self)', 'geolocation=(self)'],
  )
  for (const name of ['microphone', 'display-capture', 'payment']) t.true(permissions.includes(`${name}=()`))
  const files = [...page.text.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, path = '']) => path)
  t.true(files.length >= 2)
  for (const path of files) {
    t.regex(path, /^assets\//, 'nothing is asked of another host')
    const file = await door.call('GET', `/${path}`)
    t.is(file.status, 200, path)
    t.regex(file.headers.get('cache-control') ?? '', /immutable/)
  }
  t.notRegex(page.text, /\sstyle="|\son\w+="|<script(?! type="module" src| type="application\/json")/)
  const slashed = await door.raw('GET /verify/?utm_source=mail HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n')
  t.regex(slashed, /^HTTP\/1.1 308 .*\r\nlocation: ..\/verify\r\n/is, 'its files are relative to it')
})

test('a query changes nothing, and no log ever has the token in it', async t => {
  const door = await openTestDoor(t, sqlite)
  const secret = 'c2RrLXRva2VuLW9mLWEtcGVyc29u'
  for (const query of [`?${secret}`, `?token=${secret}`, `?handoff=${secret}`, `?utm_source=x&t=${secret}`]) {
    const { status, text, headers } = await door.call('GET', `/verify${query}`, { headers: { Referer: `x/${secret}` } })
    t.deepEqual([status, headers.get('content-type')], [200, 'text/html; charset=utf-8'])
    t.false(text.includes(secret))
  }
  await door.call('POST', '/api/sdk/v1/handoff', { json: { code: secret } })
  t.true(door.lines.length >= 5, 'the calls were logged')
  t.false(JSON.stringify(door.lines).includes(secret))
})

test('a node serves the page for its role of the API alone', async t => {
  const door = await openTestDoor(t, sqlite)
  t.true(door.endpoints.some(({ path }) => path === '/verify'))
  const deps = { baseUrl: door.url, metrics: null, clock: door.clock, transactions: {} } as unknown as HttpDeps
  const paths = createRouter(deps, ['worker']).stack.map(({ path }) => String(path))
  t.false(paths.some(path => path.startsWith('/verify')))
})

test('the operator’s logo is served, and runs nothing', async t => {
  const path = folderOf(t, { 'logo.svg': svg, 'branding.json': JSON.stringify({ logo: 'logo.svg' }) })
  const door = await openDoor(sqlite, { branding: readBranding(path('branding.json')) })
  t.teardown(door.close)
  const logo = await door.call('GET', '/verify/logo')
  t.deepEqual([logo.status, logo.text, logo.headers.get('content-type')], [200, svg, 'image/svg+xml'])
  t.regex(logo.headers.get('content-security-policy') ?? '', /default-src 'none'.*sandbox/)
  const plain = await openTestDoor(t, sqlite)
  t.is((await plain.call('GET', '/verify/logo')).status, 404)
})

test('an account has its own name, logo and notice, and the operator’s look and texts where it has none', t => {
  const of = (title: string) => ({ ...en, 'page.title': title })
  const path = folderOf(t, {
    'logo.svg': svg,
    'branding.json': JSON.stringify({
      name: 'Verify Ltd',
      logo: 'logo.svg',
      accent: '#0b5fff',
      privacy_url: 'https://verify.example/privacy',
      languages: ['de', 'fa'],
      texts: { fa: of('operator'), en: { 'page.back': 'Return' } },
      accounts: {
        [account_id]: { name: 'Uno' },
        [account_id.replace('b', 'c')]: {
          ...{ name: 'Tre', accent: '#ffd000', logo: 'logo.svg', privacy_url: 'https://tre.example/' },
          texts: { fa: { 'page.title': 'account' }, en: { 'page.title': 'Check' } },
          languages: ['it', 'fa'],
        },
      },
    }),
  })
  const operator = readBranding(path('branding.json'))
  const [uno, tre] = operator.accounts.values()
  const { accounts: _, ...own } = operator
  t.deepEqual(uno, { ...own, name: 'Uno', logo: null, privacy_url: null })
  t.like(tre, { name: 'Tre', accent: '#ffd000', privacy_url: 'https://tre.example/', languages: ['it', 'fa'] })
  t.is(tre?.logo?.content.toString(), svg)
  t.deepEqual(tre?.texts, { fa: of('account'), en: { 'page.back': 'Return', 'page.title': 'Check' } })
})

browserTest('a person sees the name, logo, notice and languages of the account, on another device too', async t => {
  const accounts = new Map<string, Branding>()
  const door = await openTestDoor(t, sqlite, { branding: { ...plainBranding, name: 'Verify Ltd', accounts } })
  const open = (token: string) => openTransaction(door.call, token, { transaction_type: 'BIOMETRIC_ONLY' })
  accounts.set(door.account.account_id, {
    ...plainBranding,
    name: 'Banco Uno',
    logo: { type: 'image/svg+xml', content: Buffer.from(svg) },
    accent: '#ffd000',
    privacy_url: 'https://uno.example/privacy',
    languages: ['es', 'en'],
  })
  const opened = await open(door.token)
  const own = `${door.url}/verify-${opened.transaction_id}`
  t.is(opened.verify_url, `${own}#${opened.sdk_token}`)
  const offered = await door.call('POST', `${sdk}/handoff`, { token: String(opened.sdk_token) })
  t.true(String(offered.body.verify_url).startsWith(`${own}#handoff=`))
  const spoken = await door.call('GET', new URL(own).pathname, { headers: { 'Accept-Language': 'de' } })
  t.regex(spoken.text, /<html lang="es"/)

  const page = await openPage(t, await openBrowser(), 'about:blank')
  await page.setViewport({ width: 390, height: 844, isMobile: true, hasTouch: true })
  await page.goto(String(opened.verify_url))
  await page.waitForSelector('main.consent')
  const text = await page.$eval('main', main => main.textContent ?? '')
  t.regex(text, /For Banco Uno\./)
  t.regex(text, /How Banco Uno protects your data/)
  t.is(await page.$eval('main a', link => link.href), 'https://uno.example/privacy')
  t.is(await page.title(), `${en['consent.title']} – Banco Uno`)
  t.deepEqual(await page.$$eval('#language option', options => options.map(({ value }) => value)), ['es', 'en'])
  t.is(await page.$eval('header img', image => image.naturalWidth), 8)
  t.is(await page.evaluate(`getComputedStyle(document.documentElement).getPropertyValue('--accent')`), '#ffd000')

  const other = await open((await door.newAccount()).token)
  t.is(other.verify_url, `${door.url}/verify#${other.sdk_token}`)
  for (const path of ['/verify', `/verify-${other.transaction_id}`, `/verify-${account_id}`])
    t.regex((await door.call('GET', path)).text, /<span>Verify Ltd<\/span>/, path)
  t.is((await door.call('GET', `/verify/logo/${account_id}`)).status, 404)
})

test('bad branding ends the start, and names the field and the rule', async t => {
  const png = await sharp({ create: { width: 4, height: 4, channels: 3, background: 'red' } })
    .png()
    .toBuffer()
  const webp = await sharp(png).webp().toBuffer()
  const path = folderOf(t, {
    'logo.png': png,
    'logo.webp': webp,
    'commented.svg': `<?xml version="1.0"?>\n<!-- ours -->\n${svg}`,
    'large.png': Buffer.concat([png, Buffer.alloc(100_001 - png.length)]),
    'page.svg': '<html><svg></svg></html>',
    'empty.png': '',
  })
  const read = (content: unknown) => {
    writeFileSync(path('branding.json'), typeof content === 'string' ? content : JSON.stringify(content))
    return openBranding(path('branding.json'))
  }
  for (const [logo, type] of [
    ['logo.png', 'image/png'],
    ['logo.webp', 'image/webp'],
    ['commented.svg', 'image/svg+xml'],
  ])
    t.is(read({ logo }).logo?.type, type as never)
  t.deepEqual(read({}), openBranding(null))
  const broken: readonly (readonly [unknown, RegExp])[] = [
    ['{', /JSON/],
    ['[]', /: must be an object$/],
    [{ colour: '#fff' }, /: colour: unknown member$/],
    [{ name: '' }, /: name: must be a text of 1 to 60 characters$/],
    [{ name: 7 }, /: name: must be a text of 1 to 60 characters$/],
    [{ accent: 'red' }, /: accent: must be a colour such as #0b5fff$/],
    [{ accent: '#0b5fff;}' }, /: accent: must be a colour/],
    [{ privacy_url: 'javascript:alert(1)' }, /: privacy_url: must be a URL that begins with https:\/\/$/],
    [{ privacy_url: 'http://uno.example' }, /: privacy_url: must be a URL/],
    [{ privacy_url: 'uno.example/privacy' }, /: privacy_url: must be a URL/],
    [{ contact_url: 'javascript:alert(1)' }, /: contact_url: must be a URL that begins with https:, mailto: or tel:$/],
    [{ contact_url: 'help@uno.example' }, /: contact_url: must be a URL/],
    [{ texts: { sv: {} } }, /: texts\.sv\.page\.title: missing, and the page has no sv$/],
    [{ texts: { pt_br: {} } }, /: texts\.pt_br: must be a language such as sv or pt-BR$/],
    [{ texts: { en: 'none.json' } }, /none\.json/],
    [{ texts: { en: { 'consent.title': 7 } } }, /: texts\.en\.consent\.title: must be a text of 1 to 1000 characters$/],
    [{ texts: { fr: { 'consent.titel': 'a' } } }, /: texts\.fr\.consent\.titel: no text of the page$/],
    [{ texts: { en: { toString: 'a' } } }, /: texts\.en\.toString: no text of the page$/],
    [{ texts: { en: ['a'] } }, /: texts\.en: must be texts by their keys/],
    [{ logo: 'absent.png' }, /: logo: ENOENT/],
    [{ logo: 'large.png' }, /: logo: must be at most 100000 bytes, not 100001$/],
    [{ logo: 'page.svg' }, /: logo: must be a PNG, WebP or SVG picture$/],
    [{ logo: 'empty.png' }, /: logo: must be a PNG/],
    [{ languages: [] }, /: languages: must be a list of languages such as \["es", "pt-BR"\]$/],
    [{ languages: ['sv'] }, /: languages: the page has no sv$/],
    [{ languages: ['e_n'] }, /: languages\.0: /],
    [{ accounts: { acme: { name: 'Acme' } } }, /: accounts\.acme: must be the id of an account$/],
    [{ accounts: { [account_id]: {} } }, /: accounts\.\S{36}\.name: must be a text of 1 to 60 characters$/],
    [{ accounts: { [account_id]: { name: 'Acme', accounts: {} } } }, /: accounts\.\S{36}\.accounts: unknown member$/],
    [{ accounts: { [account_id]: { name: 'Acme', logo: 'absent.png' } } }, /: accounts\.\S{36}\.logo: ENOENT/],
    [
      { accounts: { [account_id]: { name: 'Acme', texts: { sv: {} } } } },
      /: accounts\.\S{36}\.texts\.sv\.page\.title: missing/,
    ],
  ]
  for (const [content, message] of broken) {
    const error = t.throws(() => read(content), { instanceOf: ConfigError, message }, JSON.stringify(content))
    t.regex(error.message, /^BRANDING: .*branding\.json: /)
  }
  t.throws(() => openBranding(path('none.json')), { instanceOf: ConfigError, message: /^BRANDING: .*ENOENT/ })
})

browserTest('Chromium runs the page and its worker under their policies, and frames it nowhere', async t => {
  const path = folderOf(t, {
    'logo.svg': svg,
    'branding.json': JSON.stringify({
      name: 'Banco Uno',
      logo: 'logo.svg',
      privacy_url: 'https://uno.example/privacy',
      contact_url: 'mailto:help@uno.example',
    }),
  })
  const door = await openDoor(sqlite, { branding: readBranding(path('branding.json')) })
  t.teardown(door.close)
  const page = await openPage(t, await openBrowser(), `${door.url}/verify`)
  await page.waitForSelector('main.unknown_link')
  t.deepEqual(
    await page.$$eval('main a', links => links.map(link => [link.textContent, link.href, link.target])),
    [['Contact Banco Uno', 'mailto:help@uno.example', '']],
    'a dead link is no dead end',
  )
  t.is(
    await page.evaluate(`WebAssembly.compile(new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0])).then(() => 'compiled')`),
    'compiled',
    'the smallest module of WebAssembly',
  )
  const guide = `new URL('guidance/open_guide.ts', document.querySelector('script[src]').src)`
  t.is(
    await page.evaluate(`import(${guide}).then(({ openGuide }) => openGuide('document')).then(({ kind }) => kind)`),
    'full',
    'the worker loads its modules',
  )
  const decode = `(async () => {
    const image = new Image()
    image.src = 'verify/logo'
    await image.decode()
    return [image.naturalWidth, document.title === 'run']
  })()`
  t.deepEqual(await page.evaluate(decode), [8, false], 'a picture, whose script does not run')
  const context = await (await openBrowser()).createBrowserContext()
  t.teardown(() => context.close())
  const other = await context.newPage()
  await other.setContent(`<iframe src="${door.url}/verify"></iframe>`)
  t.is(other.frames().at(-1)?.url(), 'chrome-error://chromewebdata/', 'refused')
})

browserTest(
  "a language of the operator's own is offered and spoken, from right to left where it is written so",
  async t => {
    const fa = { ...en, 'page.title': 'احراز هویت', 'closed.UNKNOWN_LINK.title': 'این پیوند کار نمی‌کند' }
    const pathOf = folderOf(t, {
      'branding.json': JSON.stringify({ texts: { fa: 'fa.json' } }),
      'fa.json': JSON.stringify(fa),
    })
    const door = await openDoor(sqlite, { branding: readBranding(pathOf('branding.json')) })
    t.teardown(door.close)
    const served = await door.call('GET', '/verify', { headers: { 'Accept-Language': 'fa-IR, en;q=0.5' } })
    t.regex(served.text, /<html lang="fa" dir="rtl">[\s\S]*<title>احراز هویت/)
    const page = await openPage(t, await openBrowser(), `${door.url}/verify`)
    await page.waitForSelector('main.unknown_link')
    t.is(await page.$('main a'), null, 'the operator has named no contact')
    t.is(await page.$eval('html', root => root.dir), 'ltr')
    await page.select('#language', 'fa')
    await page.waitForSelector('html[lang=fa][dir=rtl]')
    await page.waitForFunction(
      `document.querySelector('h1')?.textContent === ${JSON.stringify(fa['closed.UNKNOWN_LINK.title'])}`,
    )
    t.is(await page.$eval('option[value=fa]', option => option.textContent), 'فارسی')
  },
)
