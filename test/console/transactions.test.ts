import {
  createRoot,
  createState,
  issueLink,
  issueRevocationList,
  issueSigner,
  usualAlgorithm,
} from '@attestor/credentials/synthetic'
import type { LivenessFindings } from '@attestor/rules'
import test, { type ExecutionContext } from 'ava'
import { run } from 'durable-xstate-sql'
import { importTrust } from '../../src/chip/import_trust.ts'
import { createApprovedFindings } from '../../src/engines/scripted.ts'
import { commandLine } from '../../src/identity/operators/audit.ts'
import { oneDialect, type TestEngine } from '../database.ts'
import { kyc } from '../service/client.ts'
import type { Opened, Rig } from '../service/rig.ts'
import { inLongTier } from '../tier.ts'
import { openFindings, openOperated } from './service.ts'

async function opened(t: ExecutionContext, engine: TestEngine) {
  const operated = await openOperated(engine)
  t.teardown(operated.rig.close)
  return operated
}

async function submit(rig: Rig, config: object = {}): Promise<Opened> {
  const one = await rig.open(config)
  await one.phone.capture()
  await one.phone.complete()
  await rig.idle()
  return one
}

function idsOf(answer: { body: Readonly<Record<string, unknown>> }): readonly string[] {
  return (answer.body.data as readonly { id: string }[]).map(({ id }) => id)
}

/** The members that every operator may read of a transaction: none is personal. */
const members = [
  'account_id',
  'account_mode',
  'account_name',
  'actions',
  'awaiting_review',
  'captures',
  'chart',
  'completed_at',
  'country',
  'created_at',
  'customer_id',
  'decision',
  'deliveries',
  'duplicates',
  'erasure_id',
  'expires_at',
  'explanation',
  'finished_at',
  'id',
  'initiated_at',
  'processing_at',
  'reason',
  'review',
  'states',
  'status',
  'transaction_type',
  'version',
]

interface Searched {
  readonly approved: string
  readonly undecided: string
  readonly cancelled: string
  readonly customer_id: string
  readonly account_id: string
}

/** Lists searches, and the transactions that each finds. */
function listSearches({
  approved,
  undecided,
  cancelled,
  customer_id,
  account_id,
}: Searched): readonly (readonly [query: string, ids: readonly string[]])[] {
  return [
    ['', [cancelled, undecided, approved]],
    [`q=${approved.toUpperCase()}`, [approved]],
    [`q=${customer_id}`, [approved]],
    [`q=${approved.slice(0, 20)}`, [approved]],
    [`q=${approved.slice(0, 7)}`, []],
    [`q=${customer_id.slice(0, 20)}`, [approved]],
    ['q=order%202', [undecided]],
    ['reference=order%201', [approved]],
    [`customer_id=${customer_id}`, [approved]],
    ['status=FAILED', [cancelled]],
    ['decision=APPROVED', [approved]],
    ['issue=CANCELLED', [cancelled]],
    [`issue=CANCELLED&account_id=${account_id}&status=FAILED`, [cancelled]],
    ['issue=CANCELLED&decision=APPROVED', []],
    ['awaiting_review=true', [undecided]],
    ['created_to=2020-01-01T00:00:00.000Z', []],
    ['q=nothing%20of%20this', []],
    ['q=%27%20OR%201=1', []],
    ['external_customer_id=nobody', []],
  ]
}

type Call = Awaited<ReturnType<Awaited<ReturnType<typeof openOperated>>['login']>>['call']

/** Checks the order by duration, page by page: transactions that have not ended are left out. */
async function checkDurations(t: ExecutionContext, call: Call): Promise<void> {
  const took = (row: Readonly<Record<string, unknown>>) =>
    Date.parse(String(row.finished_at)) - Date.parse(String(row.initiated_at))
  const all = (await call('GET', '/transaction')).body.data as readonly Readonly<Record<string, unknown>>[]
  const ended = all.filter(row => row.finished_at !== null && row.initiated_at !== null)
  const sorted = ended
    .toSorted((a, b) => took(b) - took(a) || (String(a.id) < String(b.id) ? 1 : -1))
    .map(({ id }) => String(id))
  t.true(ended.length > 0 && ended.length < all.length)
  for (const [order, ids] of [
    ['longest', sorted],
    ['shortest', sorted.toReversed()],
  ] as const) {
    const pages: string[] = []
    for (let cursor: unknown = ''; cursor !== null; ) {
      const page = await call('GET', `/transaction?order=${order}&limit=1${cursor === '' ? '' : `&cursor=${cursor}`}`)
      pages.push(...idsOf(page))
      cursor = page.body.next_cursor
    }
    t.deepEqual(pages, ids, order)
  }
}

