import { createHash } from 'node:crypto'
import { existsSync, globSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const root = join(import.meta.dirname, '..')
const folder = join(root, 'node_modules', '.cache', 'made')

function digestOf(sources: readonly string[]): string {
  const hash = createHash('sha256')
  for (const file of globSync([...sources, 'node_modules/.package-lock.json'], { cwd: root }).sort())
    hash.update(`${file}\n`).update(readFileSync(join(root, file)))
  return hash.digest('hex').slice(0, 16)
}

/** Returns what `make` returns, which must survive JSON, and keeps it while `sources`, the code behind it, stay as they are. */
export function madeOnce<T>(name: string, sources: readonly string[], make: () => T): T {
  const kept = `${name}.${digestOf(sources)}.json`
  if (existsSync(join(folder, kept))) return JSON.parse(readFileSync(join(folder, kept), 'utf8')) as T
  const made = make()
  mkdirSync(folder, { recursive: true })
  for (const other of readdirSync(folder))
    if (other.startsWith(`${name}.`) && other !== kept) rmSync(join(folder, other), { force: true })
  const own = join(folder, `${process.pid}.${name}`)
  writeFileSync(own, JSON.stringify(made))
  renameSync(own, join(folder, kept))
  return made
}
