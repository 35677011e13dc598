import { z } from 'zod'
import { rule } from '../schemas/fields.ts'

/** The largest share that breaks of lines add (RFC 2045: one after 76 characters; PEM: after 64). */
const breaks = 1.04

/** Base64 with breaks of lines or without (Android breaks them by default), url-safe or not, padded or not; null: none. */
function readBase64(text: string): Buffer | null {
  const signs = text.replace(/\s/g, '')
  if (!/^[A-Za-z0-9+/_-]+={0,2}$/.test(signs)) return null
  const padded = signs.endsWith('==') ? 2 : signs.endsWith('=') ? 1 : 0
  // One sign holds no byte.
  return (signs.length - padded) % 4 === 1 ? null : Buffer.from(signs, 'base64')
}

/** The bytes of a file, as they were read, in base64. */
export function fileField(maxBytes: number) {
  const error = `must be a file of 1 to ${maxBytes} bytes in base64`
  const maxLength = Math.ceil(Math.ceil(maxBytes / 3) * 4 * breaks)
  return z
    .string({ error: rule(error) })
    .refine(text => text.length <= maxLength, { error, abort: true })
    .transform((text, context) => {
      const bytes = readBase64(text)
      if (bytes !== null && bytes.length > 0 && bytes.length <= maxBytes) return bytes
      context.addIssue({ code: 'custom', message: error })
      return z.NEVER
    })
    .meta({ override: { type: 'string', contentEncoding: 'base64', minLength: 1, maxLength } })
}
