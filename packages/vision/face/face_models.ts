/**
 * Runs a network over square pictures of its own size, one after the other: RGB floats in the range that it was trained
 * on. Resolves with a list of numbers for each of its outputs.
 */
export type RunNetwork = (pictures: Float32Array) => Promise<readonly Float32Array[]>

/**
 * The networks that find faces, their landmarks and their lids: MediaPipe's BlazeFace, FaceMesh and iris network. The
 * service (`networks/session.ts`) and the capture page run them, each on its own runtime.
 */
export interface FaceModels {
  /** Takes 256 px, -1 to 1. Returns scores and boxes, in any order. */
  readonly detector: RunNetwork
  /** Takes 192 px, 0 to 1. Returns landmarks (x, y, z in pixels), and the logistic certainty that there is a face. */
  readonly mesh: RunNetwork
  /** Takes 64 px, 0 to 1. Returns the contours of eyes whose outer corner is on the left. */
  readonly iris: RunNetwork
}

/** The outputs that are read, by their names in the graphs of `@vladmandic/human`. */
export const faceOutputs = {
  blazeface: ['Identity', 'Identity_1', 'Identity_2', 'Identity_3'],
  facemesh: ['Identity_2', 'Identity_1'],
  iris: ['Identity'],
} as const
