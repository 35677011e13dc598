import test from 'ava'
import { openStore } from 'durable-xstate-sql'
import fc from 'fast-check'
import { newId } from '../../../src/base/ids.ts'
import { insert } from '../../../src/database/schema.ts'
import { isEmail, isPhoneShaped, isPossiblePhone } from '../../../src/identity/customers/contact.ts'
import { createCustomerKey, openCustomerKey } from '../../../src/identity/customers/customer_key.ts'
import { createCustomer } from '../../../src/identity/customers/customers.ts'
import { touchCustomer } from '../../../src/identity/customers/touch_customer.ts'
import { anyText } from '../../any_text.ts'
import { manualClock } from '../../clock.ts'
import { eachDialect, openTestStore } from '../../database.ts'

const serviceKeys = { roots: [Buffer.alloc(32, 3)], lookup: Buffer.alloc(32, 4) }

function isPhoneNumber(text: string): boolean {
  return isPhoneShaped(text) && isPossiblePhone(text)
}

for (const engine of eachDialect) {
  test(`${engine.name}: concurrent calls with one external id make one customer`, async t => {
    const database = await engine.fresh()
    const stores = await Promise.all([1, 2].map(() => openStore(database.address, 5)))
    t.teardown(async () => {
      for (const store of stores) await store.close()
      await database.drop()
    })
    const account_id = newId()
    const profile = { external_customer_id: 'x', email: 'a@b.example', phone_number: null }
    const calls = stores.flatMap(store => {
      const deps = { store, clock: manualClock(), serviceKeys }
      return Array.from({ length: 8 }, () => createCustomer(deps, account_id, profile))
    })
    const made = await Promise.all(calls)
    t.is(made.filter(({ created }) => created).length, 1)
    t.is(new Set(made.map(({ customer }) => customer.customer_id)).size, 1)
    const [store] = stores
    if (store === undefined) return t.fail()
    const deps = { store, clock: manualClock(), serviceKeys }
    const other = { ...profile, email: null }
    await t.throwsAsync(createCustomer(deps, account_id, other), {
      code: 'conflict',
      message: `external_customer_id: already registered, with other data, as ${made[0]?.customer.customer_id}`,
    })
    const louder = await createCustomer(deps, account_id, { ...profile, email: 'A@B.Example' })
    t.deepEqual(louder, { customer: made[0]?.customer, created: false })
    const idOf = async (external_customer_id: string) =>
      (await createCustomer(deps, account_id, { ...profile, external_customer_id })).customer.customer_id
    t.is(await idOf('jos\u00e9'), await idOf('jose\u0301'), 'one name, composed and not')
    t.not(await idOf('jos\u00e9'), await idOf('jose'))
    t.true((await createCustomer(deps, newId(), other)).created, 'another account has its own customers')
    for (const external_customer_id of ['x ', 'X', 'é', '\u0000', '💥'])
      t.true((await createCustomer(deps, account_id, { ...profile, external_customer_id })).created)
    const rows = await store.read({ sql: 'SELECT * FROM customers', values: [] })
    const kept = rows
      .map(row =>
        Object.values(row)
          .map(value => Buffer.from(String(value)).toString())
          .join(),
      )
      .join()
    t.false(kept.includes('a@b.example'))
  })
}

for (const engine of eachDialect)
  test(`${engine.name}: a write for a customer changes the customer's row if erasures don't wait for it, as in a cluster`, async t => {
    const { store } = await openTestStore(t, engine, 2)
    const deps = { store, clock: manualClock(), serviceKeys }
    const account_id = newId()
    const profile = { external_customer_id: 'x', email: null, phone_number: null }
    const { customer } = await createCustomer(deps, account_id, profile)
    const uses = async () => (await store.read({ sql: 'SELECT uses FROM customers', values: [] }))[0]?.uses
    t.is(await uses(), null)
    await createCustomer(deps, account_id, profile)
    t.is(await uses(), null, 'who only asks writes nothing')
    const keep = () => [insert('facts', { name: 'an answer', value: 'kept' })]
    await createCustomer(deps, account_id, profile, keep)
    const { dialect } = store
    const counted = (count: number) => (dialect.hasOneWriter ? null : count)
    t.is(await uses(), counted(1))
    t.true(await store.commit(() => touchCustomer(dialect, customer.customer_id)))
    t.is(await uses(), counted(2))
    t.false(await store.commit(() => touchCustomer(dialect, newId())), 'there is none')
  })

test("a customer's key opens with its master key, in its own place", t => {
  const id = newId()
  const { key, data_key } = createCustomerKey(serviceKeys, id)
  t.deepEqual(openCustomerKey(serviceKeys, id, data_key), key)
  t.throws(() => openCustomerKey(serviceKeys, newId(), data_key), { name: 'DecryptionError' })
  t.throws(() => openCustomerKey({ ...serviceKeys, roots: [Buffer.alloc(32)] }, id, data_key), {
    name: 'DecryptionError',
  })
})

test('e-mail addresses and telephone numbers are judged by their shape', t => {
  for (const good of [
    'a@b.example',
    'a.b+c@d-e.example.co',
    "o'hara@x.ie",
    'docomo..user@docomo.example',
    '.user.@x.ie',
    'ü@müller.example',
    `${'a'.repeat(64)}@b.de`,
  ])
    t.true(isEmail(good), good)
  const badEmails = ['', 'a', '@b.c', 'a@', 'a@b', 'a@@b.c', 'a b@c.d', 'a@.b', 'a@b.']
  for (const bad of [...badEmails, 'a@-b.c', 'a@b-.c', 'a@b.c\n', 'a\u0000@b.c', '<a@b.c>', `${'a'.repeat(65)}@b.c`])
    t.false(isEmail(bad), bad)
  for (const good of ['+442079460123', '+34600000000', '+4915112345678', '+15551234567'])
    t.true(isPhoneNumber(good), good)
  const badPhones = [
    '',
    '+',
    '442079460123',
    '+44 20 7946 0123',
    '+123456',
    '+9991234567',
    '+1234567890123456',
    '+1x5551234',
  ]
  for (const bad of [...badPhones, '+442079460123\n', '＋442079460123', '+٤٤٢٠٧٩٤٦']) t.false(isPhoneNumber(bad), bad)
})

test('no text makes the contact rules throw', t => {
  fc.assert(
    fc.property(anyText({ maxLength: 300 }), text => {
      isEmail(text)
      isPossiblePhone(text)
      isPossiblePhone(`+${text}`)
    }),
  )
  t.pass()
})
