import type { DocumentReader } from './analyse.ts'

/** The document reader as `analyse.ts` wants it. */
export const readDocumentPhotos: DocumentReader = async () => ({
  evidence: { reading: 'NOT_READABLE', mrz: null, sides_match: null, visual_surname: null, glare: null },
  upright: null,
})
