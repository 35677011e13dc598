import { existsSync, globSync, readFileSync, statSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { issueCatalogue } from '@attestor/rules'
import { warningCatalogue } from '@attestor/vision'
import test from 'ava'
import { deliveryMachine } from '../machines/delivery.ts'
import { transactionMachine } from '../machines/transaction.ts'
import { secretSettings, settings } from '../src/config/settings.ts'
import { describeMetrics } from '../src/node/metrics/metrics.ts'
import { describeCommands } from '../tools/commands_table.ts'
import { readChartSurface } from './machines/chart_surface.ts'
import { anchorsOf, codeOf, linksOf, type Page, proseOf, readPages, root } from './markdown.ts'

const pages = readPages()

/** A record keeps the names of its day; only its links must still lead somewhere. */
function isRecord({ file }: Page): boolean {
  return file.startsWith('lab/bench/results/')
}

const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))

/** Returns the faults of a page, a sentence for each. */
type Check = (page: Page) => readonly string[]

function isRelative(target: string): boolean {
  return !/^[a-z][a-z+.-]*:/i.test(target)
}

function checkLink({ file, text }: Page, target: string): string | null {
  const [path = '', anchor] = target.split('#')
  const found = path === '' ? file : normalize(join(dirname(file), decodeURIComponent(path)))
  if (found.startsWith('..') || !existsSync(join(root, found))) return `there is no ${target}`
  if (anchor === undefined) return null
  const linked = path === '' ? text : statSync(join(root, found)).isFile() && readFileSync(join(root, found), 'utf8')
  return linked !== false && anchorsOf(linked).has(anchor) ? null : `${found} has no heading #${anchor}`
}

const checkLinks: Check = page =>
  linksOf(page.text)
    .filter(isRelative)
    .flatMap(target => checkLink(page, target) ?? [])

function matches(texts: readonly string[], pattern: RegExp): readonly string[] {
  return texts.flatMap(text => [...text.matchAll(pattern)].map(([, word]) => word ?? ''))
}

const checkScripts: Check = ({ text }) =>
  matches(codeOf(text), /\bnpm run (?:--silent |-s )?([a-z][a-z:_-]*)/g)
    .filter(name => !(name in manifest.scripts))
    .map(name => `there is no npm run ${name}`)

const commands = describeCommands()

function checkCommand(line: string): string | null {
  const command = commands.find(({ name }) => line === name || line.startsWith(`${name} `))
  if (command === undefined) return `there is no attestor ${line}`
  const option = line.match(/(?<= )--[a-z-]+/g)?.find(given => given !== '--help' && !command.options.includes(given))
  return option === undefined ? null : `attestor ${command.name} takes no ${option}`
}

