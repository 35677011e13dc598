import { type Html, html } from '@attestor/page-files'
import { codeBlock } from './code.ts'
import { createCommand } from './curl.ts'
import { type Field, type FieldContext, renderFields, renderShape } from './fields.ts'
import { formatJson } from './json.ts'
import { type Content, getErrorCodes, type Media, type Operation, type Response, type Route } from './openapi.ts'
import { prose } from './prose.ts'
import { describeType } from './types.ts'

/** The context in which an operation is rendered; `linkError` links a code from its page. */
export interface OperationContext extends FieldContext {
  readonly linkError: (code: string) => string
}

const credentials: Readonly<Record<string, string>> = {
  access_token: 'Needs the access token of your backend.',
  sdk_token: 'Needs the `sdk_token` of the transaction.',
}

function renderAccess({ security = [] }: Operation): Html {
  const [scheme = ''] = security.flatMap(one => Object.keys(one))
  return html`<p class="access">${prose(credentials[scheme] ?? 'Needs no token.')}</p>`
}

const places = { path: 'Path', query: 'Query', header: 'Headers' } as const

function renderParameters(context: OperationContext, { operationId, parameters = [] }: Operation): readonly Html[] {
  return (['path', 'query', 'header'] as const).flatMap(place => {
    const fields: readonly Field[] = parameters
      .filter(parameter => parameter.in === place)
      .map(({ name, schema, required, description }) => ({
        name,
        schema: description === undefined ? schema : { ...schema, description },
        isRequired: required === true,
        isOptionalShown: true,
      }))
    if (fields.length === 0) return []
    return [html`<h3>${places[place]}</h3>${renderFields(context, fields, `${operationId}.${place}`)}`]
  })
}

function renderRequestBody(context: OperationContext, { operationId, requestBody }: Operation): Html | null {
  if (requestBody === undefined) return null
  const types = Object.keys(requestBody.content)
  const [media] = Object.values(requestBody.content)
  const place = { prefix: `${operationId}.body`, isOptionalShown: true }
  const isImage = types[0]?.startsWith('image/')
  return html`<h3>Body <code class="media">${types.join(', ')}</code>${requestBody.required !== true && html` <span class="optional">optional</span>`}</h3>
${isImage ? html`<p>The bytes of the image.</p>` : renderShape(context, media?.schema ?? {}, place)}`
}

function isSuccess(status: string): boolean {
  return /^[23]/.test(status)
}

function renderHeaders(context: OperationContext, { headers = {} }: Response, prefix: string): Html | null {
  const fields = Object.entries(headers).map(([name, { schema = {}, description }]) => ({
    name,
    schema: description === undefined ? schema : { ...schema, description },
    isRequired: true,
    isOptionalShown: false,
  }))
  if (fields.length === 0) return null
  return html`<details class="members"><summary>Headers of the answer</summary>${renderFields(context, fields, prefix)}</details>`
}

function renderAnswer(context: OperationContext, operationId: string, [status, response]: [string, Response]): Html {
  const prefix = `${operationId}.${status}`
  const [type, media] = Object.entries(response.content ?? {})[0] ?? []
  const schema = media?.schema ?? {}
  const what = type === 'application/json' ? describeType(context.document, schema) : type
  const isNamed = type === 'application/json' && /^(list of )?[A-Z]\w+$/.test(what ?? '')
  return html`<div class="answer"><p><span class="status ok">${status}</span> ${prose(response.description)} ${
    isNamed
      ? html`<a href="${context.linkShape(what ?? '')}">${what}</a>`
      : type !== undefined && type !== 'application/json' && html`<code class="media">${type}</code>`
  }</p>${renderShape(context, schema, { prefix, isOptionalShown: false })}${renderHeaders(context, response, `${prefix}.header`)}</div>`
}

/** Returns a recorded error's text for people. */
function getMessage({ content = {} }: Response, code: string): string | null {
  const body = Object(content['application/json']?.examples?.[code]?.value)
  return body.error_description ?? body.error ?? null
}

function renderError(context: OperationContext, status: string, response: Response, code: string): Html {
  const message = getMessage(response, code)
  return html`<li><span class="status">${status}</span> <a href="${context.linkError(code)}"><code>${code}</code></a>${message !== null && html` <q>${message}</q>`}</li>`
}

function renderErrors(context: OperationContext, { responses }: Operation): Html | null {
  const failures = Object.entries(responses).filter(([status]) => /^[45]/.test(status))
  if (failures.length === 0) return null
  const rows = failures.map(([status, response]) => {
    const codes = getErrorCodes(response)
    return codes.length === 0
      ? html`<li><span class="status">${status}</span> ${prose(response.description)}</li>`
      : codes.map(code => renderError(context, status, response, code))
  })
  return html`<h3>Errors</h3><ul class="errors">${rows}</ul>`
}

function renderMedia(status: string, type: string, media: Media): readonly Html[] {
  const examples = media.examples ?? (media.example === undefined ? {} : { '': { value: media.example } })
  return Object.values(examples).map(({ value, summary }) => {
    const title = html`<span class="status ok">${status}</span> ${summary ?? ''}`
    return typeof value === 'string'
      ? codeBlock(title, value, 'text')
      : codeBlock(title, formatJson(value), type.endsWith('json') ? 'json' : 'text')
  })
}

function renderExamples(status: string, content: Content = {}): readonly Html[] {
  return Object.entries(content).flatMap(([type, media]) => renderMedia(status, type, media))
}

/** An operation: its description and parameters on one side, the command and recorded responses on the other. */
export function renderOperation(context: OperationContext, route: Route): Html {
  const { method, path, operation } = route
  const { operationId, summary, description = '', responses } = operation
  const answers = Object.entries(responses).filter(([status]) => isSuccess(status))
  return html`<section class="operation" id="${operationId}" aria-labelledby="${operationId}-title"><div class="about">
<h2 id="${operationId}-title"><a href="#${operationId}">${summary}</a></h2>
<p class="route"><span class="method ${method.toLowerCase()}">${method}</span> <code>${breakPath(path)}</code></p>
<p>${prose(description)}</p>${renderAccess(operation)}
${renderParameters(context, operation)}${renderRequestBody(context, operation)}
${answers.length > 0 && html`<h3>Answer</h3>${answers.map(answer => renderAnswer(context, operationId, answer))}`}
${renderErrors(context, operation)}</div>
<div class="samples">${codeBlock(html`<span class="method ${method.toLowerCase()}">${method}</span> ${summary}`, createCommand(route), 'sh')}
${answers.map(([status, { content }]) => renderExamples(status, content))}</div></section>`
}

/** A path that may be broken before each of its parts. */
export function breakPath(path: string): readonly Html[] {
  return path.split('/').map((part, index) => (index === 0 ? html`${part}` : html`<wbr>/${part}`))
}
