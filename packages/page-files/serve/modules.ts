import { posix } from 'node:path'
import { transformSync } from 'amaro'
import { init, parse } from 'es-module-lexer'
import { openDoors } from './faces.ts'
import { getLibraryPath } from './libraries.ts'

/** A module for browsers, and the files that it loads. */
export interface BrowserModule {
  readonly code: string
  /** Paths below the assets. */
  readonly imports: readonly string[]
  /** Those of them without which the module does not run. */
  readonly needs: readonly string[]
}

/**
 * References of a module to files that it does not import: a worker, a picture. A name that ends in a slash is a
 * folder.
 */
const files = /\bnew URL\(\s*'(\.[^']*[^'/])',\s*import\.meta\.url/g

/** Comments that have lines to themselves. */
const comments = /^[ \t]*(?:\/\*\*[\s\S]*?\*\/|\/\/.*)[ \t]*$/gm

/** Extension that a JSON file gets when it is served as a module: Firefox imports JSON only since 138. */
export const jsonModule = '.js'

await init()

/** A comment's words are a tenth of what a page loads first; its lines stay, so that an error names the right one. */
function withoutComments(code: string): string {
  return code.replace(comments, comment => comment.replace(/[^\n]/g, ''))
}

const description = /\bdescription: '(?:[^'\\\n]|\\.)*',?/g

/** A chart's descriptions are for its readers: in a browser they would be a third of the chart's bytes. */
function withoutDescriptions(path: string, code: string): string {
  return path.startsWith('machines/') ? code.replace(description, '') : code
}

function toPlainModule(path: string, source: string): string {
  const { code } = transformSync(source, { mode: 'strip-only' })
  return openDoors(path, withoutDescriptions(path, withoutComments(code)))
}

function resolveFrom(path: string, specifier: string): string {
  return posix.join(posix.dirname(path), specifier)
}

function toRelative(path: string, target: string): string {
  const relative = posix.relative(posix.dirname(path), target)
  return relative.startsWith('.') ? relative : `./${relative}`
}

/**
 * Makes a module for browsers from a TypeScript file: types become spaces, so that lines stay where they are, and
 * libraries are named by the path where they are served, JSON by that of its module, packages of ours by their files. @throws {Error} for an import that
 * is no library for browsers
 */
export function toBrowserModule(path: string, source: string): BrowserModule {
  const plain = /\.ts$/.test(path) ? toPlainModule(path, source) : source
  const imports = [...plain.matchAll(files)].map(([, specifier = '']) => resolveFrom(path, specifier))
  const needs: string[] = []
  let code = ''
  let copied = 0
  const [found] = parse(plain)
  for (const one of found) {
    // `import.meta`, or a path that is only known when the code runs.
    if (typeof one.specifier !== 'string') continue
    const isOwn = one.specifier.startsWith('.')
    const isJson = one.attributesStart !== -1
    const target = isOwn ? resolveFrom(path, one.specifier) + (isJson ? jsonModule : '') : getLibraryPath(one.specifier)
    imports.push(target)
    if (one.type !== 'dynamic') needs.push(target)
    if (isOwn && !isJson) continue
    // A static import's span is without its quotes; a dynamic import's attributes end before a bracket.
    const [quote, bracket] = one.type === 'dynamic' ? [0, 1] : [1, 0]
    code += `${plain.slice(copied, one.start - quote)}'${toRelative(path, target)}'`
    copied = isJson ? one.importEnd - bracket : one.end + quote
  }
  return { code: code + plain.slice(copied), imports, needs }
}
