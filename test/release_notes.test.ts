import { mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test from 'ava'
import { addEntry, release } from '../tools/release_notes.ts'
import { root } from './markdown.ts'

const earlier = '# Changelog\n\nWhat changes.\n\n## [0.1.0]\n\nThe first.\n'

test('a release joins the files of docs/changes/ by type, before the entries that are there, and deletes them', t => {
  const folder = mkdtempSync(join(tmpdir(), 'changes-'))
  mkdirSync(join(folder, 'docs/changes'), { recursive: true })
  writeFileSync(join(folder, 'CHANGELOG.md'), earlier)
  const files = { 'README.md': '# Changes', 'fixed-b.md': 'B.\n', 'added-z.md': 'Z.', 'fixed-a.md': 'A.' }
  for (const [file, text] of Object.entries(files)) writeFileSync(join(folder, 'docs/changes', file), text)
  release(folder, '[0.2.0] - 2027-01-31')
  t.is(
    readFileSync(join(folder, 'CHANGELOG.md'), 'utf8'),
    earlier.replace(
      '## [0.1.0]',
      '## [0.2.0] - 2027-01-31\n\n### Added\n\n- Z.\n\n### Fixed\n\n- A.\n- B.\n\n## [0.1.0]',
    ),
  )
  t.deepEqual(readdirSync(join(folder, 'docs/changes')), ['README.md'])
})

test('a release is refused without changes, and for a file without a type or a text', t => {
  for (const [file, text] of [
    ['other-a.md', 'A.'],
    ['added-a.md', ' \n'],
  ] as const)
    t.throws(() => addEntry(earlier, '[0.2.0]', new Map([[file, text]])), { message: new RegExp(`: ${file}$`) })
  t.throws(() => addEntry(earlier, '[0.2.0]', new Map()), { message: /no change/ })
})

test('the changes that are there can be released', t => {
  const folder = join(root, 'docs/changes')
  const changes = new Map(
    readdirSync(folder).flatMap(file =>
      file === 'README.md' ? [] : [[file, readFileSync(join(folder, file), 'utf8')] as const],
    ),
  )
  const changelog = readFileSync(join(root, 'CHANGELOG.md'), 'utf8')
  t.true(addEntry(changelog, '[9.9.9]', new Map([...changes, ['added-one.md', 'One.']])).includes('## [9.9.9]'))
})
