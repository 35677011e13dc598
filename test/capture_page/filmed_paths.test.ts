import test, { type ExecutionContext } from 'ava'
import { inventScene } from '../../demo/people.ts'
import { createApprovedFindings } from '../../src/engines/scripted.ts'
import { chromiumPath } from '../chromium.ts'
import { databases } from '../database.ts'
import { type FakeCamera, openFakeCamera } from '../fake_camera.ts'
import { openRig, type Rig } from '../service/rig.ts'
import { createActor } from './filmed.ts'
import { type FilmedScenes, filmScene, camera as size } from './filmed_scenes.ts'
import { type Look, openVisitor, phone } from './visitor.ts'

const [engine] = databases
if (engine === undefined) throw new Error('no database')
const first = engine

// The camera's guidance is real; a script decides.
const serialTest = chromiumPath === null ? test.skip : test.serial
const ends: (() => unknown)[] = []
let rig: Rig
let camera: FakeCamera
let holder: FilmedScenes

test.before(async () => {
  if (chromiumPath === null) return
  // A person on a slow machine has longer.
  rig = await openRig(first, { CHALLENGE_SECONDS: '600' })
  camera = await openFakeCamera({ teardown: end => ends.push(end) }, size, [])
  holder = await filmScene(await inventScene(false))
})
test.after.always(async () => {
  for (const end of ends) await end()
  await rig?.close()
})

const visit = async (t: ExecutionContext, look: Look = phone, config: object = {}, body: object = {}) => {
  const opened = await rig.open(config, body)
  const visitor = await openVisitor(t, camera.browser, `${rig.node().url}/verify#${opened.sdk_token}`, look)
  return { ...opened, visitor, actor: createActor(visitor, camera) }
}

const allowCamera = (origin: string, { visitor }: Awaited<ReturnType<typeof visit>>) =>
  visitor.page.browserContext().overridePermissions(origin, ['camera'])

serialTest('A camera that was refused can be allowed; a lost connection and a reload lose nothing', async t => {
  const visited = await visit(t, { ...phone, camera: false })
  const { visitor, actor, phone: device } = visited
  const { page } = visitor
  await visitor.presses('I agree, start')
  await visitor.presses('Passport')
  await actor.films(holder.blurred)
  await visitor.sees('NO_CAMERA')
  t.true((await visitor.text()).includes('The camera is blocked'))
  await allowCamera(rig.node().url, visited)
  await visitor.presses('Try again')
  await visitor.reads('.hint', 'Hold still')
  await page.reload()
  await visitor.presses('I agree, start')
  await visitor.presses('Passport')
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
})

serialTest('The time of a link ends while the camera films', async t => {
  const { visitor, actor } = await visit(t, phone, { transaction_ttl_minutes: 5 })
  await visitor.presses('I agree, start')
  await visitor.presses('Driving licence')
  await actor.films(holder.blurred)
  await visitor.reads('.hint', 'Hold still')
  await rig.advance(5 * 60_000)
  await visitor.presses('Take the photo')
  await visitor.sees('EXPIRED')
})
