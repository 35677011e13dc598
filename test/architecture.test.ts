import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'ava'
import { readFacts } from './architecture/facts.ts'
import {
  benchesAreNoTests,
  benchIsHeldOut,
  doorsAreUsed,
  enginesStayBehindThePort,
  exportsAreOwnAndNamed,
  importsGoDown,
  noCycles,
  packagesStayAtHome,
  productionNeedsNoTools,
  type Rule,
  sizesAreSmall,
} from './architecture/rules.ts'

const root = join(import.meta.dirname, '..')
const read = (file: string): string => readFileSync(join(root, file), 'utf8')
const files = globSync(
  [
    '*.ts',
    '{src,machines,test,bench,demo,examples}/**/*.ts',
    'clients/{postman,typescript/src,typescript/sample}/**/*.ts',
  ],
  {
    cwd: root,
  },
).filter(file => !file.endsWith('.d.ts'))
const project = readFacts(Object.fromEntries(files.map(file => [file, read(file)])))

const development = Object.keys(JSON.parse(read('package.json')).devDependencies)

type Sample = Readonly<Record<string, string>>

/** A rule with files that break it, and the sentence that it should answer with. */
interface Trial {
  readonly title: string
  readonly rule: Rule
  readonly broken: readonly (readonly [Sample, string])[]
  readonly whole: Sample
}

const long = (lines: number, line: string): string => Array.from({ length: lines }, () => line).join('\n')

