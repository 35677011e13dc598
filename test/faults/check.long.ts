/**
 * These tests show that the comparison of `npm run test:faults` finds each fault: a fault is made in the data of a
 * sound node.
 */
import test from 'ava'
import { compare, findStuck } from '../../lab/bench/faults/check.ts'
import { type Carried, createClient, newRecord } from '../../lab/bench/faults/client.ts'
import { carry } from '../../lab/bench/faults/load.ts'
import { checkAudit, readBack } from '../../lab/bench/faults/read_back.ts'
import { oneDialect } from '../database.ts'
import { openRig, type Rig } from '../service/rig.ts'

/** The number that `carry` must draw for each of its ends. */
const chances = { EXPIRED: 0.1, FINISHED: 0.3, FAILED: 0.9 } as const

/** One transaction of each end, by their ends. */
async function carryAll(rig: Rig): Promise<Readonly<Record<Carried['ends'], Carried>>> {
  const record = newRecord()
  const { signal } = new AbortController()
  for (const chance of Object.values(chances)) {
    const options = { nodes: [{ url: rig.node().url }], account: rig.account, random: () => chance, signal }
    await carry(createClient(options, record), { ...options, hook: rig.hook.url }, record)
  }
  await rig.idle()
  await rig.advance(60_000)
  return Object.fromEntries(record.carried.map(one => [one.ends, one])) as Record<Carried['ends'], Carried>
}

function receiverOf({ hook, clock }: Rig) {
  const seen = hook.received.map(({ body }) => [`${body.transaction_id} ${body.status}`, clock.now()] as const)
  return { url: hook.url, firsts: new Map(seen), count: () => seen.length, close: hook.close }
}

async function openLoaded(engine: (typeof oneDialect)[number]) {
  const rig = await openRig(engine)
  const carried = await carryAll(rig)
  const { store } = rig.node().service
  const findFaults = async (of: readonly Carried[] = Object.values(carried)): Promise<readonly string[]> => [
    ...(await compare(store, of, receiverOf(rig))).faults,
    ...(await readBack(rig.node().url, rig.account, of)),
    ...(await checkAudit(store)),
    ...(await findStuck(store)),
  ]
  const change = (sql: string): Promise<unknown> =>
    store.commit(function* () {
      yield [{ sql, values: [] }]
    })
  return { rig, carried, findFaults, change }
}

for (const engine of oneDialect) {
  test(`On ${engine.name} a node's data is found whole, and a wrong end is a fault`, async t => {
    const { rig, carried, findFaults } = await openLoaded(engine)
    t.teardown(rig.close)
    t.deepEqual(await findFaults(), [])
    const { FINISHED, FAILED } = carried
    t.is(FINISHED.images.kept.size, FINISHED.images.sent.size)
    t.true(FINISHED.images.kept.size > 3)
    const wrong = [
      { ...FINISHED, ends: 'FAILED' as const, isCutOff: true },
      { ...FAILED, ends: 'FINISHED' as const, events: [] },
    ]
    t.deepEqual(await findFaults(wrong), [
      `${FINISHED.id}: should be FAILED, and is FINISHED`,
      `${FAILED.id}: should be FINISHED, and is FAILED`,
    ])
    t.deepEqual(await findFaults([{ ...FAILED, ends: 'FINISHED', events: [], isCutOff: true }]), [])
  })

  test(`On ${engine.name} data that was changed, lost or can't be opened is a fault`, async t => {
    const { rig, carried, findFaults, change } = await openLoaded(engine)
    t.teardown(rig.close)
    const { FINISHED, EXPIRED } = carried
    const images = { sent: FINISHED.images.sent, kept: new Map([['selfie', '00']]) }
    t.regex((await findFaults([{ ...FINISHED, images }])).join(), /selfie was acknowledged and is missing/)
    const unsent = { sent: new Set(['00']), kept: new Map<string, string>() }
    t.regex((await findFaults([{ ...FINISHED, images: unsent }])).join(), /the image [0-9a-f]{64} was never sent/)
    const events = [...EXPIRED.events, 'SIGNALS']
    t.deepEqual(await findFaults([{ ...EXPIRED, events }]), [`${EXPIRED.id}: SIGNALS was acknowledged and is missing`])
    const changes: readonly (readonly [sql: string, says: RegExp])[] = [
      [`UPDATE captures SET content = X'00' WHERE transaction_id = '${FINISHED.id}'`, /the image \S+ was answered 500/],
      [`DELETE FROM captures WHERE transaction_id = '${FINISHED.id}'`, /document\/front was acknowledged/],
      [`UPDATE transactions SET result = X'00' WHERE id = '${FINISHED.id}'`, /was answered 500/],
      [`UPDATE transactions SET trace = NULL WHERE id = '${FINISHED.id}'`, /trace: is missing/],
      [
        `UPDATE journal SET occurred_at = 1 WHERE actor_id = '${EXPIRED.id}' AND sequence = 2`,
        /entry 2 is not the one/,
      ],
      [
        `DELETE FROM journal WHERE actor_id = '${EXPIRED.id}' AND sequence = 2`,
        /START was acknowledged and is missing/,
      ],
      ['UPDATE audit SET details = \'{"a":1}\' WHERE sequence = 1', /BrokenAuditError: audit: entry 1 was changed/],
    ]
    for (const [sql, says] of changes) {
      await change(sql)
      t.regex((await findFaults()).join('\n'), says, sql)
    }
  })
}
