import type { Point } from '../geometry/pixels.ts'
import { measureDistance } from '../geometry/similarity.ts'
import type { Appearance } from './appearance.ts'
import type { EyeOpenings } from './iris.ts'
import { getPoint, type Landmarks } from './landmarks.ts'

/** The pose and the expression of a face, independent of its tilt and size. */
export interface Expression {
  /** Nose between the cheeks: -1 at the picture's left cheek, 1 at its right one, beyond them in a profile. */
  readonly yaw: number
  /** Distance of the ears' line below the eyes', over the face's height: larger when looking up. */
  readonly pitch: number
  /** Angle of the eyes' line in the picture, in degrees. */
  readonly roll: number
  /** The opening of each eye (`iris.ts`); null if it was not measured. */
  readonly eyeOpenings: EyeOpenings | null
  /**
   * Gap of the inner lips over the mouth's width, plus the mouth's contrast, as landmarks alone may take teeth for a
   * lip. The mouth's width in the eyes' is subtracted, as a smile, which shows teeth too, is wide.
   */
  readonly mouthOpening: number
  /**
   * Distance of the middle of the inner lips below the base of the nose, over the eyes' distance. A jaw that opens
   * lowers it; a smile lifts the upper lip as far as it lowers the other one.
   */
  readonly mouthDrop: number
  /** Height of the nose's tip between the eyes' line (0) and the chin (1): smaller when looking up. */
  readonly noseHeight: number
}

export function measureExpression(
  landmarks: Landmarks,
  { mouthContrast }: Appearance,
  eyeOpenings: EyeOpenings | null,
): Expression {
  const at = (name: Parameters<typeof getPoint>[1]): Point => getPoint(landmarks, name)
  const leftEye = at('left_eye_outer')
  const rightEye = at('right_eye_outer')
  // Everything is measured along the line of the eyes, so that a tilted head measures like an upright one.
  const length = measureDistance(leftEye, rightEye) || 1
  const ux = (rightEye[0] - leftEye[0]) / length
  const uy = (rightEye[1] - leftEye[1]) / length
  const along = ([x, y]: Point): number => x * ux + y * uy
  const down = ([x, y]: Point): number => y * ux - x * uy
  const left = at('left_cheek')
  const right = at('right_cheek')
  const eyeLine = (down(leftEye) + down(rightEye)) / 2
  const width = measureDistance(at('mouth_left'), at('mouth_right'))
  const height = down(at('chin')) - down(at('forehead')) || 1
  return {
    yaw: (2 * along(at('nose_tip')) - along(left) - along(right)) / (along(right) - along(left) || 1),
    pitch: ((down(left) + down(right)) / 2 - eyeLine) / height,
    roll: (Math.atan2(uy, ux) * 180) / Math.PI,
    eyeOpenings,
    mouthOpening: measureDistance(at('upper_lip'), at('lower_lip')) / (width || 1) + mouthContrast - width / length,
    mouthDrop: ((down(at('upper_lip')) + down(at('lower_lip'))) / 2 - down(at('nose_base'))) / length,
    noseHeight: (down(at('nose_tip')) - eyeLine) / (down(at('chin')) - eyeLine || 1),
  }
}
