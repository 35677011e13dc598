import test from 'ava'
import fc from 'fast-check'
import { createConsoleEndpoints } from '../../src/console/endpoints/table.ts'
import type { Endpoint } from '../../src/http/endpoint.ts'
import { createApiDocument } from '../../src/http/openapi/documents.ts'
import { oneDialect } from '../database.ts'
import { type ApiDocument, callsOf } from '../http/fuzz.ts'
import { fuzzedDoor } from '../http/fuzzed_door.ts'
import { openConsoleAt } from './rig.ts'

/** Calls that end the caller's session, never end, or take long by design: passwords are hashed slowly. */
const apart = ['logOut', 'followEvents', 'logIn', 'createOperator', 'resetOperator']

function documentOf(endpoints: readonly Endpoint[]): ApiDocument {
  const asked = endpoints.filter(({ operationId }) => !apart.includes(operationId))
  const deps = {
    baseUrl: 'https://id.example',
    checkDestination: () => null,
    defaultTtlMinutes: 60,
    embedOrigins: [],
    redirectSchemes: [],
  }
  const documented = asked.map(({ isDocumented: _, ...endpoint }) => endpoint)
  return createApiDocument(deps, documented) as ApiDocument
}

for (const engine of oneDialect)
  test(`On ${engine.name} no call of the console is a fault of ours`, async t => {
    const { door, known, send } = await fuzzedDoor(engine)
    t.teardown(door.close)
    const { headersOf, operators } = await openConsoleAt(door)
    const document = documentOf(createConsoleEndpoints({ algorithm: 'ES256' }))
    const seen = new Set<string>()
    const more = { ids: [...known.ids, door.account.account_id, door.account.client_id, operators.viewer.operator_id] }
    const callers = fc.oneof(
      { weight: 8, arbitrary: fc.constant(headersOf.admin) },
      { weight: 1, arbitrary: fc.constantFrom(headersOf.viewer, headersOf.reviewer, {}) },
    )
    await fc.assert(
      fc.asyncProperty(callsOf(document, { ...known, ...more }), callers, async (call, headers) => {
        const { status, type, text } = await send({ ...call, headers: { ...call.headers, ...headers } })
        seen.add(`${call.operation} ${status}`)
        if (status >= 500) throw new Error(`${call.method} ${call.path} answers ${status}: ${text}`)
        if (status >= 400 && (!type.startsWith('application/json') || typeof JSON.parse(text).error !== 'string'))
          throw new Error(`${call.method} ${call.path} answers ${status} with ${type}: ${text}`)
      }),
      { numRuns: 1200, interruptAfterTimeLimit: 120_000 },
    )
    const succeeded = new Set([...seen].filter(key => / 20\d$/.test(key)).map(key => key.split(' ')[0]))
    t.log(`${seen.size} kinds of answers; ${succeeded.size} operations succeeded`)
    t.true(succeeded.size > 8, 'a fuzzer whose calls are all refused finds nothing')
    t.deepEqual(
      door.lines.filter(({ level }) => level === 'error'),
      [],
    )
  })
