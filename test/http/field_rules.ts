/** Values that break the rule of a field, made from the schema of the field, each with the words that it is refused with. */
import type { Parameter, Schema } from '@attestor/api-reference'
import { resolveSchema } from '@attestor/api-reference/testing'
import { z } from 'zod'
import { ApiError } from '../../src/base/api_error.ts'
import { getSchema } from '../../src/http/steps.ts'
import { checkFields } from '../../src/schemas/fields.ts'
import { createSample, type Described, type Sent, type World } from './every_endpoint.ts'

/** A call with one broken field. */
export interface Broken {
  readonly query: Readonly<Record<string, string>>
  readonly json: unknown
  /** The error: the field, and its rule. */
  readonly says: RegExp
}

/** A value and the rule that it breaks, or one within it, by its path from there. */
type Fault = readonly [value: unknown, rule: string, within?: string]

const ofFormat: Readonly<Record<string, string>> = {
  uuid: 'must be a UUID',
  uri: 'must be an https URL',
  date: 'must be a date, YYYY-MM-DD',
  'date-time': 'must be a timestamp such as .*',
  email: 'must be an e-mail address',
}

function listWords(words: readonly unknown[]): string {
  return words.length === 1 ? `must be ${words[0]}` : `must be ${words.slice(0, -1).join(', ')} or ${words.at(-1)}`
}

/** The words of a schema's rule, as a pattern. */
function ruleOf({
  type,
  format = '',
  minimum,
  maximum,
  minLength,
  maxLength,
  contentEncoding,
  ...schema
}: Schema): string {
  if (schema.enum !== undefined) return listWords(schema.enum)
  if (format in ofFormat) return ofFormat[format] ?? ''
  if (contentEncoding === 'base64') return 'must be a file of 1 to \\d+ bytes in base64'
  if (type === 'integer')
    return maximum === undefined ? 'must be .*an integer' : `must be an integer from ${minimum} to ${maximum}`
  if (type === 'number') return `must be a number .*from ${minimum} to ${maximum}`
  if (type === 'boolean') return 'must be true or false'
  if (type === 'object') return 'must be an object'
  if (type === 'array') return 'must be .*'
  if (minLength !== undefined) return `must be a string of ${minLength} to ${maxLength} characters`
  return 'must .*'
}

/** Longer texts would be refused as a body that is too large. */
const maxSent = 20_000

function listTooLong({ format, maxLength }: Schema, rule: string): readonly Fault[] {
  if (typeof maxLength !== 'number' || maxLength > maxSent) return []
  if (format !== 'uri') return [['x'.repeat(maxLength + 1), rule]]
  return [[`https://shop.example/${'x'.repeat(maxLength)}`, `must be at most ${maxLength} characters`]]
}

function listFaults(world: World, schema: Schema): readonly Fault[] {
  const rule = ruleOf(schema)
  const { minimum, maximum, minLength, minItems, maxItems, items, additionalProperties } = schema
  const limit = (bound: unknown, value: (bound: number) => unknown): readonly Fault[] =>
    typeof bound === 'number' && Math.abs(bound) <= 1e9 ? [[value(bound), rule]] : []
  switch (schema.type) {
    case 'integer':
    case 'number':
      return [
        ['1', rule],
        [true, rule],
        ...(schema.type === 'integer' ? [[1.5, rule] as const] : []),
        ...limit(minimum, least => least - 1),
        ...limit(maximum, most => most + 1),
      ]
    case 'boolean':
      return [
        [1, rule],
        ['true', rule],
      ]
    case 'array': {
      const item = resolveSchema(world.document, items ?? {}).schema
      const sample = createSample(world, item)
      return [
        [{}, rule],
        ...limit(minItems, () => []),
        ...limit(maxItems, most => Array.from({ length: most + 1 }, () => sample)),
        [[7], ruleOf(item), '\\.0'],
      ]
    }
    case 'object':
      return [
        [[], rule],
        ['x', rule],
        ...(additionalProperties === false
          ? [
              [
                { ...(createSample(world, schema) as Members), unexpected: 1 },
                'unknown member',
                '\\.unexpected',
              ] as const,
            ]
          : []),
      ]
    default:
      return [
        [7, rule],
        [{}, rule],
        ...(schema.enum === undefined ? [] : [['no such word', rule] as const]),
        ...(typeof minLength === 'number' && minLength > 0 ? [['', rule] as const] : []),
        ...listTooLong(schema, rule),
      ]
  }
}

