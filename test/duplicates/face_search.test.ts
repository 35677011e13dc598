import type { FaceTemplate, ResultData } from '@attestor/rules'
import test, { type ExecutionContext } from 'ava'
import { openFaceSearch } from '../../src/duplicates/face_search.ts'
import { setFaceSearch } from '../../src/duplicates/rows.ts'
import { createApprovedFindings } from '../../src/engines/scripted.ts'
import type { NewAccount } from '../../src/identity/accounts/accounts.ts'
import { eachDialect, forOneDialect } from '../database.ts'
import { kyc, openTransaction, phoneOf } from '../service/client.ts'
import { getResult, listCodes, verify } from '../service/outcomes.ts'
import { openTestRig, type Rig } from '../service/rig.ts'

const strangers = { mean: 1, deviation: 0.165 }
const found = 'FACE_OF_ANOTHER_CUSTOMER'
const missing = `${found}_NOT_EVALUABLE`
const fraud_policy = {
  on_document_of_another_customer: 'IGNORE',
  on_image_of_another_transaction: 'IGNORE',
  on_face_of_another_customer: 'WARN',
}

/** The face of one of many people, all at right angles; `turned` away from it a little. */
function faceOf(person: number, turned = 0): FaceTemplate {
  const values = Array.from({ length: 8 }, (_, n) => (n === person ? 1 : n === 7 ? turned : 0))
  return { model: 'drawn', values }
}

function show(rig: Rig, template: FaceTemplate | null): void {
  rig.script(request => {
    const findings = createApprovedFindings(request)
    return { ...findings, face: findings.face && { ...findings.face, template, strangers } }
  })
}

async function rigOf(t: ExecutionContext, engine: (typeof eachDialect)[number], isOn = true): Promise<Rig> {
  const rig = await openTestRig(t, engine)
  if (isOn) await switchTo(rig, true)
  return rig
}

function switchTo(rig: Rig, isOn: boolean, { account_id }: NewAccount = rig.account): Promise<void> {
  return setFaceSearch(rig.node().service, account_id, isOn)
}

async function searched(rig: Rig, template: FaceTemplate | null, body: { customer_id?: string } = {}) {
  show(rig, template)
  const { id } = await verify(rig, { fraud_policy }, body)
  const view = await rig.view(id)
  const result = getResult(view) as unknown as ResultData
  return { id, customer_id: String(view.customer_id), codes: listCodes(view), face: result.duplicates?.face ?? null }
}

async function erase(rig: Rig, path: string): Promise<number> {
  return (await rig.call('DELETE', `${kyc}/${path}`, { token: await rig.token() })).status
}

