import { globSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

export const quickFiles = ['test/**/*.test.ts', 'packages/durable/test/*.test.ts']

const root = join(import.meta.dirname, '..')
const folder = join(root, 'test', 'groups')

/** Files of one group; more would leave one of two cores idle at the end. */
const maxFiles = 10

/** They measure their whole process, or change it. */
const alone: readonly string[] = []

export function listQuickFiles(): readonly string[] {
  return globSync(quickFiles, { cwd: root }).sort()
}

/** `test/service/x.test.ts` and `test/service/y/z.test.ts` are of the kind `service`. */
function kindOf(file: string): string {
  const [, kind = '', ...rest] = file.split('/')
  return rest.length > 0 ? kind : 'others'
}

/** Writes a file for each group of test files (`grouped.ts`); gives what ava is to run. */
export function writeGroups(files: readonly string[]): { readonly words: readonly string[]; remove(): void } {
  const kinds = Map.groupBy(
    files.filter(file => !alone.includes(file)),
    kindOf,
  )
  mkdirSync(folder, { recursive: true })
  const groups = [...kinds].flatMap(([kind, members]) => {
    const count = Math.ceil(members.length / maxFiles)
    return Array.from({ length: count }, (_, n) => {
      const paths = members.filter((_, at) => at % count === n).map(member => join(root, member))
      const path = join(folder, `${kind}_${n}.ts`)
      writeFileSync(path, `import { loadGroup } from '../grouped.ts'\n\nawait loadGroup(${JSON.stringify(paths)})\n`)
      return { path, size: paths.length }
    })
  })
  return {
    words: [...groups.sort((a, b) => b.size - a.size).map(({ path }) => path), ...alone],
    remove: () => rmSync(folder, { recursive: true }),
  }
}
