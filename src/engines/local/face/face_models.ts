import { type GraphModel, loadGraphModel } from '@tensorflow/tfjs-converter'
import type { io } from '@tensorflow/tfjs-core'

/** What finds faces, their landmarks and their lids, in the service and on the capture page. */
export interface FaceModels {
  readonly detector: GraphModel
  readonly mesh: GraphModel
  readonly iris: GraphModel
}

/** Opens a network from its description and its weights. */
export function openGraphModel(json: io.ModelJSON, weightData: ArrayBuffer): Promise<GraphModel> {
  const artifacts: io.ModelArtifacts = {
    modelTopology: json.modelTopology,
    weightSpecs: json.weightsManifest.flatMap(group => group.weights),
    weightData,
    ...(json.signature === undefined ? {} : { signature: json.signature }),
  }
  return loadGraphModel({ load: async () => artifacts })
}
