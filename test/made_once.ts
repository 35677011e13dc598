import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/**
 * Returns what `make` returns, which must survive JSON. Of the processes of one run of `npm test` the first one makes it,
 * and the others read it.
 */
export function madeOnce<T>(name: string, make: () => T): T {
  const { TEST_MADE } = process.env
  if (TEST_MADE === undefined) return make()
  const file = join(TEST_MADE, `${name}.json`)
  if (existsSync(file)) return JSON.parse(readFileSync(file, 'utf8')) as T
  const made = make()
  const own = `${file}.${process.pid}`
  writeFileSync(own, JSON.stringify(made))
  renameSync(own, file)
  return made
}
