/**
 * The quick tier, `npm test`, is everything that a change can break. The long tier, `npm run test:long`, repeats it
 * with more seeds, all generated paths and both dialects throughout, and adds tests that take minutes by nature: files
 * named `*.long.ts`, and tests that other files register only `if (isLong)`.
 */
export const isLong = process.env.TEST_TIER === 'long'

/** A number of draws, paths or rounds in each tier. */
export function rounds(quick: number, long: number): number {
  return isLong ? long : quick
}

/** Registers a test in the long tier alone: `inLongTier(test)('title', …)`. */
export function inLongTier<Register extends (...args: never[]) => void>(register: Register): Register {
  return isLong ? register : ((() => {}) as unknown as Register)
}