const trials: readonly Trial[] = [
  {
    title: 'imports go down the table of modules',
    rule: importsGoDown,
    broken: [
      [{ 'src/base/a.ts': "import { b } from '../database/b.ts'" }, 'src/base/a.ts:1 may not import src/database/b.ts'],
      [
        { 'src/durable/store/a.ts': "import { b } from '../../base/b.ts'" },
        'src/durable/store/a.ts:1 may not import src/base/b.ts',
      ],
      [
        { 'src/durable/test/a.ts': "import { b } from '../../../test/b.ts'" },
        'src/durable/test/a.ts:1 may not import test/b.ts',
      ],
      [{ 'machines/a.ts': "import '../src/base/b.ts'" }, 'machines/a.ts:1 may not import src/base/b.ts'],
      [
        { 'src/http/a.ts': "\nawait import('../composition/b.ts')" },
        'src/http/a.ts:2 may not import src/composition/b.ts',
      ],
      [
        { 'demo/a.ts': "import type { b } from '../src/http/b.ts'" },
        'demo/a.ts:1 may not import src/http/b.ts (a type)',
      ],
      [
        { 'src/config.ts': "import { b } from './durable/store/b.ts'" },
        'src/config.ts:1 may not import src/durable/store/b.ts',
      ],
      [{ 'src/utils/a.ts': '' }, 'src/utils/a.ts is in no module of test/architecture/house.ts'],
    ],
    whole: {
      'src/config.ts': "import type { b } from './durable/store/b.ts'",
      'src/base/a.ts': "import { b } from '../durable/store/b.ts'\nimport { c } from './c.ts'",
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
        { 'test/http/a.test.ts': "import { b } from '../../bench/load.ts'" },
        'test/http/a.test.ts:1 may not import bench/load.ts: what tests and benches share is in test',
      ],
    ],
    whole: {
      'test/truth/a.test.ts': "import { b } from '../../bench/truth/b.ts'",
      'bench/a.ts': "import { b } from '../test/b.ts'\nimport { c } from './c.ts'",
    },
  },
  {
    title: 'packages are imported where they are at home',
    rule: packagesStayAtHome,
    broken: [
      [{ 'src/transactions/a.ts': "import Koa from 'koa'" }, 'src/transactions/a.ts:1 may not import koa'],
      [
        { 'src/durable/actors/a.ts': "import { setup } from 'xstate'" },
        'src/durable/actors/a.ts:1 may not import xstate',
      ],
      [{ 'src/http/a.ts': "import { b } from 'xstate/graph'" }, 'src/http/a.ts:1 may not import xstate/graph'],
      [
        { 'src/durable/actors/a.ts': "import mysql from 'mysql2/promise'" },
        'src/durable/actors/a.ts:1 may not import mysql2/promise',
      ],
      [{ 'src/durable/store/a.ts': "import '@koa/router'" }, 'src/durable/store/a.ts:1 may not import @koa/router'],
    ],
    whole: {
      'src/durable/actors/a.ts': "import type { AnyStateMachine } from 'xstate'",
      'src/durable/actors/xstate.ts': "import { createActor } from 'xstate'",
      'src/http/a.ts': "import Koa from 'koa'\nimport mrz from 'mrz'",
    },
  },
  {
    title: 'time, the environment and randomness come through their doors',
    rule: doorsAreUsed,
    broken: [
      [
        { 'src/durable/actors/a.ts': 'const a = Date.now()' },
        'src/durable/actors/a.ts:1 uses Date.now: time comes through the Clock of src/base/clock.ts',
      ],
      [
        { 'src/durable/actors/a.ts': 'const a = store.read(b)' },
        'src/durable/actors/a.ts:1 uses store.read: rows are read as what their columns are: readAll, readFirst, isThere',
      ],
      [
        { 'src/operators/a.ts': 'const a = encryptWithRoot(b, c, d, e)' },
        'src/operators/a.ts:1 uses encryptWithRoot(): a column is encrypted by encryptColumn, so that a new root key encrypts it again',
      ],
      [
        { 'src/durable/actors/a.ts': 'const a = new Date()' },
        'src/durable/actors/a.ts:1 uses new Date(): time comes through the Clock of src/base/clock.ts',
      ],
      [
        { 'src/durable/actors/a.ts': 'const f = () => {\n  setTimeout(f, 1)\n}' },
        'src/durable/actors/a.ts:2 uses setTimeout(): time comes through the Clock of src/base/clock.ts',
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
        { 'src/capture_page/page/a.ts': 'const id = crypto.randomUUID()' },
        'src/capture_page/page/a.ts:1 uses crypto.randomUUID: randomness comes from src/base/random.ts, or from a seed',
      ],
      [
        { 'src/durable/actors/a.ts': "import { setTimeout } from 'node:timers/promises'" },
        'src/durable/actors/a.ts:1 may not import node:timers/promises',
      ],
    ],
    whole: {
      'src/base/clock.ts': 'const a = Date.now()',
      'src/base/random.ts': "import { randomInt } from 'node:crypto'",
      'src/base/ids.ts': "import { hash } from 'node:crypto'",
      'src/durable/actors/a.ts': 'const a = new Date(0).getTime() // Date.now()',
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
    title: 'files, functions and lists of parameters are small',
    rule: sizesAreSmall,
    broken: [
      [{ 'src/base/a.ts': long(201, 'f()') }, 'src/base/a.ts has 201 lines'],
      [{ 'src/base/a.ts': `const f = () => {\n${long(49, '  g()')}\n}` }, 'src/base/a.ts:1 f has 51 lines of its own'],
      [
        { 'src/base/a.ts': `function f() {\n${long(20, '  g(() => {\n    h()\n    h()\n  })')}\n}` },
        'src/base/a.ts:1 f has 82 lines',
      ],
      [{ 'src/base/a.ts': 'const o = { m(a, b, c, d, e) {} }' }, 'src/base/a.ts:1 m has 5 parameters'],
    ],
    whole: {
      'src/base/a.ts': `${long(150, 'f()')}\nconst f = () => {\n${long(48, '  g()')}\n}`,
      'machines/transaction.ts': long(300, 'f()'),
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
    title: 'production needs no development dependency',
    rule: productionNeedsNoTools(development),
    broken: [[{ 'src/http/a.ts': "import test from 'ava'" }, 'src/http/a.ts:1 imports ava, a development dependency']],
    whole: { 'src/http/a.ts': "import Koa from 'koa'", 'test/a.ts': "import test from 'ava'" },
  },
]

for (const { title, rule, broken, whole } of trials) {
  test(`in Attestor, ${title}`, t => {
    t.deepEqual(rule(project), [])
  })

  test(`broken samples are caught where ${title}`, t => {
    for (const [sample, sentence] of broken) t.deepEqual(rule(readFacts(sample)), [sentence])
    t.deepEqual(rule(readFacts(whole)), [])
  })
}

test('the project was read', t => {
  t.true(project.files.length > 50)
  t.true(project.imports.some(({ file, target }) => file === 'src/config.ts' && target === 'src/base/log.ts'))
  t.true(project.functions.some(({ file, name }) => file === 'src/base/ids.ts' && name === 'newId'))
})
