import type { Outcome } from './cases.ts'
import { look } from './engine.ts'
import { allPairs } from './face_case.ts'
import { type DocumentLabel, readLabels } from './labels.ts'
import { pictureOutcome } from './picture_case.ts'
import { readPicture } from './picture_file.ts'
import { measureSelfies } from './selfie_case.ts'

async function measureOwnDocument(folder: string, label: DocumentLabel, seed: number): Promise<Outcome> {
  const photo = async (file: string | undefined): Promise<Buffer | null> =>
    file === undefined ? null : readPicture(folder, file)
  const evidence = await look({
    document_front: await photo(label.front),
    document_back: await photo(label.back),
    selfie: await photo(label.selfie),
  })
  const { condition, format, split, front } = label
  const { checks, detail } = pictureOutcome(label, evidence)
  return {
    kind: 'picture',
    seed,
    condition,
    format,
    split,
    checks,
    cpu_ms: evidence.stages,
    detail: { front, path: label.source?.path, ...detail },
  }
}

/**
 * Measures a user's own labelled photos, one after another, and every pair of their selfies on a side of the split that
 * pass the gates.
 */
export async function measureFolder(folder: string, { documents, selfies } = readLabels(folder)): Promise<Outcome[]> {
  const outcomes: Outcome[] = []
  for (const [n, label] of documents.entries()) outcomes.push(await measureOwnDocument(folder, label, n))
  const faces = await measureSelfies(folder, selfies)
  const compared = faces.filter(({ checks, detail }) => checks.found === true && detail.template)
  const pairs = [...Map.groupBy(compared, ({ split }) => split).values()].flatMap(allPairs)
  return [...outcomes, ...faces, ...pairs]
}
