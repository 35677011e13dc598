import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { extname } from 'node:path'
import { gzipSync } from 'node:zlib'
import { readLibrary } from './libraries.ts'
import { readModel } from './models.ts'
import { toBrowserModule } from './modules.ts'

/** A file as a browser gets it. */
export interface Asset {
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
function readSource(path: string, namedBy: string): Buffer {
  try {
    return readLibrary(path) ?? readModel(path) ?? readFileSync(new URL(path, root))
  } catch (cause) {
    throw new Error(`${namedBy} names ${path}, which can't be read as a file`, { cause })
  }
}

function compress(content: Buffer): Buffer | null {
  const gzip = gzipSync(content, { level: 9 })
  return gzip.length < content.length * 0.9 ? gzip : null
}

interface Files {
  readonly read: ReadonlyMap<string, Buffer>
  /** By module. */
  readonly needs: ReadonlyMap<string, readonly string[]>
}

/** Reads the files of pages, and all that their modules import. */
function readAll(entries: readonly string[]): Files {
  const read = new Map<string, Buffer>()
  const needed = new Map<string, readonly string[]>()
  const left = entries.map(path => ({ path, namedBy: 'a page' }))
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    const { path, namedBy } = next
    if (read.has(path)) continue
    const source = readSource(path, namedBy)
    if (!['.ts', '.js'].includes(extname(path))) {
      read.set(path, source)
      continue
    }
    const { code, imports, needs } = toBrowserModule(path, source.toString('utf8'))
    read.set(path, Buffer.from(code))
    needed.set(path, needs)
    left.push(...imports.map(one => ({ path: one, namedBy: path })))
  }
  return { read, needs: needed }
}

/**
 * Opens the files of pages, of which `entries` are those that no module imports: paths in the repository. They are read
 * at the first use, so that a node that shows no page doesn't read them.
 */
export function openAssets(entries: readonly string[]): Assets {
  let files: Files | null = null
  let version: string | null = null
  const made = new Map<string, Asset>()
  const getFiles = () => {
    files ??= readAll(entries)
    return files
  }
  return {
    get version() {
      if (version === null) {
        const hash = createHash('sha256')
        for (const [path, content] of [...getFiles().read].sort())
          hash.update(`${path}\n${content.length}\n`).update(content)
        version = hash.digest('base64url').slice(0, 16)
      }
      return version
    },
    get(path) {
      const content = getFiles().read.get(path)
      if (content === undefined) return null
      const asset = made.get(path) ?? {
        type: types[extname(path)] ?? 'application/octet-stream',
        content,
        gzip: compress(content),
      }
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
