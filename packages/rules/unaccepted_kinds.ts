import type { UnacceptedKind, VisualZone } from './findings.ts'
import { matchName } from './visual_text.ts'

/** Titles in print: every document of a kind carries one of its titles. Capitals and diacritics do not matter. */
const titles = {
  HEALTH_CARD: [
    'European health insurance card',
    'Europäische Krankenversicherungskarte',
    'Gesundheitskarte',
    'Carte d’assurance maladie',
    'Carte européenne d’assurance maladie',
    'Tarjeta sanitaria',
    'Tessera sanitaria',
    'Tessera europea di assicurazione malattia',
    'Europese ziekteverzekeringskaart',
    'Europejska karta ubezpieczenia zdrowotnego',
    'Cartão europeu de seguro de doença',
    'Medicare health insurance',
    'Health card',
  ],
  CHEQUE: [
    'Pay to the order of',
    'Account payee',
    'Payez contre ce chèque',
    'Páguese por este cheque',
    'Pagate per questo assegno',
    'Zahlen Sie gegen diesen Scheck',
    'Betaal tegen deze cheque',
  ],
  // Licences of the United States and Canada, which have their data on the back.
  LICENCE_FRONT: [
    'Driver license',
    'Drivers license',
    'Drivers licence',
    'Driver’s license',
    'Driver’s licence',
    'Operator license',
    'Identification card',
  ],
  // Cards without a title of `LICENCE_FRONT`.
  CARD: [
    'Identity card',
    'Carte d’identité',
    'Personalausweis',
    'Documento de identidad',
    'Documento nacional de identidad',
    'Carta d’identità',
    'Cartão de cidadão',
    'Identiteitskaart',
    'Dowód osobisty',
    'Residence permit',
    'Titre de séjour',
    'Aufenthaltstitel',
    'Permiso de residencia',
    'Permesso di soggiorno',
    'Driving licence',
    'Permis de conduire',
    'Führerschein',
    'Permiso de conducción',
    'Patente di guida',
    'Carta de condução',
    'Prawo jazdy',
    'Rijbewijs',
  ],
  PASSPORT: ['Passport', 'Passeport', 'Reisepass', 'Pasaporte', 'Passaporto', 'Passaporte', 'Paspoort', 'Paszport'],
} as const satisfies Record<string, readonly string[]>

const titledKinds = ['HEALTH_CARD', 'CHEQUE'] as const satisfies readonly UnacceptedKind[]

/** Smallest likeness of a title: two letters of one as long as these may be misread. Tuned. */
const minLikeness = 0.94

function isTitled(text: VisualZone, kind: keyof typeof titles): boolean {
  return titles[kind].some(title => (matchName(title, text) ?? 0) >= minLikeness)
}

/**
 * Smallest width of a person's face, beside the picture's shorter side. A document's portrait is narrower, unless the
 * document is cut off. Tuned.
 */
const minPersonShare = 0.28
/** Most words behind a person, or misread there: a document has more. */
const maxWordsBehind = 3
const wordPattern = /\p{L}{3,}|\d{4,}/u

/**
 * The kind of a document without zone or barcode that is not accepted, by its title, or `FACE`; null for any other.
 * `faceShare` is the width of the face beside the picture's shorter side, null where none is seen.
 */
export function findUnacceptedKind(text: VisualZone, faceShare: number | null): UnacceptedKind | null {
  const titled = titledKinds.find(kind => isTitled(text, kind)) ?? null
  const words = (text.sure_lines ?? text.lines).flat().filter(word => wordPattern.test(word))
  const isPerson = faceShare !== null && faceShare >= minPersonShare && words.length <= maxWordsBehind
  return titled ?? (isPerson ? 'FACE' : null)
}

/** The heads of the table on the back of a European licence (directive 2006/126/EC, annex I, 3, page 2). */
const backHeads = /(?<!\d)10[.,]?11[.,]?12(?!\d)/

/**
 * The side that a driving licence without a zone or a barcode still needs: the back of a North American one, or of an
 * identification card, and the front of a European one. Null for any other page.
 */
export function findMissingSide(text: VisualZone): 'FRONT' | 'BACK' | null {
  if (text.lines.some(words => backHeads.test(words.join('')))) return 'FRONT'
  return isTitled(text, 'LICENCE_FRONT') ? 'BACK' : null
}

/**
 * Returns whether the print of a document that was not read has the title of a card, and not that of a passport, which may
 * name the holder's identity card.
 */
export function isTitledCard(printed: readonly string[]): boolean {
  const text: VisualZone = { lines: printed.map(line => line.split(' ')), legibility: { score: 0, threshold: 0 } }
  return (isTitled(text, 'CARD') || isTitled(text, 'LICENCE_FRONT')) && !isTitled(text, 'PASSPORT')
}
