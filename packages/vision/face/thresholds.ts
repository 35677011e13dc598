/**
 * Every limit by which faces and liveness are judged. "Photographs" are the public pictures, of both halves, that
 * `packages/vision/bench/pictures/faces.json` lists; lab/bench/results/real.md has their results. "Drawn" was measured
 * by `node packages/vision/bench/face.ts` on heads that belong to nobody. Rates differ between groups of people.
 */

/**
 * The honest people that a limit loses, counted on those of a list of `packages/vision/bench/pictures` on whom it was
 * not set.
 */
export interface MeasuredLoss {
  /** Name of the list. Its file states whether it shows people in colour. */
  readonly set: string
  readonly people: number
  /** Number of pictures or challenges, and number of those that the limit loses. */
  readonly tried: number
  readonly lost: number
  /** Upper end of the 95 % interval, in percent: Wilson's, or the rule of three if none is lost. */
  readonly below: number
}

/** A limit with its cost. `npm run check` fails if real people are missing. */
export interface MeasuredLimit {
  readonly limit: number
  readonly loss: MeasuredLoss
}

function limitsOf<Name extends string>(
  measured: Readonly<Record<Name, MeasuredLimit>>,
): Readonly<Record<Name, number>> {
  const limits = Object.entries<MeasuredLimit>(measured).map(([name, { limit }]) => [name, limit])
  return Object.fromEntries(limits) as Record<Name, number>
}

/** Counts ordinary portraits: a frame of a video may be a blink, or taken from afar. */
function ofPortraits(lost: number, below: number): MeasuredLoss {
  return { set: 'unseen_faces', people: 396, tried: 523, lost, below }
}

/** Counts frames of people in colour video that look ahead. */
function ofFrames(lost: number, below: number): MeasuredLoss {
  return { set: 'people_in_video', people: 75, tried: 1875, lost, below }
}

/**
 * Counts challenges of people in colour video in which the limit had a part. Their frames are those that the page
 * takes. So these figures show whether the analysis takes them too, and not how long a person tries. Up to twenty
 * challenges are drawn from the frames of one person, so that the interval by people is wider.
 */
function ofChallenges(people: number, tried: number, lost: number, below: number): MeasuredLoss {
  return { set: 'people_in_video', people, tried, lost, below }
}

/** The limits by which a selfie is a copy of the portrait. */
export const measuredCopies = {
  /**
   * Landmarks of two pictures of one person differ by more than a homography: 0.011–0.025 of the eye distance between
   * pictures of one drawn person, 0.002–0.012 between copies of one picture. `lost` are pairs of two pictures of one
   * person that are reported as one.
   */
  samePictureResidual: { limit: 0.01, loss: { set: 'unseen_faces', people: 25, tried: 950, lost: 5, below: 1.23 } },
} as const satisfies Readonly<Record<string, MeasuredLimit>>

/** See `measuredCopies`. */
export const faceThreshold = limitsOf(measuredCopies)

/** The requirements of a selfie to be compared. */
export const measuredQuality = {
  /**
   * A narrower face has too little detail for its distance to mean anything. Photographs were shrunk to 80, 60, 48 and
   * 36 pixels from cheek to cheek and compared with others of the person in full size: 0.8, 0.8, 0.8 and 3.2 % were
   * beyond the limit of a match, in full size 0.5 %. A selfie's gates want some more.
   */
  minWidth: { limit: 60, loss: ofPortraits(1, 1.08) },
  minPortraitWidth: { limit: 48, loss: { set: 'unseen_faces', people: 25, tried: 81, lost: 0, below: 3.7 } },
  /**
   * Documents whose portrait the face is. Of 1,258 faces of people, also those of `faces`, none was taken for one; of
   * 106 on pictures of real documents 93 were.
   */
  maxDocuments: { limit: 0, loss: { set: 'unseen_faces', people: 58, tried: 167, lost: 0, below: 1.8 } },
  /** Distance of the nose from the middle towards a cheek. A selfie with a larger yaw compares badly. */
  maxYaw: { limit: 0.6, loss: ofFrames(0, 0.16) },
  /**
   * Distance of the ears' line below the eyes', as a share of the face's height. Photographs at rest: 98 % from -0.03
   * to 0.2.
   */
  maxPitch: { limit: 0.2, loss: ofFrames(5, 0.62) },
  /** Angle of the eyes' line in degrees. BlazeFace was trained on faces within 45° of upright. */
  maxRoll: { limit: 40, loss: ofFrames(0, 0.16) },
  /** Mean absolute Laplacian of the aligned face. */
  minSharpness: { limit: 1.5, loss: ofFrames(0, 0.16) },
  /**
   * FaceMesh’s own certainty. Photographs: bare faces at least 0.999997 but for two, overexposed; masks less but for
   * one of seven.
   */
  minCertainty: { limit: 0.99999, loss: ofFrames(7, 0.77) },
  /**
   * The lids' gap over the eye's width, the wider eye's. Photographs: open 0.12 and more, laughing too; shut 0.03–0.15.
   */
  minEyeOpening: { limit: 0.12, loss: ofPortraits(0, 0.57) },
  /**
   * Brightness below the eyes and twice their contrast. Photographs: bare eyes and clear glasses 0.72 and more, dark
   * ones 0.3–0.7, some with bright lenses up to 2.4.
   */
  minEyesSeen: { limit: 0.7, loss: ofFrames(1, 0.3) },
  /**
   * Share of the skin below the eyes that has the colour of a lens. Photographs: bare eyes and clear glasses 0.21 and
   * less; dark ones mostly more, or their eyes unseen.
   */
  maxLensColour: { limit: 0.24, loss: ofFrames(0, 0.16) },
  /**
   * Chromaticity of the lips against that around them. Photographs: bare lips 0.01 and more; a hand or mask drawn over
   * them mostly 0.006 and less.
   */
  minLipColour: { limit: 0.008, loss: ofFrames(0, 0.16) },
  /** A picture with less is called one without colour. Photographs: grey ones 0, others 0.03 and more. */
  minColourfulness: { limit: 0.01, loss: ofFrames(0, 0.16) },
  /**
   * Spread of brightness from nose to chin, in that of the skin. Photographs: bare faces 0.042 and more but for four of
   * 1,260; half of the masks less.
   */
  minMouthContrast: { limit: 0.04, loss: ofFrames(2, 0.39) },
} as const satisfies Readonly<Record<string, MeasuredLimit>>

