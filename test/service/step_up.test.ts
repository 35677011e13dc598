import test from 'ava'
import type { FaceTemplate } from '../../src/decision/findings.ts'
import { analyse } from '../../src/engines/local/analyse.ts'
import { readSides } from '../../src/engines/local/document/read_sides.ts'
import { faceSpace, formerFaceSpaces } from '../../src/engines/local/face/embedding.ts'
import { readFace } from '../../src/engines/local/face/read_face.ts'
import { embedFaces } from '../../src/engines/local/face/templates.ts'
import { loadModels } from '../../src/engines/local/models.ts'
import { createApprovedFindings } from '../../src/engines/scripted.ts'
import { photographFace } from '../../synthetic/photo.ts'
import { type PortraitPose, person, personSeeds, renderPortrait } from '../../synthetic/portrait.ts'
import { oneDialect } from '../database.ts'
import { createOtherPersonFindings } from '../engines/face_findings.ts'
import { inLongTier } from '../tier.ts'
import { getResult, listCodes, verify } from './outcomes.ts'
import { openRig, type Rig } from './rig.ts'

async function drawSelfie(seed: number, pose: PortraitPose): Promise<Buffer> {
  return photographFace(await renderPortrait(person(seed), pose, { width: 720, height: 960 }), seed)
}

/** What an earlier version enrolled of a selfie. */
async function createFormerTemplate(selfie: Buffer): Promise<FaceTemplate> {
  const models = await loadModels()
  const [former = null] = formerFaceSpaces
  const seen = await readFace(models, selfie, { former })
  const [vectors] = embedFaces(models, seen ? [seen.cuts] : [])
  if (!vectors?.former) throw new Error('no template of an earlier version')
  return vectors.former
}

