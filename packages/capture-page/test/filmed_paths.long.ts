import test, { type ExecutionContext } from 'ava'
import { inventPhotographs } from '../../../lab/demo/people.ts'
import { createApprovedFindings } from '../../../src/engines/scripted.ts'
import { cameraTest } from '../../../test/browser.ts'
import { fullChromiumPath } from '../../../test/chromium.ts'
import { sqlite } from '../../../test/database.ts'
import { type FakeCamera, openFakeCamera } from '../../../test/fake_camera.ts'
import { openRig, type Rig } from '../../../test/service/rig.ts'
import { createOtherPersonFindings } from '../../vision/test/face_findings.ts'
import de from '../page/texts/de.json' with { type: 'json' }
import es from '../page/texts/es.json' with { type: 'json' }
import fr from '../page/texts/fr.json' with { type: 'json' }
import type { Texts } from '../page/texts/keys.ts'
import { createActor } from './filmed.ts'
import { emptyScene, type FilmedScenes, film, filmAgain, camera as size } from './filmed_scenes.ts'
import { desktop, type Look, phone } from './reader.ts'
import { openVisitor } from './visitor.ts'

// The camera's guidance is real; a script decides.
const ends: (() => unknown)[] = []
let rig: Rig
let camera: FakeCamera
let filmed: FilmedScenes

test.before(async () => {
  if (fullChromiumPath === null) return
  // A person on a slow machine has longer.
  rig = await openRig(sqlite, { CHALLENGE_SECONDS: '600' })
  camera = await openFakeCamera({ teardown: end => ends.push(end) }, size, [])
  filmed = await film(await inventPhotographs(false))
})
test.after.always(async () => {
  for (const end of ends) await end()
  await rig?.close()
})

interface Visit {
  readonly look?: Look
  readonly config?: object
  readonly body?: object
  readonly texts?: Texts
}

/** A person before the camera, in the language of these texts. */
async function visit(t: ExecutionContext, { look = phone, config = {}, body = {}, texts }: Visit = {}) {
  const opened = await rig.open(config, body)
  const visitor = await openVisitor(t, camera.browser, `${rig.node().url}/verify#${opened.sdk_token}`, look)
  return { ...opened, visitor, actor: createActor(visitor, camera, texts), holder: await filmAgain(filmed) }
}

function allowCamera(origin: string, { visitor }: Awaited<ReturnType<typeof visit>>) {
  return visitor.page.browserContext().overridePermissions(origin, ['camera'])
}

cameraTest('A camera that was refused can be allowed; a lost connection and a reload lose nothing', async t => {
  const visited = await visit(t, { look: { ...phone, camera: false } })
  const { visitor, actor, holder, phone: device } = visited
  const { page } = visitor
  await visitor.presses('I agree, start', 'Passport')
  await actor.films(holder.blurred)
  await visitor.sees('NO_CAMERA')
  t.true((await visitor.text()).includes('The camera is blocked'))
  await allowCamera(rig.node().url, visited)
  await visitor.presses('Try again')
  await visitor.reads('.hint', 'Hold still')
  await page.reload()
  await visitor.presses('I agree, start', 'Passport')
  await actor.films(holder.blurred)
  await visitor.reads('.hint', 'Hold still')
  await page.setOfflineMode(true)
  await camera.show(holder.document)
  await visitor.sees('OFFLINE')
  await page.setOfflineMode(false)
  await visitor.reads('h1', 'Take a picture of your face')
  const { steps } = (await device.session()).body as { steps: { step: string; attempts_left: number }[] }
  t.is(steps?.find(({ step }) => step === 'document_front')?.attempts_left, 9, 'it was sent once')
  await page.reload()
  await actor.films(holder.face)
  await visitor.sees('EXPLAIN_LIVENESS')
  await page.reload()
  await visitor.presses('Start')
  await visitor.sees('LIVENESS_CAMERA')
  await page.reload()
  const { promise, resolve } = Promise.withResolvers<void>()
  rig.script(async request => {
    await promise
    return createApprovedFindings(request)
  })
  t.teardown(() => rig.script(createApprovedFindings))
  await actor.follows(holder)
  await visitor.sees('CHECKING')
  await page.reload()
  await visitor.sees('CHECKING')
  resolve()
  await visitor.sees('RESULT')
  t.true((await visitor.text()).includes('Your identity is confirmed.'))
  await page.reload()
  await visitor.sees('RESULT')
})

