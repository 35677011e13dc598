import { readFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { z } from 'zod'
import en from './page/texts/en.json' with { type: 'json' }
import { isText } from './page/texts/keys.ts'
import { isOwnLanguage, languageNames } from './page/texts.ts'

/** A picture as it is served. */
export interface Logo {
  readonly type: 'image/png' | 'image/webp' | 'image/svg+xml'
  readonly content: Buffer
}

/** The look and the texts of the capture page for an operator, or for one of its accounts. */
export interface Branding {
  /** The company for which the person is verified. */
  readonly name: string
  readonly logo: Logo | null
  /** `#rrggbb`. The page writes on it in white or in black: one of them has a contrast of 4.5 with any colour. */
  readonly accent: string | null
  /** Their privacy notice. */
  readonly privacy_url: string | null
  /** The page with help for a person whose link does not work. */
  readonly contact_url: string | null
  /** Texts by language and key: some that replace the page's own, or all of a language that the page does not have. */
  readonly texts: Readonly<Record<string, TextsByKey>>
  /** Languages of the page; the first is for people who read none of them. */
  readonly languages: readonly string[]
}

/** The operator's branding, with that of accounts by their ids. */
export interface OperatorBranding extends Branding {
  readonly accounts: ReadonlyMap<string, Branding>
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

const ownLanguages = Object.keys(languageNames)

export const plainBranding: OperatorBranding = {
  name: 'Attestor',
  logo: null,
  accent: null,
  privacy_url: null,
  contact_url: null,
  texts: {},
  languages: ownLanguages,
  accounts: new Map(),
}

const maxLogoBytes = 100_000

function text(max: number) {
  const error = `must be a text of 1 to ${max} characters`
  return z.string({ error }).min(1, { error }).max(max, { error })
}

const notUrl = 'must be a URL that begins with https://'
const notContact = 'must be a URL that begins with https:, mailto: or tel:'
const notColour = 'must be a colour such as #0b5fff'
const notLanguage = 'must be a language such as sv or pt-BR'
const languageTag = z.string().refine(isLanguage)
const textsByKey = z.record(z.string(), text(1000), { error: 'must be texts by their keys, such as consent.title' })

const notLanguages = 'must be a list of languages such as ["es", "pt-BR"]'

/** Fields of branding that a file and the console have alike. */
export const lookFields = {
  name: text(60),
  accent: z.string({ error: notColour }).regex(/^#[0-9a-f]{6}$/i, { error: notColour }),
  privacy_url: z.url({ protocol: /^https$/, error: notUrl }).max(2000, { error: notUrl }),
  contact_url: z.url({ protocol: /^(https|mailto|tel)$/, error: notContact }).max(2000, { error: notContact }),
} as const

const branding = z.strictObject(
  {
    name: lookFields.name.optional(),
    languages: z.array(languageTag, { error: notLanguages }).min(1, { error: notLanguages }).optional(),
    logo: text(1000).optional(),
    accent: lookFields.accent.optional(),
    privacy_url: lookFields.privacy_url.optional(),
    contact_url: lookFields.contact_url.optional(),
    texts: z
      .record(languageTag, z.unknown(), {
        error: ({ code }) => (code === 'invalid_key' ? notLanguage : 'must be texts, or their file, by language'),
      })
      .optional(),
  },
  { error: 'must be an object' },
)

/** Whether it is a language tag as it is written: `pt-BR`, not `pt_br`. */
function isLanguage(tag: string): boolean {
  try {
    return new Intl.Locale(tag).toString() === tag
  } catch {
    return false
  }
}

const operatorBranding = branding.extend({
  accounts: z
    .record(z.uuid(), branding.extend({ name: text(60) }), {
      error: ({ code }) => (code === 'invalid_key' ? 'must be the id of an account' : 'must be branding by account id'),
    })
    .optional(),
})

function describe({ code, message, path, ...issue }: z.core.$ZodIssue): string {
  const unknown = 'keys' in issue && code === 'unrecognized_keys' ? issue.keys.slice(0, 1) : []
  const field = [...path, ...unknown].map(String).join('.')
  const rule = code === 'unrecognized_keys' ? 'unknown member' : message
  return field === '' ? rule : `${field}: ${rule}`
}

/** Detects the type by content: an SVG is XML whose first element is `svg`. */
function detectType(content: Buffer): Logo['type'] | null {
  const head = content.subarray(0, 12).toString('latin1')
  if (head.startsWith('\x89PNG\r\n\x1a\n')) return 'image/png'
  if (head.startsWith('RIFF') && head.endsWith('WEBP')) return 'image/webp'
  return /^\uFEFF?\s*(<\?xml[^>]*\?>\s*)?(<!--.*?-->\s*|<!DOCTYPE svg[^>[]*>\s*)*<svg[\s>]/s.test(
    content.toString('utf8'),
  )
    ? 'image/svg+xml'
    : null
}

function readContent(file: string): Buffer {
  try {
    return readFileSync(file)
  } catch (cause) {
    throw new Error(`logo: ${messageOf(cause)}`, { cause })
  }
}

/** A picture as a logo. @throws {Error} whose message names the rule that it breaks */
export function toLogo(content: Buffer): Logo {
  if (content.length > maxLogoBytes)
    throw new Error(`logo: must be at most ${maxLogoBytes} bytes, not ${content.length}`)
  const type = detectType(content)
  if (type === null) throw new Error('logo: must be a PNG, WebP or SVG picture')
  return { type, content }
}

type TextsByKey = Readonly<Record<string, string>>

/**
 * Rejects a misspelt key, which would be ignored silently. @throws {Error} for a key that the page does not have, or
 * that is missing
 */
function requireKeys(language: string, own: TextsByKey, known: TextsByKey): void {
  for (const key of Object.keys(own)) if (!isText(key)) throw new Error(`texts.${language}.${key}: no text of the page`)
  for (const key of isOwnLanguage(language) ? [] : Object.keys(en))
    if ((own[key] ?? known[key]) === undefined)
      throw new Error(`texts.${language}.${key}: missing, and the page has no ${language}`)
}

/** A language's texts, which may be in a file of their own. @throws {Error} whose message names the text and the rule */
function readTexts(folder: string, language: string, given: unknown, known: TextsByKey): TextsByKey {
  const parsed = textsByKey.safeParse(
    typeof given === 'string' ? JSON.parse(readFileSync(resolve(folder, given), 'utf8')) : given,
  )
  if (!parsed.success)
    throw new Error(
      parsed.error.issues
        .slice(0, 1)
        .map(issue => describe({ ...issue, path: ['texts', language, ...issue.path] }))
        .join(),
    )
  requireKeys(language, parsed.data, known)
  return parsed.data
}

/**
 * Completes a branding: an account has its own name, logo, privacy notice and contact, and the operator's look and
 * texts.
 */
function complete(folder: string, given: z.infer<typeof branding>, base: Branding): Branding {
  const { name = base.name, logo, accent = base.accent, privacy_url = null, contact_url = null } = given
  const { texts: ownTexts = {} } = given
  const texts = { ...base.texts }
  for (const [language, own] of Object.entries(ownTexts)) {
    const known = texts[language] ?? {}
    texts[language] = { ...known, ...readTexts(folder, language, own, known) }
  }
  const offered = [...new Set([...ownLanguages, ...Object.keys(texts)])]
  const { languages = base === plainBranding ? offered : [...new Set([...base.languages, ...Object.keys(ownTexts)])] } =
    given
  for (const language of languages)
    if (!offered.includes(language)) throw new Error(`languages: the page has no ${language}`)
  return {
    name,
    logo: logo === undefined ? null : toLogo(readContent(resolve(folder, logo))),
    accent,
    privacy_url,
    contact_url,
    texts,
    languages,
  }
}

/** Reads a file of branding; paths in it begin at its folder. @throws {Error} whose message names the field and the rule */
export function readBranding(file: string): OperatorBranding {
  const parsed = operatorBranding.safeParse(JSON.parse(readFileSync(file, 'utf8')))
  if (!parsed.success) throw new Error(parsed.error.issues.slice(0, 1).map(describe).join())
  const { accounts: given = {}, ...own } = parsed.data
  const operator = complete(dirname(file), own, plainBranding)
  const accounts = new Map<string, Branding>()
  for (const [id, one] of Object.entries(given))
    try {
      accounts.set(id.toLowerCase(), complete(dirname(file), one, operator))
    } catch (cause) {
      throw new Error(`accounts.${id}.${messageOf(cause)}`, { cause })
    }
  return { ...operator, accounts }
}

/** The look of an account's pages, as it was set in the console. */
export interface AccountLook {
  readonly name: string
  readonly accent: string | null
  readonly privacy_url: string | null
  readonly contact_url: string | null
  /** Null: those that the operator offers. */
  readonly languages: readonly string[] | null
}

/**
 * Returns an account's look in force: members that it lacks come from the branding below it, except logo and addresses.
 */
export function toBranding(look: AccountLook, logo: Logo | null, base: Branding): Branding {
  const languages = look.languages?.filter(language => base.languages.includes(language)) ?? []
  return {
    ...look,
    logo,
    accent: look.accent ?? base.accent,
    texts: base.texts,
    languages: languages.length === 0 ? base.languages : languages,
  }
}
