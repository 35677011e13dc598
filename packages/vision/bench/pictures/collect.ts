/**
 * Brings the pictures of the manifests beside this file together, out of clones of the repositories that hold them:
 * `node packages/vision/bench/pictures/collect.ts --clones DIR --into DIR [--only documents,faces]`. Clones are sought
 * as `OWNER/NAME` or `OWNER+NAME`, bare or not, or with the git directory in `repo` below. Nothing is fetched: clone
 * first (`git clone https://github.com/OWNER/NAME`). The folder gets the files, named by their hash, and the
 * `labels.json` that `npm run bench:analysis -- --folder DIR` reads. The pictures are others': the folder stays outside
 * this repository. `documents` and `faces` set limits, `unseen_documents` and `unseen_faces` set none: each has a
 * folder of its own, and both its sides are a test.
 */
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, extname, join, relative, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { type Manifest, readManifest, type Source, splitOf } from './manifest.ts'

const here = import.meta.dirname
const repository = resolve(here, '../..')

function places(clones: string, name: string): string[] {
  return [name, name.replace('/', '+')]
    .flatMap(folder => [folder, join(folder, 'repo'), `${folder}.git`])
    .flatMap(folder => [join(clones, folder, '.git'), join(clones, folder)])
}

/** Returns the git directory of a repository's clone; null if there is none. */
export function cloneOf(clones: string, name: string): string | null {
  return places(clones, name).find(place => existsSync(join(place, 'HEAD'))) ?? null
}

/** Returns a whole file of a commit. Throws if the clone does not have it, or has another under its name. */
export function fileOf(clone: string, { commit, path, sha256 }: Source): Buffer {
  const file = execFileSync('git', ['--git-dir', clone, 'show', `${commit}:${path}`], { maxBuffer: 100 * 1024 * 1024 })
  const found = createHash('sha256').update(file).digest('hex')
  if (found !== sha256) throw new Error(`${path}: SHA-256 ${found} instead of ${sha256}`)
  return file
}

/** The key under which a label of a list names its file. */
const fileKeys = { documents: 'front', selfies: 'file', videos: 'file' } as const

/** Copies a manifest's pictures into a folder. Returns their labels, and the reasons for which others are left out. */
export function collect(
  { list, pictures }: Manifest,
  { clones, into }: { readonly clones: string; readonly into: string },
): { labels: Record<string, unknown>[]; missing: string[] } {
  const labels: Record<string, unknown>[] = []
  const missing: string[] = []
  for (const { source, subject, label } of pictures) {
    const clone = cloneOf(clones, source.repository)
    try {
      if (clone === null) throw new Error('no clone')
      const name = `${source.sha256.slice(0, 16)}${extname(source.path).toLowerCase()}`
      writeFileSync(join(into, name), fileOf(clone, source))
      const { repository: from, commit, path } = source
      labels.push({
        [fileKeys[list]]: name,
        source: { repository: from, commit, path },
        split: splitOf(subject),
        ...label,
      })
    } catch (error) {
      missing.push(
        `${source.repository}: ${source.path}: ${error instanceof Error ? error.message.split('\n')[0] : error}`,
      )
    }
  }
  return { labels, missing }
}

function named(only: string | undefined): string[] {
  const all = readdirSync(here).filter(name => name.endsWith('.json'))
  const wanted = only?.split(',').map(name => `${name}.json`) ?? all
  for (const name of wanted) if (!all.includes(name)) throw new Error(`--only: ${name} is none of ${all.join(', ')}`)
  return wanted
}

function main(): void {
  const { values } = parseArgs({
    options: { clones: { type: 'string' }, into: { type: 'string' }, only: { type: 'string' } },
  })
  const { clones, into, only } = values
  if (clones === undefined || into === undefined) throw new Error('--clones DIR and --into DIR are needed')
  const inside = relative(repository, resolve(into))
  if (!inside.startsWith('..')) throw new Error('--into: the pictures stay outside the repository')
  mkdirSync(into, { recursive: true })
  const labels: Record<string, unknown[]> = { documents: [], selfies: [], videos: [] }
  let leftOut = 0
  for (const name of named(only)) {
    const manifest = readManifest(name, readFileSync(join(here, name), 'utf8'))
    const found = collect(manifest, { clones, into })
    labels[manifest.list]?.push(...found.labels)
    leftOut += found.missing.length
    process.stderr.write(
      `${basename(name, '.json')}: ${found.labels.length} pictures, ${found.missing.length} missing\n`,
    )
    for (const why of found.missing) process.stderr.write(`  ${why}\n`)
  }
  const filled = Object.fromEntries(Object.entries(labels).filter(([, list]) => list.length > 0))
  writeFileSync(join(into, 'labels.json'), `${JSON.stringify(filled, null, 1)}\n`)
  if (leftOut > 0) process.exitCode = 1
}

if (import.meta.main) {
  try {
    main()
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : error}\n`)
    process.exitCode = 2
  }
}