for (const engine of eachDialect) {
  const testOnce = forOneDialect(engine, test)
  test(`On ${engine.name}: a face that another customer is enrolled with is found, and no face of the customer's own`, async t => {
    const rig = await rigOf(t, engine)
    const ana = await searched(rig, faceOf(0))
    t.like(ana.face, { customers: 0, faces_searched: 0, nearest: null })
    const again = await searched(rig, faceOf(0, 0.1), { customer_id: ana.customer_id })
    t.false(again.codes.includes(found))
    const ben = await searched(rig, faceOf(1))
    t.like(ben.face, { customers: 0, faces_searched: 1, nearest: 1 })
    const eva = await searched(rig, faceOf(0, 0.2))
    t.true(eva.codes.includes(found))
    t.like(eva.face, { customers: 1, transaction_ids: [again.id], faces_searched: 2 })
    t.true((eva.face?.nearest ?? 1) < 0.02 && (eva.face?.limit ?? 0) > 0.4)
    const { body } = await rig.call('GET', `${kyc}/customer/${ana.customer_id}/duplicates`, {
      token: await rig.token(),
    })
    t.like((body.data as object[])[0], { kind: 'face', other_customer_id: eva.customer_id, transaction_id: again.id })
  })

  test(`On ${engine.name}: an erased face is found no more on any node, also if it is erased during the search`, async t => {
    const rig = await rigOf(t, engine)
    const { store, serviceKeys } = rig.node().service
    const ana = await searched(rig, faceOf(0))
    const ben = await searched(rig, faceOf(1))
    // Another node, which has loaded both.
    const other = openFaceSearch({ store, serviceKeys, maxBytes: 2 ** 20 })
    const owner = {
      id: ben.id,
      account_id: rig.account.account_id,
      customer_id: '01a20437-f7ab-7275-a157-2b11652b81a4',
    }
    const look = (person: number, faces = other) => faces.find(owner, faceOf(person), strangers)
    t.is((await look(0))?.found[0]?.customer_id, ana.customer_id)
    t.is(await erase(rig, `customer/${ana.customer_id}`), 200)
    t.like(await look(0), { found: [], faces_searched: 1 })
    t.is((await look(1))?.found[0]?.transaction_id, ben.id)
    t.is((await searched(rig, faceOf(0))).face?.customers, 0)
    // Its vectors are read, and only then is the transaction erased.
    const slow = openFaceSearch({
      serviceKeys,
      maxBytes: 2 ** 20,
      store: {
        ...store,
        async read(statement) {
          if (statement.sql.includes('face IS NOT NULL')) await erase(rig, `transaction/${ben.id}`)
          return store.read(statement)
        },
      },
    })
    t.deepEqual((await look(1, slow))?.found, [])
    t.deepEqual(
      await rig.rows(
        'SELECT customer_id FROM face_vectors WHERE vector IS NOT NULL AND customer_id IN (?, ?)',
        ana.customer_id,
        ben.customer_id,
      ),
      [],
    )
  })

  test(`On ${engine.name}: an account that does not search keeps no vector, and a policy that is on says so`, async t => {
    const rig = await rigOf(t, engine, false)
    const ana = await searched(rig, faceOf(0))
    t.true(ana.codes.includes(missing))
    t.is(ana.face, null)
    t.deepEqual(await rig.rows('SELECT * FROM face_vectors'), [])
    show(rig, faceOf(0))
    const ignoring = await rig.view((await verify(rig)).id)
    t.false(listCodes(ignoring).some(code => code.startsWith(found)))
    const early = await rig.open({ fraud_policy })
    await switchTo(rig, true)
    await early.phone.capture()
    await early.phone.complete()
    await rig.idle()
    t.true(listCodes(await rig.view(early.id)).includes(missing), 'the person was not asked')
    t.is((await searched(rig, faceOf(0))).face?.faces_searched, 0, 'nor were those who enrolled before')
    t.true((await searched(rig, null)).codes.includes(missing), 'a selfie that can’t be compared')
    t.like((await searched(rig, faceOf(0))).face, { faces_searched: 1, customers: 1 })
    await switchTo(rig, false)
    t.deepEqual(await rig.rows('SELECT * FROM face_vectors'), [])
    t.true((await searched(rig, faceOf(0))).codes.includes(missing))
    await switchTo(rig, true)
    t.is((await searched(rig, faceOf(0))).face?.faces_searched, 0)
  })

  testOnce(`On ${engine.name}: accounts search their own faces only`, async t => {
    const rig = await rigOf(t, engine)
    await searched(rig, faceOf(0))
    const account = await rig.newAccount()
    await switchTo(rig, true, account)
    const token = await rig.token(account)
    const opened = await openTransaction(rig.call, token, { config: { fraud_policy } })
    show(rig, faceOf(0))
    const phone = phoneOf(rig.call, opened.sdk_token)
    t.true((await phone.session()).body.face_search, 'the page asks for the consent to it')
    await phone.capture()
    await phone.complete()
    await rig.idle()
    const view = (await rig.call('GET', `${kyc}/transaction/${opened.transaction_id}`, { token })).body
    t.like((getResult(view) as unknown as ResultData).duplicates?.face, {
      customers: 0,
      faces_searched: 0,
      nearest: null,
    })
  })

  test(`On ${engine.name}: more faces than fit into memory are not searched, and an older enrolment replaces no newer one`, async t => {
    const rig = await rigOf(t, engine)
    const { store, serviceKeys } = rig.node().service
    const ana = await searched(rig, faceOf(0))
    const owner = { id: ana.id, account_id: rig.account.account_id, customer_id: ana.customer_id }
    const small = openFaceSearch({ store, serviceKeys, maxBytes: 1000 })
    t.is(await small.find(owner, faceOf(0), strangers), null)
    const vectors = 'SELECT sequence, vector FROM face_vectors'
    const before = await rig.rows(vectors)
    const late = await openFaceSearch({ store, serviceKeys, maxBytes: 2 ** 20 }).prepareEnrolment(
      { ...owner, id: owner.customer_id },
      faceOf(1),
    )
    await store.commit(function* () {
      yield late
    })
    t.deepEqual(await rig.rows(vectors), before)
  })
}
