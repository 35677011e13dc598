import test from 'ava'
import { recordedAnswers } from '../../src/http/openapi/recorded_answers.ts'
import { listRoutes } from '../../src/reference/openapi.ts'
import { staleness } from '../docs/page.ts'
import { openReference } from './rig.ts'
import { runScenario } from './scenario.ts'

const again = 'run node test/reference/record.ts'

test('Every command of the reference works as it is pasted, and answers what stands beside it', async t => {
  const answers = await runScenario()
  const { document } = await openReference(t)
  const webhook = { text: JSON.stringify(recordedAnswers.statusChanged?.body), language: 'json', line: 0 }
  t.is(staleness(webhook, JSON.stringify(answers.statusChanged?.body)), null, again)
  const operations = listRoutes(document.paths).map(({ operation }) => operation)
  const missing = operations.filter(({ operationId }) => answers[operationId] === undefined)
  t.deepEqual(
    missing.map(({ operationId }) => `${operationId}: call it in test/reference/scenario.ts, then ${again}`),
    [],
  )
  for (const operation of operations) {
    const { operationId } = operation
    const given = answers[operationId] ?? {}
    for (const [status, answer] of Object.entries(given)) {
      t.true(status in operation.responses, `${operationId} answered ${status}, which it does not document`)
      const recorded = recordedAnswers[operationId]?.[status]
      if (recorded === undefined) t.fail(`${operationId} ${status} has no recorded answer: ${again}`)
      else {
        const block = { language: 'json', line: 0, text: JSON.stringify(recorded) }
        t.is(staleness(block, JSON.stringify(answer)), null, `${operationId} ${status}: ${again}`)
      }
    }
  }
})
