import {
  documentTypes,
  livenessActions,
  livenessMethods,
  mrzFormats,
  printFields,
  unacceptedKinds,
} from '@attestor/rules'
import { z } from 'zod'

const text = z.string().min(1).max(200)
/** Text that consists of fillers counts as absent. */
const field = z
  .string()
  .max(200)
  .transform(text => (/[^\s<]/.test(text) ? text : null))
  .nullable()
  .default(null)
const digits = z.string().regex(/^[\d<]{6}$/)
/** Null where nothing was measured: two zeros would pass as a measurement. */
const measured = z
  .object({ score: z.number(), threshold: z.number() })
  .refine(({ score, threshold }) => score !== 0 || threshold !== 0, 'must be null where nothing was measured')
  .nullable()
  .default(null)
const share = z.number().min(0).max(1)
/** Similarities and shares, 0 to 1. */
const measuredShare = z.object({ score: share, threshold: share }).nullable().default(null)
const maxModels = 20
const maxActions = 10
const actionNumbers = Array.from({ length: maxActions }, (_, n) => n)
const engine = z.object({
  name: text,
  version: text,
  models: z
    .record(z.string().max(100), z.string().regex(/^[0-9a-f]{64}$/))
    // Bounded, because the trace repeats them for every rule.
    .refine(models => Object.keys(models).length <= maxModels, `must be at most ${maxModels}`)
    .default({}),
})
const codes = z
  .array(z.string().regex(/^[\w.:-]{1,64}$/))
  .max(50)
  .default([])

/** Shares of a picture; corners may be outside it. */
const place = { x: z.number().min(-1).max(2), y: z.number().min(-1).max(2) }
const box = z.object({ x: share, y: share, width: share, height: share }).nullable().default(null)
const corner = z.object(place)
const corners = z.tuple([corner, corner, corner, corner])
const quad = corners.nullable().default(null)
const regions = z
  .partialRecord(
    z.enum(['document_front', 'document_back', 'selfie', ...actionNumbers.map(n => `frame_${n}`)]),
    z.object({
      outline: quad,
      zone: quad,
      barcode: quad,
      fields: z.partialRecord(z.enum(printFields), corners).default({}),
      portrait: box,
      face: box,
    }),
  )
  .optional()

const mrz = z.object({
  format: z.enum(mrzFormats),
  lines: z.array(z.string().max(60)).max(3).default([]),
  valid: z.boolean(),
  corrected_characters: z.int().min(0).default(0),
  document_code: z.string().min(1).max(3),
  issuing_state: field,
  nationality: field,
  document_number: field,
  personal_number: field,
  last_name: field,
  first_name: field,
  date_of_birth: digits.nullable().default(null),
  expiry_date: digits.nullable().default(null),
  sex: z.enum(['F', 'M', 'X']).nullable().default(null),
  not_printed: z
    .array(z.enum(['last_name', 'first_name']))
    .max(1)
    .default([]),
  check_digits: z
    .array(z.object({ name: text, passed: z.boolean() }))
    .max(20)
    .default([]),
})

const day = z.iso.date().nullable().default(null)
const printedTexts = {
  document_number: field,
  last_name: field,
  first_name: field,
  date_of_birth: day,
  issue_date: day,
  expiry_date: day,
}
const unprinted = z
  .array(z.enum(['last_name', 'first_name', 'date_of_birth', 'expiry_date']))
  .max(4)
  .default([])
const barcode = z.object({
  format: z.literal('AAMVA'),
  version: z.int().min(0).max(99),
  document_type: z.enum(['DRIVING_LICENSE', 'ID_CARD']),
  issuing_country: z.enum(['USA', 'CAN']).nullable().default(null),
  jurisdiction: field,
  ...printedTexts,
  sex: z.enum(['F', 'M', 'X']).nullable().default(null),
  not_printed: unprinted,
  truncated: z
    .array(z.enum(['last_name', 'first_name']))
    .max(2)
    .default([]),
})

const print = z.object({
  layout: z.string().max(100).default(''),
  document_type: z.enum(documentTypes),
  issuing_country: z
    .string()
    .regex(/^[A-Z]{2}$/)
    .nullable()
    .default(null),
  ...printedTexts,
  not_printed: unprinted,
  confirmed: z.array(z.enum(printFields)).max(6).default([]),
})

const visual = z.object({
  lines: z.array(z.array(z.string().max(100)).max(100)).max(200),
  legibility: z.object({ score: z.number(), threshold: z.number() }),
})

const document = z.object({
  engine,
  codes,
  regions,
  reading: z.enum(['READ', 'NOT_READABLE', 'UNSUPPORTED']),
  unaccepted_kind: z.enum(unacceptedKinds).nullable().default(null),
  mrz: mrz.nullable().default(null),
  barcode: barcode.nullable().default(null),
  print: print.nullable().default(null),
  portrait_found: z.boolean(),
  sides_match: z.boolean().nullable().default(null),
  portrait_apart: z.boolean().optional(),
  missing_side: z.enum(['FRONT', 'BACK']).nullable().default(null),
  visual: visual.nullable().default(null),
  visual_surname: measuredShare,
  glare: measuredShare,
  colour: measuredShare,
})

const liveness = z.object({
  engine,
  codes,
  regions,
  method: z.enum(livenessMethods),
  challenge: z
    .array(z.object({ action: z.enum(livenessActions), passed: z.boolean().nullable(), measured }))
    .max(maxActions)
    .default([]),
  planarity: measured,
  continuity: measured,
  surroundings: measured,
  presence: measured,
})

const chipComparison = z.object({
  distance: z.number().min(0).nullable(),
  similarity: measuredShare,
  same_picture: z.boolean().default(false),
  picture_distance: measured,
  picture_residual: measured,
})

const face = z.object({
  engine,
  codes,
  regions,
  faces_in_selfie: z.int().min(0),
  second_face: measured,
  face_width: z.number().nullable().default(null),
  usable: z.boolean(),
  reference: z.enum(['DOCUMENT', 'ENROLLED_FACE']).nullable(),
  distance: z.number().min(0).nullable(),
  accept_below: z.number().positive(),
  reject_above: z.number(),
  similarity: measuredShare,
  same_picture: z.boolean().default(false),
  picture_distance: measured,
  picture_residual: measured,
  reference_outdated: z.boolean().default(false),
  chip: chipComparison.nullable().default(null),
  template: z
    .object({ model: text, values: z.array(z.number()).min(1).max(4096) })
    .nullable()
    .default(null),
})

/** The sections that were asked for, as in `findings.ts`. Unknown members are ignored. */
export const responseSchema = z.object({
  transaction_id: z.string().optional(),
  document: document.optional(),
  liveness: liveness.optional(),
  face: face.optional(),
  /** Sent back to the service with later requests about the same image. */
  kept: z
    .string()
    .max(64 * 2 ** 10)
    .optional(),
})

export type EngineResponse = z.infer<typeof responseSchema>
