/** A line names the request or the transaction that it is about. */

import { AnalysisError, EngineUnavailableError } from '@attestor/vision'
import test from 'ava'
import { createApprovedFindings } from '../../src/engines/scripted.ts'
import { oneDialect } from '../database.ts'
import { verify } from './outcomes.ts'
import { openRig, type Rig } from './rig.ts'

/** Lines of the node, which are about no request and no transaction. */
const ofNode = [
  'listening',
  'ready',
  'not ready',
  'the analysis engine has started',
  'the image checker has started',
  'deleted what is older than the retention period',
]

/** Calls that are about no transaction, or about several. */
const withoutTransaction =
  /^(\/oauth2\/token|\/api\/account\/integration\/kyc\/customer|\/readyz|\/\.well-known\/jwks\.json|\/nowhere)$/

async function trouble(rig: Rig): Promise<void> {
  let left = 2
  rig.script(request => {
    left--
    if (left === 1) throw new EngineUnavailableError('away for a moment')
    if (left === 0) throw new AnalysisError('the first look fails', { stage: 'barcode' })
    return createApprovedFindings(request)
  })
  rig.hook.answer(() => ({ status: 500 }))
  await verify(rig)
  await rig.advance(60_000)
}

for (const engine of oneDialect)
  test(`On ${engine.name}: each line of a request or a job names it, and its transaction where there is one`, async t => {
    // Captures are analysed at their upload, within the call.
    const rig = await openRig(engine, {}, 'live', request => ({
      findings: createApprovedFindings(request),
      kept: {},
    }))
    t.teardown(rig.close)
    const approved = await verify(rig)
    await trouble(rig)
    await rig.call('GET', '/nowhere')
    // Advice on the database server's settings is the node's too.
    const lines = rig.lines.filter(({ message, remedy }) => !ofNode.includes(String(message)) && remedy === undefined)
    const seen = new Set(lines.map(({ message }) => message))
    for (const message of ['call', 'an analysis ended', 'a webhook was sent', 'a job failed', 'a job was released'])
      t.true(seen.has(message), `${message}: ${[...seen].join(', ')}`)
    for (const line of lines) {
      const isCall = line.message === 'call'
      if (isCall) t.is(typeof line.request_id, 'string', JSON.stringify(line))
      const isFree = isCall && withoutTransaction.test(String(line.route ?? '/nowhere'))
      if (!isFree) t.is(typeof line.transaction_id, 'string', JSON.stringify(line))
    }
    const about = lines.filter(({ transaction_id }) => transaction_id === approved.id)
    const own = new Set(about.map(({ message }) => String(message)))
    t.deepEqual([...own].sort(), ['a capture was analysed', 'a webhook was sent', 'an analysis ended', 'call'])
    // A job belongs to no request, though a request made it.
    for (const { message, request_id } of about)
      t.is(request_id !== undefined, ['call', 'a capture was analysed'].includes(String(message)), String(message))
  })
