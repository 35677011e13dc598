import { execFileSync } from 'node:child_process'
import { globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

const root = join(import.meta.dirname, '..')

function filesChangedSince(commit: string): readonly string[] {
  return execFileSync('git', ['diff', '--name-only', commit], { cwd: root, encoding: 'utf8' })
    .split('\n')
    .filter(name => name !== '')
}

/** Files that do more in the long tier than in the quick one. */
function longFiles(): readonly string[] {
  return globSync(['test/**/*.{test,long}.ts', 'packages/*/test/**/*.{test,long}.ts'], { cwd: root })
    .filter(
      file =>
        file.endsWith('.long.ts') ||
        /\b(isLong|inLongTier|rounds|oneDialect)\b/.test(readFileSync(join(root, file), 'utf8')),
    )
    .sort()
}

/** The folders of a file below `src` or `test`; `packages/vision/test/face` is `vision/face`. */
function foldersOf(file: string): readonly string[] {
  return dirname(file)
    .replace(/^(packages\/[^/]+)\/test(?=\/|$)/, '$1')
    .split('/')
    .slice(1)
}

/** Returns the number of folders that a test file and a changed file have in common; `test` mirrors `src`. */
function nearness(test: string, changed: string): number {
  const folders = foldersOf(test)
  const others = foldersOf(changed)
  const different = folders.findIndex((name, index) => name !== others[index])
  return different === -1 ? folders.length : different
}

/** Test files of the long tier that concern what changed since a commit, the nearest first. */
export function chooseLongTests(commit: string): readonly string[] {
  const changed = filesChangedSince(commit)
  const near = (test: string): number =>
    Math.max(0, ...changed.map(file => (file === test ? Number.POSITIVE_INFINITY : nearness(test, file))))
  return longFiles()
    .map(file => ({ file, near: near(file) }))
    .filter(one => one.near > 0)
    .sort((a, b) => b.near - a.near)
    .map(one => one.file)
}
