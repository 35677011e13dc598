import { toCountry } from '@attestor/rules'

/** Certificates' countries of states whose certificates name another country than the zone's code. */
const others: Readonly<Record<string, readonly string[]>> = {
  // Hong Kong and Macao have roots of their own, and their passports say CHN.
  CHN: ['CN', 'HK', 'MO'],
  // Organisations, with the codes that ICAO 9303 part 3 gives them for certificates.
  UNO: ['UN'],
  UNA: ['UN'],
  EUE: ['EU'],
  XOM: ['XO'],
  XPO: ['XP'],
  UTO: ['UT'],
  // Kosovo, whose certificates say KS.
  RKS: ['KS', 'XK'],
  UNK: ['UN', 'KS', 'XK'],
  XKX: ['KS', 'XK'],
}

/** The countries of certificates that a zone's issuing state may have. */
export function listCountries(issuingState: string | null): readonly string[] {
  if (issuingState === null) return []
  if (issuingState.length === 2) return [issuingState]
  return others[issuingState] ?? [toCountry(issuingState)].filter(country => country !== null)
}

/** Whether a zone's issuing state is a certificate's country: no state's signer may speak for another state. */
export function isStateOf(country: string, issuingState: string | null): boolean {
  return listCountries(issuingState).includes(country)
}
