/** What a process of tests starts once. Where it runs several files, what they share lasts until the last of them ended. */
export const lasting: { inGroup: boolean; readonly ends: (() => Promise<unknown>)[] } = { inGroup: false, ends: [] }
