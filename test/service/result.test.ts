import { getIssueEntry, type Issue, type ResultData } from '@attestor/rules'
import type { AnalysisRequest } from '@attestor/vision'
import test from 'ava'
import { metadataKeys } from '../../packages/rules/test/findings_samples.ts'
import { approvedDocument, createApprovedFindings, specimenMrz } from '../../src/engines/scripted.ts'
import { oneDialect } from '../database.ts'
import { kyc, phoneOf, signalsCall, startCall } from './client.ts'
import { getResult, listCodes, transactionFields } from './outcomes.ts'
import { openRig, type Rig } from './rig.ts'

const hour = 3_600_000

/** A passport that is good through the tests' first day. */
function lastDay(request: AnalysisRequest) {
  return {
    ...createApprovedFindings(request),
    document: { ...approvedDocument, mrz: { ...specimenMrz, expiry_date: '261117' } },
  }
}

/** Every device signal that the specification names, and nothing else. */
const cleanReport = {
  device: {
    sdk_platform: 'ios',
    sdk_version: '1.2.3',
    os_version: '19.1',
    device_model: 'Phone 9',
    is_emulator: false,
    root_detected: false,
    jailbreak_detected: false,
    developer_mode_enabled: false,
    debugger_attached: false,
  },
  network: {
    ip_type: 'IPv4',
    vpn_detected: false,
    proxy_detected: false,
    tor_detected: false,
    connection_type: 'wifi',
    carrier_name: 'Carrier',
  },
  geolocation: { latitude: 52.52, longitude: 13.405, source: 'gps', is_mock_location: false },
}

const missingCodes = [
  'WARN COMPROMISED_DEVICE_NOT_EVALUABLE',
  'WARN DEVELOPER_MODE_NOT_EVALUABLE',
  'WARN EMULATOR_NOT_EVALUABLE',
  'WARN VPN_OR_PROXY_NOT_EVALUABLE',
  'WARN CONFIG_GPS_POLICY_WITHOUT_PERMISSION',
  'WARN MOCK_LOCATION_NOT_EVALUABLE',
  'WARN GEO_IP_MISMATCH_NOT_EVALUABLE',
]

function nothing(keys: readonly string[]): object {
  return Object.fromEntries(keys.map(key => [key, null]))
}

function describeIssues(issues: readonly Issue[]): readonly string[] {
  // An analysis's findings are not in the device's report.
  const others = issues.filter(({ code }) => !['document', 'liveness', 'face'].includes(getIssueEntry(code).section))
  return others.map(({ type, code }) => `${type} ${code}`)
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
    t.deepEqual(await failed('granted', noFix), ['CANCELLED'])
    t.deepEqual(await failed('denied'), ['CANCELLED', 'GEOLOCATION_DENIED'])
    t.deepEqual(await failed('not_requested'), ['CANCELLED', 'GEOLOCATION_NOT_REQUESTED'])
    const rooted = await rig.open()
    await rooted.phone.start({ device: { root_detected: true, is_emulator: true, sdk_platform: 'ios' } })
    await rooted.phone.signals({ device: { root_detected: null, is_emulator: false } })
    await rooted.phone.cancel()
    const { device } = getResult(await rig.view(rooted.id)).metadata as { device: object }
    t.like(device, { root_detected: true, is_emulator: false, sdk_platform: 'ios' }, 'null takes nothing back')
    const { id, phone } = await rig.open()
    await phone.cancel()
    const unbegun = await rig.view(id)
    t.deepEqual(listCodes(unbegun), ['CANCELLED'], 'no SDK was there to ask')
    t.deepEqual(Object.keys(getResult(unbegun).metadata as object), ['device', 'network'])
  })

  test.serial(
    `${on}the specification's own report gets, over HTTP, exactly what the specification describes`,
    async t => {
      const customer_id = await rig.customer()
      for (const transaction_type of ['DOCUMENT_AND_BIOMETRIC', 'BIOMETRIC_ONLY'] as const)
        for (const [report, expected] of [
          [cleanReport, ['WARN GEO_IP_MISMATCH_NOT_EVALUABLE']],
          [{}, [...missingCodes, 'INFO GEOLOCATION_NOT_REQUESTED']],
        ] as const) {
          const opened = await rig.call('POST', `${kyc}/transaction`, {
            token: await rig.token(),
            json: { customer_id, transaction_type },
          })
          const phone = phoneOf(rig.call, String(opened.body.sdk_token))
          await phone.start({})
          await phone.signals(report)
          if (transaction_type === 'DOCUMENT_AND_BIOMETRIC') await phone.upload('document/front')
          await phone.upload('selfie')
          await phone.liveness()
          const completed = await phone.complete()
          t.is(completed.status, 202, completed.text)
          await rig.idle()
          const view = await rig.view(String(opened.body.transaction_id))
          t.deepEqual(Object.keys(view).sort(), transactionFields)
          const result = view.result_data as ResultData
          t.is(result.decision, 'APPROVED')
          t.deepEqual(describeIssues(result.issues), expected)
          const sections = transaction_type === 'BIOMETRIC_ONLY' ? [] : ['document']
          const others = ['decision', 'face_comparison', 'issues', 'liveness', 'metadata']
          t.deepEqual(Object.keys(result).sort(), [...sections, ...others].sort())
          const { device, network, geolocation } = result.metadata
          t.deepEqual(device, { ...nothing(metadataKeys.device), ...('device' in report ? report.device : {}) })
          t.deepEqual(Object.keys(network), metadataKeys.network)
          t.deepEqual(geolocation && Object.keys(geolocation), 'device' in report ? metadataKeys.geolocation : null)
        }
    },
  )

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
    await rig.skip(11 * hour)
    const tomorrow = await rig.open(config)
    await rig.skip(2 * hour)
    await isValid(elsewhere)
    await rig.skip(12 * hour)
    await tomorrow.phone.capture()
    await tomorrow.phone.complete()
    const expired = await analysed(tomorrow.id)
    t.is(String(expired.created_at).slice(0, 10), '2026-11-17')
    const [issue] = getResult(expired).issues
    t.like(issue as object, { code: 'EXPIRED_DOCUMENT', details: { evaluated_at: '2026-11-18' } })
  })
}
