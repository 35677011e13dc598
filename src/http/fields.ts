import { z } from 'zod'
import { Refusal } from '../base/refusal.ts'
import type { JsonObject } from './bodies.ts'

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

const pathOf = (issue: z.core.$ZodIssue): string => {
  const unknown = issue.code === 'unrecognized_keys' ? issue.keys.slice(0, 1) : []
  return [...issue.path, ...unknown].map(String).join('.') || 'body'
}

/** The first rule broken, in the schema's order, as `<field path>: <rule violated>` (spec, "Errors"). */
export const checkFields = <T>(schema: z.ZodType<T>, body: JsonObject): T => {
  const result = schema.safeParse(body)
  if (result.success) return result.data
  const [issue] = result.error.issues
  if (issue === undefined) throw new Refusal('invalid_field', 'body: is invalid')
  const says = issue.code === 'unrecognized_keys' ? 'unknown member' : issue.message
  throw new Refusal('invalid_field', `${pathOf(issue).slice(0, 300)}: ${says}`)
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

/** decisions.md, "Transaction": `X-Ignored-Fields`, percent-encoded where a header could not hold a name. */
export const ignoredFieldsHeader = (names: readonly string[]): Record<string, string> =>
  names.length === 0 ? {} : { 'X-Ignored-Fields': names.slice(0, most_named).join(', ') }
