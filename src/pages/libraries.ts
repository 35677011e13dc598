import { readFileSync } from 'node:fs'
import { createRequire, findPackageJSON } from 'node:module'
import { dirname, join } from 'node:path'

const require = createRequire(import.meta.url)

/** A library's own build for browsers. `umd` is wrapped into a module; `esm` is one. */
interface Library {
  readonly file: string
  readonly format: 'esm' | 'umd'
}

/** What browser code may import by name: the smallest file that each package publishes for browsers. */
const libraries: Readonly<Record<string, Library>> = {
  xstate: { file: 'dist/xstate.umd.min.js', format: 'umd' },
  uqr: { file: 'dist/index.mjs', format: 'esm' },
  '@tensorflow/tfjs-core': { file: 'dist/tf-core.fesm.min.js', format: 'esm' },
  '@tensorflow/tfjs-converter': { file: 'dist/tf-converter.fesm.min.js', format: 'esm' },
  '@tensorflow/tfjs-backend-wasm': { file: 'dist/tf-backend-wasm.fesm.min.js', format: 'esm' },
}

/** Modules of Node that a library's build for browsers imports all the same, and never uses there. */
const unusedModules: readonly string[] = ['fs', 'os', 'path', 'perf_hooks']

/** Where libraries are, below the assets. */
const folder = 'lib'
const emptyModule = `${folder}/empty.js`

const toPath = (name: string): string => `${folder}/${name.replace('@', '').replace('/', '-')}.js`

/** Where a library is served, below the assets. @throws {Error} for a name that browser code may not import */
export const getLibraryPath = (name: string): string => {
  if (unusedModules.includes(name)) return emptyModule
  if (!Object.hasOwn(libraries, name)) throw new Error(`${name} is not a library for browsers`)
  return toPath(name)
}

/** CommonJS in a module, whose exports are the library's. */
const wrapUmd = (name: string, code: string): string => {
  const names = Object.keys(require(name) as object).filter(key => key !== 'default')
  return [
    'const module = { exports: {} }, exports = module.exports',
    code,
    `export const { ${names.join(', ')} } = module.exports`,
    '',
  ].join('\n')
}

/** The code of a library by its path; null where there is none. */
export const readLibrary = (path: string): string | null => {
  if (path === emptyModule) return 'export default {}\n'
  const [name, library] = Object.entries(libraries).find(([candidate]) => toPath(candidate) === path) ?? []
  if (name === undefined || library === undefined) return null
  const code = readFileSync(join(dirname(findPackageJSON(name, import.meta.url) ?? ''), library.file), 'utf8')
  return library.format === 'umd' ? wrapUmd(name, code) : code
}
