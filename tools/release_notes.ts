import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** `node tools/release_notes.ts VERSION DATE`: joins the files of docs/changes/ into an entry of CHANGELOG.md, and deletes them. */

const types = ['added', 'changed', 'deprecated', 'removed', 'fixed', 'security'] as const

function joinType(type: (typeof types)[number], changes: ReadonlyMap<string, string>): string {
  const texts = [...changes].filter(([file]) => file.startsWith(`${type}-`)).map(([, text]) => `- ${text.trim()}\n`)
  return texts.length === 0 ? '' : `\n### ${type.replace(/^./, first => first.toUpperCase())}\n\n${texts.join('')}`
}

/** The changelog with an entry before its first. @throws {Error} for a file without a known type or a text, and for no files. */
export function addEntry(changelog: string, heading: string, changes: ReadonlyMap<string, string>): string {
  const bad = [...changes].filter(
    ([file, text]) => !types.some(type => file.startsWith(`${type}-`)) || text.trim() === '',
  )
  if (bad.length > 0) throw new Error(`docs/changes/README.md says how to name a change: ${bad.map(([file]) => file)}`)
  if (changes.size === 0) throw new Error('docs/changes/ has no change to release')
  const first = changelog.search(/^## \[/m)
  if (first < 0) throw new Error('CHANGELOG.md has no entry to put this one before')
  const entry = `## ${heading}\n${types.map(type => joinType(type, changes)).join('')}\n`
  return changelog.slice(0, first) + entry + changelog.slice(first)
}

/** Joins the files of `root`/docs/changes into `root`/CHANGELOG.md. */
export function release(root: string, heading: string): void {
  const folder = join(root, 'docs/changes')
  const files = readdirSync(folder)
    .filter(file => file !== 'README.md')
    .sort()
  const changes = new Map(files.map(file => [file, readFileSync(join(folder, file), 'utf8')]))
  const changelog = join(root, 'CHANGELOG.md')
  writeFileSync(changelog, addEntry(readFileSync(changelog, 'utf8'), heading, changes))
  for (const file of files) rmSync(join(folder, file))
}

if (import.meta.main) {
  const [version = '', date = ''] = process.argv.slice(2)
  if (!/^\d+\.\d+\.\d+$/.test(version) || !/^\d{4}-\d\d-\d\d$/.test(date))
    throw new Error('node tools/release_notes.ts VERSION DATE, for example 0.2.0 2027-01-31')
  release(join(import.meta.dirname, '..'), `[${version}] - ${date}`)
}
