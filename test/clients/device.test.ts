import test from 'ava'
import { claimHandoff, createDeviceClient } from '../../clients/typescript/src/device.ts'
import type { Image } from '../../clients/typescript/src/device_calls.ts'
import { AttestorError } from '../../clients/typescript/src/errors.ts'
import { createApprovedFindings } from '../../src/engines/scripted.ts'
import { oneDialect } from '../database.ts'
import { picture, startCall } from '../service/client.ts'
import { openRig } from '../service/rig.ts'

async function image(number: number): Promise<Image> {
  return new Uint8Array(await picture(number))
}

for (const engine of oneDialect) {
  test(`On ${engine.name} a device is verified from its start to the result, by its client alone`, async t => {
    const rig = await openRig(engine)
    t.teardown(rig.close)
    rig.script(createApprovedFindings)
    const { id, sdk_token: sdkToken } = await rig.open()
    const baseUrl = `${rig.node().url}/`
    const device = createDeviceClient({ baseUrl, sdkToken })
    const before = await device.getSession()
    t.like(before, { transaction_id: id, status: 'CREATED', next_step: null })
    const followed = device.getSession({ wait: 20, seen: before.version })
    await device.start({ document_type: 'ID_CARD', consent: true })
    t.like(await followed, { status: 'INITIATED' }, 'it hears of the change')
    t.is((await device.changeDocument('PASSPORT')).document_type, 'PASSPORT')
    await device.reportSignals({ device: startCall.device, location_permission: 'denied' })
    t.like(await device.upload('document_front', await image(1)), { accepted: true, next_step: 'selfie' })
    const back = await image(2)
    await device.upload('document_back', new Blob([back]))
    await device.drop('document_back')
    await device.upload('selfie', await image(3))
    const { challenge_id, actions } = await device.createChallenge()
    for (const position of actions.keys()) await device.uploadFrame(challenge_id, position, await image(10 + position))
    await device.complete()
    await rig.idle()
    t.like(await device.getResult({ wait: 20 }), { status: 'FINISHED', outcome: 'APPROVED' })
    t.like(await rig.view(id), { status: 'FINISHED', result_data: { decision: 'APPROVED' } })
    const error = await t.throwsAsync(device.upload('selfie', await image(4)), { instanceOf: AttestorError })
    t.like(error, { status: 409, code: 'not_allowed_in_state' })
    t.regex(String(error?.request_id), /./)
  })

  test(`On ${engine.name} another device goes on by its client, cancels, and a refusal is an error`, async t => {
    const rig = await openRig(engine)
    t.teardown(rig.close)
    const { id, sdk_token: sdkToken } = await rig.open()
    const baseUrl = rig.node().url
    const device = createDeviceClient({ baseUrl, sdkToken })
    await device.start({})
    const { verify_url } = await device.offerHandoff()
    const code = new URL(verify_url).hash.replace('#handoff=', '')
    const claimed = await claimHandoff(baseUrl, code)
    await t.throwsAsync(claimHandoff(baseUrl, code), { instanceOf: AttestorError, message: /^code: / })
    const other = createDeviceClient({ baseUrl, sdkToken: claimed.sdk_token })
    t.is((await other.getSession()).transaction_id, id)
    await t.throwsAsync(other.createChipChallenge(), { instanceOf: AttestorError })
    await other.cancel()
    t.is((await rig.view(id)).status, 'FAILED')
    const stopped = new AbortController()
    stopped.abort()
    await t.throwsAsync(other.getSession({ signal: stopped.signal }), { name: 'AbortError' })
    await t.throwsAsync(createDeviceClient({ baseUrl, sdkToken: 'unknown' }).getSession(), { message: /./ })
    const away = createDeviceClient({ baseUrl: 'http://127.0.0.1:1', sdkToken })
    await t.throwsAsync(away.getSession(), { instanceOf: TypeError })
  })
}
