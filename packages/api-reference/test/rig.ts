import type { ExecutionContext } from 'ava'
import { sqlite } from '../../../test/database.ts'
import { type Door, openTestDoor } from '../../../test/http/door.ts'
import { documentOf } from '../../../test/http/fuzzed_door.ts'
import type { ApiDocument } from '../openapi.ts'

/** A service whose pages are read. */
export async function openReference(
  t: Pick<ExecutionContext, 'teardown'>,
): Promise<{ readonly door: Door; readonly document: ApiDocument }> {
  const door = await openTestDoor(t, sqlite, {}, { algorithm: 'RS256' })
  return { door, document: (await documentOf(door)) as unknown as ApiDocument }
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
