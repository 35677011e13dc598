import type { Context } from 'koa'
import { z } from 'zod'
import { ApiError } from '../base/api_error.ts'
import { parseId } from '../base/ids.ts'
import { checkFields, ignoredFieldsHeader, rule, unknownMembers } from './fields.ts'

const once = 'must be given once'

/** A parameter that is given once, or not at all. */
export const single = z.string({ error: rule(once) })

/** A parameter that is one of some words. */
export const wordParameter = <const T extends readonly [string, ...string[]]>(words: T) =>
  single
    .pipe(z.enum(words, { error: `must be ${words.slice(0, -1).join(', ')} or ${words.at(-1)}` }))
    .meta({ override: { enum: [...words] } })

/** Several words: given again and again, or separated by commas. */
export const wordsParameter = <const T extends string>(words: readonly T[]) =>
  z
    .union([z.string(), z.array(z.string())])
    .transform((given, context): readonly T[] => {
      const named = [given].flat().flatMap(item => item.split(','))
      const wrong = named.some(name => !words.some(word => word === name))
      if (wrong) context.addIssue({ code: 'custom', message: `must be of ${words.join(', ')}` })
      return words.filter(word => named.includes(word))
    })
    .meta({ description: `Of ${words.join(', ')}; several by commas, or given again.` })

const says_id = 'must be a UUID'

/** An identifier of ours. */
export const idParameter = single
  .transform((text, context) => {
    const id = parseId(text)
    if (id === null) context.addIssue({ code: 'custom', message: says_id })
    return id ?? ''
  })
  .meta({ override: { type: 'string', format: 'uuid' } })

/**
 * The identifier at `name` in a path. An unknown id, another account's, and what is no id at all are answered alike.
 * @throws {ApiError} `not_found`
 */
export const idIn = (params: Readonly<Record<string, string>>, name: string): string => {
  const id = parseId(params[name] ?? '')
  if (id === null) throw new ApiError('not_found', `${name}: not found`)
  return id
}

const says_instant = 'must be a timestamp such as 2026-11-17T12:00:00.000Z'

/** An instant, in epoch milliseconds. */
export const instantParameter = single
  .refine(text => z.iso.datetime().safeParse(text).success && text.length <= 32, { error: says_instant })
  .transform(text => Date.parse(text))
  .meta({ override: { format: 'date-time' } })

/** How many at most: 1 to `most`. */
export const limitParameter = (most: number, fallback: number) => {
  const says = `must be an integer from 1 to ${most}`
  return single
    .refine(text => /^\d{1,4}$/.test(text) && Number(text) >= 1 && Number(text) <= most, { error: says })
    .transform(Number)
    .default(fallback)
    .meta({ override: { type: 'integer', minimum: 1, maximum: most, default: fallback } })
}

/** The checked query of a call; parameters that mean nothing here are ignored, and named in `X-Ignored-Fields`. */
export const readQuery = <S extends z.ZodRawShape>(ctx: Context, schema: z.ZodObject<S>): z.infer<z.ZodObject<S>> => {
  ctx.set(ignoredFieldsHeader(unknownMembers(ctx.query, Object.keys(schema.shape))))
  return checkFields(schema as z.ZodType<z.infer<z.ZodObject<S>>>, { ...ctx.query })
}
