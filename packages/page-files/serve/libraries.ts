import { createRequire } from 'node:module'
import { packageFile, type Source } from './source.ts'

const require = createRequire(import.meta.url)

/** A library's own build for browsers. `umd` is wrapped into a module; `esm` is one. */
interface Library {
  readonly file: string
  readonly format: 'esm' | 'umd'
}

/** The packages that browser code may import by name: the smallest file that each publishes for browsers. */
const libraries: Readonly<Record<string, Library>> = {
  xstate: { file: 'dist/xstate.umd.min.js', format: 'umd' },
  minisearch: { file: 'dist/es/index.js', format: 'esm' },
  uqr: { file: 'dist/index.mjs', format: 'esm' },
  '@tensorflow/tfjs-core': { file: 'dist/tf-core.fesm.min.js', format: 'esm' },
  '@tensorflow/tfjs-converter': { file: 'dist/tf-converter.fesm.min.js', format: 'esm' },
  '@tensorflow/tfjs-backend-wasm': { file: 'dist/tf-backend-wasm.fesm.min.js', format: 'esm' },
}

/** Modules of Node that a library's browser build imports, but never uses there. */
const unusedModules: readonly string[] = ['fs', 'os', 'path', 'perf_hooks']

/** Folder of the libraries, below the assets. */
const folder = 'lib'
const emptyModule = `${folder}/empty.js`

function toPath(name: string): string {
  return `${folder}/${name.replace('@', '').replace('/', '-')}.js`
}

/**
 * Returns the path at which a library is served, below the assets. @throws {Error} for a name that browser code may not
 * import
 */
export function getLibraryPath(name: string): string {
  if (unusedModules.includes(name)) return emptyModule
  if (!Object.hasOwn(libraries, name)) throw new Error(`${name} is not a library for browsers`)
  return toPath(name)
}

/** CommonJS in a module, whose exports are the library's. */
function wrapUmd(name: string, code: string): string {
  const names = Object.keys(require(name) as object).filter(key => key !== 'default')
  return [
    'const module = { exports: {} }, exports = module.exports',
    code,
    `export const { ${names.join(', ')} } = module.exports`,
    '',
  ].join('\n')
}

/** Files that a library loads by itself, by the path where they are served. */
const binaries: Readonly<Record<string, readonly [name: string, file: string]>> = {
  [`${folder}/tfjs-backend-wasm-simd.wasm`]: ['@tensorflow/tfjs-backend-wasm', 'dist/tfjs-backend-wasm-simd.wasm'],
}

/** The file of a library by its path; null where there is none. */
export function findLibrary(path: string): Source | null {
  if (path === emptyModule) return { identity: path, read: () => Buffer.from('export default {}\n') }
  const binary = binaries[path]
  if (binary !== undefined) return packageFile(...binary)
  const [name, library] = Object.entries(libraries).find(([candidate]) => toPath(candidate) === path) ?? []
  if (name === undefined || library === undefined) return null
  const file = packageFile(name, library.file)
  return library.format === 'umd'
    ? { ...file, read: () => Buffer.from(wrapUmd(name, file.read().toString('utf8'))) }
    : file
}
