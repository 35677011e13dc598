import { z } from 'zod'
import { parseId } from '../base/ids.ts'
import { idField, meaning, rule } from '../schemas/fields.ts'

/** A query parameter that is given once, or not at all. */
export const single = z.string({ error: rule('must be given once') })

export function wordParameter<const T extends readonly [string, ...string[]]>(words: T) {
  return single
    .pipe(z.enum(words, { error: `must be ${words.slice(0, -1).join(', ')} or ${words.at(-1)}` }))
    .meta({ override: { enum: [...words] } })
}

/** Several words: a repeated parameter, or separated by commas. */
export function wordsParameter<const T extends string>(words: readonly T[], example?: T) {
  return z
    .union([z.string(), z.array(z.string())])
    .transform((given, context): readonly T[] => {
      const named = [given].flat().flatMap(item => item.split(','))
      const isWrong = named.some(name => !words.some(word => word === name))
      if (isWrong) context.addIssue({ code: 'custom', message: `must be of ${words.join(', ')}` })
      return words.filter(word => named.includes(word))
    })
    .meta(meaning(`Of ${words.join(', ')}; several by commas, or given again.`, example))
}

export const idParameter = idField('must be given once')

/** Several ids, separated by commas. */
export function idsParameter(max: number) {
  const error = `must be 1 to ${max} UUIDs, separated by commas`
  return single
    .transform((text, context): readonly string[] => {
      const ids = text.split(',', max + 1).flatMap(one => parseId(one) ?? [])
      if (ids.length !== text.split(',').length || ids.length > max)
        context.addIssue({ code: 'custom', message: error })
      return ids
    })
    .meta(meaning(`Up to ${max}, separated by commas.`))
}

const notATimestamp = 'must be a timestamp such as 2026-11-17T12:00:00.000Z'

/** A timestamp, as epoch milliseconds. */
export const timeParameter = single
  .refine(text => z.iso.datetime().safeParse(text).success && text.length <= 32, { error: notATimestamp })
  .transform(text => Date.parse(text))
  .meta({ override: { format: 'date-time' } })

/** A list's pages are asked for in turn. */
export const cursorParameter = single
  .optional()
  .meta(meaning('The `next_cursor` of the page before. Valid for this list only, with the same parameters.'))

/** Selects entries of a list by the time of their creation. */
export const createdParameters = {
  created_from: timeParameter
    .optional()
    .meta(meaning('Only what was created at this time or later.', '2026-11-17T00:00:00.000Z')),
  created_to: timeParameter
    .optional()
    .meta(meaning('Only what was created before this time.', '2026-11-18T00:00:00.000Z')),
}

/** The size of a page. */
export function limitParameter(max: number, defaultLimit: number) {
  const error = `must be an integer from 1 to ${max}`
  return single
    .refine(text => /^\d{1,4}$/.test(text) && Number(text) >= 1 && Number(text) <= max, { error })
    .transform(Number)
    .default(defaultLimit)
    .meta({
      ...meaning('How many entries a page has at most.', 20),
      override: { type: 'integer', minimum: 1, maximum: max, default: defaultLimit },
    })
}

const maxWaitSeconds = 60

/** The longest wait of a long poll. */
export const waitParameter = single
  .refine(text => /^\d{1,3}$/.test(text) && Number(text) <= maxWaitSeconds, {
    error: `must be an integer from 0 to ${maxWaitSeconds}`,
  })
  .transform(Number)
  .default(0)
  .meta({ override: { type: 'integer', minimum: 0, maximum: maxWaitSeconds, default: 0 } })
