import { posix } from 'node:path'
import test from 'ava'
import { groupRoutes, listRoutes, toSlug } from '../openapi.ts'
import { indexEntries, type SearchEntry } from '../page/entries.ts'
import { openSite } from '../site.ts'
import { checkPages, closeReference, openReference, readIds, readLinks, readPages, readText } from './rig.ts'

const opened = openReference()
const read = opened.then(({ door }) => readPages(door))

test.after.always(closeReference)

function countOf(text: string, part: string): number {
  return text.split(part).length - 1
}

test('Every operation stands in its group, and every webhook, error and shape on its page, each with one anchor', async t => {
  const { door, document } = await opened
  for (const { tag, routes } of groupRoutes(document)) {
    t.true(routes.length > 0, `no operation is of the group ${tag.name}`)
    const ids = readIds(await readText(door, `/docs/reference/${toSlug(tag.name)}`))
    for (const { operation } of routes) t.true(ids.includes(operation.operationId), operation.operationId)
  }
  const grouped = groupRoutes(document).flatMap(({ routes }) => routes)
  const ungrouped = listRoutes(document.paths).filter(
    ({ operation: { operationId } }) => !grouped.some(({ operation }) => operation.operationId === operationId),
  )
  t.deepEqual(
    ungrouped.map(({ operation }) => `${operation.operationId} has no group of src/http/openapi/tags.ts`),
    [],
  )
  const parts = {
    webhooks: listRoutes(document.webhooks).map(({ operation }) => operation.operationId),
    errors: document['x-errors'].map(({ code }) => code),
    shapes: Object.keys(document.components.schemas),
  }
  for (const [page, names] of Object.entries(parts)) {
    const ids = readIds(await readText(door, `/docs/reference/${page}`))
    t.deepEqual(
      names.filter(name => !ids.includes(name)),
      [],
    )
  }
})

test('Every link of every page leads somewhere, ids are unique, and nothing comes from elsewhere', async t => {
  const { door } = await opened
  const pages = new Map([...(await read)].map(([path, text]) => [`${door.url}${path}`, text]))
  t.true(pages.size > 10)
  await checkPages(t, pages, async path => (await door.call('GET', path)).status === 200)
  for (const [url, text] of pages)
    if (!url.includes('/guides')) t.notRegex(text, /<code>docs\/[\w/-]+\.md/, `${url} names a guide without a link`)
})

test('Search finds pages that exist, and every field of a call or of a shape', async t => {
  const { door } = await opened
  const pages = await read
  const ids = new Map([...pages].map(([path, text]) => [path, new Set(readIds(text))]))
  const entries: readonly SearchEntry[] = JSON.parse(await readText(door, '/docs/search.json'))
  const urls = new Set(entries.map(({ url }) => url))
  t.is(urls.size, entries.length, 'each is found once')
  for (const url of urls) {
    const [path = '', id] = url.split('#')
    const known = ids.get(posix.join('/docs', path))
    t.true(id === undefined ? known !== undefined : known?.has(decodeURIComponent(id)), url)
  }
  // An answer that is a shape is found as the shape.
  const isFound = /\.(body|query)\.|^[A-Z]\w*\./
  for (const [path, own] of ids)
    if (path.startsWith('/docs/reference/'))
      for (const id of own) if (isFound.test(id)) t.true(urls.has(`${path.slice('/docs/'.length)}#${id}`), id)
})

