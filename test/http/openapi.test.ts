import { Validator } from '@seriousme/openapi-schema-validator'
import { Ajv2020 } from 'ajv/dist/2020.js'
import test from 'ava'
import fc from 'fast-check'
import { oneDialect, sqlite } from '../database.ts'
import { kyc, scope } from '../service/client.ts'
import { inLongTier } from '../tier.ts'
import { type Door, openDoor } from './door.ts'
import { type ApiDocument, callsOf, judgeAnswers } from './fuzz.ts'
import { documentOf, fuzzedDoor } from './fuzzed_door.ts'

let door: Door
let document: ApiDocument

test.before(async () => {
  door = await openDoor(sqlite)
  document = await documentOf(door)
})
test.after.always(() => door.close())

test('The document is valid OpenAPI 3.1 and speaks of every route, and of no other', async t => {
  const { valid, errors } = await new Validator().validate(
    structuredClone(document) as unknown as Record<string, unknown>,
  )
  t.true(valid, JSON.stringify(errors))
  const documented = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.keys(methods).map(method => `${method.toUpperCase()} ${path}`),
  )
  const routes = door.endpoints
    .filter(({ isForOperators, path }) => isForOperators !== true && !forPagesOnly.includes(path))
    .map(({ method, path }) => `${method.toUpperCase()} ${path}`)
  t.deepEqual(documented.sort(), routes.sort())
  const ids = Object.values(document.paths).flatMap(methods => Object.values(methods).map(one => one.operationId))
  t.is(new Set(ids).size, ids.length)
})

/** Paths that only the service's own pages request. */
const forPagesOnly: readonly string[] = [
  '/',
  '/docs/{*path}',
  '/guides',
  '/guides/{*path}',
  '/llms.txt',
  '/assets/{version}/{*path}',
  '/verify-{transaction_id}',
  '/capture.js',
  '/verify/logo/{account_id}',
]

interface Described {
  readonly description?: string
  readonly examples?: readonly unknown[]
  readonly additionalProperties?: unknown
  readonly properties?: Readonly<Record<string, Described>>
  readonly [name: string]: unknown
}

/** Every member of every shape within a value, by its path. */
function membersIn(value: unknown, path: string): readonly (readonly [path: string, member: Described])[] {
  if (typeof value !== 'object' || value === null) return []
  const { properties } = value as Described
  const own = Object.entries(typeof properties === 'object' ? properties : {})
  return [
    ...own.map(([name, member]) => [`${path}.${name}`, member] as const),
    ...Object.entries(value).flatMap(([name, part]) =>
      name === 'example' || name === 'examples' ? [] : membersIn(part, `${path}/${name}`),
    ),
  ]
}

function isShape({ properties, $ref, anyOf, items }: Described): boolean {
  return [properties, $ref, anyOf, items].some(one => one !== undefined)
}

interface DocumentedOperation {
  readonly name?: undefined
  readonly operationId: string
  readonly summary?: string
  readonly description?: string
  readonly parameters?: readonly Described[]
  readonly security?: unknown
  readonly requestBody?: Content
  readonly responses?: Readonly<Record<string, Content>>
}

interface Content {
  readonly content?: Readonly<Record<string, { readonly schema?: unknown; readonly example?: unknown }>>
}

function escaped(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1')
}

/** Returns the bodies of an operation's request and successful responses: the example, and the place of the schema. */
function bodiesOf(path: string, method: string, { requestBody, responses = {} }: DocumentedOperation) {
  return [
    [['requestBody'], requestBody] as const,
    ...Object.entries(responses).map(([of, body]) => [['responses', of], body] as const),
  ]
    .filter(([[first_name, status = '2']]) => first_name === 'requestBody' || status.startsWith('2'))
    .flatMap(([within, body]) =>
      Object.entries(body?.content ?? {})
        .filter(([media, { schema }]) => media.endsWith('json') && schema !== undefined)
        .map(([media, { example }]) => ({
          at: ['', 'paths', path, method, ...within, 'content', media, 'schema'].map(escaped).join('/'),
          example,
        })),
    )
}

function toWords(text: string): readonly string[] {
  return text.toLowerCase().match(/[a-z]+/g) ?? []
}

const fillers = [
  'a',
  'an',
  'the',
  'its',
  'of',
  'this',
  'is',
  'it',
  'was',
  'null',
  'where',
  'there',
  'none',
  'and',
  'as',
]

/** Whether a description adds anything to the name that it describes. */
function saysMore(name: string, description = ''): boolean {
  const known = [...toWords(name), ...fillers].flatMap(word => [word, `${word}s`])
  return /[.:)`]$/.test(description) && toWords(description).filter(word => !known.includes(word)).length > 1
}

function needsExample(member: Described): boolean {
  return !isShape(member) && member.const === undefined && member.enum === undefined
}

test('Every operation, parameter, field and body says what it is, with an example that its schema takes', t => {
  const ajv = new Ajv2020({ strict: false, validateFormats: false })
  ajv.addSchema(document, 'document')
  const members = membersIn(document, '')
  t.true(members.length > 250)
  const terse = members.filter(([path, { description }]) => !saysMore(path.split('.').at(-1) ?? '', description))
  t.deepEqual(
    terse.map(([path, { description }]) => `${path}: ${description}`),
    [],
  )
  for (const [path, member] of members) {
    if (needsExample(member)) t.true(member.examples?.length === 1 && ajv.validate(member, member.examples[0]), path)
  }
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      path,
      method,
      operation: operation as unknown as DocumentedOperation,
    })),
  )
  for (const { path, method, operation } of operations) {
    for (const one of [operation, ...(operation.parameters ?? [])])
      t.true(
        saysMore(String(one.name ?? operation.summary), one.description),
        `${operation.operationId} ${one.name}: ${one.description}`,
      )
    for (const { at, example } of bodiesOf(path, method, operation))
      t.true(ajv.getSchema(`document#${at}`)?.(example), at)
  }
})

test('A client generated from the document accepts new members and new codes, and gets its tokens by itself', t => {
  const { paths, components } = document as unknown as {
    paths: Readonly<Record<string, Readonly<Record<string, DocumentedOperation>>>>
    components: { schemas: Readonly<Record<string, Described>>; securitySchemes: unknown }
  }
  const answers = Object.values(paths).flatMap(methods => Object.values(methods).map(({ responses }) => responses))
  for (const part of [components.schemas, answers]) t.notRegex(JSON.stringify(part), /"additionalProperties":false/)
  const code = components.schemas.Issue?.properties?.code
  t.is(code?.enum, undefined)
  t.true([code?.['x-extensible-enum']].flat().includes('EXPIRED_DOCUMENT'))
  t.like(components.securitySchemes, {
    access_token: {
      type: 'oauth2',
      flows: { clientCredentials: { tokenUrl: `${door.url}/oauth2/token` } },
    },
    sdk_token: { type: 'http', scheme: 'bearer' },
  })
  const security = paths[`${kyc}/transaction`]?.post?.security
  t.deepEqual(security, [{ access_token: [scope] }])
})

for (const engine of oneDialect)
  inLongTier(test)(
    `On ${engine.name} no call made from the document gets a response that it does not describe`,
    async t => {
      const { known, send, ...fuzzed } = await fuzzedDoor(engine)
      t.teardown(fuzzed.door.close)
      const judge = judgeAnswers(fuzzed.document)
      const seen = new Map<string, number>()
      await fc.assert(
        fc.asyncProperty(callsOf(fuzzed.document, known), async call => {
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
        fuzzed.door.lines.filter(({ level }) => level === 'error'),
        [],
      )
    },
  )
