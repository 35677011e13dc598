import { toCountry } from '../../decision/countries.ts'

/** Where the country of the certificates is not that of the zone's code. */
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

/** Whether a zone's issuing state is a certificate's country: no state's signer may speak for another state. */
export function isStateOf(country: string, issuingState: string | null): boolean {
  if (issuingState === null || country === '') return false
  return others[issuingState]?.includes(country) ?? toCountry(issuingState) === country
}
