import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'ava'
import { root } from './markdown.ts'

/** The checked folders; this test itself contains the words. */
const checkedFolders = [
  'docs',
  'packages',
  'src',
  'machines',
  'clients',
  'examples',
  'lab/demo',
  'tools',
  'test',
] as const
const checkedPages = ['README.md', 'SECURITY.md', 'CONTRIBUTING.md']

/** Words that are searched in any text, and their replacements. */
const bannedInText: Readonly<Record<string, string>> = {
  told: 'notified, sent, reported, shown',
  telling: 'sending, notifying, reporting',
  sealed: 'encrypted',
  unseal: 'decrypt',
  unsealed: 'decrypted',
  giveBack: 'release',
  LostRace: 'ConflictError',
  EngineAway: 'EngineUnavailableError',
  ChildFailed: 'ChildProcessError',
  ChartRefused: 'InvalidChartError',
  ChartFault: 'InvalidChartError',
  SealBroken: 'DecryptionError',
  NotYet: 'PostponeJob',
  passBy: 'CrashHook',
  tellWithin: 'sendInTransaction',
  noteWithin: 'appendToJournal',
  imprint: 'replay fingerprint',
  imprints: 'replay fingerprints',
  knock: '–',
  mend: 'fix',
}

/** Words that are good English elsewhere: they are searched in code alone. */
const bannedInCode: Readonly<Record<string, string>> = {
  anew: 'again',
  Refusal: 'ApiError',
  seal: 'encrypt',
  hands: 'job handlers',
  room: 'module, …Deps, capacity',
  Thing: 'DocumentOutline',
  Reach: 'CrashHook',
  Due: 'ActorWriteContext',
  most_known: 'max_known',
}

/** The banned words of a file, each once. A name keeps its case; a word of prose may begin a sentence. */
function bannedIn(file: string, text: string): readonly string[] {
  return Object.entries({ ...bannedInText, ...(file.endsWith('.ts') ? bannedInCode : {}) })
    .filter(([word]) => new RegExp(`\\b${word}\\b`, /^[a-z]+$/.test(word) ? 'i' : '').test(text))
    .map(([word, instead]) => `${word} (${instead})`)
}

test('no page uses a word that the glossary replaced', t => {
  const files = [
    ...checkedPages,
    ...globSync(
      checkedFolders.map(folder => `${folder}/**/*.{md,ts}`),
      { cwd: root, exclude: ['**/node_modules/**', 'packages/*/bench/**', 'test/glossary.test.ts'] },
    ),
  ]
  t.true(files.length > 20)
  t.deepEqual(
    files.flatMap(file => bannedIn(file, readFileSync(join(root, file), 'utf8')).map(word => `${file}: ${word}`)),
    [],
  )
})

test('a banned word is seen, and only where it is banned', t => {
  t.deepEqual(bannedIn('a.md', 'Told again, with both hands.'), ['told (notified, sent, reported, shown)'])
  t.deepEqual(bannedIn('a.md', 'sent_by, a storyteller, SEALS'), [])
  t.deepEqual(bannedIn('a.ts', 'const hands = seal(key)'), ['seal (encrypt)', 'hands (job handlers)'])
})
