import type { Duplex } from 'node:stream'
import { asError } from '../base/api_error.ts'

/** The length of a frame, big-endian, comes before its content. */
const headerBytes = 4

/** Writes one frame of some pieces. Errors of the pipe come as its own events. */
export const sendFrame = (pipe: Duplex, pieces: readonly Uint8Array[]): void => {
  const header = Buffer.alloc(headerBytes)
  header.writeUInt32BE(pieces.reduce((size, { byteLength }) => size + byteLength, 0))
  pipe.cork()
  for (const piece of [header, ...pieces]) pipe.write(piece)
  pipe.uncork()
}

/** Calls `onContent` for every whole frame. A frame that is too long, or for which it throws, destroys the pipe. */
export const onFrame = (pipe: Duplex, maxBytes: number, onContent: (content: Buffer) => void): void => {
  let chunks: Buffer[] = []
  let [size, wanted] = [0, headerBytes]
  let inHeader = true
  const take = (): Buffer => {
    const all = Buffer.concat(chunks)
    size -= wanted
    // Copied: a view of the rest would keep the whole buffer in memory, which may hold a transaction's images.
    chunks = size === 0 ? [] : [Buffer.from(all.subarray(wanted))]
    return all.subarray(0, wanted)
  }
  const next = (): void => {
    const part = take()
    wanted = inHeader ? part.readUInt32BE() : headerBytes
    inHeader = !inHeader
    if (wanted > maxBytes) throw new Error(`sent more than ${maxBytes} bytes at once`)
    if (inHeader) onContent(part)
  }
  pipe.on('data', (chunk: Buffer) => {
    chunks.push(chunk)
    size += chunk.length
    try {
      while (size >= wanted) next()
    } catch (error) {
      pipe.destroy(asError(error))
    }
  })
}
