import { alpha3ToAlpha2, getAlpha2Codes, getAlpha3Codes, isValid } from 'i18n-iso-countries/index.js'
import { codesBesideIso } from './icao_codes.ts'

/** Every code of a state or nationality that a zone may have, as three characters with fillers. */
export const icaoCodes: readonly string[] = [
  ...new Set([...Object.keys(getAlpha3Codes()), ...Object.keys(codesBesideIso)]),
].map(code => code.padEnd(3, '<'))

/** ISO 3166-1 alpha-2. */
export const countryCodes: readonly string[] = Object.keys(getAlpha2Codes()).sort()

/** Whether a code is ICAO's, with or without fillers. */
export function isIcaoCode(code: string): boolean {
  return icaoCodes.includes(code.padEnd(3, '<'))
}

/** ISO 3166-1 alpha-2 of an ICAO issuing state or nationality (`D`, `GBN`, `FRA`); null where there is no country. */
export function toCountry(code: string | null): string | null {
  const plain = code?.replaceAll('<', '').trim().toUpperCase() ?? ''
  if (Object.hasOwn(codesBesideIso, plain)) return codesBesideIso[plain] ?? null
  return plain.length === 3 ? (alpha3ToAlpha2(plain) ?? null) : null
}

/** Whether a code is one of ISO 3166-1 alpha-2, in capitals: not `ZZ`, `EU` and other codes without a country. */
export function isCountry(code: string): boolean {
  return /^[A-Z]{2}$/.test(code) && isValid(code)
}
