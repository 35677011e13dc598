import test, { type ExecutionContext } from 'ava'
import { serialBrowserTest } from '../../../test/browser.ts'
import { chromiumPath } from '../../../test/chromium.ts'
import { sqlite } from '../../../test/database.ts'
import { type FakeCamera, openFakeCamera } from '../../../test/fake_camera.ts'
import { openRig, type Rig } from '../../../test/service/rig.ts'
import { inLongTier } from '../../../test/tier.ts'
import { createActor } from './filmed.ts'
import { emptyScene, camera as size } from './filmed_scenes.ts'
import { sharpPicture } from './pictures.ts'
import { openVisitor } from './visitor.ts'

const ends: (() => unknown)[] = []
let rig: Rig
let camera: FakeCamera
test.before(async () => {
  if (chromiumPath === null) return
  rig = await openRig(sqlite)
  camera = await openFakeCamera({ teardown: end => ends.push(end) }, size)
})
test.after.always(async () => {
  for (const end of ends) await end()
  await rig?.close()
})

/** The last of a guide's files that are asked for. */
const models = ['blazeface.bin', 'facemesh.bin', 'iris.bin', 'tfjs-backend-wasm-simd.wasm']

async function visit(t: ExecutionContext, before = '') {
  const { sdk_token } = await rig.open()
  const url = `${rig.node().url}/verify`
  const visitor = await openVisitor(t, camera.browser, url)
  const asked: string[] = []
  visitor.page.on('request', request => asked.push(request.url().split('/').at(-1) ?? ''))
  await visitor.page.evaluateOnNewDocument(before)
  await visitor.page.goto(`${url}#${sdk_token}`)
  return { visitor, actor: createActor(visitor, camera), asked }
}

async function loaded({ visitor }: Awaited<ReturnType<typeof visit>>): Promise<void> {
  await Promise.all(
    models.map(name => visitor.page.waitForResponse(response => response.url().endsWith(name) && response.ok())),
  )
}

inLongTier(serialBrowserTest)(
  'What guides the face is loaded once, while the document is before the camera',
  async t => {
    const visited = await visit(t)
    const { visitor, actor, asked } = visited
    await visitor.presses('I agree, start', 'Passport')
    await visitor.sees('EXPLAIN_PICTURE')
    const all = loaded(visited)
    let bytes = 0
    visitor.page.on('response', response => {
      if (asked.includes('face_worker.ts')) bytes += Number(response.headers()['content-length'])
    })
    await actor.films(await emptyScene())
    await visitor.reads('.hint', 'Hold your document into the frame')
    await all
    t.true(bytes > 2_000_000 && bytes <= 3_000_000, `${bytes} bytes guide the face`)
    const opened = asked.indexOf('document_worker.ts')
    t.true(opened > 0 && asked.indexOf('face_worker.ts') > opened, 'first what the document needs')
    t.true(asked.indexOf('face_worker.ts') > asked.lastIndexOf('document_watch.ts'))
    await visitor.chooses(await sharpPicture())
    await visitor.reads('h1', 'Take a picture of your face')
    await actor.films(await emptyScene())
    await visitor.reads('.hint', 'Look into the camera')
    for (const name of ['face_worker.ts', ...models]) t.is(asked.filter(one => one === name).length, 1, name)
  },
)

const saving = `Object.defineProperty(navigator, 'connection', { value: { saveData: true } })`

inLongTier(serialBrowserTest)('Who saves data loads nothing for the face before the face is asked for', async t => {
  const visited = await visit(t, saving)
  const { visitor, actor, asked } = visited
  await visitor.presses('I agree, start', 'Passport')
  await actor.films(await emptyScene())
  await visitor.reads('.hint', 'Hold your document into the frame')
  await visitor.chooses(await sharpPicture())
  const all = loaded(visited)
  await visitor.reads('h1', 'Take a picture of your face')
  await all
  t.true(asked.indexOf('face_worker.ts') > asked.indexOf('front'), 'after the document’s picture')
})
