import { readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import type { DocumentType } from '@attestor/rules'
import type { Validator } from 'stdnum'
import { z } from 'zod'

/** The child may read no file beside its own folders, such as the charts'. */
const documentTypes = [
  'PASSPORT',
  'ID_CARD',
  'DRIVING_LICENSE',
  'RESIDENCE_PERMIT',
] as const satisfies readonly DocumentType[]

/** The places of a value beside its label. */
const positions = ['RIGHT', 'BELOW', 'ABOVE'] as const

const text = z.string().min(1).max(100)

const place = z.strictObject({
  /** The side of the document that the field is on. */
  side: z.enum(['FRONT', 'BACK']).default('FRONT'),
  /**
   * The field's labels on the document, in its languages. `/…/` is a regular expression of a word at the begin of a
   * line.
   */
  labels: z.array(text).max(8).default([]),
  /** Another field beside whose value this one stands, instead of a label; `title` is the title of the document. */
  by: text.optional(),
  /**
   * The place of the value beside its label. If it is absent, the value may be anywhere, and its form alone finds it.
   */
  value: z.enum(positions).optional(),
  /** A value above or below is at most this far away, in heights of its line. */
  reach: z.number().min(1).max(12).default(3.2),
  /** The most rows that a value may take. */
  rows: z.int().min(1).max(3).default(1),
  /** Words that are no part of the value. */
  without: z.array(text).max(40).default([]),
})

const name = place.extend({
  /**
   * The place of the surname in a name that is one field: the first word, the last of two or those in capitals, or what
   * stands before a comma. If it is absent, nothing parts them.
   */
  surname: z.enum(['FIRST', 'LAST', 'BEFORE_COMMA']).optional(),
})

const date = place.extend({
  order: z.enum(['DMY', 'MDY', 'YMD']).default('DMY'),
  /** Years are counted from 543 BC in the Buddhist calendar. */
  calendar: z.enum(['GREGORIAN', 'BUDDHIST']).default('GREGORIAN'),
  /** The words that are printed in place of a day if there is none. */
  never: z.array(text).max(8).default([]),
})

const number = place.extend({
  /** Forms of the number: `A` is a letter, `N` a digit, `X` either; any other sign is itself, and may be missing. */
  forms: z
    .array(z.string().regex(/^[ANX0-9A-Z ./()-]+$/))
    .max(8)
    .default([]),
  /** A validator of `stdnum` by state and name, such as `in.aadhaar`. */
  check: z
    .string()
    .regex(/^[a-z]{2}\.[a-z]+$/)
    .optional(),
  /**
   * Sums that the sign after the weighted ones must agree with, for numbers that `stdnum` does not have: `signs` lists
   * it by the sum of the weighted signs (letters from ten on), modulo their count. Each is for numbers that begin so.
   */
  sums: z
    .array(
      z.strictObject({
        begin: z.string().default(''),
        weights: z.array(z.int()).min(1).max(30),
        plus: z.int().default(0),
        signs: text,
      }),
    )
    .max(8)
    .default([]),
  /** A birth inside the number: its first digit, its form, and the number that is added to a woman's day. */
  birth: z
    .strictObject({
      at: z.int().min(0).max(30),
      order: z.enum(['YYMMDD', 'DDMMYY', 'YYYYMMDD']),
      woman: z.int().default(0),
    })
    .optional(),
})

const fields = z.strictObject({
  last_name: name.optional(),
  first_name: name.optional(),
  /** The place of all names in one field. */
  full_name: name.optional(),
  date_of_birth: date.optional(),
  issue_date: date.optional(),
  expiry_date: date.optional(),
  document_number: number.optional(),
})

const layoutFile = z.strictObject({
  /** Another file of the folder, from which this one takes over the members that it does not have. */
  like: text.optional(),
  /** ISO 3166-1 alpha-2. */
  country: z.string().regex(/^[A-Z]{2}$/),
  document_type: z.enum(documentTypes),
  /** The publication that shows the layout, so that everybody can look it up. */
  source: z.string().min(1).max(1000),
  /** Each list is enough to recognise the document; all of a list must be printed. */
  titles: z.array(z.array(text).min(1).max(6)).min(1).max(8),
  /** Words that are never printed on this document. */
  without: z.array(text).max(8).default([]),
  /** Labels of fields that are not read: none of them is a value. */
  others: z.array(text).max(30).default([]),
  /** Whether names stand on the right once more, in a script that is not read. */
  foreign_beside: z.boolean().default(false),
  /** Nobody gets such a document before this age, in years. */
  from_age: z.int().min(0).max(30).default(0),
  /** The longest validity of such a document, in years. */
  valid_years: z.int().min(1).max(100).default(100),
  fields,
})

/** The layout of a kind of document: the places of its fields, and the way that they are written. */
export type Layout = z.infer<typeof layoutFile> & {
  readonly name: string
  readonly isChecked: (number: string) => boolean
}

export type LayoutSide = FieldPlace['side']
export type FieldPlace = z.infer<typeof place>
export type NamePlace = z.infer<typeof name>
export type DatePlace = z.infer<typeof date>
export type NumberPlace = z.infer<typeof number>

const require = createRequire(import.meta.url)

/** Loads the check of a number. Of `stdnum` only the one that the layout names: all of it takes 20 MB. */
function loadCheck({ check, sums }: NumberPlace): (number: string) => boolean {
  if (check !== undefined) {
    const { validate } = require(`stdnum/lib/cjs/${check.replace('.', '/')}.js`) as Validator
    return value => validate(value).isValid
  }
  if (sums.length === 0) return () => true
  return number => {
    const { weights = [], plus = 0, signs = '' } = sums.find(({ begin }) => number.startsWith(begin)) ?? {}
    const sum = weights.reduce((total, weight, at) => total + weight * Number.parseInt(number[at] ?? '', 36), plus)
    return signs !== '' && number[weights.length] === signs[sum % signs.length]
  }
}

type FileContent = Readonly<Record<string, unknown>>

function readFile(folder: string, name: string): FileContent {
  return JSON.parse(readFileSync(join(folder, `${name}.json`), 'utf8')) as FileContent
}

/**
 * Completes the content with that of the file that it names as `like`: each field takes over the members that it does
 * not have itself.
 */
function complete(folder: string, content: FileContent): FileContent {
  if (typeof content.like !== 'string') return content
  const base = complete(folder, readFile(folder, content.like))
  const fields = { ...(base.fields as Record<string, FileContent>) }
  for (const [field, own] of Object.entries((content.fields ?? {}) as Record<string, FileContent>))
    fields[field] = { ...fields[field], ...own }
  return { ...base, ...content, fields }
}

function readLayout(folder: string, file: string): Layout {
  try {
    const name = file.replace(/\.json$/, '')
    const parsed = layoutFile.safeParse(complete(folder, readFile(folder, name)))
    if (!parsed.success) {
      const [issue] = parsed.error.issues
      throw new Error(`${issue?.path.join('.')}: ${issue?.message}`)
    }
    const { document_number: number } = parsed.data.fields
    return { ...parsed.data, name, isChecked: number === undefined ? () => true : loadCheck(number) }
  } catch (error) {
    throw new Error(`${join(folder, file)}: ${(error as Error).message}`, { cause: error })
  }
}

/** Returns the part of a layout that is on one side of the document. */
export function takeSide(layout: Layout, side: LayoutSide): Layout {
  return {
    ...layout,
    fields: Object.fromEntries(Object.entries(layout.fields).filter(([, place]) => place?.side === side)),
  }
}

export function hasBack({ fields }: Layout): boolean {
  return Object.values(fields).some(place => place?.side === 'BACK')
}

/** The folder of the layouts that come with the service. */
export const ownLayouts = new URL('layouts/', import.meta.url).pathname

/**
 * Reads all layouts of some folders; of two with one name the later counts. Files whose names begin with `_` are only
 * there for `like`.
 * @throws {Error} that names the file and the place in it
 */
export function readLayouts(folders: readonly string[]): readonly Layout[] {
  const layouts = folders.flatMap(folder =>
    readdirSync(folder)
      .filter(file => file.endsWith('.json') && !file.startsWith('_'))
      .sort()
      .map(file => readLayout(folder, file)),
  )
  return [...new Map(layouts.map(layout => [layout.name, layout])).values()]
}
