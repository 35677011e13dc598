/** A malformed file of a chip, certificate or list. The message names the fault, and nothing of the content. */
export class UnreadableFileError extends Error {
  override readonly name = 'UnreadableFileError'
}

/** Runs a reader of bytes from outside; null if they are malformed. */
export function readOrNull<T>(read: () => T): T | null {
  try {
    return read()
  } catch (error) {
    if (error instanceof UnreadableFileError) return null
    throw error
  }
}
