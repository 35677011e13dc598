import { createHash } from 'node:crypto'
import { z } from 'zod'

/** The source of a picture: a path in a commit of a public repository (`owner/name`), and the file's SHA-256. */
export const sourceSchema = z.strictObject({
  repository: z.string().regex(/^[\w.-]+\/[\w.-]+$/),
  commit: z.string().regex(/^[0-9a-f]{40}$/),
  path: z.string().min(1),
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
})

/** A picture's source. */
export type Source = z.infer<typeof sourceSchema>

const manifest = z.strictObject({
  /** The list of `labels.json` that these pictures go to. */
  list: z.enum(['documents', 'selfies', 'videos']),
  /** The people that a list shows. Limits that decide about people need some in colour. */
  shows: z.enum(['people in colour video', 'people in colour', 'people in grey']).optional(),
  pictures: z.array(
    z.strictObject({
      source: sourceSchema,
      /** The person or the document in the picture: all pictures of one are on the same side of the split. */
      subject: z.string().min(1),
      /** The picture's label in `labels.ts`, without its file, source and split. */
      label: z.record(z.string(), z.json()),
    }),
  ),
})

/** A list of labelled pictures that lie elsewhere. */
export type Manifest = z.infer<typeof manifest>

/** Checks a manifest. Throws with the path of the wrong part. */
export function readManifest(name: string, text: string): Manifest {
  const parsed = manifest.safeParse(JSON.parse(text))
  if (parsed.success) return parsed.data
  const [issue] = parsed.error.issues
  throw new Error(`${name}: ${issue?.path.join('.')}: ${issue?.message}`)
}

/** Limits are set on `calibration` alone; `validation` shows their worth. */
export type Split = 'calibration' | 'validation'

/**
 * Returns the side of the split by the subject's name alone, so that nobody chooses it: the lowest bit of its SHA-256.
 */
export function splitOf(subject: string): Split {
  return ((createHash('sha256').update(subject).digest().at(-1) ?? 0) & 1) === 0 ? 'calibration' : 'validation'
}
