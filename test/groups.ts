import { globSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

export const quickFiles = ['test/**/*.test.ts', 'packages/*/test/**/*.test.ts']

const root = join(import.meta.dirname, '..')
const folder = join(root, 'test', 'groups')

/** Files of one group: its start takes two seconds of CPU; more would leave one of two cores idle at the end. */
const maxFiles = 24

/** Kinds with fewer files share groups. */
const minFiles = 12

/** The slowest folders begin first, for the same reason. */
const first: readonly string[] = ['capture-page', 'api-reference', 'console', 'service', 'vision', 'durable']

export function listQuickFiles(): readonly string[] {
  return globSync(quickFiles, { cwd: root }).sort()
}

/** `test/service/x.test.ts` and `test/service/y/z.test.ts` are of the kind `service`; a package's are of its own. */
function kindOf(file: string): string {
  const [, kind = '', ...rest] = file.split('/')
  return rest.length > 0 ? kind : 'others'
}

function listKinds(files: readonly string[]): ReadonlyMap<string, readonly string[]> {
  const sizes = Map.groupBy(files, kindOf)
  return Map.groupBy(files, file => ((sizes.get(kindOf(file))?.length ?? 0) < minFiles ? 'others' : kindOf(file)))
}

/** Writes a file for each group of test files (`grouped.ts`); returns the paths that ava is to run. */
export function writeGroups(files: readonly string[]): { readonly paths: readonly string[]; remove(): void } {
  mkdirSync(folder, { recursive: true })
  const kinds = listKinds(files)
  const names = [...first, ...[...kinds.keys()].filter(kind => !first.includes(kind))]
  const paths = names.flatMap(kind => {
    const members = kinds.get(kind) ?? []
    const count = Math.ceil(members.length / maxFiles)
    return Array.from({ length: count }, (_, n) => {
      const path = join(folder, `${kind}_${n}.ts`)
      const own = members.filter((_, at) => at % count === n).map(member => join(root, member))
      writeFileSync(path, `import { loadGroup } from '../grouped.ts'\n\nawait loadGroup(${JSON.stringify(own)})\n`)
      return path
    })
  })
  return { paths, remove: () => rmSync(folder, { recursive: true }) }
}
