import type { MrzReading, ReplayFingerprint, ResultData } from '@attestor/rules'
import test, { type ExecutionContext } from 'ava'
import { approvedDocument, createApprovedFindings, specimenMrz } from '../../src/engines/scripted.ts'
import { sweepCaptures } from '../../src/verification/erasure/retention.ts'
import { eachDialect, forOneDialect } from '../database.ts'
import { drawFingerprint } from '../fingerprints.ts'
import { kyc, openTransaction, phoneOf, picture } from '../service/client.ts'
import { listCodes } from '../service/outcomes.ts'
import { type Opened, openTestRig, type Rig } from '../service/rig.ts'

const hour = 3_600_000

/** Documents of these numbers, in turn; the last one stays. */
function showDocuments(rig: Rig, ...numbers: readonly string[]): void {
  let at = 0
  rig.script(request => {
    const document_number = numbers[Math.min(at++, numbers.length - 1)] ?? null
    const mrz: MrzReading = { ...specimenMrz, document_number }
    const findings = createApprovedFindings(request)
    return findings.document === null ? findings : { ...findings, document: { ...approvedDocument, mrz } }
  })
}

let pictures = 1000

/** A verification with pictures that no other has. */
async function finish(rig: Rig, { phone }: Opened, front: Buffer | null = null): Promise<void> {
  await phone.start()
  await phone.signals()
  await phone.upload('document/front', front ?? (await picture(pictures++ * 7)))
  await phone.upload('selfie', await picture(pictures++ * 7))
  await phone.liveness()
  await phone.complete()
  await rig.idle()
}

const asked = { on_document_of_another_customer: 'WARN', on_image_of_another_transaction: 'WARN' }

async function verify(rig: Rig, customer_id: string, { front = null as Buffer | null, config = {} } = {}) {
  const opened = await rig.open({ fraud_policy: asked, ...config }, { customer_id })
  await finish(rig, opened, front)
  const view = await rig.view(opened.id)
  return { id: opened.id, result: view.result_data as ResultData, codes: listCodes(view) }
}

async function listed(rig: Rig, customer_id: string, account = rig.account) {
  const { status, body } = await rig.call('GET', `${kyc}/customer/${customer_id}/duplicates`, {
    token: await rig.token(account),
  })
  return { status, data: (body.data ?? []) as readonly Record<string, unknown>[] }
}

async function erase(rig: Rig, path: string): Promise<number> {
  return (await rig.call('DELETE', `${kyc}/${path}`, { token: await rig.token() })).status
}

async function rigOf(t: ExecutionContext, engine: (typeof eachDialect)[number]): Promise<Rig> {
  return openTestRig(t, engine, { ANALYSIS_PROCESSES: '2' })
}

const shared = 'DOCUMENT_OF_ANOTHER_CUSTOMER'

