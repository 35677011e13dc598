import { parsePhoneNumberFromString } from 'libphonenumber-js/min'

const maxEmailLength = 254

/**
 * Checks the shape only: lengths of RFC 5321, one `@`, a domain of two labels or more. Dots may stand anywhere before the
 * `@`: Japanese providers gave out `docomo..user@` for years. Only a message shows whether anybody reads it.
 */
export function isEmail(text: string): boolean {
  const [, local, domain] = /^([^@]{1,64})@([^@]+)$/u.exec(text) ?? []
  if (local === undefined || domain === undefined || text.length > maxEmailLength) return false
  const readable = /^[^\s"(),:;<>[\]\\\p{Cc}\p{Cs}]+$/u
  const label = /^[\p{L}\p{N}]([\p{L}\p{N}\p{M}-]{0,61}[\p{L}\p{N}\p{M}])?$/u
  const labels = domain.split('.')
  return readable.test(local) && labels.length > 1 && labels.every(part => label.test(part))
}

/** `+` and 7 to 15 digits (E.164). */
export function isPhoneShaped(text: string): boolean {
  return /^\+\d{7,15}$/.test(text)
}

/**
 * Checks that the country exists and that its numbers can have that many digits. It does not check number ranges, which
 * change too often.
 */
export function isPossiblePhone(text: string): boolean {
  return parsePhoneNumberFromString(text)?.isPossible() === true
}
