import type { Random } from '@attestor/vision/synthetic'

/** One to four changes: bytes and bits changed, cut out, doubled, or a length that lies. */
export function mutate(file: Buffer, random: Random): Buffer {
  let bytes = Buffer.from(file)
  for (let change = 0; change <= random.below(4); change++) {
    const at = random.below(bytes.length)
    const length = 1 + random.below(32)
    const way = random.below(5)
    if (way === 0) bytes[at] = random.below(256)
    else if (way === 1) bytes[at] = (bytes[at] ?? 0) ^ (1 << random.below(8))
    else if (way === 2) bytes = Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + length)])
    else if (way === 3) bytes = Buffer.concat([bytes.subarray(0, at + length), bytes.subarray(at)])
    else bytes[at] = [0x30, 0x80, 0x84, 0xa0, 0xff][random.below(5)] ?? 0
    if (bytes.length === 0) return bytes
  }
  return bytes
}
