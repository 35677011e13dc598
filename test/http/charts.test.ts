import test from 'ava'
import { listStates } from 'durable-xstate-sql/testing'
import { createMachine } from 'xstate'
import { charts } from '../../machines/charts.ts'
import { sqlite } from '../database.ts'
import { type Door, openDoor } from './door.ts'

let door: Door
test.before(async () => {
  door = await openDoor(sqlite)
})
test.after.always(() => door.close())

const known = Object.entries(charts).flatMap(([name, versions]) =>
  Object.entries(versions).map(([version, machine]) => ({ name, version: Number(version), machine })),
)

test('Every known version of every chart is listed, with where it is to be had', async t => {
  const { status, body } = await door.call('GET', '/charts')
  const data = known.map(({ name, version }) => {
    const url = `${door.url}/charts/${name}/${version}`
    return { name, version, url, svg_url: `${url}.svg`, mermaid_url: `${url}.mmd` }
  })
  t.deepEqual([status, body], [200, { data }])
})

for (const { name, version, machine } of known) {
  const path = `/charts/${name}/${version}`

  test(`${path} needs no token, and XState makes the same chart of its definition`, async t => {
    const { status, body } = await door.call('GET', path)
    t.deepEqual([status, body.name, body.version], [200, name, version])
    const again = createMachine(body.definition as never)
    t.deepEqual(JSON.parse(JSON.stringify(again.config)), JSON.parse(JSON.stringify(machine.config)))
    t.deepEqual(
      listStates(again.root).map(({ id }) => id),
      listStates(machine.root).map(({ id }) => id),
    )
    t.deepEqual(again.events, machine.events as never)
  })

  test(`${path} is also a picture and a diagram, which are not sent again while they are the same`, async t => {
    for (const [ending, type, begin] of [
      ['', 'application/json; charset=utf-8', '{"name"'],
      ['.svg', 'image/svg+xml', '<svg'],
      ['.mmd', 'text/vnd.mermaid; charset=utf-8', 'stateDiagram-v2\n'],
    ] as const) {
      const { status, headers, text } = await door.call('GET', `${path}${ending}`)
      t.deepEqual([status, headers.get('content-type')], [200, type], ending)
      t.true(text.startsWith(begin))
      t.is(headers.get('cache-control'), 'public, max-age=300')
      const etag = headers.get('etag') ?? ''
      t.regex(etag, /^"[\w-]{43}-gzip"$/)
      const unchanged = await door.call('GET', `${path}${ending}`, { headers: { 'If-None-Match': etag } })
      t.deepEqual([unchanged.status, unchanged.text, unchanged.headers.get('etag')], [304, '', etag])
      const several = { 'If-None-Match': `"other", W/${etag}` }
      t.is((await door.call('GET', `${path}${ending}`, { headers: several })).status, 304)
      const changed = await door.call('GET', `${path}${ending}`, { headers: { 'If-None-Match': '"other"' } })
      t.is(changed.status, 200)
    }
  })
}

test('A picture that is opened by itself may bring its style, and runs nothing', async t => {
  const { headers, text } = await door.call('GET', '/charts/delivery/1.svg')
  const policy = "default-src 'none';style-src 'unsafe-inline';frame-ancestors 'none';sandbox"
  t.is(headers.get('content-security-policy'), policy)
  t.notRegex(text, /<script|<[^>]* on\w+=|href/)
  t.is((await door.call('GET', '/charts/delivery/1')).headers.get('content-security-policy')?.includes('style'), false)
})

test('An unknown chart or version is named', async t => {
  for (const [path, error] of [
    ['/charts/nothing/1', 'name: not found'],
    ['/charts/__proto__/1', 'name: not found'],
    ['/charts/nothing/1.svg', 'name: not found'],
    ['/charts/transaction/0', 'version: not found'],
    ['/charts/transaction/01', 'version: not found'],
    ['/charts/transaction/2.svg', 'version: not found'],
    ['/charts/transaction/2.mmd', 'version: not found'],
    ['/charts/transaction/1.png', 'version: not found'],
    ['/charts/transaction/toString', 'version: not found'],
    ['/charts/transaction', 'path: not found'],
  ] as const) {
    const { status, body } = await door.call('GET', path)
    t.deepEqual([status, body], [404, { error }], path)
  }
  t.is((await door.call('DELETE', '/charts/transaction/1')).status, 405)
})
