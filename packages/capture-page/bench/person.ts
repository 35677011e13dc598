/**
 * The seconds and taps of one verification by the camera, by screen of the capture page: a passport, a selfie and the
 * movements of an invented person, with the real models in a service of its own. The person taps at once and holds still,
 * so each screen's time is the page's and the service's own.
 *
 *     node packages/capture-page/bench/person.ts [rounds, 3 by default]
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { machine, median, table } from '../../../lab/bench/measure.ts'
import { connectBackend } from '../../../lab/demo/backend.ts'
import { inventPhotographs } from '../../../lab/demo/people.ts'
import { createAccount, startIntegrator, startServiceProcess } from '../../../lab/demo/processes.ts'
import { openFakeCamera } from '../../../test/fake_camera.ts'
import { createActor } from '../test/filmed.ts'
import { film, camera as size } from '../test/filmed_scenes.ts'
import { createReader, phone, type Reader, setLook } from '../test/reader.ts'

const rounds = Number(process.argv[2] ?? 3)

/** Keeps when each screen is first shown, in milliseconds since the navigation began. */
const keepScreens = `addEventListener('DOMContentLoaded', () => {
  const main = document.querySelector('main')
  const screens = window.screens = []
  const keep = () => screens.at(-1)?.[0] !== main.className && screens.push([main.className, performance.now()])
  new MutationObserver(keep).observe(main, { attributes: true, attributeFilter: ['class'] })
})`

/** The parts of a verification, each from its first screen to the first of the next. */
const parts = [
  { name: 'page loads', screen: 'loading' },
  { name: 'consent and choice', screen: 'consent' },
  { name: 'document: explained, camera, picture taken', screen: 'explain_picture' },
  { name: 'document: sent, and what was seen', screen: 'sending_picture' },
  { name: 'face: explained, camera, picture taken', screen: 'explain_picture' },
  { name: 'face: sent, and what was seen', screen: 'sending_picture' },
  { name: 'movements', screen: 'explain_liveness' },
  { name: 'checking, to the result', screen: 'checking' },
] as const

type Screens = readonly (readonly [screen: string, at: number])[]

/** Seconds of each part. */
function divide(screens: Screens): readonly number[] {
  let from = 0
  const begins = parts.map(({ screen }) => {
    const at = screens.findIndex(([name], index) => index >= from && name === screen)
    if (screen === 'loading') return 0
    if (at === -1) throw new Error(`${screen} was not shown: ${screens.map(([name]) => name).join(', ')}`)
    from = at + 1
    return screens[at]?.[1] ?? 0
  })
  const end = screens.at(-1)?.[1] ?? 0
  return begins.map((begin, index) => ((begins[index + 1] ?? end) - begin) / 1000)
}

/** Counts the presses of a reader. */
function countTaps(reader: Reader) {
  let taps = 0
  const presses = (text: string): Promise<void> => {
    taps++
    return reader.presses(text)
  }
  return { reader: { ...reader, presses }, count: () => taps }
}

const endings: (() => unknown)[] = []
try {
  console.log(machine())
  const folder = await mkdtemp(join(tmpdir(), 'attestor-person-'))
  endings.push(() => rm(folder, { recursive: true }))
  const integrator = await startIntegrator()
  endings.push(integrator.stop)
  const service = await startServiceProcess(folder, integrator, null)
  endings.push(service.stop)
  const account = await createAccount(service.environment)
  integrator.connect({ base_url: service.base_url, account })
  const backend = await connectBackend(service.base_url, account)
  const camera = await openFakeCamera({ teardown: end => endings.push(end) }, size)
  const times: (readonly number[])[] = []
  for (let round = 0; round < rounds; round++) {
    // The pictures are others in each round: the service knows pictures that it has seen.
    const scenes = await film(await inventPhotographs(false, 20 + 10 * round))
    const { transaction_id, verify_url } = await backend.openTransaction(integrator.webhook_url)
    const page = await camera.browser.newPage()
    await setLook(page, phone)
    await page.evaluateOnNewDocument(keepScreens)
    await page.goto(verify_url)
    const { reader, count } = countTaps(createReader(page))
    const actor = createActor(reader, camera)
    await reader.presses('I agree, start')
    await reader.presses('Passport')
    await actor.films(scenes.document)
    await reader.reads('h1', 'Take a picture of your face')
    await actor.films(scenes.face)
    await actor.follows(scenes)
    await reader.sees('RESULT')
    const shown = (await page.evaluate('window.screens')) as Screens
    times.push(divide(shown))
    const { result_data } = await backend.readTransaction(transaction_id)
    console.log(`${result_data?.decision}: ${count()} taps, ${((shown.at(-1)?.[1] ?? 0) / 1000).toFixed(1)} s`)
    await page.close()
  }
  const of = (index: number): string[] => {
    const seconds = times.map(one => one[index] ?? 0)
    return [median(seconds), Math.min(...seconds), Math.max(...seconds)].map(one => one.toFixed(1))
  }
  console.log(table([['', 'median s', 'least', 'most'], ...parts.map(({ name }, index) => [name, ...of(index)])]))
  console.log(machine())
} finally {
  for (const end of endings.reverse()) await end()
}