test('Operations, shapes, errors and fields are found, with slips, by beginnings and in any order', async t => {
  const { door } = await opened
  const find = indexEntries(JSON.parse(await readText(door, '/docs/search.json')))
  const first = {
    'create transaction': 'reference/transactions#createTransaction',
    'transaction create': 'reference/transactions#createTransaction',
    'craete trans': 'reference/transactions#createTransaction',
    getTransaction: 'reference/transactions#getTransaction',
    DeliveryAtempt: 'reference/shapes#DeliveryAttempt',
    deliveryatt: 'reference/shapes#DeliveryAttempt',
    idempotency_key_reused: 'reference/errors#idempotency_key_reused',
    'idempotancy reused': 'reference/errors#idempotency_key_reused',
    on_gps_mock_location: 'reference/transactions#createTransaction.body.config.device_policy.on_gps_mock_location',
    'webhook.url': 'reference/transactions#createTransaction.body.config.webhook.url',
    'url webhok': 'reference/transactions#createTransaction.body.config.webhook.url',
    webhooks: 'reference/webhooks',
    'how do I create a transaction': 'reference/transactions#createTransaction',
  }
  for (const [query, url] of Object.entries(first)) t.is(find(query)[0]?.url, url, query)
  for (const query of ['', ' ', '.', 'nothingiscalledthis', 'webhooks nothingiscalledthis'])
    t.deepEqual(find(query), [])
})

test('The entries that use a common field name are found before its fields; a rare field is found at once', async t => {
  const { door } = await opened
  const entries: readonly SearchEntry[] = JSON.parse(await readText(door, '/docs/search.json'))
  const find = indexEntries(entries)
  const isStatus = ({ title, isField }: SearchEntry): boolean => isField === true && /(^|\.)status$/.test(title)
  t.true(entries.filter(isStatus).length > 10)
  const found = find('status')
  const positionOf = (url: string): number => found.findIndex(entry => entry.url === url)
  const call = positionOf('reference/transactions#getTransaction')
  t.true(call >= 0 && call < found.findIndex(isStatus))
  t.true(found.findIndex(isStatus) > 0, 'they are found, too')
  t.is(find('transaction status').find(({ isField }) => isField)?.title, 'status')
  t.true(find('on_gps_mock_location')[0]?.isField)
})

test('Pages come with a strict policy, compressed, and again only when they changed', async t => {
  const { door } = await opened
  for (const path of ['/docs', '/docs/reference/customers', '/openapi.json']) {
    const { headers, text } = await door.call('GET', path)
    t.is(headers.get('content-encoding'), 'gzip')
    const plain = await door.call('GET', path, { headers: { 'Accept-Encoding': 'identity' } })
    t.is(plain.headers.get('content-encoding'), null)
    t.is(plain.text, text)
    t.not(plain.headers.get('etag'), headers.get('etag'))
    const again = await door.call('GET', path, { headers: { 'If-None-Match': headers.get('etag') ?? '' } })
    t.deepEqual([again.status, again.text], [304, ''])
  }
  const { headers } = await door.call('GET', '/docs')
  const policy = headers.get('content-security-policy') ?? ''
  t.regex(policy, /^default-src 'none'; script-src 'self'; style-src 'self';/)
  t.notRegex(policy, /unsafe|https?:/)
})

test('A path without a page is 404, and no file of the repository is served', async t => {
  const { door } = await opened
  const guides = ['integrate/quickstart', 'integrate/quickstart.md', 'understand/architecture.svg']
  for (const path of ['none', 'reference/none', ...guides, '../package.json', 'x/../../package.json'])
    t.is((await door.call('GET', `/docs/${path}`)).status, 404, path)
})

const browserAccepts = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8'

test('A browser gets a page with working links at an unknown path, and a program gets the error', async t => {
  const { door } = await opened
  for (const path of ['none', 'none/', 'reference/none', 'a//b', 'x%20y', '%zz', 'reference%2Ferrors', 'a/b/c/d/e']) {
    const url = `${door.url}/docs/${path}`
    const { status, text, headers } = await door.call('GET', `/docs/${path}`, { headers: { Accept: browserAccepts } })
    t.is(status, 404, path)
    t.is(headers.get('content-type'), 'text/html; charset=utf-8')
    t.is(headers.get('x-error-code'), 'not_found')
    t.is(headers.get('vary'), 'Accept, Accept-Encoding')
    t.regex(headers.get('content-security-policy') ?? '', /^default-src 'none'; script-src 'self'; style-src 'self';/)
    t.regex(text, /<h1>There is no such page<\/h1>/)
    const links = readLinks(text).filter(target => !target.startsWith('#'))
    t.true(links.length > 15)
    for (const target of links) {
      const { origin, pathname } = new URL(target, url)
      t.is(origin, door.url)
      t.regex(pathname, /^\/(docs($|\/(search\.json$|reference\/))|guides($|\/)|assets\/|openapi\.json$)/, path)
    }
    t.is(new URL(/data-index="([^"]*)"/.exec(text)?.[1] ?? '', url).pathname, '/docs/search.json')
  }
  for (const accept of ['*/*', 'application/json', 'application/json, text/html;q=0.5']) {
    const { status, body, headers } = await door.call('GET', '/docs/none', { headers: { Accept: accept } })
    t.deepEqual([status, body], [404, { error: 'path: not found' }], accept)
    t.is(headers.get('vary'), 'Accept')
  }
  const deep = await door.call('GET', `/docs${'/'.repeat(2000)}`, { headers: { Accept: browserAccepts } })
  t.deepEqual([deep.status, deep.body], [404, { error: 'path: not found' }])
})

