import type { ApiDocument, Content, Operation, Parameter, Schema as PublishedSchema } from '@attestor/api-reference'
import { recordedAnswers } from './recorded_answers.ts'

/** The document is made, and then finished in place. */
type Writable<T> = unknown extends T ? T : { -readonly [K in keyof T]: Writable<T[K]> }

type Document = Writable<ApiDocument>
type Schema = Writable<PublishedSchema>

function getParts({ anyOf = [], items }: Schema): Schema[] {
  return [...anyOf, ...(items === undefined ? [] : [items])]
}

type Schemas = Document['components']['schemas']

function resolveReference(schemas: Schemas, { $ref = '' }: Schema): Schema | undefined {
  return schemas[$ref.split('/').at(-1) ?? '']
}

/**
 * Examples as OpenAPI 3.1 has them, in a list. A response may have further members: a client that is generated from the
 * document must not break then.
 */
function finishSchema(schema: Schema, isResponse: boolean): void {
  if (isResponse && schema.additionalProperties === false) delete schema.additionalProperties
  if (schema.example !== undefined) {
    schema.examples = [schema.example]
    delete schema.example
  }
  for (const part of [...Object.values(schema.properties ?? {}), ...getParts(schema)]) finishSchema(part, isResponse)
}

/** A value that a schema accepts, made of the examples of its parts. */
function createExample(schemas: Schemas, schema: Schema): unknown {
  const { examples, const: only, enum: words, anyOf, items, properties } = schema
  if (examples !== undefined) return examples[0]
  const named = resolveReference(schemas, schema)
  if (named !== undefined) return createExample(schemas, named)
  if (properties !== undefined)
    return Object.fromEntries(
      Object.entries(properties).map(([name, member]) => [name, createExample(schemas, member)]),
    )
  if (items !== undefined) return [createExample(schemas, items)]
  const given = only ?? words?.[0]
  if (given !== undefined) return given
  return anyOf?.[0] === undefined ? {} : createExample(schemas, anyOf[0])
}

/** A parameter has its schema's words as its own. */
function describeParameter(schemas: Schemas, parameter: Writable<Parameter>): void {
  const {
    description,
    example = resolveReference(schemas, parameter.schema)?.examples?.[0],
    ...schema
  } = parameter.schema
  parameter.schema = schema
  if (description !== undefined) parameter.description ??= description
  if (example !== undefined && example !== null) parameter.example ??= example
}

function describeOperation({ components: { schemas } }: Document, operation: Writable<Operation>): void {
  const { operationId, parameters = [], requestBody, responses } = operation
  for (const parameter of parameters) describeParameter(schemas, parameter)
  const describeContent = (content: Writable<Content> = {}, status: string | null): void => {
    for (const [type, media] of Object.entries(content)) {
      if (media.schema === undefined) continue
      finishSchema(media.schema, status !== null)
      const recorded = status === null ? undefined : recordedAnswers[operationId]?.[status]
      // A document can't show images and pages. An error that no recorded run has caused has no example.
      if (!/^[45]/.test(status ?? '') && /json|urlencoded/.test(type))
        media.example ??= recorded ?? createExample(schemas, media.schema)
    }
  }
  describeContent(requestBody?.content, null)
  for (const [status, { content }] of Object.entries(responses)) describeContent(content, status)
}

/** The document with an example of every body. */
export function describeDocument(document: object): object {
  const given = structuredClone(document) as Document
  for (const schema of Object.values(given.components.schemas)) finishSchema(schema, true)
  for (const methods of [...Object.values(given.paths), ...Object.values(given.webhooks)])
    for (const operation of Object.values(methods)) describeOperation(given, operation)
  return given
}
