import { ApiError } from '../../base/api_error.ts'
import type { Logo } from '../../pages/capture/branding.ts'
import { defineEndpoint, defineUndocumented } from '../endpoint.ts'
import { idField } from '../fields.ts'
import { verifyPath } from '../paths.ts'

/** An SVG that is opened by itself runs no script, and is not of this origin. */
const policy = "default-src 'none'; style-src 'unsafe-inline'; sandbox; frame-ancestors 'none'"

function send(logo: Logo | null) {
  if (logo === null) throw new ApiError('not_found', 'logo: there is none')
  const headers = { 'Cache-Control': 'public, max-age=300', 'Content-Security-Policy': policy }
  return { status: 200, headers, type: logo.type, body: logo.content } as const
}

export const getLogo = defineEndpoint({
  method: 'get',
  path: `${verifyPath}/logo`,
  operationId: 'getLogo',
  summary: 'The operator’s logo',
  description: 'The picture that the operator’s branding names, for the capture page; 404 where there is none.',
  tag: 'Device',
  authentication: 'none',
  responses: { 200: { description: 'A PNG, WebP or SVG picture.', content: { 'image/*': {} } } },
  errors: [404],
  handler: (_call, { branding }) => send(branding.logo),
})

/** The picture that the branding names for an account. */
export const getAccountLogo = defineUndocumented({
  method: 'get',
  path: `${verifyPath}/logo/{account_id}`,
  authentication: 'none',
  request: { path: { account_id: idField() } },
  handler: ({ path: { account_id } }, { branding }) => send(branding.accounts.get(account_id)?.logo ?? null),
})
