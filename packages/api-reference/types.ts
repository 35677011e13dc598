import { type ApiDocument, getReference, resolveSchema, type Schema } from './openapi.ts'

const typeNames: Readonly<Record<string, string>> = {
  uuid: 'UUID',
  'date-time': 'timestamp',
  date: 'date',
  email: 'e-mail address',
  uri: 'URL',
}

function describePlain(document: ApiDocument, schema: Schema): string {
  const { type, format, items, anyOf, oneOf, const: only } = schema
  const either = anyOf ?? oneOf
  if (either !== undefined) return [...new Set(either.map(one => describeType(document, one)))].join(' or ')
  if (only !== undefined) return only === null ? 'null' : typeof only
  if (items !== undefined) return `list of ${describeType(document, items)}`
  if (format !== undefined && format in typeNames) return typeNames[format] ?? ''
  return [type ?? 'any value'].flat().join(' or ')
}

/** The type of a value, in words: `UUID`, `list of Issue`, `string or null`. */
export function describeType(document: ApiDocument, given: Schema): string {
  const { schema, isNullable } = resolveSchema(document, given)
  const named = findShapeName(document, given)
  return `${named ?? describePlain(document, schema)}${isNullable ? ' or null' : ''}`
}

/** The name of the object that a schema refers to, where it is one of the document's shapes with members. */
export function findShapeName(document: ApiDocument, given: Schema): string | null {
  const name = getReference(given)
  if (name !== null) return document.components.schemas[name]?.properties === undefined ? null : name
  const others = (given.anyOf ?? given.oneOf ?? []).filter(({ type }) => type !== 'null')
  return others.length === 1 && others[0] !== undefined ? findShapeName(document, others[0]) : null
}

function describeRange(min: unknown, max: unknown, unit: string): string | null {
  if (min !== undefined && max !== undefined) return min === max ? `${min}${unit}` : `${min} to ${max}${unit}`
  if (max !== undefined) return `at most ${max}${unit}`
  return min === undefined || min === 0 ? null : `at least ${min}${unit}`
}

/** Leaves out the limits of JSON's numbers: such an integer has no limit of its own. */
function limited(value: unknown): unknown {
  return Math.abs(Number(value)) >= Number.MAX_SAFE_INTEGER ? undefined : value
}

/** The limits of a value, each in words. Code is between backticks. */
export function describeLimits(document: ApiDocument, given: Schema): readonly string[] {
  const { schema } = resolveSchema(document, given)
  const { minimum, maximum, minLength, maxLength, minItems, maxItems, pattern, format } = schema
  const fallback = given.default ?? schema.default
  return [
    describeRange(limited(minimum), limited(maximum), ''),
    describeRange(minLength, maxLength, ' characters'),
    describeRange(minItems, maxItems, ' entries'),
    // The format already says in words what the pattern requires.
    pattern === undefined || format !== undefined ? null : `matches \`${pattern}\``,
    schema.const === undefined ? null : `always \`${schema.const}\``,
    fallback === undefined ? null : `default \`${typeof fallback === 'string' ? fallback : JSON.stringify(fallback)}\``,
  ].filter(limit => limit !== null)
}

/** The enumerated words of a value, or of the entries of a list, and whether new ones may be added. */
export function findWords(
  document: ApiDocument,
  given: Schema,
): { readonly words: readonly unknown[]; readonly isOpen: boolean } | null {
  const { schema } = resolveSchema(document, given)
  if (schema.items !== undefined) return findWords(document, schema.items)
  const open = schema['x-extensible-enum']
  const words = schema.enum ?? open
  return words === undefined ? null : { words, isOpen: open !== undefined }
}

/** The shape of a value, or several if it has alternatives. For a list, those of its entries. */
export function findShapes(
  document: ApiDocument,
  given: Schema,
): readonly { readonly name: string | null; readonly schema: Schema }[] {
  const name = findShapeName(document, given)
  const { schema } = resolveSchema(document, given)
  if (schema.properties !== undefined) return [{ name, schema }]
  if (schema.items !== undefined) return findShapes(document, schema.items)
  return (schema.anyOf ?? schema.oneOf ?? []).flatMap(one => findShapes(document, one))
}
