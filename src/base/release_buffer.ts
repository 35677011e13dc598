/**
 * Frees the memory of pixels at once; nobody may read them afterwards. The garbage collector would do so late, as it does
 * not watch memory outside of its heap. A part of a shared buffer is left alone.
 */
export const releaseBuffer = (data: Uint8Array): void => {
  if (data.buffer instanceof ArrayBuffer && data.length === data.buffer.byteLength) data.buffer.transfer(0)
}
