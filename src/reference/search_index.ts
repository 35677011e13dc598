import type { Guide, GuideContent, GuideSection } from './guides.ts'
import { type ApiDocument, groupRoutes, listRoutes, type Operation, type Schema, toSlug } from './openapi.ts'

/** What search finds: a title, where it is, and words beside the title. */
export interface SearchEntry {
  readonly title: string
  readonly place: string
  /** From the folder of the pages. */
  readonly url: string
  readonly words: string
}

/** Words once each, in lower case. */
const gatherWords = (text: string): string =>
  [...new Set(text.toLowerCase().match(/[\p{L}\p{N}_.-]{2,}/gu) ?? [])].join(' ')

/** The names and descriptions of all members, at any depth. */
const collectSchema = (schema: Schema): string => {
  const parts = [schema.items, ...(schema.anyOf ?? []), ...(schema.oneOf ?? [])].filter(part => part !== undefined)
  const words = schema.enum ?? schema['x-extensible-enum'] ?? []
  const members = Object.entries(schema.properties ?? {}).map(([name, member]) => `${name} ${collectSchema(member)}`)
  return [schema.description ?? '', ...words.map(String), ...members, ...parts.map(collectSchema)].join(' ')
}

const collectOperation = ({ operationId, description = '', parameters = [], requestBody }: Operation): string => {
  const bodies = Object.values(requestBody?.content ?? {}).map(({ schema = {} }) => collectSchema(schema))
  return [operationId, description, ...parameters.map(({ name }) => name), ...bodies].join(' ')
}

const listReference = (document: ApiDocument): readonly SearchEntry[] => [
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
      words: gatherWords(`${path} ${collectOperation(operation)}`),
    })),
  ]),
  ...listRoutes(document.webhooks).map(({ operation }) => ({
    title: operation.summary,
    place: 'Webhook',
    url: `reference/webhooks#${operation.operationId}`,
    words: gatherWords(`webhook ${collectOperation(operation)}`),
  })),
  ...Object.entries(document.components.schemas).map(([name, schema]) => ({
    title: name,
    place: 'Shape',
    url: `reference/shapes#${name}`,
    words: gatherWords(collectSchema(schema)),
  })),
  ...document['x-errors'].map(({ code, status, meaning, advice }) => ({
    title: code,
    place: `Error ${status}`,
    url: `reference/errors#${code}`,
    words: gatherWords(`${status} ${meaning} ${advice}`),
  })),
]

const listGuide = (section: string, { path, title }: Guide, { sections }: GuideContent): readonly SearchEntry[] =>
  sections.map(({ heading, text }) => ({
    title: heading.text,
    place: heading.level === 1 ? section : `${section} › ${title}`,
    url: `${path.slice('docs/'.length)}${heading.level === 1 ? '' : `#${heading.id}`}`,
    words: gatherWords(text),
  }))

/** All that search finds, the reference first. */
export const createSearchIndex = (
  document: ApiDocument,
  sections: readonly GuideSection[],
  read: (guide: Guide) => GuideContent,
): readonly SearchEntry[] => [
  ...listReference(document),
  ...sections.flatMap(({ title, guides }) => guides.flatMap(guide => listGuide(title, guide, read(guide)))),
]
