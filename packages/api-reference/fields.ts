import { type Html, type HtmlValue, html } from '@attestor/page-files'
import type { ApiDocument, Schema } from './openapi.ts'
import { prose } from './prose.ts'
import { describeLimits, describeType, findShapeName, findShapes, findWords } from './types.ts'

/** One member of an object, or one parameter. */
export interface Field {
  readonly name: string
  readonly schema: Schema
  readonly isRequired: boolean
  /** Whether `optional` is shown: not in the service's own responses. */
  readonly isOptionalShown: boolean
}

/** The context in which fields are rendered: the document, and the function that links a shape's name. */
export interface FieldContext {
  readonly document: ApiDocument
  /** The URL of a shape, from the page on which the field stands. */
  readonly linkShape: (name: string) => string
}

function linkType({ document, linkShape }: FieldContext, schema: Schema): Html {
  const words = describeType(document, schema)
  const name = findShapeName(document, schema) ?? findShapeName(document, schema.items ?? {})
  if (name === null || !words.includes(name)) return html`${words}`
  const [before = '', after = ''] = words.split(name)
  return html`${before}<a href="${linkShape(name)}">${name}</a>${after}`
}

const maxWordsShown = 8

function renderWords({ document }: FieldContext, schema: Schema): Html | null {
  const found = findWords(document, schema)
  if (found === null) return null
  const list = found.words.map((word, index) => html`${index === 0 ? '' : ' '}<code>${String(word)}</code>`)
  const label = found.isOpen ? 'New values may come.' : ''
  if (list.length <= maxWordsShown) return html`<p class="words">One of ${list}. ${label}</p>`
  return html`<details class="words"><summary>One of ${list.length} values</summary><p>${list}. ${label}</p></details>`
}

function listMembers({ properties = {}, required = [] }: Schema, isOptionalShown: boolean): readonly Field[] {
  return Object.entries(properties).map(([name, schema]) => ({
    name,
    schema,
    isRequired: required.includes(name),
    isOptionalShown,
  }))
}

/** The members of a field's objects. Those of a named shape are shown with the shape. */
function renderNested(context: FieldContext, { schema, name, isOptionalShown }: Field, anchor: string): HtmlValue {
  const shapes = findShapes(context.document, schema).filter(shape => shape.name === null)
  return shapes.map(shape => {
    const members = listMembers(shape.schema, isOptionalShown)
    return html`<details class="members"><summary>Members of <code>${name}</code></summary>${renderFields(context, members, anchor)}</details>`
  })
}

function renderField(context: FieldContext, field: Field, prefix: string): Html {
  const { name, schema, isRequired, isOptionalShown } = field
  const anchor = `${prefix}.${name}`
  const limits = describeLimits(context.document, schema)
  const presence = isRequired ? 'required' : 'optional'
  const isShown = isOptionalShown ? isRequired : !isRequired
  const resolved = schema.description ?? ''
  return html`<div class="field" id="${anchor}"><dt><a class="name" href="#${anchor}"><code>${name}</code></a>
<span class="type">${linkType(context, schema)}</span>${isShown && html` <span class="${presence}">${presence}</span>`}</dt>
<dd>${resolved !== '' && html`<p>${prose(resolved)}</p>`}${limits.length > 0 && html`<p class="limits">${prose(limits.join(' · '))}</p>`}${renderWords(context, schema)}${renderNested(context, field, anchor)}</dd></div>`
}

/** A list of fields, each with an anchor that begins with the prefix. */
export function renderFields(context: FieldContext, fields: readonly Field[], prefix: string): Html {
  return html`<dl class="fields">${fields.map(field => renderField(context, field, prefix))}</dl>`
}

/** The members of a body or a shape; alternatives are shown one by one. */
export function renderShape(
  context: FieldContext,
  schema: Schema,
  { prefix, isOptionalShown }: { readonly prefix: string; readonly isOptionalShown: boolean },
): HtmlValue {
  const shapes = findShapes(context.document, schema)
  return shapes.map(shape => renderFields(context, listMembers(shape.schema, isOptionalShown), prefix))
}

/** A field with its name from the outside in, as in `webhook.url`. */
export interface NestedField {
  readonly path: string
  readonly schema: Schema
}

/** The fields that `renderShape` shows, each of which has the anchor `<prefix>.<path>`. */
export function listFields(document: ApiDocument, schema: Schema): readonly NestedField[] {
  return findShapes(document, schema).flatMap(shape => listNested(document, shape.schema))
}

function listNested(document: ApiDocument, { properties = {} }: Schema): readonly NestedField[] {
  return Object.entries(properties).flatMap(([name, schema]) => [
    { path: name, schema },
    ...findShapes(document, schema)
      .filter(shape => shape.name === null)
      .flatMap(shape => listNested(document, shape.schema))
      .map(nested => ({ ...nested, path: `${name}.${nested.path}` })),
  ])
}
