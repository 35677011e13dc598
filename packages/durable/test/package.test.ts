import { execFile } from 'node:child_process'
import { globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'
import { promisify } from 'node:util'
import test from 'ava'
import { inLongTier } from '../../../test/tier.ts'

const root = join(import.meta.dirname, '..')

function read(file: string): string {
  return readFileSync(join(root, file), 'utf8')
}

const manifest = JSON.parse(read('package.json'))
/** Its tests try it with the charts of Attestor too. */
const files = globSync('**/*.ts', { cwd: root, exclude: ['dist', 'test'] })

/** Returns the modules that a file imports: by `import … from`, for their effect, or at run time. */
function readImports(file: string): readonly string[] {
  return [...read(file).matchAll(/(?:\bfrom|\bimport)\s*\(?\s*'([^']+)'/g)].map(([, target = '']) => target)
}

function readPackageName(target: string): string {
  return target.split('/', target.startsWith('@') ? 2 : 1).join('/')
}

test('The library imports its own files, Node and the packages that its manifest names, and nothing else', t => {
  const packages = [manifest.name, ...Object.keys({ ...manifest.dependencies, ...manifest.peerDependencies })]
  for (const file of files)
    for (const target of readImports(file)) {
      const isOwn = target.startsWith('.') && !relative(root, join(root, dirname(file), target)).startsWith('..')
      const isPackage = !target.startsWith('.') && packages.includes(readPackageName(target))
      t.true(isOwn || isPackage || target.startsWith('node:'), `${file} imports ${target}`)
    }
  t.true(files.length > 30)
})

test('The library exports the names that its manual documents', t => {
  const manual = read('MANUAL.md')
  const [, documented = ''] = /## What it exports\n([\s\S]*?)\n## /.exec(manual) ?? []
  const exported = [...read('index.ts').matchAll(/export (?:type )?\{([^}]*)\}/g)]
    .flatMap(([, names = '']) => names.split(','))
    .map(name => name.trim().replace('type ', ''))
    .filter(name => name !== '')
  t.true(exported.length > 30)
  const named = new Set([...documented.matchAll(/`(\w+)`/g)].map(([, name]) => name))
  t.deepEqual(
    exported.filter(name => !named.has(name)),
    [],
  )
})

test('The program in the manual is the one that runs', t => {
  const manual = read('MANUAL.md')
  for (const name of ['order_machine.ts', 'orders.ts', 'address.ts', 'data_source.ts', 'main.ts', 'by_hand.ts']) {
    const file = read(`example/${name}`).replace("'../index.ts'", "'durable-xstate-sql'")
    t.true(manual.includes(`\`\`\`ts\n${file}\`\`\``), name)
  }
})

inLongTier(test)('The program of the manual charges again, and lets an order expire', async t => {
  const folder = mkdtempSync(join(tmpdir(), 'orders-'))
  const { stdout } = await promisify(execFile)(process.execPath, [join(root, 'example/main.ts')], {
    env: { PATH: process.env.PATH, ORDERS_SQLITE: join(folder, 'orders.sqlite') },
  })
  rmSync(folder, { recursive: true })
  const statuses = [...stdout.matchAll(/^\w{4} (\w+)$/gm)].map(([, status]) => status)
  t.deepEqual([...statuses].sort(), ['BACKING_OFF', 'CHARGING', 'CHARGING', 'EXPIRED', 'PAID', 'PLACED', 'PLACED'])
})
