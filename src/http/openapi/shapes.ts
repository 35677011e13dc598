import { z } from 'zod'
import { token_scope } from '../../accounts/access_token.ts'
import { statuses } from '../../transactions/kind.ts'

/** spec, "Conventions": a UUID. */
export const id = z
  .uuid()
  .meta({ id: 'Id', description: 'A UUID, in either case.', example: '0198a1c0-7e5a-7c3e-9f00-0123456789ab' })

/** spec, "Conventions". */
export const timestamp = z.iso
  .datetime()
  .meta({ id: 'Timestamp', description: 'ISO-8601 in UTC with milliseconds.', example: '2026-11-17T12:00:00.000Z' })

/** spec, "Conventions". */
export const day = z.iso.date().meta({ id: 'Day', description: 'A date, `YYYY-MM-DD`.', example: '1974-08-12' })

/** spec, "Conventions". */
export const country = z.string().length(2).meta({ id: 'Country', description: 'ISO 3166-1 alpha-2.', example: 'SE' })

/** spec, "States and transitions". */
export const status = z
  .enum(statuses)
  .meta({ id: 'TransactionStatus', description: 'How far it is; `FINISHED`, `FAILED` and `EXPIRED` are ends.' })

/** spec, "Transaction creation input". */
export const transaction_type = z
  .enum(['DOCUMENT_AND_BIOMETRIC', 'BIOMETRIC_ONLY'])
  .meta({ id: 'TransactionType', description: 'A full onboarding, or a step-up.' })

/** spec, "Authentication": what an integrator's call carries. */
export const with_access_token = [{ access_token: [token_scope] }]

/** Words that there will be more of: a client that knows none of the new ones goes on. */
export const openWords = <const T extends readonly [string, ...string[]]>(words: T, example: T[number]) =>
  z.enum(words).meta({
    examples: [example],
    override: ({ jsonSchema }) => {
      delete jsonSchema.enum
      // Known to generators of clients by this name.
      jsonSchema['x-extensible-enum'] = [...words]
    },
  })

/** spec, "Errors": one field. */
export const failure = z
  .object({ error: z.string().meta({ example: 'config.webhook.url: must be an https URL' }) })
  .meta({
    id: 'Error',
    description: 'The first rule broken: `<field path>: <rule violated>` where a field is to blame.',
  })

/** A page of a list. */
export const pageOf = (item: z.ZodType) =>
  z.object({
    data: z.array(item),
    next_cursor: z.string().nullable().meta({ description: 'Where the next page begins; null at the end.' }),
  })

const described: Readonly<Record<number, string>> = {
  400: 'Malformed, or the first rule broken, by its field.',
  401: 'No token, or one that is not good: get a new one and retry once.',
  403: 'The token has not the scope.',
  404: 'There is no such thing, or it is another account’s.',
  405: 'The path has other methods: see `Allow`.',
  408: 'The request took too long.',
  409: 'A conflict with what is there, or with the state.',
  410: 'Its time is over.',
  413: 'Too large.',
  415: 'A media type or an encoding that is not taken.',
  422: 'A capture that can’t be used, or an `Idempotency-Key` that was used for another request.',
  429: 'Beyond a rate limit: see `Retry-After`.',
  500: 'A fault of ours.',
  503: 'Not able to answer now: see `Retry-After`.',
}

/** What can come of any call. */
const always = [400, 429, 500, 503]

const refusal = (code: number) => ({
  description: described[code] ?? '',
  headers: z.object({
    'X-Error-Code': z.string().meta({ description: 'Stable.' }),
    'X-Request-Id': z.string(),
    ...([429, 503].includes(code) ? { 'Retry-After': z.string().meta({ description: 'Seconds.' }) } : {}),
    ...(code === 429 ? { 'RateLimit-Limit': z.string(), 'RateLimit-Reset': z.string() } : {}),
  }),
  content: { 'application/json': { schema: failure } },
})

/** The refusals that a call can answer, beside those that any call can. */
export const refusals = (...codes: number[]) =>
  Object.fromEntries([...new Set([...always, ...codes])].sort((a, b) => a - b).map(code => [code, refusal(code)]))

/** A success with a JSON body. */
export const json = (description: string, schema: z.ZodType) => ({
  description,
  content: { 'application/json': { schema } },
})

/** A success that is told once for an `Idempotency-Key`. */
export const made = (description: string, schema: z.ZodType) => ({
  ...json(description, schema),
  headers: z.object({
    Location: z.string().meta({ description: 'Where to read it.' }),
    'Idempotent-Replayed': z.string().optional().meta({ description: '`true` where the first answer is told again.' }),
    'X-Ignored-Fields': z.string().optional().meta({ description: 'Members that mean nothing here.' }),
  }),
})

/** A request with a JSON body. */
export const body = (schema: z.ZodType, required = true) => ({
  required,
  content: { 'application/json': { schema } },
})
