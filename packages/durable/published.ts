import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/**
 * Run `node published.ts` before the package is packed, and `node published.ts back` after it. The doors are TypeScript
 * in the repository, and compiled JavaScript in the package, as Node strips no types below `node_modules`.
 */

const file = join(import.meta.dirname, 'package.json')
const manifest = JSON.parse(readFileSync(file, 'utf8')) as {
  exports: Record<string, string | { readonly types: string; readonly default: string }>
}
const isBack = process.argv[2] === 'back'

/** Only the repository's tests use this door: no package has it. */
const testing = './testing'

function toDoor(name: string): string {
  return name === '.' ? 'index' : name.slice(2)
}

const doors = [...Object.keys(manifest.exports).filter(name => name !== testing), ...(isBack ? [testing] : [])].map(
  name => {
    const door = toDoor(name)
    return [name, isBack ? `./${door}.ts` : { types: `./dist/${door}.d.ts`, default: `./dist/${door}.js` }] as const
  },
)
writeFileSync(file, `${JSON.stringify({ ...manifest, exports: Object.fromEntries(doors) }, null, 2)}\n`)
