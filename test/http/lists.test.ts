import test from 'ava'
import { newId } from '../../src/base/ids.ts'
import { selectPage, type TransactionFilter } from '../../src/verification/transactions/list_transactions.ts'
import type { Answer } from '../calls.ts'
import { eachDialect, sqlite } from '../database.ts'
import { kyc, openTransaction, registerCustomer } from '../service/client.ts'
import { type Door, openTestDoor } from './door.ts'

type Item = Readonly<Record<string, string | null>>

function made(answer: Answer): Answer {
  if (answer.status > 201) throw new Error(`answered ${answer.status}: ${answer.text}`)
  return answer
}

function customerOf({ call }: Door, token: string, external_customer_id: string): Promise<string> {
  return registerCustomer(call, token, { external_customer_id })
}

interface Opening {
  readonly customer_id: string
  readonly transaction_type?: string
  readonly reference?: string | null
}

async function open(door: Door, { customer_id, transaction_type = 'BIOMETRIC_ONLY', reference = null }: Opening) {
  const asked = { customer_id, transaction_type, config: { reference } }
  return (await openTransaction(door.call, door.token, asked)).transaction_id
}

function cancel(door: Door, id: string, token = door.token): Promise<Answer> {
  return door.call('POST', `${kyc}/transaction/${id}/cancel`, { token })
}

async function list(door: Door, query: string, token = door.token) {
  const { body } = made(await door.call('GET', `${kyc}/transaction?${query}`, { token }))
  return { data: body.data as readonly Item[], next_cursor: body.next_cursor as string | null }
}

/** All pages of a list; `between` runs after each page. */
async function walk(door: Door, query: string, between = async (): Promise<void> => {}): Promise<readonly Item[]> {
  const found: Item[] = []
  let cursor: string | null = ''
  while (cursor !== null) {
    const page: Awaited<ReturnType<typeof list>> = await list(door, cursor === '' ? query : `${query}&cursor=${cursor}`)
    found.push(...page.data)
    cursor = page.next_cursor
    await between()
  }
  return found
}

function newestFirst(one: Item, other: Item): number {
  return String(other.created_at).localeCompare(String(one.created_at)) || (String(one.id) < String(other.id) ? 1 : -1)
}

/** Transactions of two customers, both types, several references, some cancelled, some of one millisecond. */
async function fill(door: Door): Promise<{ one: string; two: string }> {
  const one = await customerOf(door, door.token, 'one')
  const two = await customerOf(door, door.token, 'two')
  for (let n = 0; n < 24; n++) {
    if (n % 3 === 0) await door.clock.advance(1000)
    const transaction_type = n % 2 === 0 ? 'BIOMETRIC_ONLY' : 'DOCUMENT_AND_BIOMETRIC'
    const reference = n % 4 === 0 ? `order ${n % 8}` : null
    const id = await open(door, { customer_id: n % 5 === 0 ? two : one, transaction_type, reference })
    if (n % 3 === 1) made(await cancel(door, id))
  }
  return { one, two }
}

type Filtered = readonly [query: string, holds: (item: Item) => boolean]

