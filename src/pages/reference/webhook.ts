import { type Html, html } from '../serve/html.ts'
import { codeBlock } from './code.ts'
import { getExample } from './curl.ts'
import { renderFields, renderShape } from './fields.ts'
import { formatJson } from './json.ts'
import type { Route } from './openapi.ts'
import type { OperationContext } from './operation.ts'
import { prose } from './prose.ts'

/** The request that the service makes, in the words of HTTP. */
function formatRequest({ operation: { parameters = [] } }: Route): string {
  return [
    'POST /your/receiver HTTP/1.1',
    'Content-Type: application/json',
    ...parameters.map(({ name, example }) => `${name}: ${example}`),
  ].join('\n')
}

/** Renders a call that the service makes to an integrator's receiver. */
export function renderWebhook(context: OperationContext, route: Route): Html {
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
