import { execFile } from 'node:child_process'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { promisify } from 'node:util'
import test from 'ava'

const root = join(import.meta.dirname, '..')

function read(file: string): string {
  return readFileSync(join(root, file), 'utf8')
}

const manifest = JSON.parse(read('package.json'))
const files = globSync('**/*.ts', { cwd: root })

/** What a file imports: by `import … from`, for its effect, or when it runs. */
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
      const isTool = file.startsWith('test/') && target === 'ava'
      const isPackage = !target.startsWith('.') && packages.includes(readPackageName(target))
      t.true(isOwn || isTool || isPackage || target.startsWith('node:'), `${file} imports ${target}`)
    }
  t.true(files.length > 30)
})

test('Every export of the manifest is a file', t => {
  for (const file of Object.values<string>(manifest.exports)) t.true(existsSync(join(root, file)), file)
})

test('The example in the README is the one that runs', async t => {
  const readme = read('README.md')
  for (const file of ['example/order_machine.ts', 'example/orders.ts', 'example/main.ts'])
    t.true(readme.includes(`\`\`\`ts\n${read(file)}\`\`\``), file)
  const { stdout } = await promisify(execFile)(process.execPath, [join(root, 'example/main.ts')])
  const statuses = stdout
    .trim()
    .split('\n')
    .map(line => line.split(' ')[1])
  t.deepEqual([...statuses].sort(), ['BACKING_OFF', 'CHARGING', 'CHARGING', 'EXPIRED', 'PAID', 'PLACED', 'PLACED'])
})
