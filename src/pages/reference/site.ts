import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { escapeHtml } from '../serve/html.ts'

export const siteScript = 'src/pages/reference/page/main.ts'
export const siteStyle = 'src/pages/reference/page/style.css'
export const siteIcon = 'src/pages/reference/page/icon.svg'

/** The OpenAPI document and its pages, which `npm run generate` writes: nothing in them depends on a call. */
export const siteFolder = join(import.meta.dirname, 'generated')

/** What the written files leave open, as `{{name}}`, because installations differ in it. */
export interface SiteValues {
  readonly base_url: string
  readonly ttl_minutes: number
  /** The folder of the pages' files, below the service's URL. */
  readonly assets: string
}

/** A file of the site. */
export interface SiteFile {
  readonly type: string
  readonly text: string
}

/** Every page, the document and the search's index, by their paths, which have no leading slash. */
export function listSiteFiles(): ReadonlyMap<string, string> {
  const files = readdirSync(siteFolder, { recursive: true, encoding: 'utf8' }).filter(name => name.includes('.'))
  return new Map(files.map(name => [name.replace(/\.html$/, ''), name]))
}

/** A file for an installation. A number is a text in JSON until it is filled in. */
export function readSiteFile(name: string, { base_url, ttl_minutes, assets }: SiteValues): SiteFile {
  const isJson = name.endsWith('.json')
  const filled = readFileSync(join(siteFolder, name), 'utf8')
    .replaceAll(isJson ? '"{{ttl_minutes}}"' : '{{ttl_minutes}}', String(ttl_minutes))
    .replaceAll('{{base_url}}', () => (isJson ? base_url : escapeHtml(base_url)))
    .replaceAll('{{assets}}', assets)
  return isJson
    ? { type: 'application/json', text: JSON.stringify(JSON.parse(filled)) }
    : { type: 'text/html', text: filled }
}

/** A page at the depth of `docs/-` as it is so many folders deeper, whose links are relative. */
export function moveDeeper({ type, text }: SiteFile, folders: number): SiteFile {
  const up = '../'.repeat(folders)
  return { type, text: text.replace(/ (href|src|data-index)="(?!#)/g, ` $1="${up}`) }
}
