import { tidy } from '@tensorflow/tfjs-core'

/**
 * Computes something with tensors, and frees them all. The result is not returned by `tidy`, which would search all its
 * numbers for tensors.
 */
export function computeNumbers<Made>(make: () => Made): Made {
  const made: Made[] = []
  tidy(() => {
    made.push(make())
  })
  return made[0] as Made
}
