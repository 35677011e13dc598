import type { ExecutionContext } from 'ava'
import { sqlite } from '../../../test/database.ts'
import { type Door, openDoor } from '../../../test/http/door.ts'
import { documentOf } from '../../../test/http/fuzzed_door.ts'
import { lasting } from '../../../test/lasting.ts'
import type { ApiDocument } from '../openapi.ts'

interface Reference {
  readonly door: Door
  readonly document: ApiDocument
}

let opened: Promise<Reference> | null = null

async function open(): Promise<Reference> {
  const door = await openDoor(sqlite, {}, { algorithm: 'RS256' })
  return { door, document: (await documentOf(door)) as unknown as ApiDocument }
}

async function close(): Promise<void> {
  await (await opened)?.door.close()
}

/** The service whose pages are read, one for all tests of a process: none changes it. `closeReference` ends it. */
export function openReference(): Promise<Reference> {
  if (opened === null) lasting.ends.push(close)
  opened ??= open()
  return opened
}

export async function closeReference(): Promise<void> {
  if (!lasting.inGroup) await close()
}

export async function readText(door: Door, path: string): Promise<string> {
  const { status, text } = await door.call('GET', path)
  if (status !== 200) throw new Error(`${path} answered ${status}`)
  return text
}

/** The targets of a page's links. */
export function readLinks(text: string): readonly string[] {
  return [...text.matchAll(/ (?:href|src)="([^"]*)"/g)].map(([, target = '']) => target)
}

export function readIds(text: string): readonly string[] {
  return [...text.matchAll(/ id="([^"]*)"/g)].map(([, id = '']) => id)
}

/** Every page by its path: those that the contents of the first one name. */
export async function readPages(door: Door): Promise<ReadonlyMap<string, string>> {
  const first = await readText(door, '/docs')
  const contents = /<nav id="site-contents".*?<\/nav>/s.exec(first)?.[0] ?? ''
  const paths = readLinks(contents).filter(target => !target.startsWith('#'))
  const pages = new Map<string, string>()
  for (const target of paths) {
    const path = new URL(target, `${door.url}/docs`).pathname
    pages.set(path, await readText(door, path))
  }
  return pages
}

/**
 * Checks pages by their URLs: their links lead somewhere, their ids are unique, and nothing comes from elsewhere.
 * `isThere` returns whether another path is served.
 */
export async function checkPages(
  t: ExecutionContext,
  pages: ReadonlyMap<string, string>,
  isThere: (path: string) => boolean | Promise<boolean>,
): Promise<void> {
  const known = new Map([...pages].map(([url, text]) => [url, new Set(readIds(text))]))
  const [origin] = [...pages.keys()].map(url => new URL(url).origin)
  const links = new Map<string, string>()
  for (const [url, text] of pages) {
    const ids = readIds(text)
    t.is(known.get(url)?.size, ids.length, `${url}: ${ids.filter((id, index) => ids.indexOf(id) !== index)}`)
    t.notRegex(text, /<script(?! type="module" src)|<style|<[^>]* (on\w+|style)=/i, url)
    t.notRegex(text, /<(?:img|script|link)[^>]*(?:src|href)="https?:/, url)
    for (const target of readLinks(text)) links.set(new URL(target, url).href, `${url} → ${target}`)
  }
  const dead: string[] = []
  for (const [href, link] of links) {
    const url = new URL(href)
    if (url.origin !== origin) continue
    const ids = known.get(`${origin}${url.pathname}`)
    const isAlive =
      ids === undefined
        ? await isThere(url.pathname)
        : url.hash === '' || ids.has(decodeURIComponent(url.hash.slice(1)))
    if (!isAlive) dead.push(link)
  }
  t.deepEqual(dead, [])
  t.log(`${pages.size} pages, ${links.size} links`)
}
