import type { Facts, ImportFact, Place } from './facts.ts'
import {
  allowedGlobals,
  beside,
  browserMayImport,
  closedModules,
  defaultExports,
  developmentPlaces,
  doors,
  foundations,
  layers,
  onlyImports,
  owners,
  programs,
  testsOfBenches,
  typesFromAbove,
} from './layers.ts'

/** Judges facts; answers one sentence for each place that breaks the rule. */
export type Rule = (facts: Facts) => string[]

function at({ file, line }: Place, what: string): string {
  return `${file}:${line} ${what}`
}

/** Whether `file` is one of `places`, or lies in one of them. */
function isIn(file: string, places: readonly string[]): boolean {
  return places.some(place => file === place || file.startsWith(`${place}/`))
}

/** Whether a file is a test, a bench or a drawing for them, and no code that runs. */
function isTrial(file: string): boolean {
  return /^(test|lab\/bench)\/|^packages\/[^/]+\/(test|bench|synthetic|training)\//.test(file)
}

/** Whether a file draws what does not exist: tests and the demo use it, the service does not. */
function isDrawing(file: string): boolean {
  return /^packages\/[^/]+\/synthetic\//.test(file)
}

function isService({ file }: { readonly file: string }): boolean {
  return !isTrial(file)
}

function isFile(target: string): boolean {
  return /\.(ts|json)$/.test(target) && !target.startsWith('node:')
}

/** The layer or the place beside the service that a file belongs to, or null. */
function placeOf(file: string): string | null {
  return [...layers, ...Object.keys(beside)].find(place => isIn(file, [place])) ?? null
}

function isPage(file: string): boolean {
  return /^(src|packages)\/.*\/page\//.test(file)
}

function mayImport({ file, target, type_only }: ImportFact): boolean {
  const from = placeOf(file)
  const to = placeOf(target)
  if (isIn(file, programs) || (from !== null && from === to)) return !isPage(file) || type_only || isPage(target)
  if (isPage(file) && isIn(target, browserMayImport)) return true
  if (isPage(file) && !type_only) return isPage(target)
  if (from === null || to === null) return target === 'package.json' && from === 'src/base'
  if (beside[from] !== undefined) return beside[from].includes(to)
  const goesDown =
    layers.includes(to) && layers.indexOf(to) < layers.indexOf(from) && (onlyImports[from]?.includes(to) ?? true)
  return goesDown || (type_only && (typesFromAbove[from] ?? []).includes(to))
}

/** Imports go down the layers, and every file is in one. */
export const importsGoDown: Rule = ({ files, imports }) => [
  ...files
    .filter(isService)
    .filter(({ file }) => placeOf(file) === null && !isIn(file, programs))
    .map(({ file }) => `${file} is in no layer of test/architecture/layers.ts`),
  ...imports
    .filter(isService)
    .filter(fact => isFile(fact.target) && !mayImport(fact))
    .map(fact => at(fact, `may not import ${fact.target}${fact.type_only ? ' (a type)' : ''}`)),
]

/** Returns the package that a file belongs to, by its folder; null for the service and the folders beside it. */
function folderOf(file: string): string | null {
  return /^packages\/[^/]+/.exec(file)?.[0] ?? null
}

/** Tests and benches share helpers of their own, which have no door. */
function isShared({ file, target }: ImportFact): boolean {
  const helper = /^packages\/[^/]+\/(test|bench)\//
  return (
    helper.test(target) && isIn(file, ['test', 'lab', 'tools', ...(helper.test(file) ? [folderOf(file) ?? ''] : [])])
  )
}

/** A package is entered by its name, through one of its doors. */
export const packagesAreEnteredByName: Rule = ({ imports }) =>
  imports
    .filter(({ target, by_name }) => isFile(target) && !by_name && folderOf(target) !== null)
    .filter(fact => folderOf(fact.file) !== folderOf(fact.target) && !isShared(fact))
    .map(fact => at(fact, `may not import ${fact.target}: a package is imported by its name`))

