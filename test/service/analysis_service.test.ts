/** Liveness bought from a service over HTTP, in a running node. */
import test, { type ExecutionContext } from 'ava'
import { oneDialect, type TestEngine } from '../database.ts'
import { openReference, type Reference } from '../engines/http_reference.ts'
import { type Opened, openRig, type Rig } from './rig.ts'

const secret = Buffer.alloc(32, 9)

const passive = {
  engine: { name: 'acme', version: '3' },
  method: 'PASSIVE',
  presence: { score: 0.97, threshold: 0.8 },
}

async function openBoth(t: ExecutionContext, engine: TestEngine): Promise<{ rig: Rig; service: Reference }> {
  const service = await openReference(secret, () => rig.clock.now())
  const rig = await openRig(engine, {
    ANALYSIS_ENGINE: 'scripted',
    ANALYSIS_LIVENESS_ENGINE: 'http',
    ANALYSIS_HTTP_URL: service.url,
    ANALYSIS_HTTP_SECRET: secret.toString('base64'),
  })
  t.teardown(async () => {
    await rig.close()
    await service.close()
  })
  service.behave(() => ({ liveness: passive }))
  return { rig, service }
}

async function completed(rig: Rig): Promise<Opened> {
  const opened = await rig.open()
  await opened.phone.capture()
  await opened.phone.complete()
  await rig.idle()
  return opened
}

for (const engine of oneDialect) {
  const on = `On ${engine.name}: `

  test(`${on}transactions wait during an outage of the service, and go on after it; it decides nothing`, async t => {
    const { rig, service } = await openBoth(t, engine)
    service.behave((_, response) => {
      response.writeHead(503).end()
      return null
    })
    const waiting = [await completed(rig), await completed(rig), await completed(rig), await completed(rig)]
    const statuses = () => Promise.all(waiting.map(async ({ id }) => (await rig.view(id)).status))
    t.deepEqual(await statuses(), ['PROCESSING', 'PROCESSING', 'COMPLETED', 'COMPLETED'])
    await rig.advance(100_000)
    const tries = service.asked.length
    t.true(tries >= 3 && tries <= 6, `${tries} tries`)
    t.deepEqual((await statuses()).slice(2), ['COMPLETED', 'COMPLETED'])
    service.behave(() => ({ liveness: passive }))
    await rig.advance(150_000)
    t.deepEqual(await statuses(), Array(4).fill('FINISHED'))
    t.true(rig.lines.some(line => line.message === 'the analysis service works again'))
  })
}