/** Filters of every sort, and the items that each leaves of all. */
function filtersOf(two: string, from: string, to: string): readonly Filtered[] {
  return [
    ['', () => true],
    ['status=FAILED', ({ status }) => status === 'FAILED'],
    ['status=FAILED,CREATED', () => true],
    ['status=FAILED&status=EXPIRED', ({ status }) => status === 'FAILED'],
    ['status=FINISHED', () => false],
    ['transaction_type=BIOMETRIC_ONLY', item => item.transaction_type === 'BIOMETRIC_ONLY'],
    [
      'transaction_type=BIOMETRIC_ONLY&status=FAILED',
      item => item.transaction_type === 'BIOMETRIC_ONLY' && item.status === 'FAILED',
    ],
    ['decision=UNDETERMINED', ({ decision }) => decision === 'UNDETERMINED'],
    ['decision=UNDETERMINED&status=CREATED', () => false],
    [
      'decision=APPROVED,UNDETERMINED&transaction_type=BIOMETRIC_ONLY',
      item => item.decision !== null && item.transaction_type === 'BIOMETRIC_ONLY',
    ],
    [`decision=UNDETERMINED&customer_id=${two}`, item => item.customer_id === two && item.decision !== null],
    ['decision=REJECTED', () => false],
    [`customer_id=${two}`, item => item.customer_id === two],
    [`customer_id=${two}&status=CREATED`, item => item.customer_id === two && item.status === 'CREATED'],
    ['reference=order%204', item => item.reference === 'order 4'],
    [`reference=order%204&customer_id=${two}`, item => item.reference === 'order 4' && item.customer_id === two],
    [`created_from=${from}`, item => String(item.created_at) >= from],
    [`created_to=${to}`, item => String(item.created_at) < to],
    [
      `created_from=${from}&created_to=${to}&status=FAILED`,
      item => String(item.created_at) >= from && String(item.created_at) < to && item.status === 'FAILED',
    ],
  ]
}

