import { createHash } from 'node:crypto'

/** A schema as the document has it. */
interface Schema {
  readonly $ref?: string
  readonly type?: string | readonly string[]
  readonly format?: string
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly anyOf?: readonly Schema[]
  readonly oneOf?: readonly Schema[]
  readonly items?: Schema
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly description?: string
  readonly [limit: string]: unknown
}

type Content = Readonly<Record<string, { readonly schema?: Schema }>>

interface Operation {
  readonly operationId: string
  readonly summary: string
  readonly description?: string
  readonly security?: readonly Readonly<Record<string, unknown>>[]
  readonly parameters?: readonly { readonly name: string; readonly in: string; readonly schema: Schema }[]
  readonly requestBody?: { readonly content: Content }
  readonly responses: Readonly<Record<string, { readonly description: string; readonly content?: Content }>>
}

type Paths = Readonly<Record<string, Readonly<Record<string, Operation>>>>

interface Document {
  readonly info: { readonly title: string; readonly version: string; readonly description: string }
  readonly paths: Paths
  readonly webhooks: Paths
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> }
}

const escapeHtml = (value: unknown): string =>
  String(value).replace(/[&<>"']/g, character => `&#${character.codePointAt(0)};`)

const code = (value: unknown): string => `<code>${escapeHtml(value)}</code>`

/** What our descriptions use of Markdown. */
const prose = (text = ''): string => escapeHtml(text).replace(/`([^`]+)`/g, '<code>$1</code>')

const limitKeywords = [
  'format',
  'minimum',
  'maximum',
  'minLength',
  'maxLength',
  'minItems',
  'maxItems',
  'pattern',
  'default',
]

const renderMembers = ({ properties = {}, required = [] }: Schema): string => {
  const members = Object.entries(properties).map(([name, schema]) => {
    const must = required.includes(name) ? '' : ' <i>optional</i>'
    return `<dt>${code(name)}${must}</dt><dd>${renderSchema(schema)}</dd>`
  })
  return members.length === 0 ? '' : `<dl>${members.join('')}</dl>`
}

/** What a value may be, in words. */
const renderSchema = (schema: Schema): string => {
  const { $ref, anyOf, oneOf, enum: words, items, type } = schema
  const about = schema.description === undefined ? '' : ` ${prose(schema.description)}`
  if ($ref !== undefined) {
    const name = $ref.split('/').at(-1) ?? ''
    return `<a href="#${escapeHtml(name)}">${escapeHtml(name)}</a>${about}`
  }
  const either = anyOf ?? oneOf
  if (either !== undefined) return either.map(renderSchema).join(' or ') + about
  if (words !== undefined) return words.map(code).join(' | ') + about
  if (schema.const !== undefined) return code(schema.const) + about
  if (items !== undefined) return `list of ${renderSchema(items)}${about}`
  const held = limitKeywords
    .filter(name => schema[name] !== undefined)
    .map(name => `${name} ${escapeHtml(schema[name])}`)
  const typeName = [type ?? 'anything'].flat().join(' or ')
  return `${escapeHtml(typeName)}${held.length === 0 ? '' : ` (${held.join(', ')})`}${about}${renderMembers(schema)}`
}

const renderContent = (content: Content = {}): string =>
  Object.entries(content)
    .map(([media, { schema }]) => `<p>${code(media)}: ${schema === undefined ? '' : renderSchema(schema)}</p>`)
    .join('')

const renderSecurity = ({ security = [] }: Operation): string => {
  const names = security.flatMap(one => Object.keys(one))
  return names.length === 0 ? '' : `<p>With ${names.map(name => code(name)).join(' or ')}.</p>`
}

const renderOperation = (path: string, method: string, operation: Operation): string => {
  const { operationId, summary, description, parameters = [], requestBody, responses } = operation
  const given = parameters.map(
    one => `<dt>${code(one.name)} <i>${escapeHtml(one.in)}</i></dt><dd>${renderSchema(one.schema)}</dd>`,
  )
  const answers = Object.entries(responses).map(
    ([status, answer]) =>
      `<dt>${code(status)}</dt><dd>${prose(answer.description)}${renderContent(answer.content)}</dd>`,
  )
  return `<section id="${escapeHtml(operationId)}"><h2>${escapeHtml(summary)}</h2>
<p><b>${code(`${method.toUpperCase()} ${path}`)}</b></p>${renderSecurity(operation)}<p>${prose(description)}</p>
${given.length === 0 ? '' : `<h3>Parameters</h3><dl>${given.join('')}</dl>`}
${requestBody === undefined ? '' : `<h3>Body</h3>${renderContent(requestBody.content)}`}
<h3>Answers</h3><dl>${answers.join('')}</dl></section>`
}

const renderOperations = (paths: Paths): string =>
  Object.entries(paths)
    .flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => renderOperation(path, method, operation)),
    )
    .join('\n')

const style =
  'body{font:16px/1.5 system-ui,sans-serif;max-width:56rem;margin:2rem auto;padding:0 1rem}section{border-top:1px solid #bbb}dt{margin-top:.4rem}dd{margin-left:1.5rem}code{overflow-wrap:anywhere}'

/** A page, and the policy under which a browser shows it: no script, one style, nothing from elsewhere. */
export interface ApiPage {
  readonly html: string
  readonly policy: string
}

/** The API's document for people. It needs no network beyond this service, and takes nothing from its reader. */
export const renderApiPage = (given: object): ApiPage => {
  const { info, paths, webhooks, components } = given as Document
  const shapes = Object.entries(components.schemas).map(
    ([name, schema]) =>
      `<section id="${escapeHtml(name)}"><h2>${escapeHtml(name)}</h2><p>${renderSchema(schema)}</p></section>`,
  )
  const title = `${info.title} ${info.version}`
  const html = `<!doctype html><html lang="en"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width"><title>${escapeHtml(title)}</title><style>${style}</style></head>
<body><h1>${escapeHtml(title)}</h1><p>${prose(info.description)} As a document: <a href="/openapi.json">openapi.json</a>.</p>
${renderOperations(paths)}<h1>Webhooks</h1>${renderOperations(webhooks)}<h1>Shapes</h1>${shapes.join('\n')}</body></html>`
  const hash = createHash('sha256').update(style).digest('base64')
  return { html, policy: `default-src 'none';style-src 'sha256-${hash}';frame-ancestors 'none';base-uri 'none'` }
}
