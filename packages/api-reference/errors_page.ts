import { type Html, html } from '@attestor/page-files'
import { codeBlock } from './code.ts'
import { formatJson } from './json.ts'
import { linkFrom, type Page, toTagPath } from './layout.ts'
import { type ApiDocument, type ErrorCode, listErrorCodes, listRoutes } from './openapi.ts'
import { prose } from './prose.ts'

export const errorsPath = 'docs/reference/errors'

const maxShown = 6

/** The operations that return a code; where most do, how many. */
function renderOperations(document: ApiDocument, code: string): Html {
  const routes = listRoutes(document.paths)
  const found = routes.filter(({ operation }) => listErrorCodes(operation).includes(code))
  if (found.length === 0) return html`Any call, before it reaches its operation.`
  const links = found.map(
    ({ operation: { tags, operationId, summary } }, index) =>
      html`${index > 0 && ' · '}<a href="${linkFrom(errorsPath, toTagPath(tags[0] ?? ''))}#${operationId}">${summary}</a>`,
  )
  if (found.length <= maxShown) return html`${links}`
  return html`<details class="members"><summary>${found.length === routes.length ? 'Every' : found.length} operation${found.length !== routes.length && 's'}</summary><p>${links}</p></details>`
}

function renderError(document: ApiDocument, error: ErrorCode): Html {
  const { code, status, meaning, advice, retry, example } = error
  return html`<section class="operation error" id="${code}"><div class="about"><h2><a href="#${code}"><code>${code}</code></a> <span class="status">${status}</span></h2>
<p>${prose(meaning)}</p><dl class="facts"><dt>What to do</dt><dd>${prose(advice)}</dd><dt>Retry</dt><dd>${prose(retry)}</dd><dt>Returned by</dt><dd>${renderOperations(document, code)}</dd></dl></div>
<div class="samples">${example !== undefined && codeBlock(html`<span class="status">${status}</span> X-Error-Code: ${code}`, formatJson(JSON.parse(example), 52), 'json')}</div></section>`
}

/** Every error code, its meaning, and a recorded body. */
export function createErrors(document: ApiDocument): Page {
  return {
    path: errorsPath,
    title: 'Errors',
    description: 'Every error code: its status, what it means, what to do, and whether the call may be repeated.',
    layout: 'reference',
    content: html`<header class="intro"><h1>Errors</h1><p>Every failure, on every path, has a body with one member, <code>error</code>, for people. Branch on the status and on the code in <code>X-Error-Code</code>, never on the text. The token endpoint alone answers as OAuth 2.0 has it. <code>X-Request-Id</code> names the call, for questions to the operator. <code>docs/integrate/errors.md</code> says what is safe to retry.</p></header>${document['x-errors'].map(error => renderError(document, error))}`,
  }
}
