/**
 * Every limit that faces and liveness are judged by. "Photographs" are the public pictures, of both halves, that
 * `bench/pictures/faces.json` lists; bench/results/real.md has what they give there. "Drawn" was
 * measured by `node bench/face.ts` on heads that belong to nobody. Rates differ between groups of people.
 */

export const faceThreshold = {
  /**
   * Landmarks of two pictures of one person differ by more than a homography: 0.011–0.025 of the eye distance between
   * pictures of one drawn person, 0.002–0.012 between copies of one picture.
   */
  samePictureResidual: 0.01,
} as const

/** The requirements of a selfie to be compared. */
export const qualityThreshold = {
  /**
   * A narrower face has too little detail for its distance to mean anything. Photographs shrunk to 80, 60, 48 and 36 pixels
   * from cheek to cheek against others of the person as they were: 0.8, 0.8, 0.8 and 3.2 % beyond the limit of a match, as
   * they were 0.5 %. A selfie's gates want some more.
   */
  minWidth: 60,
  minPortraitWidth: 48,
  /** The nose's distance from the middle towards a cheek. A selfie with a larger yaw compares badly. */
  maxYaw: 0.6,
  /** The ears' line below the eyes', of the face's height. Photographs at rest: 98 % from -0.03 to 0.2. */
  maxPitch: 0.2,
  /** Degrees. BlazeFace was trained on faces within 45° of upright. */
  maxRoll: 40,
  /** Mean absolute Laplacian of the aligned face. */
  minSharpness: 1.5,
  /** FaceMesh’s own certainty. Photographs: bare faces at least 0.999997 but for two, overexposed; masks less but for one of seven. */
  minCertainty: 0.99999,
  /** The lids' gap over the eye's width, the wider eye's. Photographs: open 0.12 and more, laughing too; shut 0.03–0.15. */
  minEyeOpening: 0.12,
  /** Brightness below the eyes and twice their contrast. Photographs: bare eyes and clear glasses 0.72 and more, dark ones 0.3–0.7, some with bright lenses up to 2.4. */
  minEyesSeen: 0.7,
  /** How much below the eyes has the colour of a lens. Photographs: bare eyes and clear glasses 0.21 and less; dark ones mostly more, or their eyes unseen. */
  maxLensColour: 0.24,
  /** Chromaticity of the lips against that around them. Photographs: bare lips 0.01 and more; a hand or mask drawn over them mostly 0.006 and less. */
  minLipColour: 0.008,
  /** A picture with less is called one without colour. Photographs: grey ones 0, others 0.03 and more. */
  minColourfulness: 0.01,
  /** Spread of brightness from nose to chin, in that of the skin. Photographs: bare faces 0.042 and more but for four of 1,260; half of the masks less. */
  minMouthContrast: 0.04,
} as const

/** Following a challenge. A video replay or an injected stream passes all of it. */
export const livenessThreshold = {
  /** The nose's way from the middle to a cheek, in the direction asked. Photographs: 2.5 % of honest turns are less than 0.5. */
  yaw: 0.5,
  /** How much less the eyes are open than in the selfie. Photographs of 15 people: open, and winks, 0.35 and less, shut 0.41 and more. */
  blink: 0.37,
  /** How much wider the inner lips gape than in the selfie, and the mouth contrasts, less by how much the mouth is wider. Synthetic: at rest 0.11 and less, open 0.15 and more. Photographs of 15 people: open 0.25 and more but for one, others 0.11 and less but for two of 110. */
  mouth: 0.125,
  /** How wide the lips may part in a look upwards, of what they do in the frame of an open mouth. Synthetic: up to 0.24. */
  parted: 0.5,
  /** How much the ears fall and the nose rises against the eyes. Synthetic: at rest 0.058 and less, by 15–27° 0.067 and more. */
  lookUp: 0.066,
  /** A blink, a mouth and a look upwards are measured on a face turned no further than this. */
  frontal: 0.45,
  /** Residual of the best homography from the selfie, in eye distances; a flat picture stays below. */
  planarity: 0.05,
  /** How much two pictures of a face differ where it does not move. Synthetic: copies 0.009 and less, a face held still 0.007 and more. */
  repetition: 0.005,
  /**
   * How much around the face stays when it turns both ways, after the whole picture's own movement. Photographs of 14 people,
   * the calibration half of `bench/turned_people.ts`: 0.82 and less; a rendered face before the photo that it is made of 0.89
   * and more, and often less where the whole photo is moved.
   */
  surroundings: 0.85,
  /** Correlation of the skin's colour with the order of the screen's, where it follows some order. Two orders agree by less in 19 of 20 pairs. */
  screenLight: 0.7,
  /**
   * How much a challenge's frames but one differ from those of earlier transactions. Synthetic (`bench/replays.ts`):
   * copies, re-encoded, mostly less; taken again on the same seat in the same light 0.03 and more.
   */
  earlierDifference: 0.01,
} as const
