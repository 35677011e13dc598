/// <reference lib="esnext.float16" />
import { createBuilder, type GraphBuilder, type Window } from './builder.ts'
import type { OnnxGraph, OnnxTensor } from './onnx.ts'

interface Attribute {
  readonly s?: string
  readonly list?: { readonly s?: readonly string[]; readonly i?: readonly string[] }
  readonly shape?: { readonly dim: readonly { readonly size: string }[] }
}

interface GraphNode {
  readonly name: string
  readonly op: string
  readonly input?: readonly string[]
  readonly attr?: Readonly<Record<string, Attribute>>
}

interface WeightSpec {
  readonly name: string
  readonly shape: readonly number[]
  readonly dtype: string
  readonly quantization?: { readonly dtype: string }
}

/** A graph of TensorFlow.js (`model.json`). */
export interface TfjsGraph {
  readonly modelTopology: { readonly node: readonly GraphNode[] }
  readonly weightsManifest: readonly { readonly weights: readonly WeightSpec[] }[]
}

function readNumbers(bytes: Uint8Array, { name, dtype, quantization }: WeightSpec): ArrayLike<number> {
  const { buffer } = Uint8Array.from(bytes)
  const stored = quantization?.dtype ?? dtype
  if (stored === 'float32') return new Float32Array(buffer)
  if (stored === 'float16') return new Float16Array(buffer)
  if (stored === 'int32') return new Int32Array(buffer)
  throw new Error(`${name}: numbers of type ${stored}`)
}

const sizes: Readonly<Record<string, number>> = { float32: 4, int32: 4, float16: 2 }

/** Reads the weights, which follow each other in the order of the manifest. */
function readWeights(graph: TfjsGraph, bytes: Uint8Array): ReadonlyMap<string, OnnxTensor> {
  let from = 0
  const tensors = graph.weightsManifest
    .flatMap(({ weights }) => weights)
    .map(spec => {
      const count = spec.shape.reduce((product, side) => product * side, 1)
      const to = from + count * (sizes[spec.quantization?.dtype ?? spec.dtype] ?? Number.NaN)
      const data = new Float32Array(readNumbers(bytes.subarray(from, to), spec))
      from = to
      return [spec.name, { dims: spec.shape, data }] as const
    })
  if (from !== bytes.length) throw new Error('the weights of a network are not as long as its manifest says')
  return new Map(tensors)
}

function decodeText(base64 = ''): string {
  return Buffer.from(base64, 'base64').toString()
}

/** The builder and the weights that reading a node needs. */
interface Reader {
  readonly builder: GraphBuilder
  readonly weights: ReadonlyMap<string, OnnxTensor>
}

function weightOf({ weights }: Reader, name = ''): OnnxTensor {
  const weight = weights.get(name)
  if (weight === undefined) throw new Error(`no weights ${name}`)
  return weight
}

function numbersOf(reader: Reader, name?: string): number[] {
  return [...weightOf(reader, name).data].map(Number)
}

function windowOf({ attr = {} }: GraphNode): Window {
  const stride = Number(attr.strides?.list?.i?.[1] ?? 1)
  return { stride, padding: decodeText(attr.padding?.s) === 'SAME' ? 'SAME' : 'VALID' }
}

/** Reads a convolution with its bias, and the operators that are fused to it. */
function readFused(reader: Reader, node: GraphNode): void {
  const { name, input: [layer = '', filter, bias, slopes] = [], attr = {} } = node
  const [, activation] = (attr.fused_ops?.list?.s ?? []).map(decodeText)
  const sum = activation === undefined ? name : `${name} sum`
  const weights = weightOf(reader, filter)
  reader.builder.convolve(sum, layer, { weights, bias: weightOf(reader, bias), ...windowOf(node) })
  if (activation === 'Relu') reader.builder.apply('Relu', name, sum)
  else if (activation === 'Prelu') reader.builder.combine('PRelu', name, sum, weightOf(reader, slopes))
  else if (activation !== undefined) throw new Error(`${name}: activation ${activation}`)
}

type ReadNode = (reader: Reader, node: GraphNode, inputs: readonly string[]) => void

/** The operators of our networks. */
const operators: Readonly<Record<string, ReadNode>> = {
  Const: () => {},
  Placeholder: () => {},
  _FusedConv2D: readFused,
  DepthwiseConv2dNative: (reader, node, [layer = '', filter]) =>
    reader.builder.convolveDepthwise(node.name, layer, {
      weights: weightOf(reader, filter),
      bias: null,
      ...windowOf(node),
    }),
  AddV2: ({ builder, weights }, { name }, [one = '', other = '']) =>
    builder.combine('Add', name, one, weights.get(other) ?? other),
  Prelu: (reader, { name }, [layer = '', slopes]) =>
    reader.builder.combine('PRelu', name, layer, weightOf(reader, slopes)),
  Relu: ({ builder }, { name }, [layer = '']) => builder.apply('Relu', name, layer),
  Sigmoid: ({ builder }, { name }, [layer = '']) => builder.apply('Sigmoid', name, layer),
  MaxPool: ({ builder }, node, [layer = '']) =>
    builder.maxPool(node.name, layer, { size: Number(node.attr?.ksize?.list?.i?.[1]), ...windowOf(node) }),
  Pad(reader, { name }, [layer = '', amounts]) {
    const numbers = numbersOf(reader, amounts)
    const ofSide = (side: 0 | 1): number[] => numbers.filter((_, at) => at % 2 === side)
    reader.builder.pad(name, layer, ofSide(0), ofSide(1))
  },
  ConcatV2(reader, { name }, inputs) {
    const [axis] = numbersOf(reader, inputs.at(-1))
    if (axis !== -1 && axis !== 3) throw new Error(`${name}: joins dimension ${axis}`)
    reader.builder.concat(name, inputs.slice(0, -1))
  },
  Reshape: (reader, { name }, [layer = '', shape]) => reader.builder.reshape(name, layer, numbersOf(reader, shape)),
  Identity: ({ builder }, { name }, [layer = '']) => builder.alias(name, layer),
}

/** Turns a graph of TensorFlow.js into one of ONNX; throws for an operator that none of ours has. */
export function readTfjs(graph: TfjsGraph, bytes: Uint8Array, outputs: readonly string[]): OnnxGraph {
  const { node: nodes } = graph.modelTopology
  const input = nodes.find(({ op }) => op === 'Placeholder')
  if (input === undefined) throw new Error('a network without an input')
  const dims = (input.attr?.shape?.shape?.dim ?? []).map(({ size }) => (Number(size) < 0 ? null : Number(size)))
  const reader = { builder: createBuilder({ name: input.name, dims }), weights: readWeights(graph, bytes) }
  for (const node of nodes) {
    const read = operators[node.op]
    if (read === undefined) throw new Error(`${node.name}: operator ${node.op}`)
    read(reader, node, node.input ?? [])
  }
  return reader.builder.build(outputs)
}
