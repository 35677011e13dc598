import type { ExecutionContext } from 'ava'
import type { ApiDocument } from '../../../src/pages/reference/openapi.ts'
import { oneDialect } from '../../database.ts'
import { type Door, openDoor } from '../../http/door.ts'
import { documentOf } from '../../http/fuzzed_door.ts'

/** A service whose pages are read. */
export async function openReference(
  t: Pick<ExecutionContext, 'teardown'>,
): Promise<{ readonly door: Door; readonly document: ApiDocument }> {
  const [engine] = oneDialect
  if (engine === undefined) throw new Error('no database')
  const door = await openDoor(engine, {}, { algorithm: 'RS256' })
  t.teardown(door.close)
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