/** A field of a body, by the names that lead to it. */
interface Field {
  readonly names: readonly string[]
  readonly schema: Schema
  readonly isNullable: boolean
  readonly isRequired: boolean
}

function listFields(
  world: World,
  { properties = {}, required = [] }: Schema,
  within: readonly string[] = [],
): readonly Field[] {
  return Object.entries(properties).flatMap(([name, given]) => {
    const { schema, isNullable } = resolveSchema(world.document, given)
    const names = [...within, name]
    const own = { names, schema, isNullable, isRequired: required.includes(name) }
    return [own, ...listFields(world, schema, names)]
  })
}

type Members = Readonly<Record<string, unknown>>

/** The body with a value at a place; what leads there is made where it is missing. */
function put(
  world: World,
  body: unknown,
  given: Schema,
  [name = '', ...names]: readonly string[],
  value: unknown,
): unknown {
  const { schema } = resolveSchema(world.document, given)
  const members = (body ?? createSample(world, schema)) as Members
  const member = schema.properties?.[name] ?? {}
  return { ...members, [name]: names.length === 0 ? value : put(world, members[name], member, names, value) }
}

function listFieldFaults(world: World, { schema, isNullable, isRequired }: Field): readonly Fault[] {
  const nothing: readonly Fault[] = isRequired
    ? [
        [undefined, 'is required'],
        [null, 'is required'],
      ]
    : isNullable
      ? []
      : [[null, `(is required|${ruleOf(schema)})`]]
  return [...nothing, ...listFaults(world, schema)]
}

function outside({ minimum, maximum }: Schema): readonly string[] {
  const most = typeof maximum === 'number' && maximum < 1e9 ? maximum : 1e9
  return [String(Number(minimum ?? 0) - 1), String(most + 1)]
}

function listParameterFaults({
  schema,
  required,
}: Parameter): readonly (readonly [value: string | null, rule: string])[] {
  const rule = ruleOf(schema)
  const missing = required === true ? [[null, 'is required'] as const] : []
  if (schema.anyOf !== undefined) return [...missing, ['no such word', 'must be of .*']]
  if (schema.enum !== undefined || schema.format !== undefined) return [...missing, ['no such word', rule]]
  if (schema.type === 'integer')
    return [...missing, ...['', 'x', '-1', '1.5', ...outside(schema)].map(text => [text, rule] as const)]
  return missing
}

/** The first rule that a call breaks, by the schemas that its endpoint declares; empty where it breaks none. */
export function findBrokenRule(
  { documentDeps }: World,
  { endpoint }: Described,
  { query, json }: Omit<Broken, 'says'>,
): string {
  const { query: shape = {}, body } = endpoint.request ?? {}
  try {
    checkFields(z.object(shape), query)
    if (body?.media === 'json') checkFields(getSchema(body, documentDeps), JSON.parse(JSON.stringify(json)))
    return ''
  } catch (error) {
    if (error instanceof ApiError) return error.message
    throw error
  }
}

/** A call for each way in which a field of its query or of its body can break its rule. */
export function* listBroken(
  world: World,
  { query, body }: Described,
  { query: needed, call }: Sent,
): Generator<Broken> {
  const { json } = call
  for (const parameter of query)
    for (const [value, rule] of listParameterFaults(parameter)) {
      const { [parameter.name]: _good, ...others } = needed
      const given = value === null ? others : { ...others, [parameter.name]: value }
      yield { query: given, json, says: new RegExp(`^${parameter.name}: ${rule}$`) }
    }
  if (body === null) return
  for (const field of listFields(world, resolveSchema(world.document, body).schema))
    for (const [value, rule, within = ''] of listFieldFaults(world, field))
      yield {
        query: needed,
        json: put(world, json, body, field.names, value),
        says: new RegExp(`^${field.names.join('\\.')}${within}: ${rule}$`),
      }
}
