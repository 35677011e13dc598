/**
 * Writes a network as a file of ONNX (https://github.com/onnx/onnx/blob/main/onnx/onnx.proto3), which the runtime
 * loads. It has only the parts that our networks need: tensors of floats and of 64-bit integers, and attributes of
 * integers and text.
 */

import { type Field, writeBytes, writeInteger, writeMessage, writeText } from './protobuf.ts'

export interface OnnxTensor {
  readonly dims: readonly number[]
  /** Floats, or 64-bit integers (shapes and paddings). */
  readonly data: Float32Array | BigInt64Array
}

export interface OnnxNode {
  readonly op: string
  readonly inputs: readonly string[]
  readonly output: string
  readonly attributes?: Readonly<Record<string, string | number | readonly number[]>>
}

export interface OnnxGraph {
  /** A null dimension may have any size. */
  readonly input: { readonly name: string; readonly dims: readonly (number | null)[] }
  readonly nodes: readonly OnnxNode[]
  readonly tensors: ReadonlyMap<string, OnnxTensor>
  readonly outputs: readonly string[]
}

/** Version of the operators: 17 has all that are written, in the form used here. */
const opset = 17
const irVersion = 8
const floatType = 1
const int64Type = 7
const attributeType = { int: 2, text: 3, ints: 7 } as const

function writeAttribute([name, value]: readonly [string, string | number | readonly number[]]): Field {
  const own = writeText(1, name)
  if (typeof value === 'string')
    return writeMessage(5, [own, writeText(4, value), writeInteger(20, attributeType.text)])
  if (typeof value === 'number')
    return writeMessage(5, [own, writeInteger(3, value), writeInteger(20, attributeType.int)])
  return writeMessage(5, [own, ...value.map(one => writeInteger(8, one)), writeInteger(20, attributeType.ints)])
}

function writeNode({ op, inputs, output, attributes = {} }: OnnxNode): Field {
  return writeMessage(1, [
    ...inputs.map(input => writeText(1, input)),
    writeText(2, output),
    writeText(4, op),
    ...Object.entries(attributes).map(writeAttribute),
  ])
}

export function writeTensor([name, { dims, data }]: readonly [string, OnnxTensor]): Field {
  return writeMessage(5, [
    ...dims.map(side => writeInteger(1, side)),
    writeInteger(2, data instanceof Float32Array ? floatType : int64Type),
    writeText(8, name),
    writeBytes(9, new Uint8Array(data.buffer, data.byteOffset, data.byteLength)),
  ])
}

function writeValue(field: number, name: string, dims: readonly (number | null)[] | null): Field {
  const sides = dims?.map((side, at) =>
    writeMessage(1, [side === null ? writeText(2, `d${at}`) : writeInteger(1, side)]),
  )
  const type = [writeInteger(1, floatType), ...(sides === undefined ? [] : [writeMessage(2, sides)])]
  return writeMessage(field, [writeText(1, name), writeMessage(2, [writeMessage(1, type)])])
}

/** Returns the bytes of a graph's file. */
export function encodeOnnx({ input, nodes, tensors, outputs }: OnnxGraph): Uint8Array {
  const fields = [
    writeInteger(1, irVersion),
    writeMessage(8, [writeInteger(2, opset)]),
    writeMessage(7, [
      ...nodes.map(writeNode),
      writeText(2, 'graph'),
      ...[...tensors].map(writeTensor),
      writeValue(11, input.name, input.dims),
      ...outputs.map(output => writeValue(12, output, null)),
    ]),
  ]
  return Buffer.concat(fields.flat())
}
