import { parsePhoneNumberFromString } from 'libphonenumber-js/min'

const maxEmailLength = 254

/**
 * A deliverable shape (RFC 5321 lengths), not the whole of RFC 5322: one `@`, a domain of two labels or more. Whether
 * anyone reads it, only a message tells.
 */
export const isEmail = (text: string): boolean => {
  const [, local, domain] = /^([^@]{1,64})@([^@]+)$/u.exec(text) ?? []
  if (local === undefined || domain === undefined || text.length > maxEmailLength) return false
  const readable = /^[^\s"(),:;<>[\]\\\p{Cc}\p{Cs}]+$/u
  const label = /^[\p{L}\p{N}]([\p{L}\p{N}\p{M}-]{0,61}[\p{L}\p{N}\p{M}])?$/u
  const labels = domain.split('.')
  return (
    readable.test(local) &&
    local.split('.').every(part => part !== '') &&
    labels.length > 1 &&
    labels.every(part => label.test(part))
  )
}

/** `+` and 7 to 15 digits (E.164). */
export const isPhoneShaped = (text: string): boolean => /^\+\d{7,15}$/.test(text)

/**
 * Of a country that exists, and with as many digits as its numbers can have. Whether a range is in service changes too
 * often to be refused for.
 */
export const isPossiblePhone = (text: string): boolean => parsePhoneNumberFromString(text)?.isPossible() === true
