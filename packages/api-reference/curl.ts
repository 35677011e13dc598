import { formatJson } from './json.ts'
import type { Content, Media, Operation, Parameter, Route } from './openapi.ts'

/** Variables of a reader's shell that commands use, and where each value comes from. */
export const variables = {
  BASE_URL: 'The address of this service.',
  CLIENT_ID: 'The client of your account, from the operator.',
  CLIENT_SECRET: 'Its secret, for your backend alone.',
  TOKEN: '`access_token` of [Request an access token](tokens#requestToken). It lives for an hour.',
  CUSTOMER_ID: '`customer_id` of [Create customer](customers#createCustomer).',
  TRANSACTION_ID: '`transaction_id` of [Create transaction](transactions#createTransaction).',
  SDK_TOKEN: '`sdk_token` of the same answer, for the device.',
  PHOTO: 'A JPEG, PNG or WebP file.',
  CHALLENGE_ID: '`challenge_id` of [a liveness challenge](device#issueChallenge).',
  CAPTURE_ID: '`id` of [the images of a transaction](images#listCaptures).',
  LINK: 'What the `url` of [a link to one image](images#createCaptureLink) ends with.',
  DELIVERY_ID: '`delivery_id` of [the deliveries of a transaction](webhooks#listDeliveries).',
  ERASURE_ID: '`erasure_id` of [an erasure](erasure#eraseTransaction).',
  CODE: '`code` of [a link for another device](device#offerHandoff).',
  LEASE: '`lease` of [a delivery that you took](test-mode#listen).',
} as const satisfies Readonly<Record<string, string>>

function findVariable(name: string): string | null {
  const variable = name.toUpperCase()
  return variable in variables ? variable : null
}

/** A parameter in a command: a variable, or the value of its example. */
function fillParameter({ name, example, schema }: Parameter): string {
  const variable = findVariable(name)
  return variable === null ? String(example ?? schema.default ?? '') : `$${variable}`
}

function createUrl(path: string, parameters: readonly Parameter[]): string {
  const filled = parameters
    .filter(({ in: place }) => place === 'path')
    .reduce((url, parameter) => url.replace(`{${parameter.name}}`, fillParameter(parameter)), path)
  const query = parameters
    .filter(({ in: place, required }) => place === 'query' && required)
    .map(parameter => `${parameter.name}=${fillParameter(parameter)}`)
  return `"$BASE_URL${filled}${query.length === 0 ? '' : `?${query.join('&')}`}"`
}

/** JSON in single quotes, in which the variables of a shell are filled in. */
function quoteJson(value: unknown): string {
  const text = formatJson(value, 60).replaceAll("'", `'\\''`)
  const filled = text.replace(/"(\w+)": "[^"\n]*"/g, (member, name: string) => {
    const variable = findVariable(name)
    return variable === null ? member : `"${name}": "'"$${variable}"'"`
  })
  return `'${filled}'`
}

/** The example of a body: the only one, or the first. */
export function getExample({ example, examples }: Media): unknown {
  return example ?? Object.values(examples ?? {})[0]?.value
}

function createBody(content: Content = {}): readonly string[] {
  const [type = '', media] = Object.entries(content)[0] ?? []
  if (media === undefined) return []
  if (type.startsWith('image/')) return [`-H "Content-Type: ${type}"`, '--data-binary @"$PHOTO"']
  const value = getExample(media)
  if (type !== 'application/x-www-form-urlencoded') return [`-H "Content-Type: ${type}"`, `-d ${quoteJson(value)}`]
  return Object.entries(value ?? {}).map(([name, given]) => {
    const variable = findVariable(name)
    return variable === null ? `-d ${name}=${given}` : `-d ${name}="$${variable}"`
  })
}

const credentials: Readonly<Record<string, string>> = { access_token: 'TOKEN', sdk_token: 'SDK_TOKEN' }

/** The variable with the token that an operation requires. */
function getCredential({ security = [] }: Operation): string | null {
  const [scheme = ''] = security.flatMap(one => Object.keys(one))
  return credentials[scheme] ?? null
}

function isPicture({ responses }: Operation): boolean {
  return Object.keys(responses['200']?.content ?? {}).some(type => type.startsWith('image/') && !type.endsWith('+xml'))
}

/** The command that makes a call, for a shell in which the variables are set. */
export function createCommand({ method, path, operation }: Route): string {
  const { parameters = [], requestBody } = operation
  const credential = getCredential(operation)
  const body = createBody(requestBody?.content)
  const isImplied = method === 'GET' || (method === 'POST' && body.some(part => part.startsWith('-d ')))
  const parts = [
    `curl ${isImplied ? '' : `-X ${method} `}${createUrl(path, parameters)}`,
    ...(credential === null ? [] : [`-H "Authorization: Bearer $${credential}"`]),
    ...body,
    ...(isPicture(operation) ? ['-o photo'] : []),
  ]
  return parts.join(' \\\n  ')
}
