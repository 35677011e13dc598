/**
 * Gives the memory of pixels back at once; nobody may look at them any more. Left to the garbage collector they lie about
 * for long, as they are outside of the heap that it watches. A part of a shared buffer is left alone.
 */
export const releaseBuffer = (data: Uint8Array): void => {
  if (data.buffer instanceof ArrayBuffer && data.length === data.buffer.byteLength) data.buffer.transfer(0)
}
