import { existsSync, readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import type { Outcome } from './cases.ts'
import { documentOutcome, holderChecks } from './document_case.ts'
import { look } from './engine.ts'
import { allPairs, selfieOutcome } from './face_case.ts'
import { comparedFields, type Truth } from './truth.ts'

const text = z.string().nullable().optional()

/**
 * `labels.json`: what the photos of a folder show. A document needs `front`; `selfie` is its holder's; `fields` that are left out are not compared,
 * null must come out as null; `mrz` are the zone's lines. A selfie names its person, and every two are compared.
 * `condition` is the reader's own word, by which the table has its rows.
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
      }),
    )
    .default([]),
  selfies: z
    .array(z.strictObject({ file: z.string(), person: z.string(), condition: z.string().default('own') }))
    .default([]),
})

/** What a folder's labels say. */
export type Labels = z.infer<typeof labels>

/** Reads and checks a folder's labels. Throws where they break the form, or name a file that is not there. */
export const readLabels = (folder: string): Labels => {
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

const measureOwnDocument = async (
  folder: string,
  label: Labels['documents'][number],
  seed: number,
): Promise<Outcome> => {
  const photo = async (file: string | undefined): Promise<Buffer | null> =>
    file === undefined ? null : readFile(join(folder, file))
  const evidence = await look({
    document_front: await photo(label.front),
    document_back: await photo(label.back),
    selfie: await photo(label.selfie),
  })
  const { checks, detail } = documentOutcome(
    { zone: { lines: label.mrz ?? [] }, truth: label.fields as Truth },
    evidence,
  )
  const { condition, format } = label
  return {
    kind: 'document',
    seed,
    condition,
    format,
    checks: { ...checks, ...holderChecks(evidence) },
    cpu_ms: evidence.stages,
    detail: { front: label.front, ...detail },
  }
}

/** Measures a user's own labelled photos, one after another, and every pair of their selfies. */
export const measureFolder = async (
  folder: string,
  { documents, selfies } = readLabels(folder),
): Promise<Outcome[]> => {
  const outcomes: Outcome[] = []
  for (const [n, label] of documents.entries()) outcomes.push(await measureOwnDocument(folder, label, n))
  const faces: Outcome[] = []
  for (const [n, { file, person, condition }] of selfies.entries()) {
    const seen = await selfieOutcome(await readFile(join(folder, file)), person)
    faces.push({ kind: 'face', seed: n, condition, format: 'any', ...seen })
  }
  return [...outcomes, ...faces, ...allPairs(faces)]
}