for (const engine of eachDialect) {
  const testOnce = forOneDialect(engine, test)
  test(`On ${engine.name}: a document of another customer is found, counted and listed for both`, async t => {
    const rig = await rigOf(t, engine)
    showDocuments(rig, 'AB1')
    const [ana, ben, eva] = [await rig.customer(), await rig.customer(), await rig.customer()]
    const first = await verify(rig, ana)
    t.false(first.codes.includes(shared))
    t.like(first.result.duplicates?.document, { customers: 0, transactions_24_hours: 1, transactions_30_days: 1 })
    const again = await verify(rig, ana)
    t.false(again.codes.includes(shared), 'the same customer is no duplicate')
    t.like(again.result.duplicates?.document, { customers: 0, transactions_24_hours: 2 })
    await rig.skip(25 * hour)
    const other = await verify(rig, ben)
    t.true(other.codes.includes(shared))
    t.is(other.result.decision, 'APPROVED', 'WARN is the default')
    t.deepEqual(other.result.duplicates?.document, {
      customers: 1,
      transactions_24_hours: 1,
      transactions_30_days: 3,
      transaction_ids: [again.id, first.id],
    })
    const rejected = await verify(rig, eva, {
      config: { fraud_policy: { ...asked, on_document_of_another_customer: 'REJECT' } },
    })
    t.is(rejected.result.decision, 'REJECTED')
    t.is(rejected.result.duplicates?.document?.customers, 2)
    showDocuments(rig, 'AB2')
    t.false((await verify(rig, eva)).codes.includes(shared))

    const ofBen = (await listed(rig, ben)).data
    t.deepEqual(
      ofBen.map(({ other_customer_id, other_transaction_id }) => [other_customer_id, other_transaction_id]).sort(),
      [
        [ana, first.id],
        [ana, again.id],
        [eva, rejected.id],
      ].sort(),
    )
    t.true(ofBen.every(({ kind, transaction_id }) => kind === 'document' && transaction_id === other.id))
    t.is((await listed(rig, ana)).data.length, 4)
  })

  testOnce(`On ${engine.name}: accounts know nothing of each other's documents and pictures`, async t => {
    const rig = await rigOf(t, engine)
    showDocuments(rig, 'AB1')
    const front = await picture(1)
    const ana = await rig.customer()
    await verify(rig, ana, { front })
    const account = await rig.newAccount()
    const token = await rig.token(account)
    const config = { fraud_policy: asked }
    const { transaction_id: id, sdk_token } = await openTransaction(rig.call, token, { config })
    await finish(rig, { id, sdk_token, phone: phoneOf(rig.call, sdk_token) }, front)
    const view = (await rig.call('GET', `${kyc}/transaction/${id}`, { token })).body
    t.deepEqual((view.result_data as ResultData).duplicates, {
      document: { customers: 0, transactions_24_hours: 1, transactions_30_days: 1, transaction_ids: [] },
      images: { customers: 0, transaction_ids: [] },
      face: null,
    })
    t.is((await listed(rig, ana, account)).status, 404)
    const uses = await rig.rows('SELECT DISTINCT document FROM document_uses')
    t.is(uses.length, 2, 'the HMACs differ, so that nothing joins the two accounts')
  })

  testOnce(
    `On ${engine.name}: the same bytes in another customer's transaction are found until they are erased`,
    async t => {
      const rig = await rigOf(t, engine)
      showDocuments(rig, 'AB1', 'AB2', 'AB3', 'AB4', 'AB5')
      const front = await picture(3)
      const [ana, ben, eva] = [await rig.customer(), await rig.customer(), await rig.customer()]
      const first = await verify(rig, ana, { front })
      t.false((await verify(rig, ana, { front })).codes.includes('IMAGE_OF_ANOTHER_TRANSACTION'))
      const second = await verify(rig, ben, { front })
      t.true(second.codes.includes('IMAGE_OF_ANOTHER_TRANSACTION'))
      t.is(second.result.duplicates?.images?.customers, 1)
      t.true(second.result.duplicates?.images?.transaction_ids.includes(first.id))
      t.is((await listed(rig, ben)).data[0]?.kind, 'image')
      t.is(await erase(rig, `customer/${ana}`), 200)
      t.deepEqual((await listed(rig, ben)).data, [])
      t.is(await erase(rig, `transaction/${second.id}`), 200)
      t.deepEqual((await verify(rig, eva, { front })).result.duplicates?.images, { customers: 0, transaction_ids: [] })
      for (const table of ['document_uses', 'duplicates'])
        t.deepEqual(
          await rig.rows(`SELECT * FROM ${table} WHERE customer_id IN (?, ?)`, ana, ben),
          [],
          'nothing of what is erased stays',
        )
    },
  )

  test(`On ${engine.name}: a document of an erased customer is none of another's, from the first commit on`, async t => {
    const rig = await rigOf(t, engine)
    showDocuments(rig, 'AB1')
    const [ana, ben] = [await rig.customer(), await rig.customer()]
    await verify(rig, ana)
    // The first commit of an erasure leaves it so.
    await rig.node().service.store.commit(function* () {
      yield [{ sql: 'DELETE FROM customers WHERE id = ?', values: [ana] }]
    })
    t.is((await verify(rig, ben)).result.duplicates?.document?.customers, 0)
  })

  test(`On ${engine.name}: at least one of two concurrent transactions with one document finds the other`, async t => {
    const rig = await rigOf(t, engine)
    showDocuments(rig, 'AB1')
    const opened = [await rig.open({ fraud_policy: asked }), await rig.open({ fraud_policy: asked })]
    const both = Promise.withResolvers<void>()
    let analysed = 0
    rig.script(async request => {
      analysed += 1
      if (analysed === 2) both.resolve()
      await both.promise
      return createApprovedFindings(request)
    })
    for (const { phone } of opened) {
      await phone.capture()
      await phone.complete()
    }
    await rig.idle()
    const codes = await Promise.all(opened.map(async ({ id }) => listCodes(await rig.view(id))))
    t.true(codes.some(list => list.includes(shared)))
  })

  test(`On ${engine.name}: a picture that was encoded again is found by its faces, in this account and while it is kept`, async t => {
    const rig = await rigOf(t, engine)
    const showPictures = (selfie: ReplayFingerprint, frames: readonly ReplayFingerprint[]): void =>
      rig.script(request => {
        const findings = createApprovedFindings(request)
        const { liveness, face } = findings
        return {
          ...findings,
          liveness: liveness && { ...liveness, fingerprints: frames },
          face: face && { ...face, fingerprint: selfie },
        }
      })
    const config = { fraud_policy: { on_image_of_another_transaction: 'WARN' } }
    const [ana, ben, eva] = [await rig.customer(), await rig.customer(), await rig.customer()]
    showPictures(drawFingerprint(1), [drawFingerprint(2), drawFingerprint(3)])
    const first = await verify(rig, ana, { config })
    t.is(first.result.duplicates?.images?.customers, 0)
    showPictures(drawFingerprint(1, 4), [drawFingerprint(4)])
    t.is((await verify(rig, ana, { config })).result.duplicates?.images?.customers, 0, 'of the same customer')
    showPictures(drawFingerprint(5), [drawFingerprint(6)])
    t.is((await verify(rig, ben, { config })).result.duplicates?.images?.customers, 0, 'another picture')
    showPictures(drawFingerprint(7), [drawFingerprint(8), drawFingerprint(3, 4)])
    const copied = await verify(rig, eva, { config })
    t.deepEqual(copied.result.duplicates?.images, { customers: 1, transaction_ids: [first.id] })
    t.true(copied.codes.includes('IMAGE_OF_ANOTHER_TRANSACTION'))
    t.is(await erase(rig, `transaction/${first.id}`), 200)
    t.deepEqual(await rig.rows('SELECT * FROM picture_codes WHERE transaction_id = ?', first.id), [])
    showPictures(drawFingerprint(9), [drawFingerprint(3, 4)])
    t.deepEqual((await verify(rig, await rig.customer(), { config })).result.duplicates?.images?.transaction_ids, [
      copied.id,
    ])
    const codes = await rig.rows('SELECT * FROM picture_codes')
    await sweepCaptures(rig.node().service.store, rig.clock.now() + hour)
    t.true(codes.length > 5)
    t.deepEqual(await rig.rows('SELECT * FROM picture_codes'), [], 'they go with the pictures')
  })

  testOnce(
    `On ${engine.name}: a document’s picture that was encoded again is found by its portrait, in this account and while it is kept`,
    async t => {
      const rig = await rigOf(t, engine)
      let earlier: readonly ReplayFingerprint[] = []
      const portraitOf = (seed: number, noise = 0) => ({ ...drawFingerprint(seed, noise), is_portrait: true })
      const showPictures = (portrait: ReplayFingerprint, selfie: ReplayFingerprint): void =>
        rig.script(request => {
          earlier = request.challenge?.earlier ?? []
          const findings = createApprovedFindings(request)
          const { document, face } = findings
          return {
            ...findings,
            document: document && { ...document, fingerprint: portrait },
            face: face && { ...face, fingerprint: selfie },
          }
        })
      const config = { fraud_policy: { on_image_of_another_transaction: 'WARN' } }
      const [ana, ben, eva] = [await rig.customer(), await rig.customer(), await rig.customer()]
      showPictures(portraitOf(1), drawFingerprint(2))
      const first = await verify(rig, ana, { config })
      showPictures(portraitOf(1, 30), drawFingerprint(3))
      const second = await verify(rig, ana, { config })
      t.is(second.result.duplicates?.images?.customers, 0, 'of the same customer')
      t.deepEqual(earlier, [drawFingerprint(2)], 'no frame is held against a portrait')
      t.is(await erase(rig, `transaction/${second.id}`), 200)
      showPictures(portraitOf(4), drawFingerprint(1))
      t.is((await verify(rig, ben, { config })).result.duplicates?.images?.customers, 0, 'the portrait as a selfie')
      showPictures(portraitOf(1, 30), drawFingerprint(5))
      const copied = await verify(rig, eva, { config })
      t.deepEqual(copied.result.duplicates?.images, { customers: 1, transaction_ids: [first.id] })
      t.true(copied.codes.includes('IMAGE_OF_ANOTHER_TRANSACTION'))
      t.is(await erase(rig, `customer/${ana}`), 200)
      t.deepEqual(await rig.rows('SELECT * FROM picture_codes WHERE transaction_id = ?', first.id), [])
      showPictures(portraitOf(1), drawFingerprint(6))
      const { images } = (await verify(rig, ben, { config })).result.duplicates ?? {}
      t.deepEqual(images?.transaction_ids, [copied.id], 'of an erased customer')
      await sweepCaptures(rig.node().service.store, rig.clock.now() + hour)
      t.deepEqual(await rig.rows('SELECT * FROM picture_codes'), [], 'they go with the pictures')
      showPictures(portraitOf(1), drawFingerprint(7))
      t.is((await verify(rig, await rig.customer(), { config })).result.duplicates?.images?.customers, 0)
    },
  )

  testOnce(
    `On ${engine.name}: a transaction without a policy searches nothing, and stores nothing about its document`,
    async t => {
      const rig = await rigOf(t, engine)
      const { result, codes } = await verify(rig, await rig.customer(), { config: { fraud_policy: null } as never })
      t.false('duplicates' in result)
      t.deepEqual(codes, (await verify(rig, await rig.customer(), { config: { fraud_policy: null } as never })).codes)
      t.deepEqual(await rig.rows('SELECT * FROM document_uses'), [])
    },
  )
}