const checkCommands: Check = ({ text }) =>
  matches(
    codeOf(text).map(code => code.replaceAll('\\\n', ' ')),
    /(?:(?<!exec )\battestor|\bsrc\/cli\.ts)(?: --)? ([a-z]+\b[^\n|<>&#`]*)/g,
  ).flatMap(line => checkCommand(line.trimEnd()) ?? [])

const namedSettings = [...Object.keys(settings), ...secretSettings.map(name => `${name}_FILE`)]
const families = new Set(Object.keys(settings).map(name => name.split('_')[0]))
const charts = [transactionMachine, deliveryMachine].map(machine => JSON.stringify(readChartSurface(machine)))

function textOf(...patterns: readonly string[]): string {
  return globSync(patterns, { cwd: root, exclude: ['test/links.test.ts'] })
    .map(file => readFileSync(join(root, file), 'utf8'))
    .join('\n')
}

const capitals = /\b[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+\b/g
const wordsOfCode = new Set(
  textOf('{packages,src,machines,examples,demo,docker,test,bench,synthetic,training}/**/*.{ts,yaml}').match(capitals) ??
    [],
)
const stringsOfService = new Set(textOf('{packages,src}/**/*.ts').match(/(?<=')[A-Z][A-Z0-9_]+(?=')/g) ?? [])
const shellVariables = new Set(textOf('README.md', 'docs/**/*.{md,sh}').match(/(?<=\$\{?)[A-Z][A-Z0-9_]+/g) ?? [])

const argumentsOfCommands = new Set(commands.flatMap(({ usage }) => usage.match(capitals) ?? []))

function isNamed(word: string): boolean {
  return (
    argumentsOfCommands.has(word) ||
    namedSettings.includes(word) ||
    word in issueCatalogue ||
    word in warningCatalogue ||
    charts.some(chart => new RegExp(`\\b${word}\\b`).test(chart))
  )
}

/** Names that belong to other programs, and their meanings. */
const namesOfOthers: Readonly<Record<string, string>> = {
  DATABASE_PASSWORD: 'a variable of docker/compose.mariadb.yaml',
  HTTPS_PROXY: 'a variable that other programs read',
  LOW_LIGHT: 'the code of an engine in an example',
  NODE_EXTRA_CA_CERTS: 'a variable of Node',
}

/**
 * A word that begins as a setting does must be a setting, or a word of the service; any other must be somewhere in the
 * program.
 */
const checkSettings: Check = ({ text }) =>
  matches(codeOf(text), /(?<![\w$./-])([A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+)\b(?!…|[a-z])/g)
    .filter(word => !isNamed(word) && !(word in namesOfOthers) && !shellVariables.has(word))
    .filter(word => !(families.has(word.split('_')[0]) ? stringsOfService : wordsOfCode).has(word))
    .map(word => `nothing is called ${word}`)

/** A histogram is read as several series. */
const metrics = describeMetrics().flatMap(({ name, type }) =>
  type === 'histogram' ? [name, `${name}_count`, `${name}_sum`, `${name}_bucket`] : [name],
)

const checkMetrics: Check = ({ text }) =>
  matches(codeOf(text), /\b(attestor_[a-z_]+)\b/g)
    .filter(name => !metrics.includes(name))
    .map(name => `there is no metric ${name}`)

const checkFiles: Check = ({ text }) =>
  matches(
    codeOf(text),
    /(?<![\w./@-])((?:src|test|bench|machines|clients|examples|docs|demo|docker|synthetic|tools|training)\/[\w./*-]*\w\/?)/g,
  )
    .filter(path => globSync(path, { cwd: root }).length === 0)
    .map(path => `there is no file ${path}`)

const checks: Readonly<Record<string, { readonly check: Check; readonly broken: readonly string[] }>> = {
  'relative links': { check: checkLinks, broken: ['# A\n[b](#c)', '![picture](docs/none.svg)', '[a](docs/none.md#b)'] },
  'scripts of npm': { check: checkScripts, broken: ['`npm run none`', '```sh\nnpm run --silent none -- a\n```'] },
  'commands of attestor': {
    check: checkCommands,
    broken: ['`attestor none`', '```sh\nnode src/cli.ts account none\n```', '`attestor keys list --none`'],
  },
  'settings and codes': {
    check: checkSettings,
    broken: ['`WEBHOOK_NONE=1`', '`NO_SUCH_WORD_AT_ALL`', '`MASTER_KEYS`'],
  },
  metrics: { check: checkMetrics, broken: ['`attestor_none_total`'] },
  'files named': { check: checkFiles, broken: ['`src/none.ts`', '```sh\nnode bench/none.ts 1\n```'] },
}

for (const [what, { check, broken }] of Object.entries(checks)) {
  test(`in every page, ${what} exist`, t => {
    t.deepEqual(
      pages
        .filter(page => check === checkLinks || !isRecord(page))
        .flatMap(page => check(page).map(fault => `${page.file}: ${fault}`)),
      [],
    )
  })
  test(`a page is caught where ${what} don't exist`, t => {
    for (const text of broken) t.is(check({ file: 'README.md', text }).length, 1, text)
  })
}

test('links are found wherever they stand, and not in code', t => {
  const text = '[a](b.md#c) ![d](e.svg "f")\n<img src="g.svg">\n`[h](i)`\n```\n[j](k)\n```\n'
  t.deepEqual(linksOf(text), ['b.md#c', 'e.svg', 'g.svg'])
  t.deepEqual([...anchorsOf('# A `b`, and C\n## D\n## D\n```\n# E\n```\n')], ['a-b-and-c', 'd', 'd-1'])
  t.is(proseOf('a `b` c'), 'a  c')
})

test('every page is reached from README.md', t => {
  const reached = new Set(['README.md'])
  for (const file of reached) {
    const page = pages.find(one => one.file === file)
    for (const target of page === undefined ? [] : linksOf(page.text).filter(isRelative))
      reached.add(normalize(join(dirname(file), target.split('#')[0] || '.')))
  }
  t.deepEqual(
    pages.map(({ file }) => file).filter(file => !reached.has(file) && !/^(packages|src)\//.test(file)),
    [],
  )
  const links = pages.flatMap(({ text }) => linksOf(text))
  t.log(`${links.filter(isRelative).length} links checked, ${pages.length} pages`)
  t.true(links.length > 100)
})

test('the layout names every folder', t => {
  const { text = '' } = pages.find(({ file }) => file === 'docs/develop/index.md') ?? {}
  const folders = globSync(['*/', 'packages/*/', 'src/*/'], {
    cwd: root,
    exclude: ['node_modules', 'data', 'coverage', 'sample-photos', 'site', 'packed'],
  })
  t.true(folders.length > 20)
  t.deepEqual(
    folders.filter(folder => !['packages', 'src'].includes(folder) && !text.includes(`\`${folder}/\``)),
    [],
  )
})

test('README.md is short', t => {
  const { text = '' } = pages.find(({ file }) => file === 'README.md') ?? {}
  t.true(text.split('\n').length <= 201, `${text.split('\n').length - 1} lines`)
})
