import { hash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { type Node, type SourceFile, SyntaxKind } from 'typescript/unstable/ast'
import {
  isArrowFunction,
  isCallExpression,
  isExportAssignment,
  isExportDeclaration,
  isIdentifier,
  isImportDeclaration,
  isNewExpression,
  isPropertyAccessExpression,
  isStringLiteral,
  isVariableStatement,
} from 'typescript/unstable/ast/is'
import { createVirtualFileSystem } from 'typescript/unstable/fs'
import { API } from 'typescript/unstable/sync'

/** A place in a project: `file` from the project's root, `line` from 1. */
export interface Place {
  readonly file: string
  readonly line: number
}

/**
 * An import, or an export of another file's. `target` is a file of the project, or a package's specifier; `by_name`
 * means that the file is the door of our own package, which was imported by its name. `names` are those that are
 * imported, or under which they are exported again; none if they are not written out.
 */
export interface ImportFact extends Place {
  readonly target: string
  readonly by_name: boolean
  readonly type_only: boolean
  readonly reexport: boolean
  readonly names: readonly string[]
}

/** Something exported. */
export interface ExportFact extends Place {
  readonly name: string
  readonly is_default: boolean
}

/** A use of a name that the rules watch, such as `Date.now` or `process.env`. */
export interface UseFact extends Place {
  readonly what: string
}

/** An arrow function that stands where a function could be declared. */
export interface ArrowFact extends Place {
  readonly name: string
}

/**
 * The facts that the rules judge; the only file that knows the parser is this one (its API is still called unstable).
 */
export interface Facts {
  readonly files: readonly { readonly file: string; readonly lines: number }[]
  readonly imports: readonly ImportFact[]
  readonly exports: readonly ExportFact[]
  readonly uses: readonly UseFact[]
  readonly arrows: readonly ArrowFact[]
}

type Mutable = { [Key in keyof Facts]: Facts[Key][number][] }

const root = '/projects/'

/** A file's path from the root of its project; each project is a numbered folder. */
function pathOf({ fileName }: SourceFile): string {
  return fileName.replace(/^\/projects\/\d+\//, '')
}

function lineOf(source: SourceFile, position: number): number {
  return source.getLineAndCharacterOfPosition(position).line + 1
}

function placeOf(source: SourceFile, node: Node): Place {
  return {
    file: pathOf(source),
    line: lineOf(source, node.getStart(source)),
  }
}

/** `@attestor/vision` and `@attestor/vision/guidance`: the files of these doors. */
function doorOf(specifier: string): string | null {
  const [, folder, library, door = 'index'] =
    /^(?:@attestor\/([\w-]+)|(durable-xstate-sql))(?:\/([\w-]+))?$/.exec(specifier) ?? []
  return folder === undefined && library === undefined ? null : `packages/${folder ?? 'durable'}/${door}.ts`
}

/** `./x.ts` as a path from the project's root, a package of ours as the file of its door; another's name stays. */
function targetOf(file: string, specifier: string): string {
  if (!specifier.startsWith('.')) return doorOf(specifier) ?? specifier
  return new URL(specifier, `file:///${file}`).pathname.slice(1)
}

/**
 * `import { a as b, type c } from 'x'` imports `a` and `c`, `const { a: b } = await import('x')` imports `a`;
 * `export { a as b } from 'x'` passes on `b`.
 */
function readNames(text: string): readonly string[] {
  const [, keyword, inside = ''] = /^(import|export|const)\s+(?:type\s+)?\{([^}]*)\}/.exec(text) ?? []
  return inside
    .split(',')
    .map(word => word.trim().replace(/^type\s+/, ''))
    .filter(word => word !== '')
    .map(word => word.split(/\s+as\s+|:\s*/).at(keyword === 'export' ? -1 : 0) ?? word)
}

/** Returns the names that `await import('x')` is taken apart into, as source text. */
function readPattern(source: SourceFile, node: Node): string {
  return /const\s+\{[^{}]*\}\s*=\s*await\s*$/.exec(source.text.slice(0, node.getStart(source)))?.[0] ?? ''
}

function readImport(facts: Mutable, source: SourceFile, node: Node): void {
  const add = (specifier: Node, type_only: boolean, reexport: boolean, text = node.getText(source)): void => {
    if (!isStringLiteral(specifier)) return
    const place = placeOf(source, node)
    const target = targetOf(place.file, specifier.text)
    const by_name = doorOf(specifier.text) === target
    facts.imports.push({ ...place, target, by_name, type_only, reexport, names: readNames(text) })
  }
  if (isImportDeclaration(node)) add(node.moduleSpecifier, /^import\s+type\b/.test(node.getText(source)), false)
  else if (isExportDeclaration(node) && node.moduleSpecifier !== undefined)
    add(node.moduleSpecifier, /^export\s+type\b/.test(node.getText(source)), true)
  else if (isCallExpression(node) && node.expression.kind === SyntaxKind.ImportKeyword && node.arguments[0])
    add(node.arguments[0], false, false, readPattern(source, node))
}

/** The names in `import { a, b as c } from 'node:crypto'`: `crypto.a` and `crypto.b`. */
function readNodeNames(text: string): string[] {
  const [, names = '', module = ''] = /^import\s*\{([^}]*)\}\s*from\s*'node:(\w+)'/.exec(text) ?? []
  return [...names.matchAll(/(\w+)(?:\s+as\s+\w+)?\s*(?:,|$)/g)].map(([, name]) => `${module}.${name}`)
}

/**
 * Reads `a.b`, a bare call `f()`, `new Date()` without arguments, which asks for the time, and names that Node's
 * modules export.
 */
