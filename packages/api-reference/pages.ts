import { type Html, html } from '@attestor/page-files'
import { codeBlock } from './code.ts'
import { getExample, variables } from './curl.ts'
import { createErrors, errorsPath } from './errors_page.ts'
import { type FieldContext, renderFields, renderShape } from './fields.ts'
import { formatJson } from './json.ts'
import { type Entry, linkFrom, type Page, toTagPath } from './layout.ts'
import { type ApiDocument, groupRoutes, listRoutes, type Route, type Tag, toSlug } from './openapi.ts'
import { breakPath, type OperationContext, renderOperation } from './operation.ts'
import { prose } from './prose.ts'
import { describeLimits, describeType, findWords } from './types.ts'

/** The request that the service makes, in the words of HTTP. */
function formatRequest({ operation: { parameters = [] } }: Route): string {
  return [
    'POST /your/receiver HTTP/1.1',
    'Content-Type: application/json',
    ...parameters.map(({ name, example }) => `${name}: ${example}`),
  ].join('\n')
}

/** Renders a call that the service makes to an integrator's receiver. */
function renderWebhook(context: OperationContext, route: Route): Html {
  const { operationId, summary, description = '', parameters = [], requestBody, responses } = route.operation
  const [media] = Object.values(requestBody?.content ?? {})
  const headers = parameters.map(({ name, schema, description: words }) => ({
    name,
    schema: words === undefined ? schema : { ...schema, description: words },
    isRequired: true,
    isOptionalShown: false,
  }))
  return html`<section class="operation" id="${operationId}"><div class="about"><h2><a href="#${operationId}">${summary}</a></h2>
<p class="route"><span class="method webhook">WEBHOOK</span> <code>POST config.webhook.url</code></p><p>${prose(description)}</p>
<h3>Headers</h3>${renderFields(context, headers, `${operationId}.header`)}
<h3>Body</h3>${renderShape(context, media?.schema ?? {}, { prefix: `${operationId}.body`, isOptionalShown: false })}
<h3>What you answer</h3><ul class="errors">${Object.entries(responses).map(([status, response]) => html`<li><span class="status">${status}</span> ${prose(response.description)}</li>`)}</ul></div>
<div class="samples">${codeBlock('The request', formatRequest(route), 'text')}${media !== undefined && codeBlock('Its body', formatJson(getExample(media)), 'json')}</div></section>`
}

export const overviewPath = 'docs'
const shapesPath = 'docs/reference/shapes'

function createContext(document: ApiDocument, from: string): OperationContext {
  return {
    document,
    linkShape: name => `${linkFrom(from, shapesPath)}#${name}`,
    linkError: code => `${linkFrom(from, errorsPath)}#${code}`,
  }
}

function isWebhooks({ name }: Tag): boolean {
  return name === 'Webhooks'
}

function toAnchor({ method, operation }: Route) {
  return { title: operation.summary, id: operation.operationId, method }
}

/** The reference's entries in the contents. */
export function listReferenceEntries(document: ApiDocument): readonly Entry[] {
  return [
    { title: 'Overview', path: overviewPath },
    ...groupRoutes(document).map(({ tag, routes }) => ({
      title: tag.name,
      path: toTagPath(tag.name),
      listAnchors: () => [
        ...(isWebhooks(tag)
          ? listRoutes(document.webhooks).map(({ operation: { summary, operationId } }) => ({
              title: summary,
              id: operationId,
            }))
          : []),
        ...routes.map(toAnchor),
      ],
    })),
    {
      title: 'Errors',
      path: errorsPath,
      listAnchors: () => document['x-errors'].map(({ code }) => ({ title: code, id: code })),
    },
    {
      title: 'Shapes',
      path: shapesPath,
      listAnchors: () =>
        Object.keys(document.components.schemas)
          .sort()
          .map(name => ({ title: name, id: name })),
    },
  ]
}

function createGroupPage(document: ApiDocument, tag: Tag, routes: readonly Route[]): Page {
  const path = toTagPath(tag.name)
  const context = createContext(document, path)
  const webhooks = isWebhooks(tag) ? listRoutes(document.webhooks) : []
  return {
    path,
    title: tag.name,
    description: tag.description,
    layout: 'reference',
    content: html`<header class="intro"><h1>${tag.name}</h1><p>${prose(tag.description)}</p></header>
${webhooks.map(route => renderWebhook(context, route))}${routes.map(route => renderOperation(context, route))}`,
  }
}

function firstSentence(text: string): string {
  return /^.+?[.:](?= |$)/.exec(text)?.[0].replace(/:$/, '.') ?? text
}

function renderRoutes(tag: Tag, routes: readonly Route[]): Html {
  const url = linkFrom(overviewPath, toTagPath(tag.name))
  const list = routes.map(
    ({ method, path, operation }) =>
      html`<li><a href="${url}#${operation.operationId}"><span class="method ${method.toLowerCase()}">${method}</span> <span>${operation.summary}</span> <code>${breakPath(path)}</code></a></li>`,
  )
  return html`<section class="group"><h3 id="group-${toSlug(tag.name)}"><a href="${url}">${tag.name}</a></h3><p>${prose(firstSentence(tag.description))}</p><ul class="routes">${list}</ul></section>`
}

