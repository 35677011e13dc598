import { once } from 'node:events'
import { existsSync, globSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { extname, join } from 'node:path'
import type { SearchEntry } from '@attestor/api-reference'
import { indexEntries } from '@attestor/api-reference/testing'
import test, { type ExecutionContext } from 'ava'
import { checkPages, readIds, readLinks } from '../../packages/api-reference/test/rig.ts'
import { buildSite } from '../../tools/site.ts'
import { browserTest, closeBrowser, findViolations, openBrowser, openPage } from '../browser.ts'
import { root } from '../markdown.ts'
import { inLongTier } from '../tier.ts'

const site = mkdtempSync(join(tmpdir(), 'attestor-site-'))
const built = buildSite(site)

test.after.always(async () => {
  await closeBrowser()
  await built
  rmSync(site, { recursive: true })
})

const origin = 'https://guides.example'

/** Every page by its URL; a sample of an integrator's is none. */
async function readSite(): Promise<ReadonlyMap<string, string>> {
  await built
  return new Map(
    globSync('**/*.html', { cwd: site, exclude: ['examples'] }).map(file => [
      `${origin}/${file}`,
      readFileSync(join(site, file), 'utf8'),
    ]),
  )
}

test('Every page of docs/ is in the contents, in the order of its index', async t => {
  const [first] = [...(await readSite())].filter(([url]) => url === `${origin}/index.html`).map(([, text]) => text)
  const contents = readLinks(/<nav id="site-contents".*?<\/nav>/s.exec(first ?? '')?.[0] ?? '')
  const files = globSync('docs/**/*.md', { cwd: root, exclude: ['docs/changes/**'] }).map(file =>
    file.replace(/\.md$/, '.html'),
  )
  t.true(files.length > 50)
  t.deepEqual(
    files.filter(file => !contents.includes(file)),
    [],
  )
  t.is(contents.indexOf('docs/integrate/quickstart.html'), contents.indexOf('docs/integrate/index.html') + 1)
})

test('Every link of every page leads somewhere, ids are unique, and nothing comes from elsewhere', async t => {
  const pages = await readSite()
  t.true(pages.size > 60)
  await checkPages(t, pages, path => existsSync(join(site, path)) && statSync(join(site, path)).isFile())
})

test('Headings are found, with slips, and are there', async t => {
  const pages = await readSite()
  const entries: readonly SearchEntry[] = JSON.parse(readFileSync(join(site, 'search.json'), 'utf8'))
  for (const { url } of entries) {
    const [path, id] = url.split('#')
    const text = pages.get(`${origin}/${path}`)
    t.true(text !== undefined && (id === undefined || readIds(text).includes(id)), url)
  }
  const find = indexEntries(entries)
  t.is(find('master key')[0]?.url, 'docs/operate/keys.html#the-master-key')
  t.is(find('qickstart')[0]?.url, 'docs/integrate/quickstart.html')
  t.regex(find('how do I rotate keys')[0]?.url ?? '', /^docs\/operate\/keys\.html/)
  t.true(find('iframe').some(({ url }) => url.startsWith('docs/integrate/embed.html')))
  t.regex(find('wehbook')[0]?.url ?? '', /webhook/)
  t.deepEqual(find('how do I'), [])
})

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html',
  '.css': 'text/css',
  '.js': 'text/javascript',
  '.svg': 'image/svg+xml',
}

/** The site as any server of files serves it. */
async function serveSite(t: ExecutionContext): Promise<string> {
  await built
  const server = createServer(({ url = '' }, response) => {
    response.writeHead(200, { 'Content-Type': types[extname(url)] ?? 'application/octet-stream' })
    response.end(readFileSync(join(site, url)))
  }).listen(0, '127.0.0.1')
  t.teardown(() => server.close().closeAllConnections())
  await once(server, 'listening')
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

const audited = ['index', 'docs/integrate/results', 'docs/figures', 'docs/understand/architecture']

for (const scheme of ['light', 'dark'])
  inLongTier(browserTest)(`Nobody is kept out of the guides: axe finds nothing in the ${scheme} ones`, async t => {
    const url = await serveSite(t)
    const page = await openPage(t, await openBrowser(), `${url}/index.html`)
    await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: scheme }])
    for (const width of [1280, 360]) {
      await page.setViewport({ width, height: 740 })
      for (const path of audited) {
        await page.goto(`${url}/${path}.html`)
        t.deepEqual(await findViolations(page), [], `${path} at ${width}`)
      }
    }
  })

inLongTier(browserTest)('On a phone no guide is wider than the screen, and search leads to one', async t => {
  const url = await serveSite(t)
  const page = await openPage(t, await openBrowser(), `${url}/index.html`)
  await page.setViewport({ width: 360, height: 740 })
  for (const at of (await readSite()).keys()) {
    await page.goto(at.replace(origin, url))
    t.is(await page.evaluate('document.documentElement.scrollWidth'), 360, at)
  }
  await page.goto(`${url}/docs/operate/index.html`)
  await page.waitForSelector('.search:not([hidden])')
  await page.keyboard.press('/')
  await page.waitForSelector('#site-search[open]')
  await page.keyboard.type('master key')
  await page.waitForFunction("document.querySelector('#site-results li')?.firstChild.textContent === 'The master key'")
  await Promise.all([page.waitForNavigation(), page.keyboard.press('Enter')])
  t.is(page.url(), `${url}/docs/operate/keys.html#the-master-key`)
})
