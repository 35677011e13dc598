/**
 * Resources that a process of tests starts once. If it runs several files, shared ones last until the last file has
 * ended.
 */
export const lasting: { inGroup: boolean; readonly ends: (() => Promise<unknown>)[] } = { inGroup: false, ends: [] }
