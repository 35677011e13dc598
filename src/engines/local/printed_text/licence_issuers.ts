import type { VisualZone } from '../../../decision/findings.ts'
import { matchName, misreadCharacters } from '../../../decision/visual_text.ts'

/** What a state prints on the front of its driving licences, and how it numbers them. */
interface LicenceIssuer {
  /** ISO 3166-1 alpha-2. */
  readonly country: string
  /** `Driving licence` in its languages: directive 2006/126/EC, annex I, 3, page 1 (a). */
  readonly titles: readonly string[]
  /** The state's name, page 1 (b): several states share a title. */
  readonly names: readonly string[]
  /** The forms of the licence's number (field 5): `A` a letter, `N` a digit, `X` either. Absent: none is known. */
  readonly forms?: readonly string[]
  /** Whether the number's own check agrees. Absent: it has none. */
  readonly isChecked?: (number: string) => boolean
}

/** The letter of an identity number or, with X, Y or Z for its first digit, of a foreigner's: Orden INT/2058/2008. */
function isSpanish(number: string): boolean {
  const digits = number.slice(0, -1).replace(/^[XYZ]/, letter => String('XYZ'.indexOf(letter)))
  return 'TRWAGMYFPDXBNJZSQVHLCKE'[Number(digits) % 23] === number.at(-1)
}

/**
 * The tenth sign checks the nine before it: weights from nine to one, letters from ten on, modulo eleven, X for ten. So is
 * the number of the public specimen, B072RRE2I55.
 */
function isGerman(number: string): boolean {
  const sum = [...number.slice(0, 9)].reduce((total, sign, at) => total + Number.parseInt(sign, 36) * (9 - at), 0)
  return number[9] === (sum % 11 === 10 ? 'X' : String(sum % 11))
}

/**
 * The states that print this model, in Latin letters: those of the European Economic Area, and the United Kingdom
 * (SI 1999/2864, schedule 3A). Greece and Cyprus are missing: their titles are Greek. So is Bulgaria, whose title is Cyrillic.
 */
const issuers: readonly LicenceIssuer[] = [
  { country: 'AT', titles: ['Führerschein'], names: ['Republik Österreich'], forms: ['NNNNNNNN'] },
  { country: 'BE', titles: ['Rijbewijs', 'Permis de conduire'], names: ['België', 'Belgique'], forms: ['NNNNNNNNNN'] },
  { country: 'CZ', titles: ['Řidičský průkaz'], names: ['Česká republika'], forms: ['AANNNNNN'] },
  {
    country: 'DE',
    titles: ['Führerschein'],
    names: ['Bundesrepublik Deutschland'],
    forms: ['AXXXXXXXXXX'],
    isChecked: isGerman,
  },
  { country: 'DK', titles: ['Kørekort'], names: ['Danmark'], forms: ['NNNNNNNN'] },
  { country: 'EE', titles: ['Juhiluba'], names: ['Eesti'], forms: ['AANNNNNN'] },
  {
    country: 'ES',
    titles: ['Permiso de conducción'],
    names: ['España'],
    forms: ['NNNNNNNNA', 'ANNNNNNNA'],
    isChecked: isSpanish,
  },
  { country: 'FI', titles: ['Ajokortti'], names: ['Suomi', 'Finland'] },
  { country: 'FR', titles: ['Permis de conduire'], names: ['République française'], forms: ['NNAANNNNN'] },
  {
    country: 'GB',
    titles: ['Driving licence'],
    names: ['United Kingdom', 'DVLA', 'Northern Ireland'],
    forms: ['AAAAANNNNNNAANAA', 'NNNNNNNN'],
  },
  { country: 'HR', titles: ['Vozačka dozvola'], names: ['Republika Hrvatska'], forms: ['NNNNNNNN'] },
  { country: 'HU', titles: ['Vezetői engedély'], names: ['Magyarország'], forms: ['AANNNNNN'] },
  { country: 'IE', titles: ['Ceadúnas tiomána', 'Driving licence'], names: ['Éire', 'Ireland'] },
  { country: 'IS', titles: ['Ökuskírteini'], names: ['Ísland'] },
  { country: 'IT', titles: ['Patente di guida'], names: ['Repubblica Italiana'] },
  { country: 'LT', titles: ['Vairuotojo pažymėjimas'], names: ['Lietuvos Respublika'], forms: ['NNNNNNNN'] },
  { country: 'LU', titles: ['Permis de conduire'], names: ['Grand-Duché de Luxembourg'] },
  { country: 'LV', titles: ['Vadītāja apliecība'], names: ['Latvijas Republika'], forms: ['AANNNNNN'] },
  { country: 'MT', titles: ['Liċenzja tas-sewqan', 'Driving licence'], names: ['Malta'] },
  { country: 'NL', titles: ['Rijbewijs'], names: ['Koninkrijk der Nederlanden'], forms: ['NNNNNNNNNN'] },
  { country: 'NO', titles: ['Førerkort'], names: ['Norge'] },
  { country: 'PL', titles: ['Prawo jazdy'], names: ['Rzeczpospolita Polska'], forms: ['NNNNNNNNNNN'] },
  { country: 'PT', titles: ['Carta de condução'], names: ['República Portuguesa'] },
  { country: 'RO', titles: ['Permis de conducere'], names: ['România'] },
  { country: 'SE', titles: ['Körkort'], names: ['Sverige'] },
  { country: 'SI', titles: ['Vozniško dovoljenje'], names: ['Republika Slovenija'], forms: ['NNNNNNNNN'] },
  { country: 'SK', titles: ['Vodičský preukaz'], names: ['Slovenská republika'] },
]