const noMatch = {
  total: 0,
  is_cut: false,
  approved: 0,
  rejected: 0,
  undetermined: 0,
  failed: 0,
  expired: 0,
  open: 0,
  erased: 0,
}

/** Checks the counts for one approved, one that awaits review and one cancelled. */
async function checkCounts(t: ExecutionContext, call: Call): Promise<void> {
  for (const [query, counts] of [
    ['', { total: 3, approved: 1, failed: 1, open: 1 }],
    ['status=FAILED', { total: 1, failed: 1 }],
    ['decision=APPROVED', { total: 1, approved: 1 }],
    ['q=order%202', { total: 1, open: 1 }],
    ['issue=CANCELLED', { total: 1, failed: 1 }],
    ['issue=CANCELLED&decision=APPROVED', {}],
    ['awaiting_review=true', { total: 1, open: 1 }],
    ['external_customer_id=nobody', {}],
    ['created_to=2020-01-01T00:00:00.000Z', {}],
  ] as const)
    t.deepEqual((await call('GET', `/transaction-count?${query}`)).body, { ...noMatch, ...counts }, query)
}

for (const engine of oneDialect) {
  const on = `On ${engine.name} `

  test(`${on}a reviewer decides what the rules leave open, once, and the integrator is notified once`, async t => {
    const { rig, login } = await opened(t, engine)
    const ada = await login('ada', 'reviewer')
    const bob = await login('bob', 'reviewer')
    rig.script(openFindings)
    const { id } = await submit(rig, { reference: 'order 7' })
    t.like(await rig.view(id), { status: 'PROCESSING', result_data: null, finished_at: null })

    const queue = await ada.call('GET', '/transaction?awaiting_review=true')
    t.deepEqual(idsOf(queue), [id])
    const [queued] = queue.body.data as { reason: string; review: { due_at: string; reviewer: null } }[]
    t.truthy(queued?.reason)
    t.like(queued, { review: { reviewer: null } })
    t.true(Date.parse(queued?.review.due_at ?? '') > rig.clock.now())
    const claim = (who: typeof ada, take_over = false) =>
      who.call('POST', `/transaction/${id}/claim`, { json: { take_over } })
    t.like((await claim(ada)).body, { reviewer: { operator_id: ada.operator_id, name: 'ada' } })
    t.like((await claim(bob)).body, { reviewer: { name: 'ada' } }, 'who came first keeps it')
    t.like((await claim(bob, true)).body, { reviewer: { name: 'bob' } })
    t.is((await bob.call('DELETE', `/transaction/${id}/claim`)).status, 204)
    t.like((await claim(ada)).body, { reviewer: { name: 'ada' } })
    await rig.skip(21 * 60_000)
    t.like((await claim(bob)).body, { reviewer: { name: 'bob' } }, 'ada has left it')
    const claims = await rig.rows("SELECT action FROM audit WHERE subject_id = ? AND action LIKE 'review_%'", id)
    t.is(claims.length, 5)
    const record = await ada.call('GET', `/transaction/${id}`)
    t.is(record.status, 200, record.text)
    t.deepEqual(Object.keys(record.body).sort(), members)
    t.like(record.body, { status: 'PROCESSING', awaiting_review: true, decision: null, review: { state: 'awaiting' } })
    t.like(record.body.explanation, { rules_decision: 'UNDETERMINED', decided_by: null, trace_is_pinned: true })
    t.true((record.body.states as string[]).includes('submitted.PROCESSING.awaiting_review'))
    const personal = await ada.call('GET', `/transaction/${id}/personal`)
    t.like(personal.body, { reference: 'order 7', review_reason: null, result_data: { decision: 'UNDETERMINED' } })
    t.false(personal.text.includes('REVIEW_LAPSED'))

    const json = { decision: 'APPROVED', reason: 'She is the person of the passport: Erika.' }
    const both = await Promise.all([ada, bob].map(one => one.call('POST', `/transaction/${id}/review`, { json })))
    t.deepEqual(both.map(({ status }) => status).sort(), [200, 409])
    await rig.idle()
    const view = await rig.view(id)
    t.like(view, { status: 'FINISHED', result_data: { decision: 'APPROVED' } })
    const codes = (view.result_data as { issues: { code: string }[] }).issues.map(({ code }) => code)
    t.true(codes.includes('REVIEWED_BY_PERSON') && !codes.includes('REVIEW_LAPSED'))
    t.is(rig.hook.received.filter(call => JSON.stringify(call).includes('FINISHED')).length, 1)
    t.is((await ada.call('POST', `/transaction/${id}/review`, { json })).status, 409)
    t.is((await claim(ada)).status, 409)

    const after = await ada.call('GET', `/transaction/${id}`)
    t.like(after.body, { decision: 'APPROVED', review: { state: 'decided', decision: 'APPROVED' } })
    t.regex(String((after.body.explanation as { sentence: string }).sentence), /^Approved by (ada|bob)\. /)
    const events = (await ada.call('GET', `/transaction/${id}/event`)).body.data as { event: string }[]
    t.like(events.at(-1), { event: 'REVIEWED', sent_by: 'operator', status: 'FINISHED' })
    const journal = JSON.stringify(await rig.rows('SELECT event FROM journal WHERE actor_id = ?', id))
    t.false(journal.includes('Erika'))
    t.is((await ada.call('GET', `/transaction/${id}/personal`)).body.review_reason, json.reason)
    const [face] = await rig.rows('SELECT face_transaction_id FROM customers WHERE face IS NOT NULL')
    t.is(face?.face_transaction_id, id, 'the face of an approved onboarding is enrolled')
    t.deepEqual(idsOf(await ada.call('GET', '/transaction?issue=REVIEWED_BY_PERSON')), [id])
    t.deepEqual(idsOf(await ada.call('GET', '/transaction?awaiting_review=true')), [])
  })

  test(`${on}a transaction whose snapshot another program has written is reported as damaged, and hides no other`, async t => {
    const { rig, login } = await opened(t, engine)
    rig.script(openFindings)
    const [{ id }, whole] = [await submit(rig), await submit(rig)]
    const { call } = await login('grace', 'reviewer')
    const sql = 'UPDATE transactions SET snapshot = ? WHERE id = ?'
    for (const snapshot of ['}{', '{}', '[]']) {
      await rig.node().service.store.commit(() => run({ sql, values: [snapshot, id] }))
      const { status, headers } = await call('GET', `/transaction/${id}`)
      t.deepEqual([status, headers.get('x-error-code')], [410, 'damaged'], snapshot)
      const queue = await call('GET', '/transaction?awaiting_review=true')
      t.deepEqual([...idsOf(queue)].sort(), [id, whole.id].sort(), 'the list of all is whole')
      const [damaged] = (queue.body.data as { id: string; review: object }[]).filter(one => one.id === id)
      t.like(damaged?.review, { due_at: null })
    }
  })

  test(`${on}a doubtful liveness is a case for a reviewer, with its reason`, async t => {
    const { rig, login } = await opened(t, engine)
    const { call } = await login('ada', 'reviewer')
    const doubts = {
      FACE_RENDERED_SUSPECTED: { surroundings: { score: 0.95, threshold: 0.85 } },
      LIVENESS_NOT_EVALUABLE: { nearest: { score: 0.5, threshold: 0.45 } },
    } as const satisfies Readonly<Record<string, Partial<LivenessFindings>>>
    for (const [code, doubt] of Object.entries(doubts)) {
      rig.script(request => {
        const findings = createApprovedFindings(request)
        return { ...findings, liveness: findings.liveness && { ...findings.liveness, ...doubt } }
      })
      const { id } = await submit(rig)
      t.is((await rig.view(id)).status, 'PROCESSING', code)
      t.like((await call('GET', `/transaction/${id}`)).body, { awaiting_review: true, review: { state: 'awaiting' } })
      const { body } = await call('GET', `/transaction/${id}/personal`)
      const result = body.result_data as { readonly issues: readonly { readonly code: string }[] }
      t.like(result, { decision: 'UNDETERMINED', liveness: { status: 'UNDETERMINED' } })
      t.true(result.issues.map(issue => issue.code).includes(code), code)
    }
    t.is(idsOf(await call('GET', '/transaction?awaiting_review=true')).length, 2)
  })

  inLongTier(test)(
    `${on}what nobody reviews in time stays undetermined, and the analysis' deadline ends no review`,
    async t => {
      const { rig, login } = await opened(t, engine)
      const { call } = await login('ada', 'reviewer')
      rig.script(openFindings)
      const { id } = await submit(rig)
      await rig.skip(71 * 3_600_000)
      t.is((await rig.view(id)).status, 'PROCESSING')
      await rig.skip(3_600_000 + 1000)
      const view = await rig.view(id)
      t.like(view, { status: 'FINISHED', result_data: { decision: 'UNDETERMINED' } })
      t.true(JSON.stringify(view).includes('REVIEW_LAPSED'))
      const again = await login('bob', 'reviewer')
      t.is((await call('GET', '/me')).status, 401)
      const { body } = await again.call('GET', `/transaction/${id}`)
      t.like(body, { decision: 'UNDETERMINED', review: { state: 'lapsed', operator_id: null } })
      const json = { decision: 'APPROVED', reason: 'too late' }
      t.is((await again.call('POST', `/transaction/${id}/review`, { json })).status, 409)
    },
  )

  test(`${on}transactions are found by every trait, and each look at something personal is recorded`, async t => {
    const { rig, login } = await opened(t, engine)
    const { call } = await login('ada', 'reviewer')
    rig.script(createApprovedFindings)
    const approved = await submit(rig, { reference: 'order 1' })
    rig.script(request => {
      const findings = createApprovedFindings(request)
      const mrz = findings.document?.mrz && { ...findings.document.mrz, issuing_state: 'D' }
      return { ...findings, document: findings.document && { ...findings.document, mrz: mrz ?? null }, face: null }
    })
    const undecided = await submit(rig, { reference: 'order 2' })
    const cancelled = await rig.open({ reference: 'order 3' })
    t.is((await call('POST', `/transaction/${cancelled.id}/cancel`)).status, 200)
    t.is((await call('POST', `/transaction/${approved.id}/cancel`)).status, 409)
    const { customer_id = '' } = (await rig.view(approved.id)) as Record<string, string>
    const account_id = rig.account.account_id
    const searches = listSearches({
      approved: approved.id,
      undecided: undecided.id,
      cancelled: cancelled.id,
      customer_id,
      account_id,
    })
    for (const [query, ids] of searches) t.deepEqual(idsOf(await call('GET', `/transaction?${query}`)), ids, query)
    const joan = await login('joan', 'viewer')
    const searched = () => rig.rows("SELECT operator_id, details FROM audit WHERE action = 'people_searched'")
    const { length: earlier } = await searched()
    for (const [q, ids] of [
      ['ord', [cancelled.id, undecided.id, approved.id]],
      ['ORDER', [cancelled.id, undecided.id, approved.id]],
      ['order 2', [undecided.id]],
      ['per', [cancelled.id, undecided.id, approved.id]],
      ['person-2', [cancelled.id]],
      ['or', []],
      ['rder', []],
      ['order 22', []],
    ] as const) {
      t.deepEqual(idsOf(await call('GET', `/transaction?q=${encodeURIComponent(q)}`)), ids, q)
      t.is((await call('GET', `/transaction-count?q=${encodeURIComponent(q)}`)).body.total, ids.length, q)
    }
    t.is(
      (await searched()).length - earlier,
      6,
      'each text is recorded once, found or not: one was looked for before, and one is too short',
    )
    t.deepEqual(idsOf(await call('GET', '/transaction?q=order&decision=APPROVED')), [approved.id])
    t.deepEqual(idsOf(await joan.call('GET', '/transaction?q=order')), [], 'who may not read references guesses none')
    t.deepEqual(idsOf(await joan.call('GET', '/transaction?q=order%202')), [undecided.id])
    const first = await call('GET', '/transaction?limit=2')
    const second = await call('GET', `/transaction?limit=2&cursor=${first.body.next_cursor}`)
    t.deepEqual([...idsOf(first), ...idsOf(second)], [cancelled.id, undecided.id, approved.id])
    const all = (await call('GET', '/transaction')).body.data as readonly Record<'reason' | 'country', string | null>[]
    t.deepEqual(
      all.map(({ country }) => country),
      [null, 'DE', null],
    )
    t.deepEqual(
      all.map(({ reason }) => reason),
      ['CANCELLED', 'NO_FACE_DETECTED', null],
      'what kept them from an approval, and no mere warning',
    )
    for (const [query, ids] of [
      ['', [approved.id, undecided.id, cancelled.id]],
      ['&status=FINISHED,FAILED,PROCESSING', [approved.id, undecided.id, cancelled.id]],
      ['&issue=CANCELLED', [cancelled.id]],
    ] as const)
      t.deepEqual(idsOf(await call('GET', `/transaction?order=oldest${query}`)), ids, query)
    const oldest = await call('GET', '/transaction?order=oldest&limit=2')
    const rest = await call('GET', `/transaction?order=oldest&limit=2&cursor=${oldest.body.next_cursor}`)
    t.deepEqual([...idsOf(oldest), ...idsOf(rest)], [approved.id, undecided.id, cancelled.id])
    await checkDurations(t, call)
    await checkCounts(t, call)
    const overview = await call('GET', '/overview')
    t.like(overview.body, {
      totals: { created: 3, approved: 1, undetermined: 0, failed: 1, open: 1 },
      approval_rate: 1,
      reasons: [{ code: 'CANCELLED', count: 1 }],
    })
    t.is((await call('GET', '/transaction?cursor=AAAA')).status, 400)
    const entries = await searched()
    t.true(entries.every(({ operator_id }) => operator_id !== joan.operator_id))
    t.false(JSON.stringify(entries).includes('order'))
    await call('GET', '/transaction?q=ord')
    t.is((await searched()).length, entries.length)
    await rig.skip(11 * 60_000)
    await call('GET', '/transaction?q=ord')
    t.is((await searched()).length, entries.length + 1)
  })

  test(`${on}references are read by a reviewer, and each of them is recorded`, async t => {
    const { rig, login } = await opened(t, engine)
    const ada = await login('ada', 'reviewer')
    const one = await rig.open({ reference: 'order 1' })
    const none = await rig.open()
    const erased = await rig.open({ reference: 'order 3' })
    await rig.call('DELETE', `${kyc}/transaction/${erased.id}`, { token: await rig.token() })
    const path = `/reference?transaction_id=${[one.id, none.id, erased.id].join(',')}`
    t.deepEqual(await ada.call('GET', path).then(({ body }) => body.data), [
      { transaction_id: one.id, reference: 'order 1', external_customer_id: 'person-0' },
      { transaction_id: none.id, reference: null, external_customer_id: 'person-1' },
    ])
    t.deepEqual(
      await rig.rows(
        "SELECT operator_id, subject_id, details FROM audit WHERE action = 'personal_data_read' ORDER BY sequence",
      ),
      [one.id, none.id].map(subject_id => ({
        operator_id: ada.operator_id,
        subject_id,
        details: '{"what":"reference"}',
      })),
    )
    const { customer_id } = (await rig.view(one.id)) as { readonly customer_id: string }
    const ofCustomer = `/external-id?customer_id=${customer_id}`
    const { body } = await ada.call('GET', ofCustomer)
    t.deepEqual(body.data, [{ customer_id, external_customer_id: 'person-0' }])
    t.deepEqual(await rig.rows('SELECT action, details FROM audit WHERE subject_id = ?', customer_id), [
      { action: 'personal_data_read', details: '{"what":"external_customer_id"}' },
    ])
    for (const wrong of [
      '',
      '?transaction_id=',
      '?transaction_id=1',
      `?transaction_id=${one.id},`,
      `?transaction_id=${Array(101).fill(one.id).join(',')}`,
    ]) {
      const { status, body } = await ada.call('GET', `/reference${wrong}`)
      t.is(status, 400, wrong)
      t.regex(String(body.error), /^transaction_id: (must be|is required)/, wrong)
    }
  })

  test(`${on}a decision is explained, and each look at something personal is recorded`, async t => {
    const { rig, login } = await opened(t, engine)
    const { call } = await login('ada', 'reviewer')
    rig.script(createApprovedFindings)
    const approved = await submit(rig, { reference: 'order 1' })
    const { customer_id = '' } = (await rig.view(approved.id)) as Record<string, string>
    const record = await call('GET', `/transaction/${approved.id}`)
    t.deepEqual(Object.keys(record.body).sort(), members, record.text)
    const { captures, explanation } = record.body as unknown as {
      captures: { id: string; kind: string; found: object }[]
      explanation: { sentence: string }
    }
    t.regex(explanation.sentence, /^Approved: every rule that counts passed/)
    t.like(captures.find(({ kind }) => kind === 'document_front')?.found, { zone: { valid: true } })
    const image = await call('GET', `/transaction/${approved.id}/capture/${captures[0]?.id}`)
    t.deepEqual([image.status, image.headers.get('cache-control')], [200, 'no-store'])
    t.regex(image.headers.get('content-type') ?? '', /^image\//)
    t.is((await call('GET', `/transaction/${approved.id}/personal`)).status, 200)
    t.is((await call('GET', `/customer/${customer_id}/personal`)).status, 200)
    t.is((await call('GET', `/transaction/${approved.id}/evidence`)).status, 200)
    const actions = (await rig.rows('SELECT action FROM audit WHERE operator_id IS NOT NULL ORDER BY sequence')).map(
      ({ action }) => action,
    )
    t.deepEqual(actions, ['login', 'capture_read', 'personal_data_read', 'personal_data_read', 'evidence_exported'])
    const events = (await call('GET', `/transaction/${approved.id}/event`)).body.data as object[]
    t.like(events.at(-1), { event: 'CAPTURE_READ', sent_by: 'operator', operator_name: 'ada' })
    t.false(JSON.stringify([record.body, events]).includes('order 1'))
  })

  test(`${on}data that customers share is linked on both of their pages, and found by its issue`, async t => {
    const { rig, login } = await opened(t, engine)
    const { call } = await login('ada', 'viewer')
    rig.script(createApprovedFindings)
    const asked = { on_document_of_another_customer: 'WARN', on_image_of_another_transaction: 'WARN' }
    const [one, other] = [await submit(rig, { fraud_policy: asked }), await submit(rig, { fraud_policy: asked })]
    const record = await call('GET', `/transaction/${other.id}`)
    t.deepEqual(Object.keys(record.body).sort(), members, record.text)
    const { duplicates } = record.body as { duplicates?: readonly object[] }
    t.deepEqual(
      duplicates?.map(found => [Reflect.get(found, 'kind'), Reflect.get(found, 'other_transaction_id')]).sort(),
      [
        ['document', one.id],
        ['image', one.id],
      ],
    )
    const { customer_id = '' } = (await rig.view(one.id)) as Record<string, string>
    const shared = (await call('GET', `/customer/${customer_id}/duplicate`)).body.data as readonly object[]
    t.deepEqual(
      shared.map(found => Reflect.get(found, 'other_transaction_id')),
      [other.id, other.id],
    )
    const found = (await call('GET', '/transaction?issue=DOCUMENT_OF_ANOTHER_CUSTOMER')).body.data as { id: string }[]
    t.deepEqual(
      found.map(({ id }) => id),
      [other.id],
    )
    t.is((await call('GET', '/customer/01a20437-f7ab-7275-a157-2b11652b81a4/duplicate')).status, 404)
  })

  test(`${on}trust anchors are listed by state, with their age and the states without a root`, async t => {
    const { rig, login } = await opened(t, engine)
    const { call } = await login('rita', 'viewer')
    const empty = (await call('GET', '/trust-anchor')).body as { data: object[]; without_root: string[] }
    t.deepEqual(empty.data, [])
    t.true(empty.without_root.includes('FR'))
    const { root } = createState()
    const list = issueRevocationList(root, [1], rig.clock.now())
    const signed = [root.certificate, issueSigner(root, usualAlgorithm).certificate, list]
    await importTrust(rig.node().service, signed, commandLine)
    const later = createRoot('FR', usualAlgorithm)
    const link = issueLink(later, createRoot('FR', usualAlgorithm)).certificate
    await importTrust(rig.node().service, [later.certificate, link], commandLine)
    const { data, without_root } = (await call('GET', '/trust-anchor')).body as typeof empty
    const imported_at = new Date(rig.clock.now()).toISOString()
    const valid_until = new Date(root.not_after).toISOString()
    t.deepEqual(data, [
      { country: 'FR', roots: 1, links: 1, signers: 0, revocation_lists: 0, valid_until, imported_at },
      { country: 'UT', roots: 1, links: 0, signers: 1, revocation_lists: 1, valid_until, imported_at },
    ])
    t.false(without_root.includes('FR'))
    t.true(without_root.includes('DE'))
  })

  test(`${on}an admin administers accounts, clients, keys and origins, and erases`, async t => {
    const { rig, login } = await opened(t, engine)
    const { call, operator_id } = await login('root', 'admin')
    const made = await call('POST', '/account', { json: { name: 'Acme <b>', review: true } })
    t.is(made.status, 201)
    const { account_id, client_id } = made.body as Record<string, string>
    const further = await call('POST', `/account/${account_id}/client`)
    t.truthy((await call('POST', `/client/${client_id}/revoke`)).body.revoked_at)
    t.is((await call('PATCH', `/account/${account_id}`, { json: { review: false } })).body.review, false)
    t.true((await call('PATCH', `/account/${account_id}`, { json: { face_search: true } })).body.face_search)
    const account = (await call('GET', `/account/${account_id}`)).body as { clients: { client_id: string }[] }
    t.deepEqual(
      account.clients.map(one => one.client_id),
      [client_id, further.body.client_id],
    )
    t.is((await call('POST', '/key/rotate', { json: {} })).status, 201)
    t.is(((await call('GET', '/key')).body.data as object[]).length, 2)

    const one = await submit(rig)
    const { hook } = rig
    const sent = hook.received.length
    t.true(sent > 0)
    const { data } = (await call('GET', '/origin')).body as { data: { origin: string; state: string }[] }
    t.like(data[0], { state: 'healthy', waiting: 0, account_id: rig.account.account_id })
    const json = { account_id: rig.account.account_id, origin: data[0]?.origin }
    t.like((await call('POST', '/origin/pause', { json })).body, { state: 'paused', paused_by: { operator_id } })
    const two = await submit(rig)
    await rig.advance(20 * 60_000)
    t.is(hook.received.length, sent, 'nothing is sent to a paused origin')
    const { deliveries } = (await call('GET', `/transaction/${two.id}`)).body as {
      deliveries: { delivery_id: string }[]
    }
    await call('POST', `/transaction/${two.id}/delivery/${deliveries[0]?.delivery_id}/redeliver`)
    await rig.advance(60_000)
    t.is(hook.received.length, sent, 'a redelivery is no resumption')
    t.like((await call('POST', '/origin/resume', { json })).body, { state: 'healthy', paused_by: null })
    await rig.advance(60_000)
    t.true(hook.received.length > sent)
    t.is((await call('POST', '/origin/pause', { json: { ...json, origin: 'nonsense' } })).status, 400)

    hook.answer(() => ({ status: 503 }))
    await submit(rig)
    await rig.advance(1000)
    const failing = (await call('GET', '/origin')).body.data as {
      tried: number
      delivered: number
      last_error: object
    }[]
    // One failed, and what follows it in its transaction waits for it.
    t.like(failing[0], { last_error: { text: 'answered 503' }, waiting: 4 })
    t.true((failing[0]?.tried ?? 0) > (failing[0]?.delivered ?? 0) && (failing[0]?.delivered ?? 0) > 0)
    const at = `/origin/delivery?account_id=${json.account_id}&origin=${json.origin}`
    const page = (await call('GET', `${at}&limit=2`)).body as {
      data: { state: string; error: string | null }[]
      next_cursor: string
    }
    const rest = (await call('GET', `${at}&limit=100&cursor=${page.next_cursor}`)).body as typeof page
    const listed = [...page.data, ...rest.data]
    t.like(
      listed.find(({ error }) => error !== null),
      { error: 'answered 503', state: 'BACKING_OFF' },
    )
    t.true(page.data.length === 2 && listed.some(({ state }) => state === 'DELIVERED'))
    t.is((await call('GET', `/origin/delivery?account_id=${json.account_id}&origin=https://no.example`)).status, 404)
    hook.answer(() => ({ status: 204 }))
    await rig.advance(600_000)

    const system = (await call('GET', '/system')).body as { queues: { queue: string }[]; reviews: object }
    t.is(system.queues.length, 4)
    await rig.advance(600_000)
    t.like((await call('GET', '/system')).body, { nodes: [{ state: 'ready', roles: ['api', 'worker', 'analysis'] }] })
    const { customer_id } = await rig.view(one.id)
    t.is((await call('DELETE', `/customer/${customer_id}`)).status, 200)
    t.is((await call('GET', `/transaction/${one.id}`)).body.status, 'FINISHED')
    t.is((await call('GET', `/transaction/${one.id}/personal`)).status, 404)
    t.is((await call('GET', `/customer/${customer_id}`)).status, 404)
    t.is((await rig.rows('SELECT code FROM transaction_issues WHERE transaction_id = ?', one.id)).length, 0)
  })
}
