import type { Duplex } from 'node:stream'
import { asError } from '../base/api_error.ts'

/** A frame's length comes before it, big-endian. */
const header_bytes = 4

/** Writes one frame. What becomes of the pipe is told by its own events. */
export const sendFrame = (pipe: Duplex, content: Uint8Array): void => {
  const header = Buffer.alloc(header_bytes)
  header.writeUInt32BE(content.byteLength)
  pipe.write(header)
  pipe.write(content)
}

/** Hears whole frames. One that is too long, or that `hear` throws for, destroys the pipe with that error. */
export const onFrame = (pipe: Duplex, most_bytes: number, hear: (content: Buffer) => void): void => {
  let held: Buffer[] = []
  let [size, wanted] = [0, header_bytes]
  let in_header = true
  const take = (): Buffer => {
    const all = Buffer.concat(held)
    size -= wanted
    // Copied, as what is left would hold all that was heard: a transaction's images.
    held = size === 0 ? [] : [Buffer.from(all.subarray(wanted))]
    return all.subarray(0, wanted)
  }
  const next = (): void => {
    const taken = take()
    wanted = in_header ? taken.readUInt32BE() : header_bytes
    in_header = !in_header
    if (wanted > most_bytes) throw new Error(`said more than ${most_bytes} bytes at once`)
    if (in_header) hear(taken)
  }
  pipe.on('data', (chunk: Buffer) => {
    held.push(chunk)
    size += chunk.length
    try {
      while (size >= wanted) next()
    } catch (error) {
      pipe.destroy(asError(error))
    }
  })
}
