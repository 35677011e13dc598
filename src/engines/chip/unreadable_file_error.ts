/** A file of a chip, a certificate or a list that is not what it should be. The message names what, and nothing of its content. */
export class UnreadableFileError extends Error {
  override readonly name = 'UnreadableFileError'
}
