import { listFields, type NestedField } from './fields.ts'
import {
  type ApiDocument,
  type Content,
  groupRoutes,
  listRoutes,
  type Operation,
  type Response,
  type Schema,
  toSlug,
} from './openapi.ts'
import type { SearchEntry } from './page/entries.ts'
import { findShapeName, findWords } from './types.ts'

/** Each word once, in lower case. */
export function gatherWords(text: string): string {
  return [...new Set(text.toLowerCase().match(/[\p{L}\p{N}_.-]{2,}/gu) ?? [])].join(' ')
}

/** The description of a field, without its members. */
function describeField(document: ApiDocument, schema: Schema): string {
  return [schema.description ?? '', ...(findWords(document, schema)?.words ?? [])].join(' ')
}

interface FieldPlace {
  readonly place: string
  /** The page's URL with the prefix of the anchor. */
  readonly url: string
}

function toEntries(
  document: ApiDocument,
  fields: readonly NestedField[],
  { place, url }: FieldPlace,
): readonly SearchEntry[] {
  return fields.map(({ path, schema }) => ({
    title: path,
    place,
    url: `${url}.${path}`,
    words: gatherWords(describeField(document, schema)),
    isField: true,
  }))
}

function listBody(document: ApiDocument, content: Content = {}): readonly NestedField[] {
  return Object.values(content)
    .slice(0, 1)
    .flatMap(({ schema = {} }) => listFields(document, schema))
}

/** The fields of a response that is no named shape; those of shapes are listed with the shapes. */
function listAnswer(document: ApiDocument, { content = {} }: Response): readonly NestedField[] {
  const [{ schema = {} } = {}] = Object.values(content)
  return findShapeName(document, schema) === null && schema.items === undefined ? listFields(document, schema) : []
}

function listOperationFields(document: ApiDocument, operation: Operation, page: string): readonly SearchEntry[] {
  const { operationId, summary, parameters = [], requestBody, responses } = operation
  const at = (part: string, name: string): FieldPlace => ({
    place: `${summary} › ${name}`,
    url: `${page}#${operationId}.${part}`,
  })
  const query = parameters
    .filter(parameter => parameter.in === 'query')
    .map(({ name, schema, description = '' }) => ({ path: name, schema: { description, ...schema } }))
  return [
    ...toEntries(document, query, at('query', 'Query')),
    ...toEntries(document, listBody(document, requestBody?.content), at('body', 'Body')),
    ...Object.entries(responses)
      .filter(([status]) => status.startsWith('2'))
      .flatMap(([status, response]) => toEntries(document, listAnswer(document, response), at(status, 'Answer'))),
  ]
}

/** An entry for each field, so that search leads to its description. */
function listFieldEntries(document: ApiDocument): readonly SearchEntry[] {
  return [
    ...groupRoutes(document).flatMap(({ tag, routes }) =>
      routes.flatMap(({ operation }) => listOperationFields(document, operation, `reference/${toSlug(tag.name)}`)),
    ),
    ...listRoutes(document.webhooks).flatMap(({ operation: { operationId, summary, requestBody } }) =>
      toEntries(document, listBody(document, requestBody?.content), {
        place: `${summary} › Body`,
        url: `reference/webhooks#${operationId}.body`,
      }),
    ),
    ...Object.entries(document.components.schemas).flatMap(([name, schema]) =>
      toEntries(document, listFields(document, schema), { place: `Shape › ${name}`, url: `reference/shapes#${name}` }),
    ),
  ]
}

function describeOperation(document: ApiDocument, operation: Operation): string {
  const { operationId, description = '', parameters = [], requestBody } = operation
  const fields = listBody(document, requestBody?.content).map(({ path }) => path)
  return [operationId, description, ...parameters.map(({ name }) => name), ...fields].join(' ')
}

/** Every entry of the search. */
export function createSearchIndex(document: ApiDocument): readonly SearchEntry[] {
  return [
    ...groupRoutes(document).flatMap(({ tag, routes }) => [
      {
        title: tag.name,
        place: 'API reference',
        url: `reference/${toSlug(tag.name)}`,
        words: gatherWords(tag.description),
      },
      ...routes.map(({ method, path, operation }) => ({
        title: operation.summary,
        place: `${method} ${path}`,
        url: `reference/${toSlug(tag.name)}#${operation.operationId}`,
        words: gatherWords(`${path} ${describeOperation(document, operation)}`),
      })),
    ]),
    ...listRoutes(document.webhooks).map(({ operation }) => ({
      title: operation.summary,
      place: 'Webhook',
      url: `reference/webhooks#${operation.operationId}`,
      words: gatherWords(`webhook ${describeOperation(document, operation)}`),
    })),
    ...Object.entries(document.components.schemas).map(([name, schema]) => ({
      title: name,
      place: 'Shape',
      url: `reference/shapes#${name}`,
      words: gatherWords(describeField(document, schema)),
    })),
    ...document['x-errors'].map(({ code, status, meaning, advice }) => ({
      title: code,
      place: `Error ${status}`,
      url: `reference/errors#${code}`,
      words: gatherWords(`${status} ${meaning} ${advice}`),
    })),
    ...listFieldEntries(document),
  ]
}
