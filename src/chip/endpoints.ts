import { chipAbsences } from '@attestor/rules'
import { z } from 'zod'
import { json, largeJsonBody } from '../http/content.ts'
import { defineEndpoint } from '../http/endpoint.ts'
import { fileField } from '../http/file_field.ts'
import { sessionPrefix } from '../http/paths.ts'
import { id, server_time, timestamp } from '../schemas/common.ts'
import { idField, meaning, objectField, wordField } from '../schemas/fields.ts'
import { type ChipCall, issueChipChallenge as issue, putChip as put, requireChipStep } from './capture.ts'

const challenge = z
  .object({
    challenge_id: id.meta(meaning('Names the challenge in `active_authentication`.')),
    challenge: z.string().meta(meaning('Eight random bytes in base64, for the chip to sign.', 'AQIDBAUGBwg=')),
    expires_at: timestamp.meta(meaning('Until when an answer is taken.')),
    server_time,
  })
  .meta({ id: 'ChipChallenge' }) satisfies z.ZodType<Awaited<ReturnType<typeof issue>>>

export const issueChipChallenge = defineEndpoint({
  method: 'post',
  path: `${sessionPrefix}/document/chip/challenge`,
  operationId: 'issueChipChallenge',
  summary: 'Ask for a challenge for the document’s chip',
  description:
    'For active authentication: a chip that answers it is no copy. A challenge is used once, and a new one voids an earlier one.',
  tag: 'Device',
  authentication: 'sdk_token',
  responses: { 201: json('A challenge.', challenge) },
  errors: [409],
  async handler({ caller }, { transactions }) {
    return { status: 201, body: await issue(transactions, caller) }
  },
})

const kibibyte = 1024

const files = {
  dg1: fileField(kibibyte)
    .nullish()
    .meta(
      meaning('DG1, the machine-readable zone, or a driving licence’s data. Needed, unless `unavailable`.', 'AQIDBA=='),
    ),
  dg2: fileField(512 * kibibyte)
    .nullish()
    .meta(meaning('DG2, the portrait. Needed, unless `unavailable`, or `dg6` is there.', 'AQIDBA==')),
  dg6: fileField(512 * kibibyte)
    .nullish()
    .meta(meaning('DG6 of a driving licence, the portrait. Needed in place of DG2.', 'AQIDBA==')),
  dg11: fileField(32 * kibibyte)
    .nullish()
    .meta(meaning('DG11, details of the person.', 'AQIDBA==')),
  dg12: fileField(64 * kibibyte)
    .nullish()
    .meta(meaning('DG12, details of the document.', 'AQIDBA==')),
  dg13: fileField(8 * kibibyte)
    .nullish()
    .meta(meaning('DG13 of a driving licence, the key for active authentication.', 'AQIDBA==')),
  dg14: fileField(8 * kibibyte)
    .nullish()
    .meta(meaning('DG14, the chip’s protocols.', 'AQIDBA==')),
  dg15: fileField(8 * kibibyte)
    .nullish()
    .meta(meaning('DG15, the key for active authentication.', 'AQIDBA==')),
}

const chipBody = objectField({
  unavailable: wordField(chipAbsences)
    .nullish()
    .meta(meaning('Why nothing was read; the files are then left out. It is reported, and never passes.', 'NO_NFC')),
  sod: fileField(64 * kibibyte)
    .nullish()
    .meta(meaning('EF.SOD, what the state signed. Needed, unless `unavailable`.', 'AQIDBA==')),
  ...files,
  active_authentication: objectField({
    challenge_id: idField().meta(
      meaning('The challenge that the chip signed.', '0198a1c0-7e5a-7c3e-9f00-0123456789ad'),
    ),
    response: fileField(kibibyte).meta(meaning('The chip’s answer to INTERNAL AUTHENTICATE.', 'AQIDBA==')),
  })
    .nullish()
    .meta(meaning('The chip’s answer to a challenge, if it has DG15, or DG13 of a driving licence.')),
})
  .superRefine((body, context) => {
    if (body.unavailable != null) return
    const portrait = body.dg6 == null ? (['dg2'] as const) : []
    for (const name of ['sod', 'dg1', ...portrait] as const)
      if (body[name] == null) context.addIssue({ code: 'custom', path: [name], message: 'is required' })
  })
  .meta({ example: { unavailable: 'NO_NFC' } })

const receipt = z
  .object({
    accepted: z.literal(true).meta(meaning('What was read is stored: always true, as anything else is an error.')),
    changed_files: z
      .array(z.enum(['dg1', 'dg2', 'dg6', 'dg11', 'dg12', 'dg13', 'dg14', 'dg15']))
      .meta(meaning('Files that are not those that the state signed: read the chip again. Empty where all are.', [])),
    attempts_left: z.number().int().meta(meaning('Reads that are left.', 9)),
  })
  .meta({ id: 'ChipResponse' }) satisfies z.ZodType<Awaited<ReturnType<typeof put>>>

function toCall(body: z.output<typeof chipBody>): ChipCall {
  const { unavailable, sod, active_authentication, ...groups } = body
  if (unavailable != null) return { unavailable }
  const read = Object.entries(groups).filter(([, file]) => file != null)
  return {
    sod: sod ?? Buffer.alloc(0),
    data_groups: Object.fromEntries(read),
    active_authentication: active_authentication ?? null,
  }
}

export const putChip = defineEndpoint({
  method: 'put',
  path: `${sessionPrefix}/document/chip`,
  operationId: 'putChip',
  summary: 'Hand over what was read of the document’s chip',
  description:
    'The files as a reader read them, in base64, at most 1 MiB in all; or why nothing was read. Only where `config.document_policy.chip` asks for it.',
  tag: 'Device',
  authentication: 'sdk_token',
  request: { body: largeJsonBody({ max_bytes: 1024 * kibibyte, admit: requireChipStep }, chipBody) },
  responses: { 200: json('Accepted.', receipt) },
  errors: [409, 410, 422],
  own_codes: ['unusable_capture', 'signature_refused'],
  async handler({ caller, body, ctx }, { transactions }) {
    return { status: 200, body: await put(transactions, caller, toCall(body), ctx.state.signed ?? null) }
  },
})
