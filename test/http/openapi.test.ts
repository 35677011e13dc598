import { createHash } from 'node:crypto'
import { Validator } from '@seriousme/openapi-schema-validator'
import test from 'ava'
import fc from 'fast-check'
import { databases } from '../database.ts'
import { openDoor } from './door.ts'
import { callsOf, judgeAnswers } from './fuzz.ts'
import { documentOf, fuzzedDoor } from './fuzzed_door.ts'

const [first] = databases
if (first === undefined) throw new Error('no engine')

test('The document is valid OpenAPI 3.1 and speaks of every route, and of no other', async t => {
  const door = await openDoor(first)
  t.teardown(door.close)
  const document = await documentOf(door)
  const { valid, errors } = await new Validator().validate(
    structuredClone(document) as unknown as Record<string, unknown>,
  )
  t.true(valid, JSON.stringify(errors))
  const documented = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.keys(methods).map(method => `${method.toUpperCase()} ${path}`),
  )
  const routes = door.routes
    .filter(([method]) => method !== 'HEAD')
    .map(([method, path]) => `${method} ${path.replaceAll(/:(\w+)/g, '{$1}')}`)
  t.deepEqual(documented.sort(), routes.sort())
  const ids = Object.values(document.paths).flatMap(methods => Object.values(methods).map(one => one.operationId))
  t.is(new Set(ids).size, ids.length)
})

test('The document as a page names every operation and shape, runs nothing, and takes only its own style', async t => {
  const door = await openDoor(first)
  t.teardown(door.close)
  const document = await documentOf(door)
  const { status, headers, text } = await door.call('GET', '/docs')
  t.deepEqual([status, headers.get('content-type')], [200, 'text/html; charset=utf-8'])
  const operations = Object.values(document.paths).flatMap(methods => Object.values(methods))
  for (const { operationId } of operations) t.is(text.split(`id="${operationId}"`).length, 2, operationId)
  const { schemas } = (document as unknown as { components: { schemas: object } }).components
  const targets = new Set([...text.matchAll(/href="#([^"]+)"/g)].map(([, name]) => name))
  for (const name of Object.keys(schemas)) t.is(text.split(`id="${name}"`).length, 2, name)
  for (const name of targets) t.true(text.includes(`id="${name}"`), name)
  t.notRegex(text, /<script|<[^>]* on\w+=|\bstyle="|https?:\/\/(?!127\.0\.0\.1)\S+"/i)
  const style = /<style>(.*)<\/style>/s.exec(text)?.[1] ?? ''
  const hash = createHash('sha256').update(style).digest('base64')
  t.regex(
    headers.get('content-security-policy') ?? '',
    /^default-src 'none';style-src 'sha256-[^']+';frame-ancestors 'none'/,
  )
  t.true(headers.get('content-security-policy')?.includes(`'sha256-${hash}'`))
})

for (const engine of databases)
  test(`On ${engine.name} no call made from the document is answered otherwise than it says`, async t => {
    const { door, document, known, send } = await fuzzedDoor(engine)
    t.teardown(door.close)
    const judge = judgeAnswers(document)
    const seen = new Map<string, number>()
    await fc.assert(
      fc.asyncProperty(callsOf(document, known), async call => {
        const { status, type, text } = await send(call)
        seen.set(`${call.operation} ${status}`, (seen.get(`${call.operation} ${status}`) ?? 0) + 1)
        const wrong = judge(call, status, type, text)
        if (wrong !== null) throw new Error(`${call.method} ${call.path} ${wrong}`)
      }),
      { numRuns: 1500, interruptAfterTimeLimit: 120_000 },
    )
    const succeeded = [...seen.keys()].filter(key => / 20\d$/.test(key)).map(key => key.split(' ')[0])
    t.log(`${seen.size} kinds of answers; ${new Set(succeeded).size} operations succeeded`)
    t.true(new Set(succeeded).size > 8, 'a fuzzer whose calls are all refused finds nothing')
    t.deepEqual(
      door.lines.filter(({ level }) => level === 'error'),
      [],
    )
  })
