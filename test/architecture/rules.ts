import type { Facts, Place } from './facts.ts'
import {
  closedModules,
  compositions,
  defaultExports,
  developmentPlaces,
  doors,
  generatedFolders,
  homes,
  largeFiles,
  modules,
  sizes,
  testsOfBenches,
} from './house.ts'

/** Judges facts; answers one sentence for each place that breaks the rule, none where all is well. */
export type Rule = (facts: Facts) => string[]

const at = ({ file, line }: Place, what: string): string => `${file}:${line} ${what}`

/** Whether `file` is one of `places`, or lies in one of them. */
const isIn = (file: string, places: readonly string[]): boolean =>
  places.some(place => file === place || file.startsWith(`${place}/`))

const isService = ({ file }: { readonly file: string }): boolean => !/^(test|bench)\//.test(file)

const moduleOf = (file: string): string =>
  Object.keys(modules).find(module => isIn(file, [module])) ??
  (file.startsWith('src/') ? file : (file.split('/')[0] ?? file))

const isFile = (target: string): boolean => /\.(ts|json)$/.test(target) && !target.startsWith('node:')

/** Imports go down the table of modules, and every file is in a module. */
export const importsGoDown: Rule = ({ files, imports }) => {
  const homeless = files
    .filter(isService)
    .filter(({ file }) => modules[moduleOf(file)] === undefined && !isIn(file, compositions))
    .map(({ file }) => `${file} is in no module of test/architecture/house.ts`)
  const upward = imports
    .filter(isService)
    .filter(({ file, target }) => isFile(target) && !isIn(file, compositions) && moduleOf(file) !== moduleOf(target))
    .filter(({ file, target, type_only }) => {
      const { may = [], types = [] } = modules[moduleOf(file)] ?? {}
      return !may.includes(moduleOf(target)) && !(type_only && types.includes(moduleOf(target)))
    })
    .map(fact => at(fact, `may not import ${fact.target}${fact.type_only ? ' (a type)' : ''}`))
  return [...homeless, ...upward]
}

/**
 * The engines that look at pixels are known to the composition alone; everyone else sees the port. The capture page looks
 * at the camera's pixels by the same rules.
 */
export const enginesStayBehindThePort: Rule = ({ imports }) =>
  imports
    .filter(isService)
    .filter(({ file }) => !isIn(file, ['src/engines', 'src/capture_page/page', 'training', ...compositions]))
    .filter(({ target }) => target.startsWith('src/engines/local/'))
    .map(fact => at(fact, `may not import ${fact.target}: engines stay behind src/engines/port.ts`))

/** Figures mean something only where the bench's pictures share no drawing with those that train the reader. */
export const benchIsHeldOut: Rule = ({ imports }) =>
  imports
    .filter(({ file }) => file.startsWith('bench/truth/'))
    .filter(({ target }) => /^(synthetic\/(?!portrait)|training\/)/.test(target))
    .map(fact => at(fact, `may not import ${fact.target}: what the bench measures with is held out of training`))

/** A change that breaks no test may break a bench, and the other way round: only tests of benches import them. */
export const benchesAreNoTests: Rule = ({ imports }) =>
  imports
    .filter(({ file, target }) => !isIn(file, testsOfBenches) && !isIn(file, ['bench']) && isIn(target, ['bench']))
    .map(fact => at(fact, `may not import ${fact.target}: what tests and benches share is in test`))

const packageOf = (target: string): string =>
  target
    .split('/')
    .slice(0, target.startsWith('@') ? 2 : 1)
    .join('/')

/** Packages are imported where they are at home. */
export const packagesStayAtHome: Rule = ({ imports }) =>
  imports
    .filter(isService)
    .filter(({ file, target, type_only }) => {
      const home = isFile(target) ? undefined : homes[packageOf(target)]
      return home !== undefined && !isIn(file, home.in) && !(type_only && isIn(file, home.types ?? []))
    })
    .map(fact => at(fact, `may not import ${fact.target}`))

/** Time, the environment and randomness come through their doors. */
export const doorsAreUsed: Rule = ({ uses, imports }) => [
  ...uses
    .filter(isService)
    .flatMap(fact =>
      doors
        .filter(door => door.use.test(fact.what) && !isIn(fact.file, door.in))
        .map(door => at(fact, `uses ${fact.what}: ${door.why}`)),
    ),
  ...imports
    .filter(isService)
    .filter(({ file, target }) => closedModules.includes(target) && !isIn(file, ['demo']))
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

/** Files, functions and lists of parameters are small. */
export const sizesAreSmall: Rule = ({ files, functions }) => [
  ...files
    .filter(({ file, lines }) => lines > (!isService({ file }) ? sizes.test_file : sizes.file))
    .filter(({ file }) => largeFiles[file] === undefined && !isIn(file, generatedFolders))
    .map(({ file, lines }) => `${file} has ${lines} lines`),
  ...functions
    .filter(({ file }) => !isIn(file, generatedFolders))
    .flatMap(fact => [
      ...(fact.own_lines > sizes.function_own ? [at(fact, `${fact.name} has ${fact.own_lines} lines of its own`)] : []),
      ...(fact.lines > sizes.function_whole ? [at(fact, `${fact.name} has ${fact.lines} lines`)] : []),
      ...(fact.parameters > sizes.parameters ? [at(fact, `${fact.name} has ${fact.parameters} parameters`)] : []),
    ]),
]

/** Names are exported where they are made, and by name. */
export const exportsAreOwnAndNamed: Rule = ({ exports, imports }) => [
  ...exports
    .filter(({ file, is_default }) => is_default && !defaultExports.includes(file))
    .map(fact => at(fact, 'has a default export')),
  ...imports.filter(({ reexport }) => reexport).map(fact => at(fact, `passes on ${fact.target}`)),
]

/** What is installed without development dependencies is enough to run the service. */
export const productionNeedsNoTools =
  (developmentPackages: readonly string[]): Rule =>
  ({ imports }) =>
    imports
      .filter(isService)
      .filter(({ file, target, type_only }) => {
        const tool = !type_only && !isFile(target) && developmentPackages.includes(packageOf(target))
        return tool && !isIn(file, developmentPlaces)
      })
      .map(fact => at(fact, `imports ${fact.target}, a development dependency`))
