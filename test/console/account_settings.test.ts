import test from 'ava'
import { readFirst, run } from 'durable-xstate-sql'
import { deriveRowKey } from '../../src/database/row_mac.ts'
import { findForgedIdentities } from '../../src/identity/row_macs.ts'
import { eachDialect } from '../database.ts'
import { kyc, registerCustomer } from '../service/client.ts'
import { openConsole } from './rig.ts'

const svg = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><rect width="4" height="4"/></svg>').toString('base64')

const look = {
  name: 'Nordwind Bank',
  accent: '#7a1020',
  privacy_url: 'https://nordwind.example/privacy',
  contact_url: 'mailto:help@nordwind.example',
  languages: ['de', 'en'],
}

for (const engine of eachDialect) {
  test(`On ${engine.name} an account’s look, policies and origins are set in the console, and hold at once`, async t => {
    const { door, as } = await openConsole(engine)
    t.teardown(door.close)
    const { account_id } = door.account
    const at = `/account/${account_id}/settings`
    const open = async (config: object = {}) => {
      const customer_id = await registerCustomer(door.call, door.token)
      const json = { customer_id, transaction_type: 'DOCUMENT_AND_BIOMETRIC', config }
      return door.call('POST', `${kyc}/transaction`, { token: door.token, json })
    }
    const readPage = async (verifyUrl: unknown) => {
      const { pathname } = new URL(String(verifyUrl))
      return (await door.call('GET', pathname, { headers: { 'Accept-Language': 'de' } })).text
    }
    const before = await open()
    t.regex(String(before.body.verify_url), /\/verify#/, 'nothing is set: the page of all')
    t.like((await as.admin('GET', at)).body, { branding: null, fraud_policy: null, version: 0, is_used: true })

    const { status, body } = await as.admin('PATCH', at, { json: { branding: look, logo: svg } })
    t.is(status, 200)
    t.like(body, { branding: look, has_logo: true, version: 1, fraud_policy: null })
    const opened = await open()
    const page = await readPage(opened.body.verify_url)
    t.regex(page, /<html lang="de"/)
    for (const part of [look.name, look.accent, look.privacy_url, `verify/logo/${account_id}`])
      t.true(page.includes(part), part)
    const logo = await door.call('GET', `/verify/logo/${account_id}`)
    t.deepEqual([logo.status, logo.headers.get('content-type')], [200, 'image/svg+xml'])

    t.is((await as.admin('PATCH', at, { json: { branding: { ...look, name: 'Südwind' } } })).status, 200)
    t.true((await readPage(opened.body.verify_url)).includes('Südwind'), 'without a restart')
    t.is((await door.call('GET', `/verify/logo/${account_id}`)).status, 200, 'what is not named stays')

    const policy = {
      on_document_of_another_customer: 'REJECT',
      on_image_of_another_transaction: 'WARN',
      on_face_of_another_customer: 'IGNORE',
    }
    const origins = ['https://shop.example']
    await as.admin('PATCH', at, { json: { fraud_policy: policy, webhook_origins: origins } })
    const strict = await open({ fraud_policy: { on_image_of_another_transaction: 'IGNORE' } })
    const row = await readFirst(door.service.store, {
      sql: 'SELECT config FROM transactions WHERE id = ?',
      values: [String(strict.body.transaction_id)],
      columns: { config: 'document' },
    })
    t.deepEqual(JSON.parse(row?.config ?? '').fraud_policy, { ...policy, on_image_of_another_transaction: 'IGNORE' })
    const elsewhere = await open({ webhook: { url: 'https://other.example/hook' } })
    t.is(elsewhere.status, 400)
    t.regex(String(elsewhere.body.error), /^config\.webhook\.url: must be of an origin/)
    t.is((await open({ webhook: { url: 'https://shop.example/hook' } })).status, 201)

    t.is((await as.admin('PATCH', at, { json: { branding: null, logo: null, webhook_origins: null } })).status, 200)
    t.like((await as.admin('GET', at)).body, { branding: null, has_logo: false, fraud_policy: policy })
    t.is((await open({ webhook: { url: 'https://other.example/hook' } })).status, 201)
    t.regex(String((await open()).body.verify_url), /\/verify#/)

    const rowKey = deriveRowKey(door.service.serviceKeys)
    t.deepEqual(await findForgedIdentities(door.service.store, rowKey), [])
    const forgery = { sql: `UPDATE account_settings SET settings = '{}' WHERE id = ?`, values: [account_id] }
    await door.service.store.commit(() => run(forgery))
    t.deepEqual(await findForgedIdentities(door.service.store, rowKey), [
      `settings of account ${account_id}: was added or changed by something else`,
    ])
    await as.admin('PATCH', at, { json: { branding: look } })
    t.is((await findForgedIdentities(door.service.store, rowKey)).length, 1, 'a later change does not hide it')
  })

  test(`On ${engine.name} a test verification is opened by one call, and recorded`, async t => {
    const { door, as } = await openConsole(engine)
    t.teardown(door.close)
    const made = await as.admin('POST', '/account', { json: { name: 'New Bank' } })
    const account_id = String(made.body.account_id)
    t.like((await as.admin('GET', `/account/${account_id}/settings`)).body, {
      is_used: false,
      branding: { name: 'New Bank' },
    })
    const { status, body } = await as.admin('POST', `/account/${account_id}/try`)
    t.is(status, 201)
    const { pathname } = new URL(String(body.verify_url))
    t.true((await door.call('GET', pathname)).text.includes('New Bank'))
    t.is((await as.admin('GET', `/transaction/${body.transaction_id}`)).status, 200)
    const audit = (await as.admin('GET', `/audit?subject_id=${body.transaction_id}`)).body.data as { action: string }[]
    t.is(audit[0]?.action, 'transaction_opened')
    t.like((await as.admin('GET', `/account/${account_id}/settings`)).body, { is_used: true })
    await as.admin('POST', `/client/${made.body.client_id}/revoke`)
    const refused = await as.admin('POST', `/account/${account_id}/try`)
    t.deepEqual([refused.status, refused.body.error], [400, 'account_id: has no client that is not revoked'])
  })
}

test('A setting that breaks a rule is named, and nothing changes', async t => {
  const [engine] = eachDialect
  if (engine === undefined) throw new Error('there is no database')
  const { door, as } = await openConsole(engine)
  t.teardown(door.close)
  const at = `/account/${door.account.account_id}/settings`
  const large = Buffer.from(`<svg xmlns="http://www.w3.org/2000/svg">${' '.repeat(46_000)}</svg>`).toString('base64')
  const wrong = [
    [{ branding: { ...look, name: '' } }, /^branding\.name: must be a text of 1 to 60/],
    [{ branding: { ...look, accent: 'red' } }, /^branding\.accent: must be a colour/],
    [{ branding: { ...look, privacy_url: 'http://x.example' } }, /^branding\.privacy_url: must be a URL/],
    [{ branding: { ...look, contact_url: 'javascript:alert(1)' } }, /^branding\.contact_url: must be a URL/],
    [{ branding: { ...look, languages: ['xx'] } }, /^branding\.languages\.0: must be one or more of the languages/],
    [{ branding: { ...look, colour: 'x' } }, /^branding\.colour: unknown member/],
    [{ logo: 'AAAA' }, /^logo: must be a PNG, WebP or SVG picture/],
    [{ logo: large }, /^logo: must be at most 45000 bytes/],
    [{ webhook_origins: ['https://shop.example/hook'] }, /^webhook_origins\.0: must be an origin/],
    [{ webhook_origins: [] }, /^webhook_origins: must name an origin/],
    [{ fraud_policy: { on_image_of_another_transaction: 'WARN' } }, /^fraud_policy\.\w+: is required/],
    [{ surprise: 1 }, /^surprise: unknown member/],
  ] as const
  for (const [json, message] of wrong) {
    const { status, body } = await as.admin('PATCH', at, { json })
    t.is(status, 400, JSON.stringify(json).slice(0, 80))
    t.regex(String(body.error), message)
  }
  t.is((await as.admin('GET', at)).body.version, 0)
})