function readUse(facts: Mutable, source: SourceFile, node: Node): void {
  const add = (what: string): number => facts.uses.push({ ...placeOf(source, node), what })
  if (isImportDeclaration(node)) for (const name of readNodeNames(node.getText(source))) add(name)
  if (isPropertyAccessExpression(node) && isIdentifier(node.expression)) add(node.getText(source).replace(/\s|\?/g, ''))
  else if (isCallExpression(node) && isIdentifier(node.expression)) add(`${node.expression.text}()`)
  else if (isNewExpression(node) && isIdentifier(node.expression) && (node.arguments?.length ?? 0) === 0)
    add(`new ${node.expression.text}()`)
}

function isExported(source: SourceFile, node: Node): boolean {
  return /^export\b/.test(node.getText(source))
}

function readExport(facts: Mutable, source: SourceFile, node: Node): void {
  if (!isExported(source, node) || isExportDeclaration(node)) return
  const is_default = isExportAssignment(node) || /^export\s+default\b/.test(node.getText(source))
  const declared = isVariableStatement(node) ? node.declarationList.declarations[0]?.name : null
  const named = 'name' in node && node.name ? (node.name as Node) : null
  const name = (declared ?? named)?.getText(source) ?? 'default'
  facts.exports.push({ ...placeOf(source, node), name, is_default })
}

/** A `const` with a type says more than a declared function could. */
function readArrow(facts: Mutable, source: SourceFile, node: Node): void {
  const [made] = isVariableStatement(node) ? node.declarationList.declarations : []
  if (made?.initializer && made.type === undefined && isArrowFunction(made.initializer))
    facts.arrows.push({ ...placeOf(source, node), name: made.name.getText(source) })
}

function readSource(facts: Mutable, source: SourceFile): void {
  facts.files.push({ file: pathOf(source), lines: source.text.trimEnd().split('\n').length })
  for (const statement of source.statements) {
    readExport(facts, source, statement)
    readArrow(facts, source, statement)
  }
  const visit = (node: Node): void => {
    readImport(facts, source, node)
    readUse(facts, source, node)
    node.forEachChild(visit)
  }
  source.forEachChild(visit)
}

interface Virtual {
  readonly name: string
  readonly text: string
}

/** Parses files, and returns the facts of each. */
function parse(files: readonly Virtual[]): readonly Facts[] {
  if (files.length === 0) return []
  const config = { compilerOptions: { noLib: true, noResolve: true, noEmit: true, types: [] }, include: ['**/*'] }
  const fs = createVirtualFileSystem({
    ...Object.fromEntries(files.map(({ name, text }) => [name, text])),
    [`${root}tsconfig.json`]: JSON.stringify(config),
  })
  const api = new API({ cwd: root, fs })
  try {
    using snapshot = api.updateSnapshot({ openProjects: [`${root}tsconfig.json`] })
    const project = snapshot.getProject(`${root}tsconfig.json`)
    if (project === undefined) throw new Error('the parser opened no project')
    return files.map(({ name }) => {
      const source = project.program.getSourceFile(name)
      if (source === undefined) throw new Error(`the parser did not read ${name}`)
      const facts: Mutable = { files: [], imports: [], exports: [], uses: [], arrows: [] }
      readSource(facts, source)
      return facts
    })
  } finally {
    api.close()
  }
}

/** Facts from earlier runs, by a digest of the file, of this code and of the packages that are installed. */
const folder = join(import.meta.dirname, '../..')
const cache = join(folder, 'node_modules', '.cache', 'facts.json')
const reader = [import.meta.filename, join(folder, 'node_modules', '.package-lock.json')].map(file =>
  hash('sha256', readFileSync(file, 'utf8')),
)

function digestOf({ name, text }: Virtual): string {
  return hash('sha256', JSON.stringify([...reader, name, text]), 'base64url')
}

/** Most files are what they were in the last run, and to parse all takes eight seconds of CPU. */
function readCached(files: readonly Virtual[]): readonly Facts[] {
  const known = existsSync(cache) ? (JSON.parse(readFileSync(cache, 'utf8')) as Readonly<Record<string, Facts>>) : {}
  const digests = files.map(digestOf)
  const unknown = files.flatMap((file, index) => (known[digests[index] ?? ''] === undefined ? [{ file, index }] : []))
  const parsed = parse(unknown.map(({ file }) => file))
  const fresh = Object.fromEntries(unknown.map(({ index }, n) => [digests[index], parsed[n]]))
  const facts = digests.map(digest => known[digest] ?? fresh[digest])
  if (unknown.length > 0) {
    mkdirSync(dirname(cache), { recursive: true })
    writeFileSync(
      `${cache}.${process.pid}`,
      JSON.stringify(Object.fromEntries(digests.map((one, n) => [one, facts[n]]))),
    )
    renameSync(`${cache}.${process.pid}`, cache)
  }
  return facts.filter(one => one !== undefined)
}

/** Reads projects of TypeScript files, given as paths from a root and their texts, with one start of the parser. */
export function readFacts(projects: readonly Readonly<Record<string, string>>[]): readonly Facts[] {
  const files = projects.flatMap((project, index) =>
    Object.entries(project).map(([file, text]) => ({ name: `${root}${index}/${file}`, text, index })),
  )
  const facts = readCached(files)
  const all = Map.groupBy(facts, (_, at) => files[at]?.index)
  return projects.map((_, index) => {
    const own = all.get(index) ?? []
    return {
      files: own.flatMap(one => one.files),
      imports: own.flatMap(one => one.imports),
      exports: own.flatMap(one => one.exports),
      uses: own.flatMap(one => one.uses),
      arrows: own.flatMap(one => one.arrows),
    }
  })
}
