import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import test from 'ava'
import { packPackages } from '../../tools/pack_packages.ts'
import { listExamples } from './readme_example.ts'

const root = join(import.meta.dirname, '../..')
const run = promisify(execFile)

test('Rules, credentials and vision install into an empty folder, are typed, and their examples run there', async t => {
  const folder = mkdtempSync(join(tmpdir(), 'attestor-packages-'))
  t.teardown(() => rmSync(folder, { recursive: true }))
  const tarballs = packPackages(join(folder, 'packed'))
  t.is(tarballs.length, 3)
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ type: 'module' }))
  const words = ['install', '--ignore-scripts', '--prefer-offline', '--no-audit', '--no-fund']
  await run('npm', [...words, ...tarballs], { cwd: folder })
  const files: string[] = []
  for (const name of ['rules', 'credentials', 'vision']) {
    const examples = listExamples(readFileSync(join(root, 'packages', name, 'README.md'), 'utf8'))
    t.true(examples.length > 0, name)
    for (const [at, example] of examples.entries()) {
      const file = `${name}_${at + 1}.ts`
      files.push(file)
      writeFileSync(join(folder, file), example.code)
      const { stdout } = await run(process.execPath, [file], { cwd: folder })
      t.is(stdout, example.output, file)
    }
  }
  const types = ['--typeRoots', join(root, 'node_modules/@types'), '--types', 'node']
  const options = ['--noEmit', '--strict', '--module', 'nodenext', '--target', 'es2024', ...types]
  await t.notThrowsAsync(run(join(root, 'node_modules/.bin/tsc'), [...options, ...files], { cwd: folder }))
})
