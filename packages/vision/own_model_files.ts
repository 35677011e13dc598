import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { z } from 'zod'
import type { EmbeddingModel } from './face/embedding.ts'

const number = z.number()

/** The input of a model: a square of a picture. */
const input = z.strictObject({
  /** Side of the square, in pixels. */
  side: z.int().min(16).max(1024),
  /** Order of the input's dimensions: pictures, channels, rows, columns; or pictures, rows, columns, channels. */
  layout: z.enum(['NCHW', 'NHWC']).default('NCHW'),
  colours: z.enum(['RGB', 'BGR']).default('RGB'),
  /** A channel of 0 to 255 becomes (value − mean) / divisor. */
  mean: number,
  divisor: number.positive(),
})

export type ModelInput = z.infer<typeof input>

const name = z.string().regex(/^[\w.-]{1,60}$/, 'must be 1 to 60 letters, digits, dots, dashes or underscores')
const point = z.tuple([number, number])
const distance = number.min(0).max(2)

const face = z.strictObject({
  name,
  input,
  points: z.tuple([point, point, point, point, point]),
  limits: z.strictObject({
    accept_below: z.strictObject({ '0.01': distance, '0.001': distance, '0.0001': distance }),
    reject_above: distance,
    same_picture: distance,
    continuity: distance,
    nearest: distance,
    strangers: z.strictObject({ mean: distance, deviation: distance.positive() }).exactOptional(),
  }),
})

const liveness = z.strictObject({
  name,
  input,
  /** Side of the square around the face, in widths of the face from cheek to cheek. */
  surroundings: number.min(1).max(5),
  /** Index of the output that is the score of a live person. */
  live_output: z.int().min(0).max(100),
  /** Whether the outputs are first converted into shares of one. */
  softmax: z.boolean().default(false),
  /** The least score of a live person. */
  limit: number,
})

/** A passive liveness model: the cut of a face that it needs, and the meaning of its outputs. */
export type LivenessModel = z.infer<typeof liveness>

/** A model of the operator's: its network and its description. */
export interface OwnModel<Description> {
  readonly bytes: Buffer
  readonly input: ModelInput
  readonly description: Description
}

/** Returns the name of the description `model.json` beside `model.onnx`. */
export function toDescriptionFile(file: string): string {
  return file.replace(/(\.onnx)?$/, '.json')
}

function readDescription<T>(schema: z.ZodType<T>, file: string): { readonly text: string; readonly value: T } {
  const text = readFileSync(file, 'utf8')
  const parsed = schema.safeParse(JSON.parse(text))
  if (parsed.success) return { text, value: parsed.data }
  const [issue] = parsed.error.issues
  throw new Error(`${file}: ${issue?.path.join('.')}: ${issue?.message}`)
}

function read<T extends { readonly name: string }>(schema: z.ZodType<T>, file: string) {
  const { text, value } = readDescription(schema, toDescriptionFile(file))
  const bytes = readFileSync(file)
  const digest = createHash('sha256').update(bytes).update(text).digest('hex')
  // The bytes and the description are part of the name: another network, or another cut for it, is another model.
  return { bytes, value: { ...value, name: `${value.name}/${digest.slice(0, 12)}` } }
}

/** @throws {Error} that names the file and the field */
export function readFaceModel(file: string): OwnModel<EmbeddingModel> {
  const { bytes, value } = read(face, file)
  const { input: own, ...rest } = value
  const { side, colours, mean, divisor } = own
  return { bytes, input: own, description: { ...rest, side, colours, mean, divisor } }
}

/** @throws {Error} that names the file and the field */
export function readLivenessModel(file: string): OwnModel<LivenessModel> {
  const { bytes, value } = read(liveness, file)
  return { bytes, input: value.input, description: value }
}
