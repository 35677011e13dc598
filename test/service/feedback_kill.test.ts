/** A node dies between an upload, whose findings are kept, and the end. */

import { AnalysisError, type AnalysisRequest } from '@attestor/vision'
import test from 'ava'
import { type CaptureScript, createApprovedFindings } from '../../src/engines/scripted.ts'
import { oneDialect } from '../database.ts'
import { startCall } from './client.ts'
import { getResult } from './outcomes.ts'
import { openTestRig } from './rig.ts'

/** Longer than a dead node's lease, and than the pause before another attempt. */
const maxWaitMs = 200_000

function readContents({ kept = {} }: AnalysisRequest): Record<string, string> {
  return Object.fromEntries(Object.entries(kept).map(([name, entries]) => [name, String(entries?.[0]?.content)]))
}

for (const engine of oneDialect)
  test(`On ${engine.name}: findings outlive the node; those that were not kept are found at the end`, async t => {
    const analysed: string[] = []
    const dying = Promise.withResolvers<void>()
    const script: CaptureScript = async request => {
      analysed.push(request.capture)
      // The node dies while it looks at the selfie.
      if (request.capture === 'selfie') await dying.promise
      const kept = {
        [request.capture]: [{ engine: 'scripted', kept_for: 'capture' as const, content: request.capture }],
      }
      return { findings: createApprovedFindings(request), kept }
    }
    const rig = await openTestRig(t, engine, { CAPTURE_FEEDBACK_MS: '1500' }, 'live', script)
    const ends: AnalysisRequest[] = []
    const second = Promise.withResolvers<void>()
    rig.script(async request => {
      ends.push(request)
      if (ends.length > 1) return createApprovedFindings(request)
      second.resolve()
      await dying.promise
      throw new AnalysisError('its node is dead')
    })
    const countFindings = async (): Promise<number> =>
      (await rig.rows("SELECT kind FROM captures WHERE transaction_id = ? AND kind = 'findings'", id)).length
    const { id, phone } = await rig.open()
    await phone.start({ ...startCall, document_type: 'PASSPORT' })
    await phone.upload('document/front')
    const waiting = rig.waiting(1500)
    const selfie = phone.upload('selfie')
    await waiting
    await rig.clock.advance(1500)
    t.is((await selfie).status, 200)
    await rig.end(false)
    await rig.begin()
    t.is(await countFindings(), 2, 'of the front, and that the selfie’s may follow; they died with the node')
    await phone.liveness()
    t.is(await countFindings(), 6)
    await rig.end(false)
    await rig.begin()
    await phone.complete()
    await second.promise
    await rig.end(false)
    dying.resolve()
    await rig.begin()
    await rig.advance(maxWaitMs)
    t.is(getResult(await rig.view(id)).decision, 'APPROVED')
    t.deepEqual(analysed, ['document_front', 'selfie', 'frame_0', 'frame_1', 'frame_2', 'frame_3'], 'none of it twice')
    const frames = { frame_0: 'frame_0', frame_1: 'frame_1', frame_2: 'frame_2', frame_3: 'frame_3' }
    const kept = { document_front: 'document_front', ...frames }
    t.deepEqual(ends.map(readContents), [kept, kept])
    t.is(await countFindings(), 0)
  })