/** See `measuredQuality`. */
export const qualityThreshold = limitsOf(measuredQuality)

/** The limits of a challenge. A video replay or an injected stream passes all of them. */
export const measuredLiveness = {
  /** Distance of the nose from the middle to a cheek, in the direction asked. */
  yaw: { limit: 0.5, loss: ofChallenges(21, 366, 0, 0.82) },
  /**
   * A turn beyond this hides half of the face, which may then compare as another person's: in colour video all frames
   * that were beyond the limit of `continuity` had turned by 1.3 and more.
   */
  farthestYaw: { limit: 1.25, loss: ofChallenges(21, 366, 0, 0.82) },
  /**
   * Closing of the eyes since the selfie, 0 to 1. Photographs of 15 people: open, and winks, 0.35 and less, shut 0.41
   * and more.
   */
  blink: { limit: 0.37, loss: ofChallenges(42, 432, 0, 0.7) },
  /**
   * Gain of the inner lips' gap and of the mouth's contrast over the selfie, less the gain of its width. Synthetic: at
   * rest 0.11 and less, open 0.15 and more. Photographs of 15 people: open 0.25 and more but for one, others 0.11 and
   * less but for two of 110.
   */
  mouth: { limit: 0.125, loss: ofChallenges(36, 157, 0, 1.92) },
  /**
   * Fall of the lips since the selfie in an open mouth (`Expression.mouthDrop`). Photographs of 15 people: surprised
   * 0.08 and more but for one whose mouth is shut, smiles 0.027 and less; grins of press photographs 0.068 and less.
   */
  mouthDrop: { limit: 0.07, loss: ofChallenges(36, 157, 0, 1.92) },
  /**
   * The most that the lips may part in a look upwards, as a share of their parting in the frame of an open mouth.
   * Synthetic: up to 0.24. Nobody in colour video shows both: `lost` are looks upwards with lips as far apart as an
   * open mouth's, of people who talk, at most.
   */
  parted: { limit: 0.5, loss: ofChallenges(15, 87, 14, 25.22) },
  /**
   * Fall of the ears and rise of the nose against the eyes. Synthetic: at rest 0.058 and less, by 15–27° 0.067 and
   * more.
   */
  lookUp: { limit: 0.066, loss: ofChallenges(17, 69, 0, 4.35) },
  /** A blink, a mouth and a look upwards are measured on a face turned no further than this. */
  frontal: { limit: 0.45, loss: ofChallenges(60, 599, 0, 0.5) },
  /**
   * Residual of the best homography from the selfie, in eye distances; a flat picture stays below. The page asks for a
   * turn until it is reached.
   */
  planarity: { limit: 0.05, loss: ofChallenges(21, 366, 0, 0.82) },
  /**
   * Share of the face's surroundings that stays when it turns both ways, after the whole picture's own movement. People
   * in colour video 0.71 and less; a rendered face before the photo that it is made of 0.89 and more, and often less
   * where the whole photo is moved.
   */
  surroundings: { limit: 0.85, loss: ofChallenges(21, 366, 0, 0.82) },
  /**
   * Difference of a challenge's frames, but for one, from those of earlier transactions. Synthetic
   * (`packages/vision/bench/replays.ts`): copies, re-encoded, mostly less; taken again on the same seat in the same
   * light 0.03 and more.
   */
  earlierDifference: { limit: 0.01, loss: ofChallenges(6, 83, 0, 3.62) },
} as const satisfies Readonly<Record<string, MeasuredLimit>>

/** See `measuredLiveness`. */
export const livenessThreshold = limitsOf(measuredLiveness)
