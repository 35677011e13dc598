import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'ava'
import { examplesOf, root, staleness } from './page.ts'
import { startDocumentedService } from './run.ts'

const section = /^## A first verification\n(.*?)^## /ms.exec(readFileSync(join(root, 'README.md'), 'utf8'))?.[1] ?? ''

test('the first verification of README.md runs as it is pasted, and ends APPROVED', async t => {
  const examples = examplesOf(section)
  t.is(examples.at(-1)?.answer?.text, 'APPROVED\n')
  const service = await startDocumentedService()
  try {
    const printed = await service.run(examples)
    for (const [n, { answer }] of examples.entries()) t.is(staleness(answer, printed[n] ?? ''), null)
  } finally {
    await service.stop()
  }
})
