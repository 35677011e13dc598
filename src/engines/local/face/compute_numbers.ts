import { tidy } from '@tensorflow/tfjs-core'

/**
 * What is made of tensors, none of which outlives it. Nothing is returned from `tidy` itself, which would look for tensors
 * in every number of it.
 */
export const computeNumbers = <Made>(make: () => Made): Made => {
  const made: Made[] = []
  tidy(() => {
    made.push(make())
  })
  return made[0] as Made
}