/** A package gives the names of its doors, and has no other door. */
export const doorsHaveTheNames: Rule = ({ files, imports }) => {
  const known = new Set(files.map(({ file }) => file))
  const given = Map.groupBy(
    imports.filter(({ reexport }) => reexport),
    ({ file }) => file,
  )
  return imports
    .filter(({ by_name }) => by_name)
    .flatMap(fact => {
      if (!known.has(fact.target)) return [at(fact, `may not import ${fact.target}: there is no such door`)]
      const names = new Set((given.get(fact.target) ?? []).flatMap(({ names }) => names))
      return fact.names
        .filter(name => !names.has(name))
        .map(name => at(fact, `may not import ${name}: ${fact.target} does not give it`))
    })
}

/**
 * Checks that each name of a door has a user outside its package, or that a page of the package has it. `manuals` are the
 * texts of its pages, by the folders of packages.
 */
export function doorsGiveWhatIsUsed(manuals: Readonly<Record<string, string>>): Rule {
  return ({ imports }) => {
    const outside = imports.filter(({ file, target, by_name }) => by_name && folderOf(file) !== folderOf(target))
    const used = new Set(outside.flatMap(({ target, names }) => names.map(name => `${target} ${name}`)))
    return imports
      .filter(({ file, reexport }) => reexport && isDoor(file))
      .flatMap(fact => {
        const words = new Set(manuals[folderOf(fact.file) ?? '']?.match(/\w+/g))
        return fact.names
          .filter(name => !used.has(`${fact.file} ${name}`) && !words.has(name))
          .map(name => at(fact, `gives ${name}, which nobody outside uses and no page of the package names`))
      })
  }
}

function nameOf(folder: string): string {
  return folder === 'packages/durable' ? 'durable-xstate-sql' : folder.replace('packages/', '@attestor/')
}

/** Returns the manifest for a file: its package's, or the service's. */
function manifestOf(file: string): string {
  return `${folderOf(file) ?? '.'}/package.json`
}

/**
 * Checks that each manifest names its imports: a package's those of its production code, the root's those of the
 * service. So each can be installed alone. `dependencies` are the names by manifest, `drawing` those that a package's
 * drawings may import, too.
 */
export function manifestsNameWhatIsImported(
  dependencies: Readonly<Record<string, readonly string[]>>,
  drawing: Readonly<Record<string, readonly string[]>>,
): Rule {
  return ({ imports }) =>
    imports
      .filter(fact => isService(fact) || isDrawing(fact.file))
      .filter(({ file }) => folderOf(file) !== null || isIn(file, ['src', 'machines']))
      .flatMap(fact => {
        const folder = folderOf(fact.target)
        const isNode = fact.target.startsWith('node:')
        if (isNode || (isFile(fact.target) && !fact.by_name)) return []
        // Workspaces are there for the root without a word.
        if (folder !== null && (folder === folderOf(fact.file) || folderOf(fact.file) === null)) return []
        const name = folder === null ? packageOf(fact.target) : nameOf(folder)
        const manifest = manifestOf(fact.file)
        const named = [dependencies[manifest], isDrawing(fact.file) ? drawing[manifest] : []].flat()
        return named.includes(name) ? [] : [at(fact, `imports ${name}, which ${manifest} does not name`)]
      })
}

/** Figures mean something only where the bench's pictures share no drawing with those that train the reader. */
export const benchIsHeldOut: Rule = ({ imports }) =>
  imports
    .filter(({ file }) => file.startsWith('packages/vision/bench/truth/'))
    .filter(({ target }) => /^packages\/(vision\/(synthetic\/(?!portrait)|training\/)|rules\/synthetic)/.test(target))
    .map(fact => at(fact, `may not import ${fact.target}: what the bench measures with is held out of training`))

function isBench(file: string): boolean {
  return /^(lab|packages\/[^/]+)\/bench\//.test(file)
}

