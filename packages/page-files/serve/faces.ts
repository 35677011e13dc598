import { readFileSync } from 'node:fs'
import { posix, relative } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../../../', import.meta.url))

/** An import of a package of ours, in code without types. */
const imported = /^import\s*\{([^}]*)\}\s*from\s*'((?:@attestor\/|durable-xstate-sql)[^']*)'/gm
/** One that is loaded when it is needed, and often the names that are taken of it. */
const loaded = /(?:\{([^{}]*)\}\s*=\s*await\s+)?\bimport\(\s*'((?:@attestor\/|durable-xstate-sql)[^']*)'/g

/** Names of a file that a door exports again. */
const passedOn = /^export\s*(?:type\s*)?\{([^}]*)\}\s*from\s*'([^']+)'/gm

/** A name of a door: the file that it comes from, by its path in the repository, and its name there. */
interface Passed {
  readonly path: string
  readonly name: string
}

function listWords(inside: string): readonly { readonly name: string; readonly local: string }[] {
  return inside
    .split(',')
    .map(word => word.trim().replace(/^type\s+/, ''))
    .filter(word => word !== '')
    .map(word => {
      const [name = '', local = name] = word.split(/\s+as\s+/)
      return { name, local }
    })
}

const doors = new Map<string, { readonly path: string; readonly names: ReadonlyMap<string, Passed> }>()

function readDoor(specifier: string) {
  const kept = doors.get(specifier)
  if (kept !== undefined) return kept
  const file = fileURLToPath(import.meta.resolve(specifier))
  const path = relative(root, file)
  const names = new Map<string, Passed>()
  for (const [, inside = '', from = ''] of readFileSync(file, 'utf8').matchAll(passedOn))
    for (const { name, local } of listWords(inside))
      names.set(local, { path: posix.join(posix.dirname(path), from), name })
  const door = { path, names }
  doors.set(specifier, door)
  return door
}

function toRelative(path: string, target: string): string {
  const between = posix.relative(posix.dirname(path), target)
  return between.startsWith('.') ? between : `./${between}`
}

/**
 * The code of a module in which each import of a package by its name is one of the files behind that door which make the
 * names in use: a browser loads these alone, and Node needs no package to find them. Lines stay.
 * @throws {Error} for a name that the door does not have
 */
export function openDoors(path: string, code: string): string {
  return code
    .replace(imported, (statement, inside: string, specifier: string) => {
      const { names } = readDoor(specifier)
      const words = listWords(inside).map(({ name, local }) => {
        const passed = names.get(name)
        if (passed === undefined) throw new Error(`${path} imports ${name} of ${specifier}, which has no such name`)
        return { ...passed, local }
      })
      const imports = [...Map.groupBy(words, word => word.path)].map(([file, list]) => {
        const inside = list.map(({ name, local }) => (name === local ? name : `${name} as ${local}`)).join(', ')
        return `import { ${inside} } from '${toRelative(path, file)}'`
      })
      return imports.join('; ') + '\n'.repeat(statement.split('\n').length - 1)
    })
    .replace(loaded, (text, inside: string | undefined, specifier: string) => {
      const door = readDoor(specifier)
      const words = listWords(inside ?? '').map(({ name }) => ({ name, passed: door.names.get(name) }))
      const [one, ...others] = new Set(
        words.map(({ name, passed }) => (passed?.name === name ? passed.path : door.path)),
      )
      return text.replace(
        `'${specifier}'`,
        `'${toRelative(path, one === undefined || others.length > 0 ? door.path : one)}'`,
      )
    })
}