test('Every text of a document is shown as text', async t => {
  const { document } = await opened
  const hostile = '<img src=x onerror=alert(1)>'
  const operation = {
    operationId: 'hostile',
    summary: hostile,
    description: hostile,
    tags: ['Tokens'],
    parameters: [
      { name: 'name', in: 'query' as const, schema: { type: 'string', default: hostile }, description: hostile },
    ],
    responses: { 200: { description: hostile, content: { 'application/json': { example: { [hostile]: hostile } } } } },
  }
  const schemas = {
    Hostile: { properties: { [hostile]: { description: hostile, enum: [hostile], pattern: hostile } } },
  }
  const site = openSite(
    { ...document, paths: { '/hostile': { get: operation } }, components: { schemas } } as unknown as typeof document,
    path => path,
  )
  for (const path of ['docs', 'docs/reference/tokens', 'docs/reference/shapes']) {
    const { text = '' } = site.files.get(path)?.() ?? {}
    t.is(countOf(text, '<img'), 0, path)
  }
  t.true(countOf(site.files.get('docs/reference/tokens')?.().text ?? '', '&#60;img') > 5)
})

test('A page with a slash too many is the page, and nothing else is', async t => {
  const { door } = await opened
  for (const path of ['/docs', '/docs/reference/errors', '/docs/reference/shapes', '/guides', '/guides/operate'])
    t.is(await readText(door, `${path}/`), await readText(door, path))
  t.is((await door.call('GET', '/docs/nothing/')).status, 404)
})

test('The guides of this version are pages, with their Markdown beside them and an index for programs', async t => {
  const { door } = await opened
  const pages = await read
  t.true([...pages.keys()].filter(path => path.startsWith('/guides/')).length > 60)
  t.true(readLinks(await readText(door, '/docs')).includes('guides/integrate/quickstart'))
  t.regex(await readText(door, '/docs/reference/customers'), /<a href="\.\.\/\.\.\/guides\/integrate\/customers">/)
  const page = await readText(door, '/guides/integrate/quickstart')
  t.true(readLinks(page).includes('quickstart.md'))
  const source = await door.call('GET', '/guides/integrate/quickstart.md')
  t.regex(source.headers.get('content-type') ?? '', /^text\/markdown/)
  t.regex(source.text, /^# Quickstart\n/)
  const index = await readText(door, '/llms.txt')
  for (const [, link = ''] of [...index.matchAll(/\]\(([^)]+)\)/g)])
    t.is((await door.call('GET', `/${link}`)).status, 200, link)
  for (const [, link = ''] of source.text.matchAll(/\]\((?!https?:)([^)#]+)/g))
    t.is((await door.call('GET', `/guides/integrate/${link}`)).status, 200, link)
  const entries: readonly SearchEntry[] = JSON.parse(await readText(door, '/docs/search.json'))
  t.regex(indexEntries(entries)('rotate keys')[0]?.url ?? '', /guides\/operate\/keys/)
  for (const path of ['/guides/nothing', '/guides/changes/readme', '/guides/package.json'])
    t.is((await door.call('GET', path)).status, 404, path)
})
