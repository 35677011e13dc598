import test from 'ava'
import { recordedAnswers, recordedFailures } from '../../../src/http/openapi/recorded_answers.ts'
import { staleness } from '../../../test/docs/page.ts'
import { listErrorCodes, listRoutes } from '../openapi.ts'
import { runFailures } from './failures.ts'
import { openReference } from './rig.ts'
import { runScenario } from './scenario.ts'

const again = 'run node packages/api-reference/test/record.ts'

test('Every command of the reference works as it is pasted, and answers what stands beside it', async t => {
  const answers = await runScenario()
  const { document } = await openReference(t)
  const webhook = { text: JSON.stringify(recordedAnswers.statusChanged?.body), language: 'json', line: 0 }
  t.is(staleness(webhook, JSON.stringify(answers.statusChanged?.body)), null, again)
  const operations = listRoutes(document.paths).map(({ operation }) => operation)
  const missing = operations.filter(({ operationId }) => answers[operationId] === undefined)
  t.deepEqual(
    missing.map(
      ({ operationId }) => `${operationId}: call it in packages/api-reference/test/scenario.ts, then ${again}`,
    ),
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

/** Codes that a run does not provoke: faults of ours, rows that something else has damaged, a node that is busy, a receiver that is away, two calls at once, and one that overtakes. */
function isRare(operationId: string, code: string): boolean {
  return (
    ['internal_error', 'damaged', 'unavailable', 'undelivered', 'idempotency_key_in_use'].includes(code) ||
    (operationId === 'walkTransaction' && code === 'gone')
  )
}

test('Every operation fails with each code that it documents, and answers what stands beside it', async t => {
  const failures = await runFailures()
  const { document } = await openReference(t)
  for (const { operation } of listRoutes(document.paths)) {
    const { operationId } = operation
    const codes = listErrorCodes(operation)
    const given = failures[operationId] ?? {}
    t.deepEqual(
      codes.filter(code => !isRare(operationId, code)),
      codes.filter(code => code in given),
      `${operationId}: provoke it in packages/api-reference/test/failures.ts, or don’t document it`,
    )
    for (const [code, answer] of Object.entries(given)) {
      const recorded = {
        language: 'json',
        line: 0,
        text: JSON.stringify(recordedFailures[operationId]?.[code] ?? null),
      }
      t.is(staleness(recorded, JSON.stringify(answer)), null, `${operationId} ${code}: ${again}`)
    }
  }
})
