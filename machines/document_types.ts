/** The types of documents that are accepted, in the order in which a person is asked for them. */
export const documentTypes = ['PASSPORT', 'ID_CARD', 'DRIVING_LICENSE', 'RESIDENCE_PERMIT'] as const

/** `PASSPORT` has one side, a card two. */
export type DocumentType = (typeof documentTypes)[number]
