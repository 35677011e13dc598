import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { comparedFields } from './truth.ts'

const text = z.string().nullable().optional()

/** The source of a public picture, and the side of the split that its subject is on: tables are made of each side. */
const origin = {
  source: z.strictObject({ repository: z.string(), commit: z.string(), path: z.string() }).optional(),
  split: z.enum(['calibration', 'validation']).optional(),
}

/**
 * `labels.json` describes the photos of a folder. A document needs `front`; `selfie` is its holder's; `fields` that are
 * left out are not compared, null must come out as null; `mrz` are the zone's lines as printed, or `mrz_sha256` the
 * SHA-256 of the lines joined by newlines, and neither if it has none. `malformed`: the zone breaks the rules as
 * printed (a check digit, a code), so that it must not be accepted. `monochrome`: a picture without colour, of a
 * document that has some. `legible` false: a person can't read the zone either. `portrait` false: the page shows none.
 * A selfie names its person, and every two are compared unless `compare` is false; `group` is people who are alike,
 * whose rates get rows of their own; `expect` is the finding that it should give: `usable`, or the reason why it is
 * not. `eyes`: a person's `shut` and `open` pictures answer a blink against their `neutral` one. `condition` is the
 * labeller's own word; the table has a row for each, as for each `format`.
 */
const labels = z.strictObject({
  documents: z
    .array(
      z.strictObject({
        front: z.string(),
        back: z.string().optional(),
        selfie: z.string().optional(),
        condition: z.string().default('own'),
        format: z.string().default('any'),
        fields: z.strictObject(Object.fromEntries(comparedFields.map(field => [field, text]))).default({}),
        mrz: z.array(z.string()).optional(),
        mrz_sha256: z
          .string()
          .regex(/^[0-9a-f]{64}$/)
          .optional(),
        malformed: z.boolean().default(false),
        monochrome: z.boolean().default(false),
        legible: z.boolean().default(true),
        portrait: z.boolean().default(true),
        ...origin,
      }),
    )
    .default([]),
  selfies: z
    .array(
      z.strictObject({
        file: z.string(),
        person: z.string(),
        condition: z.string().default('own'),
        expect: z.enum(['usable', 'COVERED', 'EYES_CLOSED', 'TURNED_AWAY']).optional(),
        compare: z.boolean().default(true),
        group: z.string().optional(),
        eyes: z.enum(['neutral', 'open', 'shut']).optional(),
        ...origin,
      }),
    )
    .default([]),
})

/** The labels of a folder. */
export type Labels = z.infer<typeof labels>

/** Reads and checks a folder's labels. Throws if they break the form, or name a file that is not there. */
export function readLabels(folder: string): Labels {
  const parsed = labels.safeParse(JSON.parse(readFileSync(join(folder, 'labels.json'), 'utf8')))
  if (!parsed.success) {
    const [issue] = parsed.error.issues
    throw new Error(`labels.json: ${issue?.path.join('.')}: ${issue?.message}`)
  }
  const found = parsed.data
  const files = [
    ...found.documents.flatMap(({ front, back, selfie }) => [front, back, selfie]),
    ...found.selfies.map(({ file }) => file),
  ]
  for (const file of files)
    if (file !== undefined && !existsSync(join(folder, file))) throw new Error(`labels.json: ${file} is not there`)
  return found
}

/** The label of a document in `labels.json`. */
export type DocumentLabel = Labels['documents'][number]

/** The label of a selfie in `labels.json`. */
export type SelfieLabel = Labels['selfies'][number]
