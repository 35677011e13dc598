import type { Buffer } from 'node:buffer'
import { noise } from '../../../test/noise.ts'
import { anotherTake } from '../../../test/service/client.ts'

let sharp: Promise<Buffer> | null = null
let blurred: Promise<Buffer> | null = null

/** A picture that nothing can be said against, and that no other call gives. */
export async function sharpPicture(): Promise<Buffer> {
  sharp ??= noise(1200, 900, 220).jpeg({ quality: 90 }).toBuffer()
  return anotherTake(await sharp)
}

export async function blurredPicture(): Promise<Buffer> {
  blurred ??= noise(1200, 900, 220).blur(9).linear(6, -640).jpeg({ quality: 90 }).toBuffer()
  return anotherTake(await blurred)
}