/** A change that breaks no test may break a bench, and the other way round: only tests of benches import them. */
export const benchesAreNoTests: Rule = ({ imports }) =>
  imports
    .filter(({ file, target }) => !isIn(file, testsOfBenches) && !isBench(file) && isBench(target))
    .map(fact => at(fact, `may not import ${fact.target}: what tests and benches share is in test`))

function packageOf(target: string): string {
  return target
    .split('/')
    .slice(0, target.startsWith('@') ? 2 : 1)
    .join('/')
}

/** Packages are imported by their owners. */
export const packagesHaveOwners: Rule = ({ imports }) =>
  imports
    .filter(isService)
    .filter(({ file, target, type_only }) => {
      const owner = isFile(target) ? undefined : owners[packageOf(target)]
      return owner !== undefined && !isIn(file, owner.in) && !(type_only && isIn(file, owner.types ?? []))
    })
    .map(fact => at(fact, `may not import ${fact.target}`))

/** Packages that the project is built on do real work: a file of the place named for each imports its value. */
export const foundationsAreUsed: Rule = ({ imports }) =>
  Object.entries(foundations)
    .filter(([name, place]) => {
      const users = imports.filter(
        ({ file, target, type_only }) => !type_only && packageOf(target) === name && isIn(file, [place]),
      )
      return users.length === 0
    })
    .map(([name, place]) => `${place} does not use ${name}`)

/** Time, the environment and randomness are read where they may be. */
export const globalsAreAllowed: Rule = ({ uses, imports }) => [
  ...uses
    .filter(isService)
    .flatMap(fact =>
      allowedGlobals
        .filter(({ use, in: places }) => use.test(fact.what) && !isIn(fact.file, places))
        .map(({ why }) => at(fact, `uses ${fact.what}: ${why}`)),
    ),
  ...imports
    .filter(isService)
    .filter(({ file, target }) => closedModules.includes(target) && !isIn(file, ['lab/demo']))
    .map(fact => at(fact, `may not import ${fact.target}`)),
]

/** No file imports itself by way of others, types included. */
export const noCycles: Rule = ({ files, imports }) => {
  const next = new Map(files.map(({ file }) => [file, imports.filter(fact => fact.file === file)] as const))
  const finished = new Set<string>()
  const found: string[] = []
  const visit = (file: string, path: readonly string[]): void => {
    if (path.includes(file)) found.push([...path.slice(path.indexOf(file)), file].join(' → '))
    if (path.includes(file) || finished.has(file)) return
    for (const { target } of next.get(file) ?? []) visit(target, [...path, file])
    finished.add(file)
  }
  for (const { file } of files) visit(file, [])
  return found
}

/** Requires declared functions, which editors outline. */
export const functionsAreDeclared: Rule = ({ arrows }) =>
  arrows.map(fact => at(fact, `${fact.name} is an arrow function, and not declared`))

/** Whether a file is the door of a package, which exports other files' names. */
function isDoor(file: string): boolean {
  return /^packages\/[^/]+\/\w+\.ts$/.test(file) && doors.includes(file.replace(/^.*\//, ''))
}

/** Names are exported where they are made, and by name. */
export const exportsAreOwnAndNamed: Rule = ({ exports, imports }) => [
  ...exports
    .filter(({ file, is_default }) => is_default && !defaultExports.includes(file))
    .map(fact => at(fact, 'has a default export')),
  ...imports
    .filter(({ file, reexport }) => reexport && !isDoor(file))
    .map(fact => at(fact, `passes on ${fact.target}`)),
]

/** Checks that an install without development dependencies can run the service. */
export function productionNeedsNoTools(developmentPackages: readonly string[]): Rule {
  return ({ imports }) =>
    imports
      .filter(isService)
      .filter(({ file, target, type_only }) => {
        const tool = !type_only && !isFile(target) && developmentPackages.includes(packageOf(target))
        return tool && !isIn(file, developmentPlaces)
      })
      .map(fact => at(fact, `imports ${fact.target}, a development dependency`))
}
