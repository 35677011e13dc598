import type { GraphModel } from '@tensorflow/tfjs-converter'

/** What finds faces and their landmarks, in the service and on the capture page: BlazeFace and FaceMesh. */
export interface FaceModels {
  readonly detector: GraphModel
  readonly mesh: GraphModel
}
