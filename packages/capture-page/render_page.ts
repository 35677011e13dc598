import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Html, html } from '@attestor/page-files'
import { LRUCache } from 'lru-cache'
import type { Branding } from './branding.ts'
import { captureScript, createPolicy, toTextsFile } from './files.ts'
import { chooseLanguage, getDirection, isOwnLanguage, languageNames, openTexts, type Say } from './page/texts.ts'

/** WCAG 2's relative luminance of `#rrggbb`. */
function luminance(hex: string): number {
  const [r = 0, g = 0, b = 0] = [1, 3, 5]
    .map(at => Number.parseInt(hex.slice(at, at + 2), 16) / 255)
    .map(value => (value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4))
  return 0.2126 * r + 0.7152 * g + 0.0722 * b
}

/** Returns white if it is legible on the accent, else black: one of them has a contrast of 4.5 with any colour. */
function inkOn(accent: string): string {
  return 1.05 / (luminance(accent) + 0.05) >= 4.5 ? '#ffffff' : '#000000'
}

/** The page's styles, in the operator's colour where there is one. */
function createStyle(accent: string | null): string {
  const style = readFileSync(join(import.meta.dirname, 'page/page.css'), 'utf8')
  return accent === null ? style : `${style}:root{--accent:${accent};--on-accent:${inkOn(accent)}}\n`
}

/** The hash by which a policy allows an inline style. */
function hashStyle(style: string): string {
  return `sha256-${createHash('sha256').update(style).digest('base64')}`
}

/** The parts of the page. */
interface PageParts {
  readonly branding: Branding
  /** Path of its logo, relative to the page. */
  readonly logoPath: string
  /** The folder of its files, relative to the page's own. */
  readonly assets: string
  /** The modules that its script imports: paths in that folder. */
  readonly modules: readonly string[]
}

interface CapturePage {
  readonly html: string
  /** Its `Content-Security-Policy`. */
  readonly policy: string
}

/** JSON in an element of HTML: nothing in it can end the element. */
function toJson(value: unknown): Html {
  return new Html(JSON.stringify(value).replaceAll('<', '\\u003c'))
}

/** A language's own name for itself. */
function nameLanguage(language: string): string {
  if (isOwnLanguage(language)) return languageNames[language]
  return new Intl.DisplayNames(language, { type: 'language' }).of(language) ?? language
}

function renderHeader({ branding, logoPath }: PageParts, language: string, say: Say): Html {
  const { name, logo, languages } = branding
  const options = languages.map(
    code =>
      html`<option value="${code}" lang="${code}"${code === language ? new Html(' selected') : null}>${nameLanguage(code)}</option>`,
  )
  const picture = logo === null ? null : html`<img src="${logoPath}" alt="">`
  return html`${picture}<span>${name}</span><select id="language" aria-label="${say('page.language')}">${options}</select>`
}

/**
 * The HTML alone paints the first screen, with its styles, in the reader's language: on a slow network each further
 * request costs half a second. For the same reason it preloads all modules of its script.
 */
async function renderPage(parts: PageParts, language: string): Promise<CapturePage> {
  const { branding, logoPath, assets, modules } = parts
  const { name, logo, accent, privacy_url, contact_url, texts } = branding
  const say = await openTexts(language, texts, { name })
  const style = createStyle(accent)
  const preloads = [...new Set([...modules, toTextsFile(language)])].map(
    path => html`
    <link rel="modulepreload" href="${assets}/${path}">`,
  )
  const page = html`<!doctype html>
<html lang="${language}" dir="${getDirection(language)}">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1, viewport-fit=cover">
    <meta name="robots" content="noindex">
    <meta name="referrer" content="no-referrer">
    <meta name="color-scheme" content="light dark">
    <meta name="format-detection" content="telephone=no">
    <title>${say('page.title')} – ${name}</title>
    <style>${new Html(style)}</style>
    <link rel="icon" href="${logo === null ? `${assets}/packages/page-files/icon.svg` : logoPath}">${preloads}
    <script type="module" src="${assets}/${captureScript}"></script>
    <script type="application/json" id="branding">${toJson({ name, privacy_url, contact_url, texts })}</script>
  </head>
  <body>
    <header>${renderHeader(parts, language, say)}</header>
    <main id="main">
      <div class="waiting">
        <div class="centre"><div class="spinner"></div><h1>${say('loading.title')}</h1></div>
        <p class="centred late">${say('loading.late')}</p>
      </div>
      <noscript>
        <h1>${say('page.title')}</h1>
        <p>${say('page.needs_script')}</p>
      </noscript>
    </main>
    <div id="announcer" class="unseen" role="status"></div>
  </body>
</html>
`
  return { html: page.text, policy: createPolicy(hashStyle(style)) }
}

/** Longest language header that is cached: browsers send no longer ones, and they would only fill the memory. */
const maxWish = 512

/** A branding of an account's own. */
export interface OwnBranding {
  readonly account_id: string
  /** Changes with the branding. */
  readonly version: number
  readonly branding: Branding
}

/** Pages that are kept: those of some hundred accounts. */
const maxPages = 2000

/**
 * The page in its languages and for accounts that have a branding of their own, each made when it is first asked for, and
 * published once. The call takes that branding, and the languages that a browser accepts, the preferred one first.
 */
export function openCapturePages<Published extends object>(
  branding: Branding,
  readParts: () => Pick<PageParts, 'assets' | 'modules'>,
  publish: (page: CapturePage) => Published,
) {
  const made = new LRUCache<string, Promise<Published>>({ maxSize: maxPages, sizeCalculation: () => 1 })
  /** Browsers of one language send few different headers. */
  const chosen = new LRUCache<string, string>({ maxSize: 1000, sizeCalculation: () => 1 })
  return (own: OwnBranding | null, accepted: readonly string[]): Promise<Published> => {
    const logoPath = own === null ? 'verify/logo' : `verify/logo/${own.account_id}`
    const parts = { ...readParts(), branding: own?.branding ?? branding, logoPath }
    const { languages } = parts.branding
    const wish = `${languages} ${accepted}`
    const language = chosen.get(wish) ?? chooseLanguage(accepted, languages)
    if (wish.length <= maxWish) chosen.set(wish, language)
    const key = `${logoPath} ${own?.version} ${language}`
    const page = made.get(key) ?? renderPage(parts, language).then(publish)
    made.set(key, page)
    return page
  }
}
