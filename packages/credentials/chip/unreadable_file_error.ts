/** A file of a chip, a certificate or a list that is not what it should be. The message names what, and nothing of its content. */
export class UnreadableFileError extends Error {
  override readonly name = 'UnreadableFileError'
}

/** Runs a reader of bytes from outside; null where they are not what they should be. */
export function readOrNull<T>(read: () => T): T | null {
  try {
    return read()
  } catch (error) {
    if (error instanceof UnreadableFileError) return null
    throw error
  }
}