for (const engine of oneDialect) {
  let rig: Rig
  const on = `On ${engine.name}: `

  test.serial.before(async () => {
    rig = await openRig(engine)
  })
  test.serial.after.always(() => rig.close())
  test.serial.afterEach.always(() => rig.script(createApprovedFindings))

  test.serial(`${on}a step-up compares with the enrolled face, and is never approved without one`, async t => {
    const customer_id = await rig.customer()
    const stepUp = { customer_id, transaction_type: 'BIOMETRIC_ONLY' }
    const seen: unknown[] = []
    rig.script(request => {
      seen.push(request.enrolled_face)
      const evidence = createApprovedFindings(request)
      const { face } = evidence
      const compared = request.enrolled_face !== null || request.transaction_type !== 'BIOMETRIC_ONLY'
      return compared || face === null ? evidence : { ...evidence, face: { ...face, reference: null, distance: null } }
    })
    const early = await rig.view((await verify(rig, {}, stepUp)).id)
    t.deepEqual([early.status, getResult(early).decision], ['FINISHED', 'UNDETERMINED'])
    t.true(listCodes(early).includes('FACE_NOT_ENROLLED'))
    t.is(getResult(early).face_comparison?.status, 'NOT_EXECUTED')
    t.is(getResult(early).document, undefined)

    rig.script(createOtherPersonFindings)
    await verify(rig, {}, { customer_id })
    const [unenrolled] = await rig.rows('SELECT face, face_transaction_id FROM customers WHERE id = ?', customer_id)
    t.deepEqual(unenrolled, { face: null, face_transaction_id: null }, 'a rejected onboarding enrols nobody')

    rig.script(request => {
      seen.push(request.enrolled_face)
      return createApprovedFindings(request)
    })
    const onboarding = await verify(rig, {}, { customer_id })
    const later = await rig.view((await verify(rig, {}, stepUp)).id)
    t.is(getResult(later).decision, 'APPROVED')
    t.is(getResult(later).face_comparison?.data.reference, 'ENROLLED_FACE')
    t.is(seen[0], null)
    t.deepEqual(seen.at(-1), { model: 'scripted', values: [0.6, 0.8] })
    const [row] = await rig.rows('SELECT face_transaction_id FROM customers WHERE id = ?', customer_id)
    t.is(row?.face_transaction_id, onboarding.id, 'a step-up enrols nothing')
  })

  test.serial(`${on}an approved step-up renews a face that an earlier version enrolled, and no other`, async t => {
    const customer_id = await rig.customer()
    const stepUp = { customer_id, transaction_type: 'BIOMETRIC_ONLY' }
    const enrolledBy = async (): Promise<unknown> => {
      const [row] = await rig.rows('SELECT face_transaction_id FROM customers WHERE id = ?', customer_id)
      return row?.face_transaction_id
    }
    const seen: unknown[] = []
    const asFormer = (decide: typeof createApprovedFindings): void =>
      rig.script(request => {
        seen.push(request.enrolled_face)
        const { face, ...evidence } = decide(request)
        const template = { model: 'scripted/today', values: [1, 0] }
        return { ...evidence, face: face && { ...face, template, reference_former: true } }
      })
    const onboarding = await verify(rig, {}, { customer_id })
    asFormer(createOtherPersonFindings)
    await verify(rig, {}, stepUp)
    t.is(await enrolledBy(), onboarding.id, 'somebody else renews nothing')
    asFormer(createApprovedFindings)
    const renewing = await verify(rig, {}, stepUp)
    t.is(await enrolledBy(), renewing.id)
    rig.script(request => {
      seen.push(request.enrolled_face)
      return createApprovedFindings(request)
    })
    const later = await rig.view((await verify(rig, {}, stepUp)).id)
    t.is(getResult(later).decision, 'APPROVED')
    t.deepEqual(
      seen.map(face => (face as { model: string }).model),
      ['scripted', 'scripted', 'scripted/today'],
    )
    t.is(await enrolledBy(), renewing.id, 'a face of today is not renewed')
  })
  inLongTier(test.serial)(
    `${on}after an upgrade the networks recognise a customer enrolled before it, and renew the face`,
    async t => {
      const [anna = 1, ben = 2] = personSeeds
      const selfies = { anna: await drawSelfie(anna, {}), ben: await drawSelfie(ben, {}) }
      const enrolled = await createFormerTemplate(await drawSelfie(anna, { light: { side: 0.4 } }))
      const tools = {
        models: await loadModels(),
        falseMatchRate: '0.0001',
        readSides,
        readText: null,
      } as const
      const seen: unknown[] = []
      const readFacesOf = (selfie: Buffer): void =>
        rig.script(async request => {
          seen.push(request.enrolled_face?.model)
          const { face } = await analyse(tools, { ...request, selfie, challenge: null })
          return { ...createApprovedFindings(request), face }
        })
      const customer_id = await rig.customer()
      const stepUp = { customer_id, transaction_type: 'BIOMETRIC_ONLY' }
      const enrolledBy = async (): Promise<unknown> => {
        const [row] = await rig.rows('SELECT face_transaction_id FROM customers WHERE id = ?', customer_id)
        return row?.face_transaction_id
      }
      rig.script(request => {
        const { face, ...findings } = createApprovedFindings(request)
        return { ...findings, face: face && { ...face, template: enrolled } }
      })
      const onboarding = await verify(rig, {}, { customer_id })
      readFacesOf(selfies.ben)
      const other = await rig.view((await verify(rig, {}, stepUp)).id)
      t.is(getResult(other).decision, 'REJECTED')
      t.is(await enrolledBy(), onboarding.id)
      readFacesOf(selfies.anna)
      const renewing = await verify(rig, {}, stepUp)
      t.is(getResult(await rig.view(renewing.id)).decision, 'APPROVED')
      t.is(await enrolledBy(), renewing.id)
      const later = await verify(rig, {}, stepUp)
      t.is(getResult(await rig.view(later.id)).decision, 'APPROVED')
      t.is(await enrolledBy(), renewing.id)
      t.deepEqual(seen, [enrolled.model, enrolled.model, faceSpace.model])
      t.not(enrolled.model, faceSpace.model)
    },
  )
}
