import { faceOutputs, type RunNetwork } from '@attestor/vision/guidance'
import { loadGraphModel } from '@tensorflow/tfjs-converter'
import { type io, type Tensor, tensor4d, tidy } from '@tensorflow/tfjs-core'

/** The side of each network's input in pixels. */
const sides = { blazeface: 256, facemesh: 192, iris: 64 } as const

/** Opens a network from its description and its weights. */
export async function openNetwork(
  name: keyof typeof faceOutputs,
  json: io.ModelJSON,
  weightData: ArrayBuffer,
): Promise<RunNetwork> {
  const artifacts: io.ModelArtifacts = {
    modelTopology: json.modelTopology,
    weightSpecs: json.weightsManifest.flatMap(group => group.weights),
    weightData,
    ...(json.signature === undefined ? {} : { signature: json.signature }),
  }
  const model = await loadGraphModel({ load: async () => artifacts })
  const side = sides[name]
  const outputs = faceOutputs[name].map(output => `${output}:0`)
  return async pictures => {
    const made: Float32Array[] = []
    // It is not returned by `tidy`, which would search all numbers for tensors.
    tidy(() => {
      const input = tensor4d(pictures, [pictures.length / (3 * side * side), side, side, 3])
      for (const tensor of [model.execute(input, outputs)].flat() as Tensor[]) made.push(tensor.dataSync<'float32'>())
    })
    return made
  }
}