for (const engine of eachDialect) {
  const on = `On ${engine.name}: `

  test(`${on}each filter and each page size gives what filtering all of them gives, newest first`, async t => {
    const door = await openTestDoor(t, engine)
    const { two } = await fill(door)
    const all = await walk(door, 'limit=100')
    t.is(all.length, 24)
    t.deepEqual(all, [...all].sort(newestFirst))
    t.deepEqual(Object.keys(all[0] ?? {}), [
      'id',
      'customer_id',
      'transaction_type',
      'reference',
      'status',
      'decision',
      'created_at',
      'initiated_at',
      'completed_at',
      'processing_at',
      'finished_at',
    ])
    t.true(all.every(({ status, decision }) => decision === (status === 'FAILED' ? 'UNDETERMINED' : null)))
    const from = String(all[15]?.created_at)
    const to = String(all[4]?.created_at)
    for (const [query, holds] of filtersOf(two, from, to))
      for (const limit of [1, 7, 100])
        t.deepEqual(await walk(door, `${query}&limit=${limit}`), all.filter(holds), `${query} by ${limit}`)
  })

  test(`${on}a cursor goes on where its page ended, although transactions are opened or changed meanwhile`, async t => {
    const door = await openTestDoor(t, engine)
    const { one } = await fill(door)
    const before = (await walk(door, 'limit=100')).map(({ id }) => id)
    const found = await walk(door, 'limit=5', async () => {
      const id = await open(door, { customer_id: one })
      await cancel(door, id)
    })
    t.deepEqual(
      found.map(({ id }) => id),
      before,
    )
  })

  test(`${on}a transaction is cancelled once, and its timeline says by whom`, async t => {
    const door = await openTestDoor(t, engine)
    const customer_id = await customerOf(door, door.token, 'one')
    const id = await open(door, { customer_id })
    await door.clock.advance(5000)
    const cancelled = await cancel(door, id)
    t.is(cancelled.status, 200)
    t.like(cancelled.body, { id, status: 'FAILED', finished_at: '2026-11-17T12:00:05.000Z' })
    t.like(cancelled.body.result_data, { decision: 'UNDETERMINED', issues: [{ code: 'CANCELLED' }] })
    t.deepEqual((await cancel(door, id)).body, cancelled.body)
    const path = `${kyc}/transaction/${id}/events`
    const { body } = await door.call('GET', path, { token: door.token })
    const created = { sequence: 1, occurred_at: '2026-11-17T12:00:00.000Z', event: 'CREATE', sent_by: 'integrator' }
    t.deepEqual(body, {
      data: [
        { ...created, status: 'CREATED' },
        {
          sequence: 2,
          occurred_at: '2026-11-17T12:00:05.000Z',
          event: 'CANCEL',
          sent_by: 'integrator',
          status: 'FAILED',
        },
      ],
      next_cursor: null,
    })
    const first = await door.call('GET', `${path}?limit=1`, { token: door.token })
    t.deepEqual(first.body.data, [{ ...created, status: 'CREATED' }])
    const next = await door.call('GET', `${path}?cursor=${first.body.next_cursor}`, { token: door.token })
    t.deepEqual(next.body, { data: (body.data as unknown[]).slice(1), next_cursor: null })
  })

  test(`${on}customers are listed newest first, page by page, each account's by itself`, async t => {
    const door = await openTestDoor(t, engine)
    const stranger = await door.newAccount()
    await customerOf(door, stranger.token, 'theirs')
    const made: string[] = []
    for (let n = 0; n < 7; n++) {
      // Some are of one millisecond.
      if (n % 2 === 0) await door.clock.advance(1000)
      made.push(await customerOf(door, door.token, `person ${n}`))
    }
    const page = async (query: string) => {
      const { status, body } = await door.call('GET', `${kyc}/customer?${query}`, { token: door.token })
      t.is(status, 200, String(body.error))
      return body as { data: readonly Item[]; next_cursor: string | null }
    }
    const whole = await page('')
    t.is(whole.next_cursor, null)
    t.deepEqual(
      whole.data.map(({ customer_id }) => customer_id),
      [...made].sort().reverse(),
    )
    t.deepEqual(whole.data.at(-1), {
      external_customer_id: 'person 0',
      email: null,
      phone_number: null,
      customer_id: made[0],
      created_at: '2026-11-17T12:00:01.000Z',
    })
    for (const limit of [1, 2, 3]) {
      let found: readonly Item[] = []
      let query: string | null = `limit=${limit}`
      while (query !== null) {
        const { data, next_cursor } = await page(query)
        t.true(data.length <= limit)
        found = [...found, ...data]
        query = next_cursor === null ? null : `limit=${limit}&cursor=${next_cursor}`
      }
      t.deepEqual(found, whole.data)
    }
    const from = String(whole.data[3]?.created_at)
    const since = await page(`created_from=${from}`)
    t.deepEqual(
      since.data,
      whole.data.filter(({ created_at }) => String(created_at) >= from),
    )
    const before = await page(`created_to=${from}`)
    t.deepEqual([...since.data, ...before.data], whole.data)
    const { next_cursor } = await page('limit=1')
    const other = await door.call('GET', `${kyc}/customer?cursor=${next_cursor}`, { token: stranger.token })
    t.deepEqual([other.status, other.body], [400, { error: 'cursor: is not one of this list' }])
  })

  test(`${on}a customer is found by the integrator's own id, to the letter and in its account only`, async t => {
    const door = await openTestDoor(t, engine)
    const customer_id = await customerOf(door, door.token, 'Ä 1 ')
    const find = (id: string, token = door.token) =>
      door.call('GET', `${kyc}/customer?external_customer_id=${encodeURIComponent(id)}`, { token })
    const found = await find('Ä 1 ')
    t.deepEqual(found.body, (await door.call('GET', `${kyc}/customer/${customer_id}`, { token: door.token })).body)
    const stranger = await door.newAccount()
    for (const answer of [await find('Ä 1'), await find('ä 1 '), await find('Ä 1 ', stranger.token)])
      t.deepEqual([answer.status, answer.body], [404, { error: 'external_customer_id: not found' }])
  })
}

const saysStatus = 'status: must be of CREATED, INITIATED, COMPLETED, PROCESSING, FINISHED, FAILED, EXPIRED'
const saysFrom = 'created_from: must be a timestamp such as 2026-11-17T12:00:00.000Z'

const broken: readonly (readonly [query: string, error: string])[] = [
  ['limit=1&limit=2', 'limit: must be given once'],
  ['status=', saysStatus],
  ['status=FAILED,', saysStatus],
  ['status=failed', saysStatus],
  ['reference=', 'reference: must be a string of 1 to 255 characters'],
  ['created_from=2026-11-17', saysFrom],
  ['created_from=2026-02-30T00:00:00Z', saysFrom],
  ['created_to=2026-11-17T12:00:00%2B01:00', saysFrom.replace('from', 'to')],
  ['cursor=', 'cursor: is not one of this list'],
  ['cursor=AAAA', 'cursor: is not one of this list'],
  ['cursor=a&cursor=b', 'cursor: must be given once'],
]

