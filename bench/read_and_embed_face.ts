import { type ComparedFace, readFace } from '../src/engines/local/face/read_face.ts'
import { embedFaces } from '../src/engines/local/face/templates.ts'
import type { Models } from '../src/engines/local/models.ts'
import type { EncodedImage } from '../src/engines/port.ts'

/** The widest face of a picture with its vectors; null where there is none. */
export async function readAndEmbedFace(models: Models, image: EncodedImage): Promise<ComparedFace | null> {
  const seen = await readFace(models, image)
  const [vectors] = seen ? embedFaces(models, [seen.cuts]) : []
  return seen && vectors ? { ...seen, vectors } : null
}
