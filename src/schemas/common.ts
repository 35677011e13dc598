import { decisions, sectionStatuses, transactionTypes } from '@attestor/rules'
import { z } from 'zod'
import { statuses } from '../../machines/words.ts'
import { meaning } from './fields.ts'

/** An identifier in a path or a response. */
export const id = z.uuid({ error: 'not found' }).toLowerCase().meta({
  id: 'Id',
  description: 'A UUID; upper and lower case are the same.',
  example: '0198a1c0-7e5a-7c3e-9f00-0123456789ab',
})

export const timestamp = z.iso
  .datetime()
  .meta({ id: 'Timestamp', description: 'ISO-8601 in UTC with milliseconds.', example: '2026-11-17T12:00:00.000Z' })

export const day = z.iso.date().meta({ id: 'Day', description: 'A date, `YYYY-MM-DD`.', example: '1974-08-12' })

export const country = z.string().length(2).meta({ id: 'Country', description: 'ISO 3166-1 alpha-2.', example: 'SE' })

export const status = z
  .enum(statuses)
  .meta({ id: 'TransactionStatus', description: '`FINISHED`, `FAILED` and `EXPIRED` are final.' })

const transaction_type = z.enum(transactionTypes).meta({
  id: 'TransactionType',
  description:
    'A full onboarding with a document, a step-up of an enrolled person by their face, or an age without a name.',
})

export const transaction_id = id.meta(
  meaning('The verification, by the id that Create transaction returned.', '0198a1c0-7e5a-7c3e-9f00-0123456789ac'),
)

export const customer_id = id.meta(meaning('The person, by the id that Create customer returned.'))

export const currentStatus = status.meta(
  meaning('Where the transaction is in its life; `FINISHED`, `FAILED` and `EXPIRED` are final.', 'FINISHED'),
)

export const typeMeaning = meaning(
  '`DOCUMENT_AND_BIOMETRIC` is a full onboarding, `BIOMETRIC_ONLY` a step-up, `AGE` an age without a name.',
  'DOCUMENT_AND_BIOMETRIC',
)

export const chosenType = transaction_type.meta(typeMeaning)

export const deviceToken = z
  .string()
  .meta(
    meaning(
      'The device’s token, opaque and for this one transaction: it goes into `Authorization: Bearer`.',
      'c2RrLXRva2Vu',
    ),
  )

export const server_time = timestamp.meta(
  meaning('Now, by the server’s clock: a countdown needs no right clock on the device.'),
)

export const stored_at = timestamp.meta(meaning('When the service stored it.'))

/** A JWK set. */
export const jwks = z.object({
  keys: z.array(z.record(z.string(), z.unknown())).meta(meaning('JSON Web Keys (RFC 7517), public members only.', [])),
})

/** An enum that may grow: a client must accept values that it does not know. */
export function openWords<const T extends readonly [string, ...string[]]>(words: T, example: T[number]) {
  return z.enum(words).meta({
    example,
    override: ({ jsonSchema }: { readonly jsonSchema: Record<string, unknown> }) => {
      delete jsonSchema.enum
      // Known to generators of clients by this name.
      jsonSchema['x-extensible-enum'] = [...words]
    },
  })
}

export const next_cursor = z.string().nullable().meta(meaning('Where the next page begins; null at the end.', null))

/** A page of a list. */
export function pageOf<T extends z.ZodType>(item: T) {
  return z.object({
    data: z.array(item).meta(meaning('The entries of this page; an empty list where nothing fits.')),
    next_cursor,
  })
}

export const decision = z.enum(decisions)

/** The times at which a transaction reached its stages. */
export const stageTimes = {
  created_at: stored_at,
  initiated_at: timestamp
    .nullable()
    .meta(meaning('When the device started the session; null before.', '2026-11-17T12:01:00.000Z')),
  completed_at: timestamp
    .nullable()
    .meta(meaning('When the person finished the capture; null before.', '2026-11-17T12:03:00.000Z')),
  processing_at: timestamp
    .nullable()
    .meta(meaning('When the analysis started; null before.', '2026-11-17T12:03:00.100Z')),
  finished_at: timestamp
    .nullable()
    .meta(
      meaning('When it ended as FINISHED or FAILED; null before, and where it expired.', '2026-11-17T12:03:02.000Z'),
    ),
}

/** An object whose members another document describes. */
export const anyObject = z.record(z.string(), z.unknown())

export const text = z.string().nullable()

export const sectionStatus = z.enum(sectionStatuses).meta({
  id: 'SectionStatus',
  description: 'What a section comes to; `NOT_EXECUTED` where it did not apply.',
})
