/**
 * Every limit that faces and liveness are judged by. "Synthetic" was measured by `node test/bench/face.ts` on heads that
 * belong to nobody; "photographs" before the project began, on pictures that it does not hold. Bias between groups of
 * people was never measured.
 */

/** Comparing two faces, on dlib's distance. */
export const faceThreshold = {
  /** Photographs: 0 false matches of 524 pairs at both limits; 2.6–3.9 % of honest pairs lie between them. */
  accept_below: 0.5,
  reject_above: 0.6,
  /**
   * Two different pictures of one person hardly come this near, and their landmarks differ by more than a homography:
   * 0.011–0.025 of the eye distance between pictures of one synthetic person, 0.002–0.012 between copies of one picture.
   */
  same_picture: 0.2,
  same_picture_residual: 0.01,
} as const

/** What a selfie must be to be compared. */
export const qualityThreshold = {
  /** A narrower face has too little detail for its distance to mean anything. Pixels, photographs. */
  min_width: 80,
  /** The nose's way to a cheek. A selfie turned further compares badly. Synthetic: neutral heads stay under 0.29. */
  max_turn: 0.6,
  /** The ears' line below the eyes', of the face's height. Synthetic: at rest 0.00–0.15, looking up by 15–27° 0.11–0.25. */
  max_pitch: 0.17,
  min_pitch: -0.06,
  /** Degrees. BlazeFace was trained on faces within 45° of upright. */
  max_roll: 40,
  /** Mean absolute Laplacian of the aligned face, photographs. */
  min_sharpness: 1.5,
  /** Eyes' opening times their contrast. Synthetic: open 0.042 and more, shut 0.032 and less. */
  min_eye_opening: 0.037,
  /** Brightness of shut-looking eyes in that of the skin: darker ones are behind dark glasses. */
  dark_eyes: 0.35,
  /** Contrast of one eye in that of the other. Synthetic: bare faces 0.3 and more; a hand over one eye 0.01–0.3. */
  min_eye_balance: 0.2,
  /** Chromaticity around the mouth against the upper face. Synthetic: bare faces 0.018 and less, masks and most scarves of their own colour 0.03 and more. */
  max_mouth_colour: 0.027,
  /** Chromaticity of the lips against that around them. Synthetic: bare faces 0.006 and more, hands and masks of the skin's colour 0.008 and less. */
  min_lip_colour: 0.004,
  /** Chromaticity below the eyes against the upper face. Synthetic: bare faces 0.019 and less, dark and reflecting glasses 0.041 and more. */
  max_below_eyes_colour: 0.03,
  /** Spread of brightness from nose to chin, in that of the skin. Synthetic: bare faces 0.105 and more, masks 0.12 and less. */
  min_mouth_contrast: 0.095,
} as const

/** Following a challenge. A video replay or an injected stream passes all of it. */
export const livenessThreshold = {
  /** The nose's way from the middle to a cheek, in the direction asked. Photographs: 2.5 % of honest turns are less than 0.5. */
  turn: 0.5,
  /** How much less the eyes are open than in the selfie. Synthetic: open 0.37 and less, shut 0.69 and more. */
  blink: 0.5,
  /** How much wider the inner lips gape than in the selfie, and how much more the mouth contrasts. Synthetic: at rest 0.11 and less, open 0.15 and more. */
  mouth: 0.125,
  /** How wide the lips may part in a look upwards, of what they do in the frame of an open mouth. Synthetic: up to 0.24. */
  parted: 0.5,
  /** How much the ears fall and the nose rises against the eyes. Synthetic: at rest 0.058 and less, by 15–27° 0.067 and more. */
  look_up: 0.066,
  /** A blink, a mouth and a look upwards are measured on a face turned no further than this. */
  frontal: 0.45,
  /** Residual of the best homography from the selfie, in eye distances; a flat picture stays below. */
  planarity: 0.05,
  /**
   * What no sheet explains of both turns, in half heights of the face. Synthetic: heads turned by 27° and more both ways
   * 0.062 and more, by 20–27° 0.052–0.076; bent and folded prints that turn as far as a head 0.027–0.064, 6 of 134 more
   * than this.
   */
  relief: 0.058,
  /** Distance of a frame's face to the selfie's; more is another person. */
  continuity: 0.62,
  /** How much two pictures of a face differ where it does not move. Synthetic: copies 0.009 and less, a face held still 0.007 and more. */
  repetition: 0.005,
  /**
   * How much a challenge's frames but one differ from those of earlier transactions. Synthetic (`test/bench/replays.ts`):
   * copies, encoded anew, mostly less; taken anew on the same seat in the same light 0.03 and more.
   */
  seen_before: 0.01,
} as const
