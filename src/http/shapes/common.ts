import { z } from 'zod'
import { statuses } from '../../verification/transactions/definition.ts'

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

export const transaction_type = z.enum(['DOCUMENT_AND_BIOMETRIC', 'BIOMETRIC_ONLY']).meta({
  id: 'TransactionType',
  description: 'A full onboarding with a document, or a step-up of an enrolled person by their face.',
})

/** An enum that may grow: a client must accept values that it does not know. */
export function openWords<const T extends readonly [string, ...string[]]>(words: T, example: T[number]) {
  return z.enum(words).meta({
    examples: [example],
    override: ({ jsonSchema }: { readonly jsonSchema: Record<string, unknown> }) => {
      delete jsonSchema.enum
      // Known to generators of clients by this name.
      jsonSchema['x-extensible-enum'] = [...words]
    },
  })
}

/** A page of a list. */
export function pageOf<T extends z.ZodType>(item: T) {
  return z.object({
    data: z.array(item),
    next_cursor: z.string().nullable().meta({ description: 'Where the next page begins; null at the end.' }),
  })
}

export const decision = z.enum(['APPROVED', 'REJECTED', 'UNDETERMINED'])

/** When a transaction reached its stages. */
export const stageTimes = {
  created_at: timestamp,
  initiated_at: timestamp.nullable(),
  completed_at: timestamp.nullable(),
  processing_at: timestamp.nullable(),
  finished_at: timestamp.nullable(),
}

/** An object whose members another document describes. */
export const anyObject = z.record(z.string(), z.unknown())
