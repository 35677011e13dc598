import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { gunzipSync } from 'node:zlib'
import { toTextsFile } from '@attestor/capture-page/testing'
import test from 'ava'
import { browserTest, closeBrowser, openBrowser, openPage } from '../../../../test/browser.ts'
import { openAssets } from '../../serve/assets.ts'
import { toBrowserModule } from '../../serve/modules.ts'

const folder = 'packages/page-files/test/serve/fixture'
const entries = ['page/main.ts', 'page/worker.ts', 'page/style.css'].map(name => `${folder}/${name}`)

test.after.always(closeBrowser)

test('Types become spaces, so that each line stays where it is', t => {
  const { code, imports } = toBrowserModule('a/b.ts', "import type { A } from './a.ts'\nexport const one: A = 1 as A\n")
  t.deepEqual(code.split('\n'), [' '.repeat(31), 'export const one    = 1     ', ''])
  t.deepEqual(imports, [])
})

test('A comment is not served, and its lines stay', t => {
  const source = "/**\n * What it is.\n */\nconst at = 'http://a' // here\n  // Why.\nexport { at }\n"
  t.is(toBrowserModule('a/b.ts', source).code, "\n\n\nconst at = 'http://a' // here\n\nexport { at }\n")
})

test('a chart is served without its descriptions', t => {
  const chart =
    "const a = {\n  description: 'It\\'s one.',\n  on: [{ target: 'b', description: 'Two, or more.' }],\n}\n"
  t.is(toBrowserModule('machines/a.ts', chart).code, "const a = {\n  \n  on: [{ target: 'b',  }],\n}\n")
  t.is(toBrowserModule('page/a.ts', chart).code, chart)
})

test('Relative imports stay as they are, and libraries are named by where they are served', t => {
  const source =
    "import { b } from '../b.ts'\nimport { setup } from 'xstate'\nnew Worker(new URL('./w.ts', import.meta.url))\n"
  const { code, imports } = toBrowserModule('src/page/a.ts', source)
  t.is(
    code,
    "import { b } from '../b.ts'\nimport { setup } from '../../lib/xstate.js'\nnew Worker(new URL('./w.ts', import.meta.url))\n",
  )
  t.deepEqual(imports, ['src/page/w.ts', 'src/b.ts', 'lib/xstate.js'])
})

test('JSON is a module of its own, for browsers that import none', t => {
  const source =
    "import one from './a.json' with { type: 'json' }\nconst two = (await import('./b.json', { with: { type: 'json' } })).default\n"
  const { code, imports, needs } = toBrowserModule('page/a.ts', source)
  t.is(code, "import one from './a.json.js'\nconst two = (await import('./b.json.js')).default\n")
  t.deepEqual([imports, needs], [['page/a.json.js', 'page/b.json.js'], ['page/a.json.js']])
  const { type, content } = openAssets([toTextsFile('de')]).get(toTextsFile('de')) ?? {}
  t.is(type, 'text/javascript; charset=utf-8')
  t.is(String(content), `export default ${readFileSync('packages/capture-page/page/texts/de.json', 'utf8')}`)
})

test('Browser code that imports a module of the server is an error that names it', t => {
  for (const name of ['node:fs', 'sharp', 'koa', 'toString'])
    t.throws(() => toBrowserModule('a.ts', `import x from '${name}'`), { message: new RegExp(`^${name} is not`) })
})

test('The files of a page are its entries and all that they import, and nothing else', t => {
  const assets = openAssets(entries)
  for (const path of [
    ...entries,
    `${folder}/shared.ts`,
    'lib/xstate.js',
    'lib/tensorflow-tfjs-core.js',
    'lib/empty.js',
  ])
    t.truthy(assets.get(path), path)
  for (const path of [
    'package.json',
    'src/config/settings.ts',
    `${folder}/../assets.test.ts`,
    '',
    'lib/none.js',
    '/etc/passwd',
  ])
    t.is(assets.get(path), null, path)
})

test('A folder that a module names is no file of the page; a file that is missing is an error that names both', t => {
  const source = "new URL('../../', import.meta.url)\nnew URL('./pictures/', import.meta.url)\n"
  t.deepEqual(toBrowserModule('src/page/a.ts', source).imports, [])
  for (const path of ['packages/page-files/test/serve/fixture/page', 'packages/page-files/none.ts'])
    t.throws(() => openAssets([path]).get(path), { message: `a page names ${path}, which can't be read as a file` })
  const broken = 'packages/page-files/test/serve/fixture/broken.ts'
  t.throws(() => openAssets([broken]).get(broken), {
    message: `${broken} names packages/page-files/test/serve, which can't be read as a file`,
  })
})

test('A page can ask at once for all that its first module needs, and not for what it loads later', t => {
  const assets = openAssets([...entries, 'packages/capture-page/page/main.ts'])
  t.deepEqual(assets.listNeeds(`${folder}/page/main.ts`), ['lib/xstate.js', `${folder}/shared.ts`])
  const needs = assets.listNeeds('packages/capture-page/page/main.ts')
  t.true(needs.includes('packages/capture-page/page/dom.ts'), 'what is imported by what is imported')
  t.false(needs.some(path => /uqr|guidance|texts\/de/.test(path)))
})

test('A compressed file is the same file, and the version is that of all files', t => {
  const assets = openAssets(entries)
  const library = assets.get('lib/xstate.js')
  t.deepEqual(library?.gzip && gunzipSync(library.gzip), library?.content)
  t.regex(assets.version, /^[\w-]{16}$/)
  t.is(openAssets([...entries].reverse()).version, assets.version)
  t.not(openAssets(entries.slice(1)).version, assets.version)
})

browserTest('Chromium runs a page as it is written: its modules, its worker, its libraries', async t => {
  const assets = openAssets(entries)
  const server = createServer(({ url = '' }, response) => {
    const asset = assets.get(url.slice(1))
    if (asset !== null) response.writeHead(200, { 'Content-Type': asset.type }).end(asset.content)
    else if (url === '/') response.end(`<!doctype html><script type="module" src="${entries[0]}"></script>`)
    else response.writeHead(404).end()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => server.close())
  const page = await openPage(t, await openBrowser(), `http://127.0.0.1:${(server.address() as AddressInfo).port}/`)
  await page.waitForFunction(`document.title !== ''`)
  t.is(await page.title(), 'Good day, function function function answered')
})
