import { z } from 'zod'
import { ApiError } from '../base/api_error.ts'
import { parseId } from '../base/ids.ts'

/** The message of a broken rule; a missing value gets its own message. */
export function rule(message: string) {
  return ({ input }: { readonly input?: unknown }): string =>
    input === undefined || input === null ? 'is required' : message
}

/** Describes a field, with an example of its value: for `meta`. */
export function meaning(description: string, example?: unknown) {
  return { description, ...(example === undefined ? {} : { example }) }
}

function characterCount(text: string): number {
  return [...text].length
}

/** Unicode text: lone surrogates would all be stored alike. */
export function textField(min: number, max: number) {
  const error = `must be a string of ${min} to ${max} characters`
  return z
    .string({ error: rule(error) })
    .refine(text => text.isWellFormed() && characterCount(text) >= min && characterCount(text) <= max, { error })
    .meta({ override: { minLength: min, maxLength: max } })
}

type Words = readonly [string, ...string[]]

function describeWords(words: Words): string {
  const last = words.at(-1)
  const others = words.slice(0, -1).join(', ')
  return `must be ${others === '' ? last : `${others} or ${last}`}`
}

/** One of the given words. */
export function wordField<const T extends Words>(words: T) {
  return z.enum(words, { error: rule(describeWords(words)) })
}

/** One of the given words, or nothing at all: not null. */
export function optionalWordField<const T extends Words>(words: T) {
  return z.enum(words, { error: describeWords(words) }).optional()
}

export function integerField(min: number, max: number) {
  const message = `must be an integer from ${min} to ${max}`
  return z
    .int({ error: rule(message) })
    .min(min, { error: message })
    .max(max, { error: message })
}

/** A field that may be absent or null, which both mean the default. */
export function withDefault<T extends z.ZodType>(field: T, value: NonNullable<z.output<T>>) {
  return field
    .nullish()
    .transform((given): NonNullable<z.output<T>> => given ?? value)
    .meta({ override: { default: value } })
}

/** A field that may be absent, which means null. */
export function orNull<T extends z.ZodType>(field: T) {
  return field.nullish().transform(given => given ?? null)
}

/** An object, its members in the order in which they are checked. */
export function objectField<T extends z.ZodRawShape>(shape: T) {
  return z.object(shape, { error: rule('must be an object') })
}

/** An object that may have no other members: a misspelt one would be ignored silently. */
export function closedObjectField<T extends z.ZodRawShape>(shape: T) {
  return z.strictObject(shape, { error: rule('must be an object') })
}

/** An identifier, in either case. */
export function idField(message = 'must be a UUID') {
  return z
    .string({ error: rule(message) })
    .transform((text, context) => {
      const id = parseId(text)
      if (id === null) context.addIssue({ code: 'custom', message: 'must be a UUID' })
      return id ?? ''
    })
    .meta({ override: { type: 'string', format: 'uuid' } })
}

function formatPath(issue: z.core.$ZodIssue): string {
  const unknown = issue.code === 'unrecognized_keys' ? issue.keys.slice(0, 1) : []
  return [...issue.path, ...unknown].map(String).join('.') || 'body'
}

/** The value, or the first rule broken in the schema's order, as `<field path>: <rule violated>`. @throws {ApiError} */
export function checkFields<T>(
  schema: z.ZodType<T>,
  value: unknown,
  code: 'invalid_field' | 'not_found' = 'invalid_field',
): T {
  const result = schema.safeParse(value)
  if (result.success) return result.data
  const [issue] = result.error.issues
  if (issue === undefined) throw new ApiError(code, 'body: is invalid')
  const message = issue.code === 'unrecognized_keys' ? 'unknown member' : issue.message
  throw new ApiError(code, `${formatPath(issue).slice(0, 300)}: ${message}`)
}

/** The schema of an object's member, without its wrappers for absence and defaults. */
function unwrap(schema: unknown): unknown {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable) return unwrap(schema.unwrap())
  return schema instanceof z.ZodPipe ? unwrap(schema.in) : schema
}

const maxNamed = 20

function toHeader(name: string): string {
  return encodeURIComponent(name.slice(0, 64).toWellFormed()).replaceAll("'", '%27')
}

/** The members of a value, at any depth, that its schema does not know. A closed schema has none, because it rejects them. */
export function findIgnoredMembers(schema: unknown, value: unknown, path = ''): readonly string[] {
  const object = unwrap(schema)
  if (!(object instanceof z.ZodObject) || typeof value !== 'object' || value === null || Array.isArray(value)) return []
  const shape: Readonly<Record<string, unknown>> = object.shape
  const known = Object.keys(shape)
  const own = Object.keys(value)
    .filter(name => !known.includes(name))
    .map(name => `${path}${toHeader(name)}`)
  const nested = known.flatMap(name =>
    Object.hasOwn(value, name) ? findIgnoredMembers(shape[name], Reflect.get(value, name), `${path}${name}.`) : [],
  )
  return [...own, ...nested]
}

/** The value of `X-Ignored-Fields`, percent-encoded where a header could not hold a name. */
export function createIgnoredHeader(names: readonly string[]): Record<string, string> {
  return names.length === 0 ? {} : { 'X-Ignored-Fields': names.slice(0, maxNamed).join(', ') }
}
