/** Calls of an API that are made from its own OpenAPI document: mostly sensible ones, with every part wrong now and then. */
import { Ajv2020 } from 'ajv/dist/2020.js'
import fc from 'fast-check'
import { anyText } from '../any_text.ts'

type Json = Readonly<Record<string, unknown>>

/** A schema as the document has it. */
type Schema = Json & {
  readonly $ref?: string
  readonly type?: string | readonly string[]
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly anyOf?: readonly Schema[]
  readonly properties?: Readonly<Record<string, Schema>>
  readonly items?: Schema
  readonly format?: string
}

interface Parameter {
  readonly in: 'path' | 'query' | 'header'
  readonly name: string
  readonly schema: Schema
}

interface Operation {
  readonly operationId: string
  readonly parameters?: readonly Parameter[]
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: Schema }>> }
  readonly responses: Readonly<Record<string, unknown>>
  readonly security?: readonly Json[]
}

export interface ApiDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
}

/** Existing things that a call can name. */
export interface Known {
  readonly ids: readonly string[]
  readonly tokens: Readonly<Record<'access_token' | 'sdk_token', readonly string[]>>
  readonly image: Uint8Array
}

/** One call, ready to be sent. */
export interface FuzzedCall {
  readonly operation: string
  readonly method: string
  readonly path: string
  /** The path in the document's form. */
  readonly route: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | Uint8Array | null
}

const junk = fc.oneof(
  fc.constantFrom(
    '',
    ' ',
    '0',
    '-1',
    'null',
    '../..',
    '%00',
    "' OR 1=1 --",
    '<svg onload=x>',
    '\u{1F600}',
    '\ud800',
    '{{7*7}}',
  ),
  anyText({ maxLength: 40 }),
  fc.constant('x'.repeat(3000)),
)

function formats(known: Known): Readonly<Record<string, fc.Arbitrary<string>>> {
  return {
    uuid: fc.oneof({ weight: 4, arbitrary: fc.constantFrom(...known.ids) }, { weight: 1, arbitrary: fc.uuid() }),
    uri: fc.oneof(
      fc.webUrl({ validSchemes: ['https'] }),
      fc.constantFrom('http://127.0.0.1/', 'https://[::1]/', 'https://a@b.c/'),
    ),
    date: fc.constantFrom('1974-08-12', '2000-02-30', '0000-00-00'),
    'date-time': fc.constantFrom('2026-11-17T12:00:00.000Z', '2026-13-01T00:00:00Z'),
    email: fc.emailAddress(),
  }
}

/** Values of a schema; a part of them is anything at all. */
function valuesOf(document: ApiDocument, known: Known, schema: Schema, depth = 0): fc.Arbitrary<unknown> {
  const inner = (part: Schema): fc.Arbitrary<unknown> => valuesOf(document, known, part, depth + 1)
  const ofType = (type: string | undefined): fc.Arbitrary<unknown> => {
    switch (type) {
      case 'string':
        return (
          formats(known)[schema.format ?? ''] ?? fc.oneof({ weight: 3, arbitrary: fc.string({ maxLength: 20 }) }, junk)
        )
      case 'integer':
        return fc.oneof(fc.integer({ min: 0, max: 100 }), fc.integer())
      case 'number':
        return fc.double()
      case 'boolean':
        return fc.boolean()
      case 'array':
        return fc.array(schema.items === undefined ? fc.jsonValue() : inner(schema.items), { maxLength: 4 })
      case 'object':
        return fc.record(
          Object.fromEntries(
            Object.entries(schema.properties ?? { any: {} }).map(([name, part]) => [name, inner(part)]),
          ),
          { requiredKeys: [] },
        )
      default:
        return fc.constant(null)
    }
  }
  const sensible = (): fc.Arbitrary<unknown> => {
    if (schema.$ref !== undefined) return inner(resolve(document, schema.$ref))
    if (schema.const !== undefined) return fc.constant(schema.const)
    if (schema.enum !== undefined) return fc.constantFrom(...schema.enum)
    if (schema.anyOf !== undefined) return fc.oneof(...schema.anyOf.map(inner))
    return fc.oneof(...[schema.type].flat().map(ofType))
  }
  return fc.oneof({ weight: 24, arbitrary: sensible() }, { weight: 1, arbitrary: fc.jsonValue() })
}

function resolve(document: ApiDocument, ref: string): Schema {
  return ref
    .slice(2)
    .split('/')
    .reduce<unknown>((at, name) => (at as Json)[name], document) as Schema
}

function asText(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '')
}

/** Replaces characters that never leave a client in a request's header. */
function headerSafe(text: string): string {
  return text.replace(/[^\x20-\x7e]/g, '?').trim()
}

function authorizationOf(known: Known, kind: 'access_token' | 'sdk_token' | null): fc.Arbitrary<string | null> {
  if (kind === null) return fc.constant(null)
  const other = kind === 'sdk_token' ? 'access_token' : 'sdk_token'
  return fc.oneof(
    { weight: 16, arbitrary: fc.constantFrom(...known.tokens[kind]).map(token => `Bearer ${token}`) },
    { weight: 1, arbitrary: fc.constantFrom(...known.tokens[other]).map(token => `Bearer ${token}`) },
    { weight: 1, arbitrary: junk.map(text => headerSafe(`Bearer ${text}`)) },
    { weight: 1, arbitrary: fc.constant(null) },
  )
}

