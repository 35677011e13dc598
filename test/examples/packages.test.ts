import { execFile } from 'node:child_process'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import test from 'ava'
import { isLong } from '../tier.ts'
import { listExamples } from './readme_example.ts'

const root = join(import.meta.dirname, '../..')

/** They start children that read their models, ten seconds of CPU. */
const costly = ['packages/vision/README.md']

const readmes = globSync('packages/*/README.md', { cwd: root }).map(file => ({
  file,
  text: readFileSync(join(root, file), 'utf8'),
}))

test('each package has one page: what it is for, an example, its doors, what it imports and how it is tested', t => {
  t.is(readmes.length, 10)
  for (const { file, text } of readmes) {
    t.true(text.split('\n').length < 80, file)
    const { name, exports, scripts = {} } = JSON.parse(readFileSync(join(root, file, '../package.json'), 'utf8'))
    const [, table = ''] = text.split('\n## Doors\n')
    const doors = [...table.matchAll(/^\| `([^`]+)` \|/gm)].map(([, door]) => door)
    const names = Object.keys(exports).map(door => `${name}${door.slice(1)}`)
    t.deepEqual(doors.sort(), names.sort(), file)
    t.regex(text, /\n## Imports\n/, file)
    t.true(listExamples(text).length > 0, file)
    t.true(text.includes(`\nnpm test --workspace ${name}\n`) && scripts.test !== undefined, file)
  }
})

for (const { file, text } of readmes) {
  if (!isLong && costly.includes(file)) continue
  for (const [at, example] of listExamples(text).entries())
    test(`example ${at + 1} of ${file} prints what it says`, async t => {
      t.true(example.code.split('\n').length < 26)
      const words = ['--input-type=module-typescript', '--eval', example.code]
      const { stdout } = await promisify(execFile)(process.execPath, words, { cwd: root, timeout: 60_000 })
      t.is(stdout, example.output)
    })
}
