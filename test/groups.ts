import { globSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

export const quickFiles = ['test/**/*.test.ts', 'packages/*/test/**/*.test.ts']

const root = join(import.meta.dirname, '..')
const folder = join(root, 'test', 'groups')

/**
 * Kinds of files that need the same: a browser, the models, the service. Each group's start takes three seconds of CPU,
 * and as many again until its code is warm. Those that take longest begin first.
 */
const groups: Readonly<Record<string, readonly string[]>> = {
  pages: ['capture-page', 'api-reference', 'console', 'console-page', 'examples', 'demo'],
  service: ['service'],
  durable: ['durable', 'machines'],
  vision: ['vision'],
  http: ['http', 'webhooks', 'identity', 'verification', 'credentials', 'rules'],
  others: [],
}

export function listQuickFiles(): readonly string[] {
  return globSync(quickFiles, { cwd: root }).sort()
}

/** `test/service/x.test.ts` and `test/service/y/z.test.ts` are of the kind `service`; a package's are of its own. */
function findGroup(file: string): string {
  const [, kind = ''] = file.split('/')
  return Object.keys(groups).find(name => groups[name]?.includes(kind)) ?? 'others'
}

/** Writes a file for each group of test files (`grouped.ts`); returns the paths that ava is to run. */
export function writeGroups(files: readonly string[]): { readonly paths: readonly string[]; remove(): void } {
  mkdirSync(folder, { recursive: true })
  const members = Map.groupBy(files, findGroup)
  const paths = Object.keys(groups).map(name => {
    const path = join(folder, `${name}.ts`)
    const own = (members.get(name) ?? []).map(file => join(root, file))
    writeFileSync(path, `import { loadGroup } from '../grouped.ts'\n\nawait loadGroup(${JSON.stringify(own)})\n`)
    return path
  })
  return { paths, remove: () => rmSync(folder, { recursive: true }) }
}
