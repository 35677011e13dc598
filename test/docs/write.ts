/**
 * `node test/docs/write.ts [PAGE …]` runs the examples of docs/integrate and updates the JSON after them that differs
 * from the output. Text, of which a page shows some lines, is only named.
 */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { examplesOf, masked, pageNames, readPage, root, shown, staleness } from './page.ts'
import { startDocumentedService } from './run.ts'

const service = await startDocumentedService()
try {
  for (const name of process.argv.length > 2 ? process.argv.slice(2) : pageNames()) {
    const page = readPage(name)
    const examples = examplesOf(page)
    const printed = await service.run(examples)
    const lines = page.split('\n')
    for (const [n, { answer }] of [...examples.entries()].reverse()) {
      if (answer === null) continue
      const output = printed[n] ?? ''
      const stale = answer.text.trim() === '' ? 'is empty' : staleness(answer, output)
      if (stale === null) continue
      console.log(`${name}:${answer.line + 1} ${stale}`)
      if (answer.language === 'text') continue
      lines.splice(answer.line + 1, answer.text.split('\n').length - 1, shown(masked(JSON.parse(output))))
    }
    writeFileSync(join(root, 'docs/integrate', name), lines.join('\n'))
  }
} finally {
  await service.stop()
}
