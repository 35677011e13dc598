import openapiTypescript, { astToString } from 'openapi-typescript'

interface Operation {
  readonly security?: readonly object[]
  readonly responses: Readonly<Record<string, unknown>>
}

interface ApiDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly webhooks: object
}

/** Whether a backend or a device makes the call. */
function isCalled(path: string, { security = [] }: Operation): boolean {
  return path.startsWith('/api/sdk/') || security.some(one => 'access_token' in one)
}

const failure = {
  description: 'A failure.',
  content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
}

/** Every failure has the same body. */
function withOneFailure({ responses, ...operation }: Operation): Operation {
  const successes = Object.entries(responses).filter(([status]) => status.startsWith('2'))
  return { ...operation, responses: { ...Object.fromEntries(successes), default: failure } }
}

function select(paths: ApiDocument['paths']): ApiDocument['paths'] {
  return Object.fromEntries(
    Object.entries(paths).flatMap(([path, methods]) => {
      const own = Object.entries(methods).filter(([, operation]) => isCalled(path, operation))
      const lean = own.map(([method, operation]) => [method, withOneFailure(operation)])
      return own.length === 0 ? [] : [[path, Object.fromEntries(lean)]]
    }),
  )
}

function isExample(name: string, value: unknown): boolean {
  return name === 'example' || (name === 'examples' && Array.isArray(value))
}

function withoutExamples(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutExamples)
  if (typeof value !== 'object' || value === null) return value
  const kept = Object.entries(value).filter(([name, part]) => !isExample(name, part))
  return Object.fromEntries(kept.map(([name, part]) => [name, withoutExamples(part)]))
}

/**
 * Returns the text of `src/api.ts`: the types of the calls that backends and devices make, from an OpenAPI document.
 */
export async function generateTypes(document: object): Promise<string> {
  const { paths, webhooks: _, ...rest } = withoutExamples(document) as ApiDocument
  const nodes = await openapiTypescript(
    { openapi: '3.1.0', info: { title: '', version: '' }, ...rest, paths: { ...select(paths) } },
    { defaultNonNullable: false, rootTypes: true, rootTypesNoSchemaPrefix: true },
  )
  return `/** Made by \`npm run generate\` of the OpenAPI document; don't edit. */\n${astToString(nodes)}`
}
