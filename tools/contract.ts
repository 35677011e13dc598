/** Bodies of the API with every member of their schemas, which the tests of each client send and read. */

type Schema = Readonly<Record<string, unknown>>

interface Media {
  readonly content?: Readonly<Record<string, { readonly schema: Schema }>>
}

interface Operation {
  readonly requestBody?: Media
  readonly responses: Readonly<Record<string, Media>>
}

interface ApiDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> }
}

const kyc = '/api/account/integration/kyc'

/** The calls whose fields each client names. */
const calls = [
  ['customer', `${kyc}/customer`, 'post', '201'],
  ['transaction', `${kyc}/transaction`, 'post', '201'],
  ['read', `${kyc}/transaction/{transaction_id}`, 'get', '200'],
  ['list', `${kyc}/transaction`, 'get', '200'],
] as const

function isNull({ type }: Schema): boolean {
  return type === 'null'
}

/** A value of a schema without members. */
function fillLeaf({ const: fixed, enum: words, type }: Schema): unknown {
  if (fixed !== undefined) return fixed
  if (Array.isArray(words)) return words[0]
  const name = Array.isArray(type) ? type[0] : type
  const values: Readonly<Record<string, unknown>> = { boolean: true, integer: 1, number: 1, object: {} }
  return values[String(name)] ?? 'text'
}

/** The first example that is not null. */
function findExample(...schemas: readonly Schema[]): unknown {
  return schemas.flatMap(({ examples = [] }) => examples as readonly unknown[]).find(value => value !== null)
}

function fillWith({ components }: ApiDocument) {
  const resolve = (schema: Schema): Schema => {
    const { $ref } = schema
    return typeof $ref === 'string' ? resolve(components.schemas[$ref.split('/').at(-1) ?? ''] ?? {}) : schema
  }
  const findForm = ({ anyOf, oneOf = [] }: Schema): Schema | undefined =>
    ((anyOf ?? oneOf) as readonly Schema[]).map(resolve).find(form => !isNull(form))
  const fill = (given: Schema): unknown => {
    const schema = resolve(given)
    const { properties, items } = schema
    if (properties !== undefined)
      return Object.fromEntries(
        Object.entries(properties as Record<string, Schema>).map(([key, one]) => [key, fill(one)]),
      )
    const form = findForm(schema)
    const example = findExample(given, schema)
    const hasMembers = form?.properties !== undefined || form?.anyOf !== undefined || items !== undefined
    if (example !== undefined && !hasMembers) return example
    if (form !== undefined) return fill(form)
    return items === undefined ? fillLeaf(schema) : [fill(items as Schema)]
  }
  return fill
}

function bodyOf({ content = {} }: Media = {}): Schema | null {
  return content['application/json']?.schema ?? null
}

interface Bodies {
  readonly sent?: unknown
  readonly answered: unknown
}

interface Opening {
  readonly transaction_type: string
  readonly config: Readonly<Record<string, unknown>>
}

/** An age is asked for in a transaction of its own type, which asks for nothing of the others. */
function separateAge(bodies: Readonly<Record<string, Bodies>>, age_result: unknown): Readonly<Record<string, Bodies>> {
  const { transaction, read, ...others } = bodies
  if (transaction === undefined || read === undefined) throw new Error('the contract has no transaction')
  const { config, ...sent } = transaction.sent as Opening
  const { age, ...config_of_others } = config
  return {
    ...others,
    transaction: { ...transaction, sent: { ...sent, config: config_of_others } },
    read,
    age: { ...transaction, sent: { ...sent, transaction_type: 'AGE', config: { age } } },
    age_read: { answered: { ...(read.answered as object), result_data: age_result } },
  }
}

/** Returns each call's complete request and response. */
export function completeBodies(given: object): object {
  const document = given as ApiDocument
  const fill = fillWith(document)
  const bodies = Object.fromEntries(
    calls.map(([name, path, method, status]) => {
      const operation = document.paths[path]?.[method]
      const [sent, answered] = [bodyOf(operation?.requestBody), bodyOf(operation?.responses[status])]
      return [name, { ...(sent !== null && { sent: fill(sent) }), answered: fill(answered ?? {}) }]
    }),
  )
  return separateAge(bodies, fill(document.components.schemas.AgeResult ?? {}))
}
