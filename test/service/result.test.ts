import type { AnalysisRequest } from '@attestor/vision'
import test from 'ava'
import { approvedDocument, createApprovedFindings, specimenMrz } from '../../src/engines/scripted.ts'
import { oneDialect } from '../database.ts'
import { signalsCall, startCall } from './client.ts'
import { getResult, listCodes } from './outcomes.ts'
import { openRig, type Rig } from './rig.ts'

const hour = 3_600_000

/** A passport that is good through the tests' first day. */
function lastDay(request: AnalysisRequest) {
  return {
    ...createApprovedFindings(request),
    document: { ...approvedDocument, mrz: { ...specimenMrz, expiry_date: '261117' } },
  }
}

for (const engine of oneDialect) {
  const on = `On ${engine.name}: `
  let rig: Rig

  test.serial.before(async () => {
    rig = await openRig(engine)
  })
  test.serial.after.always(() => rig.close())

  test.serial(`${on}a FAILED result says why it has no geolocation, by what the device reported`, async t => {
    const failed = async (location_permission: string, signals = signalsCall): Promise<string[]> => {
      const { id, phone } = await rig.open()
      await phone.start({ ...startCall, location_permission })
      await phone.signals(signals)
      await phone.cancel()
      const view = await rig.view(id)
      t.is(view.status, 'FAILED')
      const { geolocation } = getResult(view).metadata as { geolocation: unknown }
      t.is(geolocation === null, listCodes(view).length > 1)
      return listCodes(view)
    }
    const noFix = { ...signalsCall, geolocation: { ...signalsCall.geolocation, latitude: null } } as never
    t.deepEqual(await failed('granted'), ['CANCELLED'])
    t.deepEqual(await failed('granted', noFix), ['CANCELLED', 'GEOLOCATION_UNAVAILABLE'])
    t.deepEqual(await failed('denied'), ['CANCELLED', 'GEOLOCATION_DENIED'])
    t.deepEqual(await failed('not_requested'), ['CANCELLED', 'GEOLOCATION_NOT_REQUESTED'])
    const { id, phone } = await rig.open()
    await phone.cancel()
    t.deepEqual(listCodes(await rig.view(id)), ['CANCELLED', 'GEOLOCATION_NOT_REQUESTED'], 'nobody ever asked')
  })

  test.serial(`${on}a document is judged on the day of its evaluation, which the issue names`, async t => {
    rig.script(lastDay)
    const analysed = async (id: string): Promise<Readonly<Record<string, unknown>>> => {
      await rig.idle()
      return rig.view(id)
    }
    const config = { transaction_ttl_minutes: 1440 }
    const today = await rig.open(config)
    const elsewhere = await rig.open(config)
    const isValid = async ({ id, phone }: typeof today): Promise<void> => {
      await phone.capture()
      await phone.complete()
      const valid = await analysed(id)
      t.deepEqual([getResult(valid).decision, listCodes(valid).includes('EXPIRED_DOCUMENT')], ['APPROVED', false])
    }
    await isValid(today)
    await rig.sleep(11 * hour)
    const tomorrow = await rig.open(config)
    await rig.sleep(2 * hour)
    await isValid(elsewhere)
    await rig.sleep(12 * hour)
    await tomorrow.phone.capture()
    await tomorrow.phone.complete()
    const expired = await analysed(tomorrow.id)
    t.is(String(expired.created_at).slice(0, 10), '2026-11-17')
    const [issue] = getResult(expired).issues
    t.like(issue as object, { code: 'EXPIRED_DOCUMENT', details: { evaluated_at: '2026-11-18' } })
  })
}
