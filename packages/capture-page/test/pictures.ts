import type { Buffer } from 'node:buffer'
import { noise } from '../../../test/noise.ts'
import { anotherTake } from '../../../test/service/client.ts'

const drawn = noise(1200, 900, 220).jpeg({ quality: 90 }).toBuffer()
const drawnBlurred = noise(1200, 900, 220).blur(9).linear(6, -640).jpeg({ quality: 90 }).toBuffer()

/** A picture that nothing can be said against, and that no other call gives. */
export async function sharpPicture(): Promise<Buffer> {
  return anotherTake(await drawn)
}

export async function blurredPicture(): Promise<Buffer> {
  return anotherTake(await drawnBlurred)
}
