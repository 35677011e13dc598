import type { Context } from 'koa'
import { z } from 'zod'
import { ApiError } from '../base/api_error.ts'
import { parseId } from '../base/ids.ts'
import { type JsonObject, readJson } from './bodies.ts'

/** A rule as its refusal says it; what is missing altogether is told so. */
export const rule =
  (says: string) =>
  ({ input }: { readonly input?: unknown }): string =>
    input === undefined || input === null ? 'is required' : says

const characters = (text: string): number => [...text].length

/** Text of `from` to `to` characters that is Unicode (no lone surrogate could be told from another in storage). */
export const textField = (from: number, to: number) => {
  const says = `must be a string of ${from} to ${to} characters`
  return z
    .string({ error: rule(says) })
    .refine(text => text.isWellFormed() && characters(text) >= from && characters(text) <= to, { error: says })
    .meta({ override: { minLength: from, maxLength: to } })
}

/** One of some words. */
export const wordField = <const T extends readonly [string, ...string[]]>(words: T) => {
  const last = words.at(-1)
  const others = words.slice(0, -1).join(', ')
  return z.enum(words, { error: rule(`must be ${others === '' ? last : `${others} or ${last}`}`) })
}

/** An object, its members in the order in which they are checked. */
export const objectField = <T extends z.ZodRawShape>(shape: T) => z.object(shape, { error: rule('must be an object') })

const says_id = 'must be a UUID'

/** An identifier of ours. */
export const idField = () =>
  z
    .string({ error: rule(says_id) })
    .transform((text, context) => {
      const id = parseId(text)
      if (id === null) context.addIssue({ code: 'custom', message: says_id })
      return id ?? ''
    })
    .meta({ override: { type: 'string', format: 'uuid' } })

const pathOf = (issue: z.core.$ZodIssue): string => {
  const unknown = issue.code === 'unrecognized_keys' ? issue.keys.slice(0, 1) : []
  return [...issue.path, ...unknown].map(String).join('.') || 'body'
}

/** The first rule broken, in the schema's order, as `<field path>: <rule violated>` (spec, "Errors"). */
export const checkFields = <T>(schema: z.ZodType<T>, body: JsonObject): T => {
  const result = schema.safeParse(body)
  if (result.success) return result.data
  const [issue] = result.error.issues
  if (issue === undefined) throw new ApiError('invalid_field', 'body: is invalid')
  const says = issue.code === 'unrecognized_keys' ? 'unknown member' : issue.message
  throw new ApiError('invalid_field', `${pathOf(issue).slice(0, 300)}: ${says}`)
}

/** The schema of an object's member, without what lets it be left out. */
const innermost = (schema: unknown): unknown => {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable) return innermost(schema.unwrap())
  return schema instanceof z.ZodPipe ? innermost(schema.in) : schema
}

const most_named = 20

const asHeader = (name: string): string => encodeURIComponent(name.slice(0, 64).toWellFormed()).replaceAll("'", '%27')

/** The members of `value` that are not among `known`, each with its path. */
export const unknownMembers = (value: unknown, known: readonly string[], path = ''): readonly string[] =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? Object.keys(value)
        .filter(name => !known.includes(name))
        .map(name => `${path}${asHeader(name)}`)
    : []

/** The members of a body, at any depth, that its schema does not know. One that refuses them knows them all. */
export const ignoredMembers = (schema: unknown, body: unknown, path = ''): readonly string[] => {
  const object = innermost(schema)
  if (!(object instanceof z.ZodObject) || typeof body !== 'object' || body === null || Array.isArray(body)) return []
  const shape: Readonly<Record<string, unknown>> = object.shape
  const names = Object.keys(shape)
  const within = names.flatMap(name =>
    Object.hasOwn(body, name) ? ignoredMembers(shape[name], Reflect.get(body, name), `${path}${name}.`) : [],
  )
  return [...unknownMembers(body, names, path), ...within]
}

/** decisions.md, "Transaction": `X-Ignored-Fields`, percent-encoded where a header could not hold a name. */
export const ignoredFieldsHeader = (names: readonly string[]): Record<string, string> =>
  names.length === 0 ? {} : { 'X-Ignored-Fields': names.slice(0, most_named).join(', ') }

/**
 * The checked JSON body of a call, read by `readJson` or `readOptionalJson`; members that mean nothing here are ignored,
 * and named in `X-Ignored-Fields`. @throws {ApiError} 400, 413, 415
 */
export const readFields = async <T>(
  ctx: Context,
  schema: z.ZodType<T>,
  read: (ctx: Context) => Promise<JsonObject> = readJson,
): Promise<T> => {
  const body = await read(ctx)
  ctx.set(ignoredFieldsHeader(ignoredMembers(schema, body)))
  return checkFields(schema, body)
}
