import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'ava'
import { root } from './markdown.ts'

/** What is looked at; this test itself names the words. */
const checkedFolders = [
  'docs',
  'packages',
  'src',
  'machines',
  'clients',
  'examples',
  'demo',
  'tools',
  'training',
  'synthetic',
  'test',
] as const
const checkedPages = ['README.md', 'SECURITY.md', 'CONTRIBUTING.md']

/** A word that the glossary bans: in any text, or as an identifier of code alone. */
interface BannedWord {
  readonly word: string
  readonly where: string
}

const list = /<!-- banned words -->.*<!-- \/banned words -->/s
const glossary = readFileSync(join(root, 'docs/glossary.md'), 'utf8')

const banned: readonly BannedWord[] = [
  ...(list.exec(glossary)?.[0] ?? '').matchAll(/^\| (\w+) \| (text|code) \| .+ \|$/gm),
].map(([, word = '', where = '']) => ({ word, where }))

/** The banned words of a file, each once. A name keeps its case; a word of prose may begin a sentence. */
const bannedIn = (file: string, text: string): readonly string[] => {
  const checked = file.endsWith('glossary.md') ? text.replace(list, '') : text
  return banned
    .filter(({ where }) => where === 'text' || file.endsWith('.ts'))
    .filter(({ word }) => new RegExp(`\\b${word}\\b`, /^[a-z]+$/.test(word) ? 'i' : '').test(checked))
    .map(({ word }) => word)
}

test('the glossary lists the words that are not used', t => {
  const rows = list.exec(glossary)?.[0].match(/^\| /gm)?.length ?? 0
  t.is(banned.length, rows - 2, 'every row but the two of the head is read')
  t.true(banned.length > 20)
})

test('no page uses a word that the glossary bans', t => {
  const files = [
    ...checkedPages,
    ...globSync(
      checkedFolders.map(folder => `${folder}/**/*.{md,ts}`),
      { cwd: root, exclude: ['**/node_modules/**', 'test/glossary.test.ts'] },
    ),
  ]
  t.true(files.length > 20)
  t.deepEqual(
    files.flatMap(file => bannedIn(file, readFileSync(join(root, file), 'utf8')).map(word => `${file}: ${word}`)),
    [],
  )
})

test('a banned word is seen, and only where it is banned', t => {
  t.deepEqual(bannedIn('a.md', 'Told again, with both hands.'), ['told'])
  t.deepEqual(bannedIn('a.md', 'sent_by, a storyteller, SEALS'), [])
  t.deepEqual(bannedIn('a.ts', 'const hands = seal(key)'), ['seal', 'hands'])
  t.deepEqual(bannedIn('docs/glossary.md', `${list.exec(glossary)?.[0]} imprint`), ['imprint'])
})