function bodyOf(
  document: ApiDocument,
  known: Known,
  { requestBody }: Operation,
): fc.Arbitrary<readonly [string, string | Uint8Array] | null> {
  const content = Object.entries(requestBody?.content ?? {})
  if (content.length === 0) return fc.constant(null)
  const sensible = content.map(([type, { schema }]) => {
    if (type.startsWith('image/'))
      return fc.oneof(fc.constant(known.image), fc.uint8Array({ maxLength: 400 })).map(image => [type, image] as const)
    const values = valuesOf(document, known, schema)
    if (type !== 'application/x-www-form-urlencoded') return values.map(value => [type, JSON.stringify(value)] as const)
    return values.map(value => {
      const form = Object.entries((value ?? {}) as Json).map(
        ([name, text]) => [name, asText(text).toWellFormed()] as [string, string],
      )
      return [type, new URLSearchParams(form).toString()] as const
    })
  })
  return fc.oneof(
    { weight: 20, arbitrary: fc.oneof(...sensible) },
    { weight: 1, arbitrary: fc.tuple(fc.constantFrom(...content.map(([type]) => type)), junk) },
    {
      weight: 1,
      arbitrary: fc.tuple(fc.constantFrom('text/plain', 'application/xml', 'application/json;charset=utf-16'), junk),
    },
    { weight: 1, arbitrary: fc.constant(['application/json', JSON.stringify({ a: 'x'.repeat(70_000) })] as const) },
    { weight: 1, arbitrary: fc.constant(null) },
  )
}

function parametersOf(
  document: ApiDocument,
  known: Known,
  { parameters = [] }: Operation,
): fc.Arbitrary<readonly (readonly [Parameter, string])[]> {
  return fc
    .tuple(
      ...parameters.map(parameter => {
        const value = valuesOf(document, known, parameter.schema).map(value => asText(value))
        const given = fc.oneof({ weight: 8, arbitrary: value }, { weight: 1, arbitrary: junk })
        const always = parameter.in === 'path'
        return fc
          .option(given, { nil: always ? 'x' : null, freq: 3 })
          .map(text => (text === null ? null : ([parameter, text] as const)))
      }),
    )
    .map(pairs => pairs.filter(pair => pair !== null))
}

function tokenKind({ security }: Operation): 'access_token' | 'sdk_token' | null {
  const [kind] = Object.keys(security?.[0] ?? {})
  return kind === 'access_token' || kind === 'sdk_token' ? kind : null
}

/** Draws all calls that the document describes, and others. */
export function callsOf(document: ApiDocument, known: Known): fc.Arbitrary<FuzzedCall> {
  const operations = Object.entries(document.paths).flatMap(([route, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ route, method, operation })),
  )
  return fc.oneof(
    ...operations.map(({ route, method, operation }) =>
      fc
        .tuple(
          parametersOf(document, known, operation),
          bodyOf(document, known, operation),
          authorizationOf(known, tokenKind(operation)),
        )
        .map(([parameters, body, authorization]) => {
          const given = (where: Parameter['in']) => parameters.filter(([parameter]) => parameter.in === where)
          const path = given('path').reduce(
            (at, [{ name }, text]) => at.replace(`{${name}}`, encodeURIComponent(text.toWellFormed()) || '%20'),
            route,
          )
          const query = new URLSearchParams(
            given('query').map(([{ name }, text]) => [name, text.toWellFormed()] as [string, string]),
          ).toString()
          return {
            operation: operation.operationId,
            method: method.toUpperCase(),
            route,
            path: query === '' ? path : `${path}?${query}`,
            headers: {
              ...Object.fromEntries(given('header').map(([{ name }, text]) => [name, headerSafe(text)])),
              ...(authorization === null ? {} : { Authorization: authorization }),
              ...(body === null ? {} : { 'Content-Type': body[0] }),
            },
            body: body === null ? null : body[1],
          }
        }),
    ),
  )
}

function pointer(...names: readonly string[]): string {
  return names.map(name => `/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('')
}

/**
 * Closes a document's shapes, so that they have the members that they name and no others: clients accept more, but we
 * send no more.
 */
function closed<T>(value: T): T {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(closed) as T
  const parts = Object.fromEntries(Object.entries(value).map(([name, part]) => [name, closed(part)]))
  const isShape = parts.type === 'object' && parts.properties !== undefined && parts.additionalProperties === undefined
  return (isShape ? { ...parts, additionalProperties: false } : parts) as T
}

/** Returns a function that finds an answer's faults by the document; null for a described answer. */
export function judgeAnswers(document: ApiDocument) {
  const ajv = new Ajv2020({ strict: false, validateFormats: false })
  ajv.addSchema(closed(document), 'document')
  return (call: FuzzedCall, status: number, type: string, text: string): string | null => {
    const method = call.method.toLowerCase()
    const answer = document.paths[call.route]?.[method]?.responses[String(status)] as Json | undefined
    if (status === 500) return 'a fault of ours'
    if (answer === undefined) return `answers ${status}, which is not documented: ${text.slice(0, 200)}`
    if (answer.content === undefined) return text === '' ? null : 'has a body'
    const media = Object.keys(answer.content as object).find(known => type.startsWith(known))
    if (media === undefined) return `is ${type}`
    if (!media.endsWith('json')) return null
    const at = pointer('paths', call.route, method, 'responses', String(status), 'content', media, 'schema')
    const validate = ajv.getSchema(`document#${at}`)
    if (validate === undefined) return 'has no schema'
    return validate(JSON.parse(text)) === true ? null : `${ajv.errorsText(validate.errors)}: ${text.slice(0, 300)}`
  }
}