function createShellSetup({ servers }: ApiDocument): string {
  return `BASE_URL=${servers[0]?.url ?? ''}
CLIENT_ID=…
CLIENT_SECRET=…
TOKEN=$(curl -s "$BASE_URL/oauth2/token" \\
  -d grant_type=client_credentials \\
  -d client_id="$CLIENT_ID" \\
  -d client_secret="$CLIENT_SECRET" \\
  -d scope=account-integration-api/account-api-access \\
  | sed 's/.*"access_token":"\\([^"]*\\)".*/\\1/')`
}

function renderVariables(): Html {
  return html`<div class="table" tabindex="0"><table><thead><tr><th>Variable</th><th>Value</th></tr></thead><tbody>${Object.entries(
    variables,
  ).map(
    ([name, words]) =>
      html`<tr><td><code>${name}</code></td><td>${prose(words.replaceAll('](', `](${linkFrom(overviewPath, 'docs/reference')}/`))}</td></tr>`,
  )}</tbody></table></div>`
}

/** The first page: how calls are made, and every one of them by its group. */
function createOverview(document: ApiDocument): Page {
  const link = (path: string): string => linkFrom(overviewPath, path)
  return {
    path: overviewPath,
    title: 'API reference',
    description: document.info.description,
    layout: 'reference',
    content: html`<section class="operation"><div class="about"><h1>API reference</h1><p class="lead">${prose(document.info.description)}</p>
<p>A backend registers a customer and opens a transaction; a device captures a document and a face with the transaction’s own token; the backend is notified by a webhook, and reads the decision. New here? Begin with <code>docs/integrate/quickstart.md</code>.</p>
<h2 id="calls"><a href="#calls">Calls</a></h2>
<p>JSON in and out, in UTF-8. Names are <code>snake_case</code>, ids are UUIDs, times are ISO 8601 in UTC with milliseconds. Members that mean nothing here are ignored and named in <code>X-Ignored-Fields</code>. Ignore members and codes that you don’t know: new ones may come, and none changes its meaning.</p>
<h2 id="tokens"><a href="#tokens">Two tokens</a></h2>
<p>Your backend has an <b>access token</b>, which acts for the whole account and lives for an hour. A device has the <b><code>sdk_token</code></b> of one transaction, and nothing else. Both go into <code>Authorization: Bearer</code>.</p>
<h2 id="failures"><a href="#failures">Failures</a></h2>
<p>A failed call returns <code>{"error": "&lt;field path&gt;: &lt;rule violated&gt;"}</code> with a stable code in <code>X-Error-Code</code>: see <a href="${link(errorsPath)}">errors</a>. A <code>REJECTED</code> decision is a result, not an error.</p>
<h2 id="guides"><a href="#guides">Guides</a></h2>
<p>They come with this version: <code>docs/integrate/index.md</code> for integrators, <code>docs/operate/index.md</code> for operators, <code>docs/understand/index.md</code> for those who have to trust it.</p></div>
<div class="samples">${codeBlock('Paste this once; then every command of these pages works', createShellSetup(document), 'sh')}
<details class="members"><summary>Variables of the commands</summary>${renderVariables()}</details></div></section>
<h2 id="operations"><a href="#operations">Operations</a></h2><div class="groups">${groupRoutes(document).map(({ tag, routes }) => renderRoutes(tag, routes))}</div>`,
  }
}

function renderScalar({ document }: FieldContext, name: string): Html {
  const schema = document.components.schemas[name] ?? {}
  const found = findWords(document, schema)
  const limits = describeLimits(document, schema)
  return html`<p><span class="type">${describeType(document, schema)}</span>${limits.length > 0 && html` · ${prose(limits.join(' · '))}`}</p>${found !== null && html`<p class="words">One of ${found.words.map(word => html` <code>${String(word)}</code>`)}.</p>`}`
}

function createShapes(document: ApiDocument): Page {
  const context = createContext(document, shapesPath)
  const shapes = Object.entries(document.components.schemas)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(
      ([name, schema]) =>
        html`<section class="shape" id="${name}"><h2><a href="#${name}">${name}</a></h2>${schema.description !== undefined && html`<p>${prose(schema.description)}</p>`}${schema.properties === undefined ? renderScalar(context, name) : renderShape(context, schema, { prefix: name, isOptionalShown: false })}</section>`,
    )
  return {
    path: shapesPath,
    title: 'Shapes',
    description: 'Every shape that more than one answer has, with all of its members.',
    layout: 'reference',
    content: html`<header class="intro"><h1>Shapes</h1><p>What several answers are made of. Every member is always there unless it is marked optional; one without a value is <code>null</code>.</p></header><div class="shapes">${shapes}</div>`,
  }
}

/** Every page of the reference, made when it is asked for. */
export function listReferencePages(document: ApiDocument): ReadonlyMap<string, () => Page> {
  return new Map([
    [overviewPath, () => createOverview(document)],
    ...groupRoutes(document).map(
      ({ tag, routes }) => [toTagPath(tag.name), () => createGroupPage(document, tag, routes)] as const,
    ),
    [errorsPath, () => createErrors(document)],
    [shapesPath, () => createShapes(document)],
  ])
}
