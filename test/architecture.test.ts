import { globSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { measuredDistances, measuredLiveness, measuredQuality } from '@attestor/vision/testing'
import test from 'ava'
import { readFacts } from './architecture/facts.ts'
import { foundations } from './architecture/layers.ts'
import { findUnmeasured, type PeopleList } from './architecture/limits.ts'
import {
  benchesAreNoTests,
  benchIsHeldOut,
  enginesStayBehindThePort,
  exportsAreOwnAndNamed,
  foundationsAreUsed,
  functionsAreDeclared,
  globalsAreAllowed,
  importsGoDown,
  noCycles,
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
    '{packages,src,machines,test,bench,demo,examples}/**/*.ts',
    'clients/{typescript/src,typescript/sample}/**/*.ts',
  ],
  {
    cwd: root,
  },
).filter(file => !file.endsWith('.d.ts'))
const development = Object.keys(JSON.parse(read('package.json')).devDependencies)

type Sample = Readonly<Record<string, string>>

/** A rule with files that break it, and the sentence that it should answer with. */
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
        { 'packages/durable/test/a.ts': "import { b } from '../../../test/b.ts'" },
        'packages/durable/test/a.ts:1 may not import test/b.ts',
      ],
      [{ 'machines/a.ts': "import '../src/base/b.ts'" }, 'machines/a.ts:1 may not import src/base/b.ts'],
      [{ 'src/http/a.ts': "\nawait import('../node/b.ts')" }, 'src/http/a.ts:2 may not import src/node/b.ts'],
      [
        { 'demo/a.ts': "import type { b } from '../src/http/b.ts'" },
        'demo/a.ts:1 may not import src/http/b.ts (a type)',
      ],
      [
        { 'src/console/page/a.ts': "import { b } from '../list.ts'" },
        'src/console/page/a.ts:1 may not import src/console/list.ts',
      ],
      [
        { 'src/engines/a.ts': "import type { b } from '../webhooks/b.ts'" },
        'src/engines/a.ts:1 may not import src/webhooks/b.ts (a type)',
      ],
      [{ 'src/utils/a.ts': '' }, 'src/utils/a.ts is in no layer of test/architecture/layers.ts'],
    ],
    whole: {
      'src/config/settings.ts': "import { b } from '../base/b.ts'",
      'src/console/page/a.ts':
        "import { b } from '../../pages/chart/page/b.ts'\nimport type { c } from '../shapes/c.ts'",
      'src/base/a.ts': "import { b } from '../../packages/durable/store/b.ts'\nimport { c } from './c.ts'",
      'src/main.ts': "import { b } from './http/b.ts'",
      'test/a.ts': "import { b } from '../src/http/b.ts'",
    },
  },
  {
    title: 'engines stay behind the port',
    rule: enginesStayBehindThePort,
    broken: [
      [
        { 'src/webhooks/a.ts': "import { b } from '../engines/local/engine.ts'" },
        'src/webhooks/a.ts:1 may not import src/engines/local/engine.ts: engines stay behind src/engines/port.ts',
      ],
    ],
    whole: {
      'src/webhooks/a.ts': "import type { b } from '../engines/port.ts'",
      'src/main.ts': "import { b } from './engines/local/engine.ts'",
    },
  },
  {
    title: 'the bench of truth shares no drawing with the trainer',
    rule: benchIsHeldOut,
    broken: [
      [
        { 'bench/truth/a.ts': "import { b } from '../../synthetic/lettering.ts'" },
        'bench/truth/a.ts:1 may not import synthetic/lettering.ts: what the bench measures with is held out of training',
      ],
      [
        { 'bench/truth/a.ts': "import { b } from '../../training/samples.ts'" },
        'bench/truth/a.ts:1 may not import training/samples.ts: what the bench measures with is held out of training',
      ],
    ],
    whole: {
      'bench/truth/a.ts': "import { b } from '../../synthetic/portrait.ts'\nimport { c } from './c.ts'",
      'bench/mrz.ts': "import { b } from '../synthetic/document.ts'",
    },
  },
  {
    title: 'tests import no bench but those that test one',
    rule: benchesAreNoTests,
    broken: [
      [
        { 'test/http/a.test.ts': "import { b } from '../../bench/deliveries.ts'" },
        'test/http/a.test.ts:1 may not import bench/deliveries.ts: what tests and benches share is in test',
      ],
    ],
    whole: {
      'test/truth/a.test.ts': "import { b } from '../../bench/truth/b.ts'",
      'bench/a.ts': "import { b } from '../test/b.ts'\nimport { c } from './c.ts'",
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
        { 'src/pages/capture/page/a.ts': 'const id = crypto.randomUUID()' },
        'src/pages/capture/page/a.ts:1 uses crypto.randomUUID: randomness comes from src/base/random.ts, or from a seed',
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
    whole: { 'ormconfig.ts': 'export default 1', 'src/base/a.ts': 'export const a = 1' },
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
  'src/engines/processes/slot.ts': "import { createStore } from '@xstate/store'",
  'src/http/app.ts': "import Router from '@koa/router'\nimport Koa from 'koa'",
  'src/http/body.ts': "import { koaBody } from 'koa-body'",
  'src/identity/keys/a.ts': "import { SignJWT } from 'jose'",
  'test/a.test.ts': "import test from 'ava'",
}
const unused: Sample = { ...used, 'src/http/body.ts': "import type { koaBody } from 'koa-body'" }
const projects = [attestor, ...samples, used, unused]
const factsOf = new Map(readFacts(projects).map((facts, index) => [projects[index], facts]))

/** What `rule` says of a project. */
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
  const { dependencies, devDependencies } = JSON.parse(read('package.json'))
  const names = Object.keys(foundations)
  t.is(names.length, 9)
  t.deepEqual(
    names.filter(name => !{ ...dependencies, ...devDependencies }[name]),
    [],
  )
  t.deepEqual(judge(foundationsAreUsed, attestor), [])
  t.deepEqual(judge(foundationsAreUsed, used), [])
  t.deepEqual(judge(foundationsAreUsed, unused), ['src/http/body.ts does not use koa-body'])
})

test('every limit that decides about people names those in colour whom it was measured on', t => {
  const lists = new Map(
    globSync('bench/pictures/*.json', { cwd: root }).map(file => [
      basename(file, '.json'),
      JSON.parse(read(file)) as PeopleList,
    ]),
  )
  t.deepEqual(findUnmeasured({ ...measuredQuality, ...measuredLiveness, ...measuredDistances }, lists), [])
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

test('the project was read', t => {
  const { files = [], imports = [] } = factsOf.get(attestor) ?? {}
  t.true(files.length > 50)
  t.true(imports.some(({ file, target }) => file === 'src/config/settings.ts' && target === 'src/base/log.ts'))
})
