/**
 * Frees the memory of pixels at once; they may not be read afterwards. The garbage collector does so late, because this
 * memory is outside of its heap. A view of a shared buffer is left alone.
 */
export function releasePixels(data: Uint8Array): void {
  if (data.buffer instanceof ArrayBuffer && data.length === data.buffer.byteLength) data.buffer.transfer(0)
}