/** As large print is read. Tuned. */
const minLikeness = 0.9

function isPrinted(phrase: string, text: VisualZone): boolean {
  return (matchName(phrase, text) ?? 0) >= minLikeness
}

/** The state that issued a licence; null where none or several may have. */
export function findIssuer(text: VisualZone): LicenceIssuer | null {
  const titled = issuers.filter(({ titles }) => titles.some(title => isPrinted(title, text)))
  const found = titled.flatMap(({ names }) => names.filter(name => isPrinted(name, text)))
  // Ireland's name stands in Northern Ireland's.
  const whole = found.filter(name => !found.some(other => other !== name && other.includes(name)))
  const named = titled.filter(({ names }) => names.some(name => whole.includes(name)))
  const [issuer = null, ...others] = named.length > 0 ? named : titled
  return others.length === 0 ? issuer : null
}

/** Whether a page has the title of a licence of this model. */
export function hasLicenceTitle(text: VisualZone): boolean {
  return issuers.some(({ titles }) => titles.some(title => isPrinted(title, text)))
}

/** A shorter text is no number of a licence. */
const minSigns = 5

const letterOf: Readonly<Record<string, string>> = { 0: 'O', 1: 'I', 2: 'Z', 5: 'S', 6: 'G', 8: 'B' }

type NumberForms = Pick<LicenceIssuer, 'forms' | 'isChecked'>

function fitForm(signs: string, form: string): string | null {
  // What follows counts editions.
  if (signs.length < form.length || signs.length > form.length + 2) return null
  const fitted = [...form].map((kind, at) => {
    const sign = signs[at] ?? ''
    if (kind === 'X') return sign
    return kind === 'N' ? (misreadCharacters[sign] ?? sign) : (letterOf[sign] ?? sign)
  })
  const isOf = (kind: string, sign: string): boolean => kind === 'X' || (kind === 'N' ? /\d/ : /[A-Z9]/).test(sign)
  return fitted.every((sign, at) => isOf(form[at] ?? '', sign)) ? fitted.join('') : null
}

/** Signs that are mistaken for each other, in a number that has letters and digits. */
const mixed = /^(?=.*\d)(?=.*[A-Z]).*[0-2568OQDILZSGB]/

/**
 * A number as it was read; in the form of its state digits and letters that are mistaken for each other become what belongs
 * in their place. `isSure`: nothing in it may be another sign.
 */
export function fitNumber(
  read: string,
  { forms = [], isChecked }: NumberForms,
): { number: string; isSure: boolean } | null {
  const signs = read.toUpperCase().replace(/[^A-Z0-9]/g, '')
  const fitted = forms.flatMap(form => fitForm(signs, form) ?? []).find(number => isChecked?.(number) ?? true)
  if (fitted !== undefined) return { number: fitted, isSure: true }
  if (signs.length < minSigns) return null
  return { number: signs, isSure: forms.length === 0 && !mixed.test(signs) }
}
