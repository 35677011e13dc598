import test from 'ava'
import { recordedAnswers, recordedFailures } from '../../../src/http/openapi/recorded_answers.ts'
import { staleness } from '../../../test/docs/page.ts'
import { listErrorCodes, listRoutes } from '../openapi.ts'
import { runFailures } from './failures.ts'
import { runFaults } from './faults.ts'
import { closeReference, openReference } from './rig.ts'
import { runScenario } from './scenario.ts'

test.after.always(closeReference)

const again = 'run node packages/api-reference/test/record.ts'

test('Every command of the reference works as it is pasted, and answers what stands beside it', async t => {
  const answers = await runScenario()
  const { document } = await openReference()
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

/** Faults that are not the caller's: they have a run of their own, below. */
const ofService = ['internal_error', 'damaged', 'unavailable']

test('Every operation fails with each code that it documents, and answers what stands beside it', async t => {
  const failures = await runFailures()
  const { document } = await openReference()
  for (const { operation } of listRoutes(document.paths)) {
    const { operationId } = operation
    const codes = listErrorCodes(operation)
    const given = failures[operationId] ?? {}
    t.deepEqual(
      codes.filter(code => !ofService.includes(code)),
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

/** They read nothing that a database has, or answer in OAuth's words. */
const withoutDatabase = [
  'getKeys',
  'getEvidenceKeys',
  'getTokenMetadata',
  'getHealth',
  'getReadiness',
  'getDocument',
  'getPage',
  'listCharts',
  'getChartPicture',
  'getChartDiagram',
  'getChart',
  'requestToken',
  'getCapturePage',
  'getLogo',
]

/** They read no row that was written over, or not until something else is there. */
const undamaged = [
  ...['createCustomer', 'eraseCustomer', 'createTransaction', 'listTransactions', 'eraseTransaction', 'listEvents'],
  ...['listCaptures', 'createCaptureLink', 'getErasure', 'listAllDeliveries', 'redeliverAll', 'redeliver'],
  ...['claimHandoff', 'advanceTestClock', 'walkTransaction', 'listen', 'reportAttempt'],
]

test('Every operation says when its node starts, when its database fails, and when what it reads is damaged', async t => {
  const faults = await runFaults()
  const { document } = await openReference()
  const operationIds = listRoutes(document.paths).map(({ operation }) => operation.operationId)
  const provoked = (code: string): readonly string[] => operationIds.filter(id => faults[id]?.[code] !== undefined)
  const except = (those: readonly string[]): readonly string[] => operationIds.filter(id => !those.includes(id))
  t.deepEqual(provoked('unavailable'), except(['getHealth']), 'a node that starts is alive')
  t.deepEqual(provoked('internal_error'), except(withoutDatabase))
  t.deepEqual(provoked('damaged'), except([...withoutDatabase, ...undamaged]))
  const statuses = { unavailable: 503, internal_error: 500, damaged: 410 }
  for (const [operationId, found] of Object.entries(faults))
    for (const [code, status] of Object.entries(statuses)) {
      const failure = found[code]
      if (failure === undefined) continue
      t.is(failure.status, status, `${operationId} ${code}`)
      t.deepEqual(Object.keys(failure.body as object), ['error'], `${operationId} ${code}`)
      if (code === 'internal_error') t.deepEqual(failure.body, { error: 'internal error' }, operationId)
    }
})
