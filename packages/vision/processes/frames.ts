import type { Duplex } from 'node:stream'
import { asError } from '../errors.ts'
import { releasePixels } from '../images/release_pixels.ts'

/** A frame begins with its length, big-endian, in this many bytes. */
const headerBytes = 4

/**
 * Writes one frame of some pieces. Resolves once they are written, or never will be: before that, their memory must not
 * be freed. Errors of the pipe come as its own events.
 */
export function sendFrame(pipe: Duplex, pieces: readonly Uint8Array[]): Promise<void> {
  const header = Buffer.alloc(headerBytes)
  header.writeUInt32BE(pieces.reduce((size, { byteLength }) => size + byteLength, 0))
  pipe.cork()
  const written = [header, ...pieces].map(piece => new Promise<void>(resolve => pipe.write(piece, () => resolve())))
  pipe.uncork()
  return Promise.all(written).then(() => {})
}

/** Calls `onContent` for every whole frame. A frame that is too long, or at which it throws, destroys the pipe. */
export function onFrame(pipe: Duplex, maxBytes: number, onContent: (content: Buffer) => void): void {
  // Each byte is copied once, into memory of its own: a view of a chunk would keep images that came with it.
  let part = Buffer.allocUnsafeSlow(headerBytes)
  let filled = 0
  let inHeader = true
  const next = (): void => {
    const whole = part
    const wanted = inHeader ? whole.readUInt32BE() : headerBytes
    if (wanted > maxBytes) throw new Error(`sent more than ${maxBytes} bytes at once`)
    part = Buffer.allocUnsafeSlow(wanted)
    filled = 0
    inHeader = !inHeader
    if (inHeader) onContent(whole)
  }
  pipe.on('data', (chunk: Buffer) => {
    try {
      for (let at = 0; at < chunk.length; ) {
        const copied = chunk.copy(part, filled, at)
        at += copied
        filled += copied
        while (filled === part.length) next()
      }
      releasePixels(chunk)
    } catch (error) {
      pipe.destroy(asError(error))
    }
  })
}
