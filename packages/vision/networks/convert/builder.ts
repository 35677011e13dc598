import type { OnnxGraph, OnnxNode, OnnxTensor } from './onnx.ts'

/**
 * The way that a window moves over a picture. With `SAME` its edges are filled with zeros, and the result is as large.
 */
export interface Window {
  readonly stride: number
  readonly padding: 'SAME' | 'VALID'
}

/** A filter, and the bias that is added to its sums. */
export interface Filter extends Window {
  /** Shape (height, width, in, out); for a filter of each channel alone (height, width, channels, 1). */
  readonly weights: OnnxTensor
  readonly bias: OnnxTensor | null
}

/**
 * Builds a graph of ONNX out of layers in TensorFlow's words: a picture's dimensions are picture, row, column, channel,
 * while ONNX has the channels before the rows. A layer's name is its result's.
 */
export interface GraphBuilder {
  convolve(name: string, input: string, filter: Filter): void
  /** Filters each channel alone. */
  convolveDepthwise(name: string, input: string, filter: Filter): void
  maxPool(name: string, input: string, window: Window & { readonly size: number }): void
  apply(op: 'Relu' | 'Abs' | 'Sigmoid', name: string, input: string): void
  /** Combines a layer with `other`, which is a layer, or a number for each channel. */
  combine(op: 'Add' | 'Sub' | 'Mul' | 'PRelu', name: string, input: string, other: string | OnnxTensor): void
  pad(name: string, input: string, before: readonly number[], after: readonly number[]): void
  /** Joins channels. */
  concat(name: string, inputs: readonly string[]): void
  reshape(name: string, input: string, shape: readonly number[]): void
  /** Gives a layer another name. */
  alias(name: string, input: string): void
  build(outputs: readonly string[]): OnnxGraph
}

const lastToFirst = [0, 3, 1, 2]
const firstToLast = [0, 2, 3, 1]

function permute(dims: readonly number[], order: readonly number[]): number[] {
  return order.map(at => dims[at] ?? 0)
}

/** Transposes (height, width, in, out) to (out, in, height, width). */
function transposeFilter({ dims, data }: OnnxTensor): OnnxTensor {
  const [height = 0, width = 0, depth = 0, out = 0] = dims
  const spots = height * width
  const values = new Float32Array(data.length)
  for (let spot = 0; spot < spots; spot++)
    for (let i = 0; i < depth; i++)
      for (let o = 0; o < out; o++) values[(o * depth + i) * spots + spot] = Number(data[(spot * depth + i) * out + o])
  return { dims: [out, depth, height, width], data: values }
}

function toInt64(values: readonly number[]): OnnxTensor {
  return { dims: [values.length], data: BigInt64Array.from(values, BigInt) }
}

/** Begins a graph with its input; a null dimension has any size. */
export function createBuilder(input: OnnxGraph['input']): GraphBuilder {
  const nodes: OnnxNode[] = []
  const tensors = new Map<string, OnnxTensor>()
  const aliases = new Map<string, string>()
  const nameOf = (name: string): string => aliases.get(name) ?? name
  const store = (name: string, tensor: OnnxTensor): string => {
    tensors.set(name, tensor)
    return name
  }
  const add = (
    op: string,
    output: string,
    inputs: readonly string[],
    attributes: OnnxNode['attributes'] = {},
  ): void => {
    nodes.push({ op, inputs: inputs.map(nameOf), output, attributes })
  }
  const toAttributes = ({ stride, padding }: Window, kernel_shape: readonly number[]) => ({
    auto_pad: padding === 'SAME' ? 'SAME_UPPER' : 'VALID',
    kernel_shape,
    strides: [stride, stride],
  })
  const addFilter = (name: string, layer: string, { weights, bias, ...window }: Filter, group: number): void => {
    const parts = [layer, store(`${name} filter`, weights), ...(bias === null ? [] : [store(`${name} bias`, bias)])]
    add('Conv', name, parts, { ...toAttributes(window, weights.dims.slice(2)), group })
  }
  add('Transpose', `${input.name} first`, [input.name], { perm: lastToFirst })
  aliases.set(input.name, `${input.name} first`)
  return {
    convolve: (name, layer, filter) =>
      addFilter(name, layer, { ...filter, weights: transposeFilter(filter.weights) }, 1),
    convolveDepthwise(name, layer, filter) {
      const { dims, data } = transposeFilter(filter.weights)
      const [, channels = 0, height = 0, width = 0] = dims
      addFilter(name, layer, { ...filter, weights: { dims: [channels, 1, height, width], data } }, channels)
    },
    maxPool: (name, layer, { size, ...window }) => add('MaxPool', name, [layer], toAttributes(window, [size, size])),
    apply: (op, name, layer) => add(op, name, [layer]),
    combine(op, name, layer, other) {
      if (typeof other === 'string') return add(op, name, [layer, other])
      const { data } = other
      add(op, name, [layer, store(`${name} other`, { dims: data.length === 1 ? [1] : [data.length, 1, 1], data })])
    },
    pad: (name, layer, before, after) =>
      add('Pad', name, [
        layer,
        store(`${name} pads`, toInt64([...permute(before, lastToFirst), ...permute(after, lastToFirst)])),
      ]),
    concat: (name, layers) => add('Concat', name, layers, { axis: 1 }),
    reshape(name, layer, shape) {
      add('Transpose', `${name} last`, [layer], { perm: firstToLast })
      add('Reshape', name, [`${name} last`, store(`${name} shape`, toInt64(shape))])
    },
    alias: (name, layer) => void aliases.set(name, nameOf(layer)),
    build: outputs => ({ input, nodes, tensors, outputs: outputs.map(nameOf) }),
  }
}
