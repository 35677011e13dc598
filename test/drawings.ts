import { createHash } from 'node:crypto'
import { globSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'

const root = join(import.meta.dirname, '..')

/** The code that draws, and the versions of the libraries that it draws with. */
const sources = [
  'packages/vision/synthetic.ts',
  'packages/vision/synthetic/*',
  'packages/vision/document_measures.ts',
  'packages/rules/synthetic/*',
  'node_modules/.package-lock.json',
]

/** Returns the folder in `cache` for drawings that the code of today makes, and removes those of other days. */
export function openDrawings(cache: string): string {
  const hash = createHash('sha256')
  for (const file of globSync(sources, { cwd: root }).sort()) hash.update(readFileSync(join(root, file)))
  const folder = join(cache, 'drawings')
  const name = hash.digest('hex').slice(0, 16)
  mkdirSync(join(folder, name), { recursive: true })
  for (const other of readdirSync(folder))
    if (other !== name) rmSync(join(folder, other), { recursive: true, force: true })
  return join(folder, name)
}
