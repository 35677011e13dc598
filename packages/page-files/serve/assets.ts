import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { extname } from 'node:path'
import { gzipSync } from 'node:zlib'
import { findLibrary } from './libraries.ts'
import { findModel } from './models.ts'
import { jsonModule, toBrowserModule } from './modules.ts'
import type { Source } from './source.ts'

/** A file as a browser gets it. */
interface Asset {
  readonly type: string
  readonly content: Buffer
  /** The same content, compressed; null where that saves nothing. */
  readonly gzip: Buffer | null
}

/** The files that pages are made of. */
export interface Assets {
  /** Changes when any file does. Part of the files' URLs, so that caches may keep them for ever. */
  readonly version: string
  /** A file by its path in the repository, or below `lib/`; null where no page uses it. */
  get(path: string): Asset | null
  /** The modules that must be loaded before a module runs, so that a page can ask for all at once. */
  listNeeds(path: string): readonly string[]
}

const types: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.ts': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.json': 'application/json',
  '.wasm': 'application/wasm',
}

const root = new URL('../../../', import.meta.url)

/** @throws {Error} for a missing file; the message names the module that refers to it */
function findSource(path: string, namedBy: string): Source {
  try {
    const found = findLibrary(path) ?? findModel(path)
    if (found !== null) return found
    const isJson = path.endsWith(`.json${jsonModule}`)
    const file = readFileSync(new URL(isJson ? path.slice(0, -jsonModule.length) : path, root))
    const content = isJson ? Buffer.from(`export default ${file}`) : file
    return { identity: content.toString('utf8'), read: () => content }
  } catch (cause) {
    throw new Error(`${namedBy} names ${path}, which can't be read as a file`, { cause })
  }
}

function compress(content: Buffer): Buffer | null {
  const gzip = gzipSync(content, { level: 9 })
  return gzip.length < content.length * 0.9 ? gzip : null
}

interface Files {
  readonly sources: ReadonlyMap<string, Source>
  /** The needed modules of each module. */
  readonly needs: ReadonlyMap<string, readonly string[]>
}

/** Finds the files of pages, and all that their modules import. Modules alone are read. */
function findAll(entries: readonly string[]): Files {
  const sources = new Map<string, Source>()
  const needed = new Map<string, readonly string[]>()
  const left = entries.map(path => ({ path, namedBy: 'a page' }))
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    const { path, namedBy } = next
    if (sources.has(path)) continue
    const source = findSource(path, namedBy)
    if (!['.ts', '.js'].includes(extname(path))) {
      sources.set(path, source)
      continue
    }
    const { code, imports, needs } = toBrowserModule(path, source.read().toString('utf8'))
    sources.set(path, { identity: code, read: () => Buffer.from(code) })
    needed.set(path, needs)
    left.push(...imports.map(one => ({ path: one, namedBy: path })))
  }
  return { sources, needs: needed }
}

/**
 * Opens the files of pages, of which `entries` are those that no module imports: paths in the repository. They are
 * found at the first use, so that a node that shows no page doesn't search them. Files that are no modules are read
 * when they are requested.
 */
export function openAssets(entries: readonly string[]): Assets {
  let files: Files | null = null
  let version: string | null = null
  const made = new Map<string, Asset>()
  const getFiles = () => {
    files ??= findAll(entries)
    return files
  }
  return {
    get version() {
      if (version === null) {
        const hash = createHash('sha256')
        for (const [path, { identity }] of [...getFiles().sources].sort())
          hash.update(`${path}\n${identity.length}\n${identity}`)
        version = hash.digest('base64url').slice(0, 16)
      }
      return version
    },
    get(path) {
      const kept = made.get(path)
      if (kept !== undefined) return kept
      const content = getFiles().sources.get(path)?.read()
      if (content === undefined) return null
      const type = types[extname(path)] ?? 'application/octet-stream'
      const asset = { type, content, gzip: compress(content) }
      made.set(path, asset)
      return asset
    },
    listNeeds(path) {
      const found = new Set([path])
      for (const one of found) for (const next of getFiles().needs.get(one) ?? []) found.add(next)
      return [...found].slice(1)
    },
  }
}
