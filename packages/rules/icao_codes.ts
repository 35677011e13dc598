/**
 * Codes of issuing states and nationalities in documents beside those of ISO 3166-1, with the country that they mean today
 * (alpha-2). Null: none, or more than one.
 */
type Codes = Readonly<Record<string, string | null>>

/** ICAO 9303-3 section 5, parts B to D: Germany, the kinds of British nationality, organisations, people of no state. */
const ofIcao: Codes = {
  D: 'DE',
  GBD: 'GB',
  GBN: 'GB',
  GBO: 'GB',
  GBP: 'GB',
  GBS: 'GB',
  // United Nations: the organisation, a specialised agency, its mission in Kosovo.
  UNO: null,
  UNA: null,
  UNK: 'XK',
  // African Development Bank, Afreximbank, CARICOM, Council of Europe, COMESA, ECOWAS, European Union.
  XBA: null,
  XIM: null,
  XCC: null,
  XCE: null,
  XCO: null,
  XEC: null,
  EUE: null,
  // Eastern Caribbean States, Assembly of the Mediterranean, Order of Malta, Interpol, Southern African Community.
  XES: null,
  XMP: null,
  XOM: null,
  XPO: null,
  XDC: null,
  // Stateless people, refugees by the convention and others, an unknown nationality.
  XXA: null,
  XXB: null,
  XXC: null,
  XXX: null,
  // Utopia of the specimens.
  UTO: null,
}

/** No standard lists them; documents bear them. */
const seenBeside: Codes = {
  // Kosovo: its own passports, German residence permits, travel documents of other states.
  RKS: 'XK',
  XXK: 'XK',
  XKX: 'XK',
  KOS: 'XK',
  IAO: null,
  XAA: null,
  XCT: null,
}

/**
 * ISO 3166-3: withdrawn, but a nationality or an issuing state of documents that people still have. A state that was
 * divided means no country.
 */
const withdrawn: Codes = {
  AFI: 'DJ',
  ANT: null,
  ATB: null,
  ATN: 'AQ',
  BUR: 'MM',
  BYS: 'BY',
  CSK: null,
  CTE: 'KI',
  DDR: 'DE',
  DHY: 'BJ',
  FXX: 'FR',
  GEL: null,
  HVO: 'BF',
  JTN: 'UM',
  MID: 'UM',
  NHB: 'VU',
  NTZ: null,
  PCI: null,
  PCZ: 'PA',
  PUS: 'UM',
  RHO: 'ZW',
  ROM: 'RO',
  SCG: null,
  SKM: 'IN',
  SUN: null,
  TMP: 'TL',
  VDR: 'VN',
  WAK: 'UM',
  YMD: 'YE',
  YUG: null,
  ZAR: 'CD',
}

export const codesBesideIso: Codes = { ...ofIcao, ...seenBeside, ...withdrawn }
