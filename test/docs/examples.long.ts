import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test from 'ava'
import { examplesOf, pageNames, readPage, root, staleness } from './page.ts'
import { type DocumentedService, olderNode, startDocumentedService } from './run.ts'

let service: DocumentedService
test.before(async () => {
  service = await startDocumentedService()
})
test.after.always(() => service?.stop())

for (const name of pageNames()) {
  const examples = examplesOf(readPage(name))
  if (examples.length === 0) continue
  test.serial(`the examples of ${name} run as they are pasted, and print what the page says`, async t => {
    t.log(olderNode === null ? 'with this Node: no older one is installed' : `with the older Node of ${olderNode}`)
    const printed = await service.run(examples)
    for (const [n, { command, answer }] of examples.entries())
      t.is(staleness(answer, printed[n] ?? ''), null, `line ${command.line + 1}: node test/docs/write.ts ${name}`)
  })
}

const usual = 'node clients/typescript/sample/receiver.ts'

function succeeds(program: string, words: readonly string[], cwd = root): boolean {
  return spawnSync(program, words, { cwd, env: { ...process.env, GOPROXY: 'off' } }).status === 0
}

/** The command that starts a receiver in another language; null where that is not installed. */
const others: Readonly<Record<string, (folder: string) => string | null>> = {
  Python: () => (succeeds('python3', ['-c', 'import cryptography']) ? 'python3 clients/python/receiver.py' : null),
  Go: folder => {
    const program = join(folder, 'receiver')
    if (!succeeds('go', ['version'])) return null
    return succeeds('go', ['build', '-o', program, './receiver'], join(root, 'clients/go')) ? program : 'does not build'
  },
}

for (const [language, prepare] of Object.entries(others))
  test.serial(`the receiver in ${language} verifies the same signatures as the one in TypeScript`, async t => {
    const folder = mkdtempSync(join(tmpdir(), 'attestor-receiver-'))
    t.teardown(() => rmSync(folder, { recursive: true, force: true }))
    const starts = prepare(folder)
    if (starts === null) {
      t.log(`${language} is not installed here: skipped`)
      t.pass()
      return
    }
    const examples = examplesOf(readPage('webhooks.md')).map(({ command, answer }) => {
      const text = command.text.replace(usual, starts)
      return { command: { ...command, text }, answer }
    })
    t.true(examples.some(({ command }) => command.text.includes(starts)))
    const printed = await service.run(examples)
    for (const [n, { answer }] of examples.entries()) t.is(staleness(answer, printed[n] ?? ''), null)
  })

test('the index leads to every page, and no page is long', t => {
  const index = readPage('index.md')
  for (const name of pageNames()) {
    if (name !== 'index.md') t.true(index.includes(`](${name})`), name)
    t.true(readPage(name).split('\n').length <= 250, name)
  }
})

test('an answer that differs from its page is seen, and ids, times and cut tokens may differ', t => {
  const block = (text: string, language = 'json') => ({ text, language, line: 0 })
  const page = {
    id: '0198a1c0-7e5a-7c3e-9f00-0123456789ab',
    at: '2026-01-01T00:00:00.000Z',
    token: 'abc…',
    list: [1, 0.5],
  }
  const other = {
    id: '0198a1c0-7e5a-7c3e-9f00-0123456789ac',
    at: '2027-02-03T04:05:06.789Z',
    token: 'xyzxyz',
    list: [1, 0.7],
  }
  const said = block(JSON.stringify(page))
  t.is(staleness(said, JSON.stringify(other)), null)
  t.is(staleness(null, 'anything'), null)
  for (const wrong of [
    { ...other, id: 'c-1' },
    { ...other, token: null },
    { ...other, list: [2, 0.7] },
    { ...other, list: [1] },
    { ...other, more: 1 },
    { id: other.id, at: other.at, token: other.token },
  ])
    t.not(staleness(said, JSON.stringify(wrong)), null, JSON.stringify(wrong))
  t.is(staleness(block('APPROVED\n', 'text'), 'APPROVED\n'), null)
  t.not(staleness(block('APPROVED\n', 'text'), 'REJECTED\n'), null)
})
