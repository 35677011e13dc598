import { createBuilder, type Filter, type GraphBuilder } from './builder.ts'
import type { OnnxGraph, OnnxTensor } from './onnx.ts'

/**
 * A table of a flatbuffer (https://flatbuffers.dev/internals): fields by their number in TensorFlow Lite's schema.fbs,
 * each at an offset that its table of offsets has, or absent.
 */
class Table {
  readonly #view: DataView
  readonly #at: number

  constructor(view: DataView, at: number) {
    this.#view = view
    this.#at = at
  }

  #find(field: number): number | null {
    const offsets = this.#at - this.#view.getInt32(this.#at, true)
    const place = 4 + 2 * field
    const offset = place < this.#view.getUint16(offsets, true) ? this.#view.getUint16(offsets + place, true) : 0
    return offset === 0 ? null : this.#at + offset
  }

  #follow(at: number): number {
    return at + this.#view.getUint32(at, true)
  }

  byte(field: number): number {
    const at = this.#find(field)
    return at === null ? 0 : this.#view.getInt8(at)
  }

  int(field: number): number {
    const at = this.#find(field)
    return at === null ? 0 : this.#view.getInt32(at, true)
  }

  table(field: number): Table {
    const at = this.#find(field)
    if (at === null) throw new Error(`a table has no field ${field}`)
    return new Table(this.#view, this.#follow(at))
  }

  #vector(field: number): { readonly from: number; readonly length: number } {
    const at = this.#find(field)
    if (at === null) return { from: 0, length: 0 }
    const vector = this.#follow(at)
    return { from: vector + 4, length: this.#view.getUint32(vector, true) }
  }

  tables(field: number): Table[] {
    const { from, length } = this.#vector(field)
    return Array.from({ length }, (_, n) => new Table(this.#view, this.#follow(from + 4 * n)))
  }

  ints(field: number): number[] {
    const { from, length } = this.#vector(field)
    return Array.from({ length }, (_, n) => this.#view.getInt32(from + 4 * n, true))
  }

  /** A copy, as numbers of a file may begin at any byte. They have the byte order of every machine that Node runs on. */
  floats(field: number): Float32Array {
    const { from, length } = this.#vector(field)
    const { buffer, byteOffset } = this.#view
    return new Float32Array(buffer.slice(byteOffset + from, byteOffset + from + length))
  }
}

const floatType = 0

/** Transposes (out, height, width, in) to (height, width, in, out). */
function toFilter({ dims: [out = 0, height = 0, width = 0, depth = 0], data }: OnnxTensor): OnnxTensor {
  const values = new Float32Array(data.length)
  const size = height * width * depth
  for (let o = 0; o < out; o++) for (let at = 0; at < size; at++) values[at * out + o] = Number(data[o * size + at])
  return { dims: [height, width, depth, out], data: values }
}

/** Transposes (1, height, width, channels) to (height, width, channels, 1). */
function toDepthwiseFilter({ dims: [, height = 0, width = 0, channels = 0], data }: OnnxTensor): OnnxTensor {
  return { dims: [height, width, channels, 1], data }
}

/** A layer as its operator's reader sees it. */
interface Node {
  readonly builder: GraphBuilder
  readonly name: string
  /** The input tensors: names of layers, or numbers. */
  readonly inputs: readonly (string | OnnxTensor)[]
  readonly options: () => Table
  /** Shape of the output tensor. */
  readonly shape: readonly number[]
}

function layerOf({ name, inputs: [layer] }: Node): string {
  if (typeof layer !== 'string') throw new Error(`${name}: begins with numbers`)
  return layer
}

/** Reads the filter of a convolution. `activation` is the number of the field that names an activation after it. */
function filterOf({ name, inputs: [, weights, bias], options }: Node, activation: number): Filter {
  const fields = options()
  if (typeof weights !== 'object' || typeof bias === 'string') throw new Error(`${name}: a filter without weights`)
  if (fields.byte(activation) !== 0) throw new Error(`${name}: an activation in a convolution`)
  return { weights, bias: bias ?? null, stride: fields.int(1), padding: fields.byte(0) === 0 ? 'SAME' : 'VALID' }
}

function combine(op: 'Add' | 'Sub' | 'Mul') {
  return (node: Node): void => {
    const [one, other = ''] = node.inputs
    if (op !== 'Sub' && typeof one === 'object' && typeof other === 'string')
      node.builder.combine(op, node.name, other, one)
    else node.builder.combine(op, node.name, layerOf(node), other)
  }
}

/** The operators of our network, by their codes in schema.fbs. */
const operators: Readonly<Record<number, (node: Node) => void>> = {
  0: combine('Add'),
  3(node) {
    const filter = filterOf(node, 3)
    node.builder.convolve(node.name, layerOf(node), { ...filter, weights: toFilter(filter.weights) })
  },
  4(node) {
    const filter = filterOf(node, 4)
    node.builder.convolveDepthwise(node.name, layerOf(node), { ...filter, weights: toDepthwiseFilter(filter.weights) })
  },
  18: combine('Mul'),
  19: node => node.builder.apply('Relu', node.name, layerOf(node)),
  // The file has a fixed number of pictures, which nothing in it needs.
  22: node => node.builder.reshape(node.name, layerOf(node), [-1, ...node.shape.slice(1)]),
  41: combine('Sub'),
  101: node => node.builder.apply('Abs', node.name, layerOf(node)),
}

/**
 * Turns a network of TensorFlow Lite whose numbers are floats into one of ONNX; throws for an operator that ours does
 * not have.
 */
export function readTflite(bytes: Uint8Array): OnnxGraph {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const model = new Table(view, view.getUint32(0, true))
  const buffers = model.tables(4)
  const codes = model.tables(1).map(code => Math.max(code.byte(0), code.int(3)))
  const [graph] = model.tables(2)
  if (graph === undefined) throw new Error('a network without a graph')
  const tensors = graph.tables(0)
  const shapeOf = (n = -1): number[] => tensors[n]?.ints(0) ?? []
  const nameOf = (n = -1): string => `t${n}`
  const read = (n: number): string | OnnxTensor => {
    const tensor = tensors[n]
    if (tensor?.byte(1) !== floatType) return nameOf(n)
    const data = buffers[tensor.int(2)]?.floats(0)
    return data === undefined || data.length === 0 ? nameOf(n) : { dims: shapeOf(n), data }
  }
  const [input = -1] = graph.ints(1)
  const builder = createBuilder({ name: nameOf(input), dims: [null, ...shapeOf(input).slice(1)] })
  for (const operator of graph.tables(3)) {
    const [output] = operator.ints(2)
    const name = nameOf(output)
    const code = codes[operator.int(0)] ?? -1
    const add = operators[code]
    if (add === undefined) throw new Error(`${name}: operator ${code}`)
    const inputs = operator.ints(1).map(read)
    add({ builder, name, inputs, options: () => operator.table(4), shape: shapeOf(output) })
  }
  return builder.build(graph.ints(2).map(nameOf))
}
