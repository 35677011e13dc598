import { chapters, type FlowCall } from './flow.ts'

/** An operation as the OpenAPI document has it. */
interface Operation {
  readonly operationId: string
  readonly summary: string
  readonly description: string
  readonly security: readonly Readonly<Record<string, unknown>>[]
  readonly parameters?: readonly Parameter[]
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly example?: unknown }>> }
  readonly responses: Readonly<Record<string, unknown>>
}

interface Parameter {
  readonly in: string
  readonly name: string
  readonly description?: string
  readonly example?: unknown
}

interface ApiDocument {
  readonly info: { readonly description: string }
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
}

interface FoundOperation extends Operation {
  readonly method: string
  readonly path: string
}

/** Set by hand before the first request. */
const given = { base_url: 'http://127.0.0.1:3000', client_id: '', client_secret: '' }

const pairs = (fields: object) => Object.entries(fields).map(([key, value]) => ({ key, value: String(value) }))

/** `{id}` as a whole segment is a variable of the path; within one it is written out, as Postman knows no such variable. */
const createUrl = ({ path, parameters = [] }: FoundOperation, call: FlowCall) => {
  const valueIn = (name: string): string => call.path?.[name] ?? `{{${name}}}`
  const segments = path.split('/').slice(1)
  const written = segments.map(segment =>
    /^\{\w+\}$/.test(segment)
      ? `:${segment.slice(1, -1)}`
      : segment.replace(/\{(\w+)\}/g, (_, name: string) => valueIn(name)),
  )
  const isVariable = ({ name }: Parameter): boolean => written.includes(`:${name}`)
  const query = parameters
    .filter(one => one.in === 'query')
    .map(({ name, description = '', example = '' }) => {
      const sent = call.query?.[name]
      return { key: name, value: sent ?? String(example), description, disabled: sent === undefined }
    })
  const variable = parameters
    .filter(one => one.in === 'path' && isVariable(one))
    .map(({ name, description = '' }) => ({ key: name, value: valueIn(name), description }))
  const search = query.filter(({ disabled }) => !disabled).map(({ key, value }) => `${key}=${value}`)
  return {
    raw: `{{base_url}}/${written.join('/')}${search.length === 0 ? '' : `?${search.join('&')}`}`,
    host: ['{{base_url}}'],
    path: written,
    ...(query.length === 0 ? {} : { query }),
    ...(variable.length === 0 ? {} : { variable }),
  }
}

const createBody = ({ requestBody }: Operation, { body, file }: FlowCall) => {
  const [[media, { example }] = ['', {}]] = Object.entries(requestBody?.content ?? {})
  if (media === '') return null
  if (file !== undefined) return { media, body: { mode: 'file', file: { src: file } } }
  const content = body ?? example ?? {}
  if (media === 'application/x-www-form-urlencoded')
    return { media: null, body: { mode: 'urlencoded', urlencoded: pairs(content) } }
  const raw = JSON.stringify(content, null, 2)
  return { media, body: { mode: 'raw', raw, options: { raw: { language: 'json' } } } }
}

/** Null is the collection's own: the access token. */
const createAuth = ({ security: [first] }: Operation): object | null => {
  if (first === undefined) return { type: 'noauth' }
  return 'access_token' in first ? null : bearer('sdk_token')
}

const bearer = (variable: string): object => ({
  type: 'bearer',
  bearer: [{ key: 'token', value: `{{${variable}}}`, type: 'string' }],
})

/** Runs after the response: checks it, and saves what later requests need. */
const createScript = ({ responses }: Operation, { saves = {}, also = [], expects }: FlowCall): readonly string[] => {
  const statuses = [...Object.keys(responses).filter(status => status.startsWith('2')), ...also]
  const reads = expects !== undefined || Object.keys(saves).length > 0
  return [
    `pm.test('status', () => pm.expect(pm.response.code).to.be.oneOf([${statuses.join(', ')}]))`,
    ...(reads ? ['const response = pm.response.json()'] : []),
    ...(expects === undefined ? [] : [`pm.test('response', () => pm.expect(${expects}).to.equal(true))`]),
    ...Object.entries(saves).map(([name, value]) => `pm.collectionVariables.set('${name}', ${value})`),
  ]
}

const createItem = (operation: FoundOperation, call: FlowCall) => {
  const sent = createBody(operation, call)
  const auth = createAuth(operation)
  const isIdempotent = operation.parameters?.some(({ name }) => name === 'Idempotency-Key') === true
  const header = [
    ...(isIdempotent ? [{ key: 'Idempotency-Key', value: '{{$guid}}' }] : []),
    ...(sent?.media == null ? [] : [{ key: 'Content-Type', value: sent.media }]),
  ]
  return {
    name: call.name ?? operation.summary,
    event: [{ listen: 'test', script: { type: 'text/javascript', exec: createScript(operation, call) } }],
    request: {
      ...(auth === null ? {} : { auth }),
      method: operation.method.toUpperCase(),
      header,
      ...(sent === null ? {} : { body: sent.body }),
      url: createUrl(operation, call),
      description: operation.description,
    },
    response: [],
  }
}

const listOperations = ({ paths }: ApiDocument): ReadonlyMap<string, FoundOperation> =>
  new Map(
    Object.entries(paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(
        ([method, operation]) => [operation.operationId, { ...operation, method, path }] as const,
      ),
    ),
  )

/** The operations of a document that no chapter calls. */
export const findUncalled = (document: object): readonly string[] => {
  const called = new Set(chapters.flatMap(({ calls }) => calls.map(({ operation }) => operation)))
  return [...listOperations(document as ApiDocument).keys()].filter(operation => !called.has(operation))
}

/** A Postman collection, version 2.1, of an OpenAPI document. @throws {Error} where a chapter calls what there is not */
export const createCollection = (document: object): object => {
  const { info } = document as ApiDocument
  const operations = listOperations(document as ApiDocument)
  const find = ({ operation }: FlowCall): FoundOperation => {
    const found = operations.get(operation)
    if (found === undefined) throw new Error(`clients/postman/flow.ts: there is no operation ${operation}`)
    return found
  }
  const saved = chapters.flatMap(({ calls }) => calls.flatMap(({ saves = {} }) => Object.keys(saves)))
  return {
    info: {
      name: 'Attestor',
      description: `${info.description} Set base_url, client_id and client_secret, of a test account; then run it from above.`,
      schema: 'https://schema.getpostman.com/json/collection/v2.1.0/collection.json',
    },
    auth: bearer('access_token'),
    variable: [...pairs(given), ...[...new Set(saved)].map(key => ({ key, value: '' }))],
    item: chapters.map(({ name, description, calls }) => ({
      ...{ name, description },
      item: calls.map(call => createItem(find(call), call)),
    })),
  }
}
