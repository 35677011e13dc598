import test from 'ava'
import fc from 'fast-check'
import type { Endpoint } from '../../src/http/endpoint.ts'
import { oneDialect } from '../database.ts'
import { documentRequests, nameEndpoint } from '../http/every_endpoint.ts'
import { callsOf, type ApiDocument as FuzzedDocument } from '../http/fuzz.ts'
import { fuzzedDoor } from '../http/fuzzed_door.ts'
import { api, openConsoleAt } from './rig.ts'

/** Calls that end the caller's session, never end, or take long by design: passwords are hashed slowly. */
const apart = ['POST logout', 'GET events', 'POST login', 'POST operator', 'POST operator/{operator_id}/reset']

function isApart(endpoint: Endpoint): boolean {
  return apart.includes(nameEndpoint(endpoint).replace(`${api}/`, ''))
}

for (const engine of oneDialect)
  test(`On ${engine.name} no call of the console is a fault of ours`, async t => {
    const { door, known, send } = await fuzzedDoor(engine)
    t.teardown(door.close)
    const { headersOf, operators } = await openConsoleAt(door)
    const endpoints = door.endpoints.filter(one => one.isForOperators === true && !isApart(one))
    const document = documentRequests(endpoints, door.url)
    const seen = new Set<string>()
    const more = { ids: [...known.ids, door.account.account_id, door.account.client_id, operators.viewer.operator_id] }
    const callers = fc.oneof(
      { weight: 8, arbitrary: fc.constant(headersOf.admin) },
      { weight: 1, arbitrary: fc.constantFrom(headersOf.viewer, headersOf.reviewer, {}) },
    )
    await fc.assert(
      fc.asyncProperty(
        callsOf(document as unknown as FuzzedDocument, { ...known, ...more }),
        callers,
        async (call, headers) => {
          const { status, type, text } = await send({ ...call, headers: { ...call.headers, ...headers } })
          seen.add(`${status} ${call.operation}`)
          if (status >= 500) throw new Error(`${call.method} ${call.path} answers ${status}: ${text}`)
          if (status >= 400 && (!type.startsWith('application/json') || typeof JSON.parse(text).error !== 'string'))
            throw new Error(`${call.method} ${call.path} answers ${status} with ${type}: ${text}`)
        },
      ),
      { numRuns: 1200, interruptAfterTimeLimit: 120_000 },
    )
    const succeeded = new Set([...seen].filter(key => key.startsWith('20')).map(key => key.slice(4)))
    t.log(`${seen.size} kinds of answers; ${succeeded.size} operations succeeded`)
    t.true(succeeded.size > 8, 'a fuzzer whose calls are all refused finds nothing')
    t.deepEqual(
      door.lines.filter(({ level }) => level === 'error'),
      [],
    )
  })