cameraTest('A phone that took the capture over by its code films; the desktop shows the result', async t => {
  const { visitor: atDesk } = await visit(t, { look: desktop, body: { transaction_type: 'BIOMETRIC_ONLY' } })
  await atDesk.presses('Continue on my phone')
  await atDesk.page.waitForSelector('svg.qr')
  const link = await atDesk.page.$eval('.link', input => (input as unknown as { value: string }).value)
  const inHand = await openVisitor(t, camera.browser, link, phone)
  const actor = createActor(inHand, camera)
  const holder = await filmAgain(filmed)
  await inHand.presses('Continue here', 'I agree, start')
  await atDesk.sees('FOLLOWING')
  await actor.films(holder.face)
  await actor.follows(holder)
  await inHand.sees('RESULT')
  await atDesk.sees('RESULT')
  t.true((await atDesk.text()).includes('Your identity is confirmed.'))
})

cameraTest('The time of a link ends while the camera films', async t => {
  const { visitor, actor, holder } = await visit(t, { config: { transaction_ttl_minutes: 5 } })
  await visitor.presses('I agree, start', 'Driving licence')
  await actor.films(holder.blurred)
  await visitor.reads('.hint', 'Hold still')
  await rig.advance(5 * 60_000)
  await visitor.presses('Take the photo')
  await visitor.sees('EXPIRED')
})

cameraTest('A step-up films the face alone; a challenge that is over is answered again', async t => {
  const body = { transaction_type: 'BIOMETRIC_ONLY' }
  const { visitor, actor, holder } = await visit(t, { look: desktop, body })
  await visitor.presses('Use this computer', 'I agree, start')
  await actor.films(holder.face)
  await visitor.sees('EXPLAIN_LIVENESS')
  await camera.show(await emptyScene())
  await visitor.presses('Start')
  await visitor.reads('.progress', 'Movement 1 of 4')
  await rig.advance(601_000)
  await visitor.presses('Take the photo')
  await visitor.sees('LIVENESS_TIMEOUT')
  t.true((await visitor.text()).includes('within 10 minutes,'))
  await camera.show(holder.face)
  const answered = actor.answers(holder)
  await visitor.presses('Try again')
  await answered
  await visitor.sees('RESULT')
})

const readers: readonly (readonly [texts: Texts, look: Look])[] = [
  [es, { ...phone, width: 320, height: 568, language: 'es-MX' }],
  [fr, { ...desktop, scheme: 'dark', language: 'fr-CA' }],
  [de, { ...phone, letters: 2, language: 'de-AT' }],
]

for (const [texts, look] of readers)
  cameraTest(`A card's two sides, one blurred sqlite, and another person: ${look.language}`, async t => {
    rig.script(request => {
      const { document, ...others } = createOtherPersonFindings(request)
      const mrz = document?.mrz && { ...document.mrz, format: 'TD1' as const, document_code: 'I' }
      return { ...others, document: document && { ...document, mrz: mrz ?? null } }
    })
    t.teardown(() => rig.script(createApprovedFindings))
    const { visitor, actor, holder } = await visit(t, { look, texts })
    if (!look.isPhone) await visitor.presses(texts['device.here'])
    await visitor.sees('CONSENT')
    await visitor.presses(texts['consent.agree'])
    await visitor.sees('CHOOSE_DOCUMENT')
    await visitor.presses(texts['document.ID_CARD'])
    await actor.films(holder.blurred)
    await visitor.sees('PICTURE_CAMERA')
    await visitor.presses(texts['camera.take'])
    await visitor.sees('PICTURE_ADVICE')
    await camera.show(holder.document)
    await visitor.presses(texts['advice.retake'])
    await visitor.reads('h1', texts['back.title'])
    await actor.films(holder.document)
    await visitor.reads('h1', texts['selfie.title'])
    await actor.films(holder.face)
    await actor.follows(holder)
    await visitor.sees('RESULT')
    t.true((await visitor.text()).includes(texts['result.REJECTED.title']))
  })
