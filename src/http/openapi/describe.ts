import { glossary } from './glossary.ts'
import { recordedAnswers } from './recorded_answers.ts'

/** A schema of the document. */
interface Schema {
  $ref?: string
  type?: string | string[]
  description?: string
  examples?: unknown[]
  example?: unknown
  enum?: unknown[]
  const?: unknown
  anyOf?: Schema[]
  items?: Schema
  properties?: Record<string, Schema>
  additionalProperties?: unknown
}

interface Media {
  schema?: Schema
  example?: unknown
}

type Content = Record<string, Media>

interface Parameter {
  name: string
  schema: Schema
  description?: string
  example?: unknown
}

interface Operation {
  operationId: string
  description?: string
  parameters?: Parameter[]
  requestBody?: { content: Content }
  responses: Record<string, { content?: Content }>
}

interface Document {
  paths: Record<string, Record<string, Operation>>
  webhooks: Record<string, Record<string, Operation>>
  components: { schemas: Record<string, Schema> }
}

function getParts({ anyOf = [], items }: Schema): Schema[] {
  return [...anyOf, ...(items === undefined ? [] : [items])]
}

type Schemas = Document['components']['schemas']

function resolveReference(schemas: Schemas, { $ref = '' }: Schema): Schema | undefined {
  return schemas[$ref.split('/').at(-1) ?? '']
}

/** Whether a value has parts, which have examples of their own. */
function hasParts(schemas: Schemas, schema: Schema): boolean {
  const named = resolveReference(schemas, schema)
  if (named !== undefined) return hasParts(schemas, named)
  return schema.properties !== undefined || getParts(schema).some(part => hasParts(schemas, part))
}

function isEmpty(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).length === 0
}

/** Gives each member its description of the glossary, and its example, unless that follows from the member's parts. */
function describeMembers(schemas: Schemas, schema: Schema, owner: string, isResponse: boolean): void {
  // A client generated from the document must not break when a response has a further member.
  if (isResponse && schema.additionalProperties === false) delete schema.additionalProperties
  for (const [name, member] of Object.entries(schema.properties ?? {})) {
    const [description, example] = glossary[`${owner}.${name}`] ?? glossary[name] ?? []
    if (description !== undefined) member.description ??= description
    const isMadeOfParts =
      member.const !== undefined || (hasParts(schemas, member) && (example === null || isEmpty(example)))
    if (!isMadeOfParts && example !== undefined) member.examples ??= [example]
    describeMembers(schemas, member, name, isResponse)
  }
  for (const part of getParts(schema)) describeMembers(schemas, part, owner, isResponse)
}

/** A value that a schema accepts, made of the examples of its parts. */
function createExample(schemas: Schemas, schema: Schema): unknown {
  const { examples, example, const: only, enum: words, anyOf, items, properties } = schema
  if (examples !== undefined) return examples[0]
  const named = resolveReference(schemas, schema)
  if (named !== undefined) return createExample(schemas, named)
  if (properties !== undefined)
    return Object.fromEntries(
      Object.entries(properties).map(([name, member]) => [name, createExample(schemas, member)]),
    )
  if (items !== undefined) return [createExample(schemas, items)]
  const given = example ?? only ?? words?.[0]
  if (given !== undefined) return given
  return anyOf?.[0] === undefined ? {} : createExample(schemas, anyOf[0])
}

function describeParameter(operationId: string, parameter: Parameter): void {
  const { name, schema } = parameter
  const [description, example] = glossary[`${operationId}.${name}`] ?? glossary[name] ?? []
  const words = schema.description ?? description
  if (words !== undefined) parameter.description ??= words
  const [own = example] = schema.examples ?? []
  if (own !== undefined && own !== null) parameter.example ??= own
}

function describeOperation({ components: { schemas } }: Document, operation: Operation): void {
  const { operationId, parameters = [], requestBody, responses } = operation
  for (const parameter of parameters) describeParameter(operationId, parameter)
  const [, requestExample] = glossary[`${operationId}.requestBody`] ?? []
  for (const media of Object.values(requestBody?.content ?? {}))
    if (requestExample !== undefined) media.example = requestExample
  const describeContent = (content: Content = {}, status: string | null): void => {
    for (const [type, media] of Object.entries(content)) {
      if (media.schema === undefined) continue
      describeMembers(schemas, media.schema, operationId, status !== null)
      const recorded = status === null ? undefined : recordedAnswers[operationId]?.[status]
      // A document can't show images and pages. An error that no recorded run has caused has no example.
      if (!/^[45]/.test(status ?? '') && /json|urlencoded/.test(type))
        media.example ??= recorded ?? createExample(schemas, media.schema)
    }
  }
  describeContent(requestBody?.content, null)
  for (const [status, { content }] of Object.entries(responses)) describeContent(content, status)
}

/** The document with a description and an example of every field, and of every body. */
export function describeDocument(document: object): object {
  const given = structuredClone(document) as Document
  for (const [name, schema] of Object.entries(given.components.schemas))
    describeMembers(given.components.schemas, schema, name, true)
  for (const methods of [...Object.values(given.paths), ...Object.values(given.webhooks)])
    for (const operation of Object.values(methods)) describeOperation(given, operation)
  return given
}