test('every list is a range of an index, in the order of the index', async t => {
  const door = await openTestDoor(t, sqlite)
  const { store } = door.service
  const all = { status: null, transaction_type: null, decision: null, customer_id: null, reference: null }
  const page = {
    filter: { ...all, created_from: 1, created_to: 9 },
    after: { created_at: 5, id: newId() },
    limit: 20,
    order: 'newest' as const,
  }
  const filters: readonly Partial<TransactionFilter>[] = [
    {},
    { status: ['FAILED'] },
    { status: ['FAILED', 'EXPIRED'], transaction_type: 'BIOMETRIC_ONLY' },
    { transaction_type: 'BIOMETRIC_ONLY' },
    { customer_id: newId(), status: ['FAILED'] },
    { decision: ['REJECTED'] },
    { decision: ['REJECTED', 'UNDETERMINED'], transaction_type: 'BIOMETRIC_ONLY', status: ['FAILED'] },
    { decision: ['REJECTED'], customer_id: newId() },
    { reference: 'x', transaction_type: 'BIOMETRIC_ONLY' },
  ]
  for (const given of filters) {
    const { sql, values } = selectPage(store.dialect, newId(), { ...page, filter: { ...page.filter, ...given } })
    const plan = (await store.read({ sql: `EXPLAIN QUERY PLAN ${sql}`, values })).map(({ detail }) => String(detail))
    const reads = plan.filter(detail => /(SCAN|SEARCH) transactions/.test(detail))
    t.true(reads.length > 0)
    for (const read of reads) t.regex(read, /^SEARCH transactions USING INDEX \w+_created_at_id\w* \(.*created_at[<>]/)
    // A merge of several pages sorts their 21 rows each.
    const sorts = plan.filter(detail => detail.includes('TEMP B-TREE')).length
    t.true(sorts <= (reads.length > 1 ? reads.length : 0), JSON.stringify(given))
  }
})

test('a bad parameter of a list is 400 and named; what means nothing is ignored and named', async t => {
  const door = await openTestDoor(t, sqlite)
  const { token } = door
  for (const [query, error] of broken) {
    const answer = await door.call('GET', `${kyc}/transaction?${query}`, { token })
    t.deepEqual([answer.status, answer.body], [400, { error }], query)
  }
  const odd = await door.call('GET', `${kyc}/transaction?page=2&__proto__=x&limit=1`, { token })
  t.deepEqual([odd.status, odd.body], [200, { data: [], next_cursor: null }])
  t.is(odd.headers.get('x-ignored-fields'), 'page, __proto__')
})

test('a cursor is good for its own list only: not with other filters, nor for another account', async t => {
  const door = await openTestDoor(t, sqlite)
  await fill(door)
  const stranger = await door.newAccount()
  const { next_cursor } = await list(door, 'status=FAILED&limit=2')
  const says = { error: 'cursor: is not one of this list' }
  const forged = `${next_cursor}`.replace(/.$/, last => (last === 'A' ? 'B' : 'A'))
  for (const [query, token] of [
    [`cursor=${next_cursor}`, door.token],
    [`status=CREATED&cursor=${next_cursor}`, door.token],
    [`status=FAILED&cursor=${next_cursor}`, stranger.token],
    [`status=FAILED&cursor=${forged.slice(0, 40)}`, door.token],
  ] as const) {
    const answer = await door.call('GET', `${kyc}/transaction?${query}`, { token })
    t.deepEqual([answer.status, answer.body], [400, says], query)
  }
  t.deepEqual(await list(door, 'limit=100', stranger.token), { data: [], next_cursor: null })
})
