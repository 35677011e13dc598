import type { Layer } from '../zone/network.ts'

/** Writes the file that `unpackNetwork` reads. */
export function packNetwork(network: readonly Layer[]): Buffer {
  return Buffer.concat(
    network.map(({ weights, biases }) => {
      const part = Buffer.alloc(4 + weights.length * 2 + biases.length * 4)
      const scale = weights.reduce((most, weight) => Math.max(most, Math.abs(weight)), 1e-9) / 32_767
      part.writeFloatLE(scale, 0)
      weights.forEach((weight, at) => {
        part.writeInt16LE(Math.max(-32_767, Math.min(32_767, Math.round(weight / scale))), 4 + at * 2)
      })
      biases.forEach((bias, at) => {
        part.writeFloatLE(bias, 4 + weights.length * 2 + at * 4)
      })
      return part
    }),
  )
}
