/** A schema as an OpenAPI 3.1 document has it. */
export interface Schema {
  readonly $ref?: string
  readonly type?: string | readonly string[]
  readonly format?: string
  readonly enum?: readonly unknown[]
  readonly 'x-extensible-enum'?: readonly unknown[]
  readonly const?: unknown
  readonly anyOf?: readonly Schema[]
  readonly oneOf?: readonly Schema[]
  readonly items?: Schema
  readonly properties?: Readonly<Record<string, Schema>>
  readonly additionalProperties?: unknown
  readonly required?: readonly string[]
  readonly description?: string
  readonly example?: unknown
  readonly examples?: readonly unknown[]
  readonly default?: unknown
  readonly contentMediaType?: string
  readonly [limit: string]: unknown
}

interface Example {
  readonly summary?: string
  readonly value: unknown
}

export interface Media {
  readonly schema?: Schema
  readonly example?: unknown
  readonly examples?: Readonly<Record<string, Example>>
}

export type Content = Readonly<Record<string, Media>>

export interface Parameter {
  readonly name: string
  readonly in: 'path' | 'query' | 'header'
  readonly required?: boolean
  readonly schema: Schema
  readonly description?: string
  readonly example?: unknown
}

interface Header {
  readonly description?: string
  readonly schema?: Schema
}

export interface Response {
  readonly description: string
  readonly headers?: Readonly<Record<string, Header>>
  readonly content?: Content
}

export interface Operation {
  readonly operationId: string
  readonly summary: string
  readonly description?: string
  readonly tags: readonly string[]
  readonly security?: readonly Readonly<Record<string, unknown>>[]
  readonly parameters?: readonly Parameter[]
  readonly requestBody?: { readonly required?: boolean; readonly content: Content }
  readonly responses: Readonly<Record<string, Response>>
}

/** The codes of an operation's errors, in the order of their statuses. */
export function listErrorCodes({ responses }: Operation): readonly string[] {
  return Object.values(responses).flatMap(getErrorCodes)
}

export function getErrorCodes({ headers = {} }: Response): readonly string[] {
  return [headers['X-Error-Code']?.schema?.['x-extensible-enum'] ?? []].flat().map(String)
}

export type Paths = Readonly<Record<string, Readonly<Record<string, Operation>>>>

export interface Tag {
  readonly name: string
  readonly description: string
}

/** The meaning of an error code, as the document lists it. */
export interface ErrorCode {
  readonly code: string
  readonly status: number
  readonly meaning: string
  readonly advice: string
  readonly retry: string
  readonly example?: string
}

export interface ApiDocument {
  readonly info: { readonly title: string; readonly version: string; readonly description: string }
  readonly servers: readonly { readonly url: string }[]
  readonly tags: readonly Tag[]
  readonly paths: Paths
  readonly webhooks: Paths
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> }
  readonly 'x-errors': readonly ErrorCode[]
}

/** An operation with where it is called. */
export interface Route {
  readonly method: string
  readonly path: string
  readonly operation: Operation
}

export function listRoutes(paths: Paths): readonly Route[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
  )
}

/** The routes of each tag, in the document's order of tags. */
export function groupRoutes({
  tags,
  paths,
}: ApiDocument): readonly { readonly tag: Tag; readonly routes: readonly Route[] }[] {
  const byTag = Map.groupBy(listRoutes(paths), ({ operation }) => operation.tags[0] ?? '')
  return tags.map(tag => ({ tag, routes: byTag.get(tag.name) ?? [] }))
}

/** The name of the shape that a schema refers to. */
export function getReference({ $ref }: Schema): string | null {
  return $ref?.split('/').at(-1) ?? null
}

/** A schema with its reference resolved, and without `null` among its alternatives. */
export function resolveSchema(
  document: ApiDocument,
  schema: Schema,
): { readonly schema: Schema; readonly isNullable: boolean } {
  const name = getReference(schema)
  if (name !== null) return resolveSchema(document, document.components.schemas[name] ?? {})
  const either = schema.anyOf ?? schema.oneOf
  const others = either?.filter(({ type }) => type !== 'null')
  const isNullable = either !== undefined && others !== undefined && others.length < either.length
  const [only] = others ?? []
  if (only !== undefined && others?.length === 1) {
    const { schema: found, isNullable: nested } = resolveSchema(document, only)
    return { schema: found, isNullable: isNullable || nested }
  }
  if (Array.isArray(schema.type) && schema.type.includes('null'))
    return { schema: { ...schema, type: schema.type.filter(type => type !== 'null') }, isNullable: true }
  return { schema, isNullable }
}

/** An anchor or a part of a URL made of a name. */
export function toSlug(name: string): string {
  return name.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-')
}
