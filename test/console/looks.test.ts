/** Every answer of the console's API that has personal data must be in the audit log. */
import test from 'ava'
import { createConsoleEndpoints } from '../../src/console/endpoints/table.ts'
import { consoleEndpoints as ofFeatures } from '../../src/feature_parts.ts'
import { oneDialect } from '../database.ts'
import { registerCustomer, startCall } from '../service/client.ts'
import type { Rig } from '../service/rig.ts'
import { api } from './rig.ts'
import { openOperated } from './service.ts'

const secrets = [
  'secret-reference',
  'secret-customer',
  'secret@example.com',
  '+4670123456',
  'secret-device',
  'ERIKSSON',
]

/** Paths whose answers are no look of the caller's: they never end, or have no customer's data. */
const apart = [`${api}/events`]

/** Returns the payload of a JWS. */
function decodePayload(text: string): string {
  return Buffer.from(String((JSON.parse(text) as { payload: string }).payload), 'base64url').toString()
}

const searches = ['', '?q=secret-reference', '?reference=secret-reference', '?external_customer_id=secret-customer']

function listQueries(url: string, id: string, customer_id: string): readonly string[] {
  if (url.endsWith('/reference')) return [`?transaction_id=${id}`]
  if (url.endsWith('/external-id')) return [`?customer_id=${customer_id}`]
  // No webhook goes anywhere here.
  if (url.endsWith('/origin/delivery')) return []
  return /\/(transaction|transaction-count|customer)$/.test(url) ? searches : ['']
}

async function finish(rig: Rig) {
  const person = { external_customer_id: 'secret-customer', email: 'secret@example.com', phone_number: '+4670123456' }
  const customer_id = await registerCustomer(rig.call, await rig.token(), person)
  const { id, phone } = await rig.open({ reference: 'secret-reference' }, { customer_id })
  await phone.start({ ...startCall, device: { ...startCall.device, device_model: 'secret-device' } })
  await phone.capture()
  await phone.complete()
  await rig.idle()
  return { id, customer_id }
}

for (const engine of oneDialect)
  test(`On ${engine.name} every answer with personal data is in the audit log`, async t => {
    const { rig, login } = await openOperated(engine)
    t.teardown(rig.close)
    const { id, customer_id } = await finish(rig)
    const { headers } = await login('ada', 'admin')
    const [capture] = await rig.rows("SELECT id FROM captures WHERE transaction_id = ? AND kind = 'selfie'", id)
    const ids: Record<string, string> = {
      transaction_id: id,
      customer_id,
      account_id: rig.account.account_id,
      capture_id: String(capture?.id),
      screen: 'transactions',
    }
    const looks = async () =>
      (await rig.rows('SELECT action FROM audit WHERE operator_id IS NOT NULL')).map(({ action }) => action)
    const personal: string[] = []
    const readings = createConsoleEndpoints({ algorithm: 'ES256', signOn: null, ofFeatures }).filter(
      ({ method, path }) => method === 'get' && !apart.includes(path),
    )
    for (const { path } of readings) {
      const url = path.replaceAll(/\{\*?(\w+)\}/g, (_, name: string) => ids[name] ?? '')
      for (const search of listQueries(url, id, customer_id)) {
        const before = (await looks()).length
        const { status, text, headers: answered } = await rig.call('GET', url + search, { headers })
        t.is(status, 200, `${url}${search}: ${text.slice(0, 200)}`)
        const decoded = path.endsWith('/evidence') ? decodePayload(text) : text
        const isPersonal =
          answered.get('content-type')?.startsWith('image/') === true ||
          secrets.some(secret => decoded.includes(secret))
        const isRecorded = (await looks()).length === before + 1
        if (isPersonal) personal.push(path)
        t.true(!isPersonal || isRecorded, path)
      }
    }
    t.deepEqual(personal.sort(), [
      `${api}/customer/{customer_id}/personal`,
      `${api}/external-id`,
      `${api}/reference`,
      `${api}/transaction/{transaction_id}/capture/{capture_id}`,
      `${api}/transaction/{transaction_id}/personal`,
    ])
    const actions = (await looks()).filter(action => action !== 'login')
    t.deepEqual(actions.sort(), [
      'audit_exported',
      'capture_read',
      'evidence_exported',
      // The searches of this operator within an hour are one entry.
      'people_searched',
      'personal_data_read',
      'personal_data_read',
      'personal_data_read',
      'personal_data_read',
    ])
  })
