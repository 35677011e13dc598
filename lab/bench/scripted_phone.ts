/**
 * A scripted person with a phone goes through the capture page, from the link to the approval: the real page, models and
 * service, a passport and a face before Chromium's fake camera, which takes every picture by itself. Who reads and moves
 * in no time is as fast as the page and the service allow. A quarter of a core is Chromium's throttling of the page; its
 * workers, which that leaves alone, answer four times as late instead.
 *
 *     node lab/bench/scripted_phone.ts [rounds, 3 by default]
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Page, PredefinedNetworkConditions } from 'puppeteer-core'
import { createActor } from '../../packages/capture-page/test/filmed.ts'
import { type FilmedScenes, film, filmAgain, camera as size } from '../../packages/capture-page/test/filmed_scenes.ts'
import { createReader, phone, setLook } from '../../packages/capture-page/test/reader.ts'
import { browserTimeout } from '../../test/chromium.ts'
import { openFakeCamera } from '../../test/fake_camera.ts'
import { inventPhotographs } from '../demo/people.ts'
import { openLocalNode } from './local_node.ts'
import { machine, median, table } from './measure.ts'

const rounds = Number(process.argv[2] ?? 3)

const phones = {
  'this core': { slower: 1, network: null },
  'a quarter of it': { slower: 4, network: null },
  'a quarter, Fast 3G': { slower: 4, network: PredefinedNetworkConditions['Fast 3G'] },
} as const
type PhoneName = keyof typeof phones

const stages = ['before the camera', 'the document', 'the face'] as const
const goals = ['document', 'selfie', 'action'] as const

interface Stage {
  readonly ms: number
  readonly bytes: number
}

interface Round {
  readonly taps: number
  readonly stages: readonly Stage[]
  /** Pauses between two looks at the camera's frames, in milliseconds, by the goal that they are for. */
  readonly pauses: Readonly<Partial<Record<(typeof goals)[number], readonly number[]>>>
}

/** Records when the page asks its workers to look, and delays their answers as on a slower core. */
function watchWorkers(slower: number): string {
  return `(() => {
  const { postMessage, addEventListener } = Worker.prototype
  window.pauses = {}
  Worker.prototype.postMessage = function (request, ...rest) {
    this.asked = performance.now()
    if (request.type === 'watch') Object.assign(this, { goal: request.goal.kind, looked: null })
    if (request.type === 'look') {
      if (this.looked !== null) (pauses[this.goal] ??= []).push(this.asked - this.looked)
      this.looked = this.asked
    }
    return postMessage.call(this, request, ...rest)
  }
  Worker.prototype.addEventListener = function (type, listener) {
    const later = event => setTimeout(listener, ${slower - 1} * (performance.now() - this.asked), event)
    return addEventListener.call(this, type, type === 'message' && ${slower} > 1 ? later : listener)
  }
})()`
}

const folder = mkdtempSync(join(tmpdir(), 'attestor-phone-'))
const settings = { DATABASE_URL: `sqlite:${folder}/phone.sqlite`, ANALYSIS_PROCESSES: '1', CHALLENGE_SECONDS: '600' }
const { node, open } = await openLocalNode(settings)
const ends: (() => unknown)[] = []
const camera = await openFakeCamera({ teardown: end => ends.push(end) }, size)
const filmed = await film(await inventPhotographs(false))

/** Counts the bytes of the responses as they are sent: bodies, compressed if they are. */
function countBytes(page: Page): () => number {
  let bytes = 0
  page.on('response', response => {
    const length = response.headers()['content-length']
    if (length === undefined && ![204, 304].includes(response.status()))
      throw new Error(`how long is ${response.url()}?`)
    if (!response.fromCache()) bytes += Number(length ?? 0)
  })
  return () => bytes
}

async function verify(name: PhoneName, scenes: FilmedScenes): Promise<Round> {
  const { slower, network } = phones[name]
  const sdk_token = await open()
  const context = await camera.browser.createBrowserContext()
  const page = await context.newPage()
  page.setDefaultTimeout(browserTimeout)
  await setLook(page, phone)
  await page.evaluateOnNewDocument(watchWorkers(slower))
  await page.emulateCPUThrottling(slower)
  await page.emulateNetworkConditions(network)
  const sent = countBytes(page)
  const reader = createReader(page)
  let taps = 0
  const presses = async (text: string): Promise<void> => {
    taps += 1
    await reader.presses(text)
  }
  const actor = createActor({ ...reader, presses }, camera)
  const taken: Stage[] = []
  let last = { ms: performance.now(), bytes: 0 }
  const mark = (): void => {
    const now = { ms: performance.now(), bytes: sent() }
    taken.push({ ms: now.ms - last.ms, bytes: now.bytes - last.bytes })
    last = now
  }
  await page.goto(`${node.url}/verify#${sdk_token}`)
  await presses('I agree, start')
  await reader.sees('CHOOSE_DOCUMENT')
  mark()
  await presses('Passport')
  await actor.films(scenes.document)
  await reader.reads('h1', 'Take a picture of your face')
  mark()
  await actor.films(scenes.face)
  await actor.follows(scenes)
  await reader.sees('RESULT')
  mark()
  if (!(await reader.text()).includes('Your identity is confirmed.')) throw new Error(await reader.text())
  const pauses = (await page.evaluate('pauses')) as Round['pauses']
  await context.close()
  return { taps, stages: taken, pauses }
}

const measured: Record<PhoneName, Round[]> = { 'this core': [], 'a quarter of it': [], 'a quarter, Fast 3G': [] }
const names = Object.keys(phones) as PhoneName[]
// The first one warms up.
await verify('this core', await filmAgain(filmed))
for (let n = 0; n < rounds; n++)
  for (const name of names) measured[name].push(await verify(name, await filmAgain(filmed)))
for (const end of ends) await end()
await node.stop()
rmSync(folder, { recursive: true })

function middle(name: PhoneName, read: (one: Round) => number): number {
  return median(measured[name].map(read))
}

function secondsOf(name: PhoneName, read: (one: Round) => number): string {
  return (middle(name, read) / 1000).toFixed(1)
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, one) => total + one, 0)
}

function rowOf(name: PhoneName): string[] {
  return [
    name,
    secondsOf(name, round => sum(round.stages.map(({ ms }) => ms))),
    ...stages.map((_, n) => secondsOf(name, round => round.stages[n]?.ms ?? 0)),
    middle(name, ({ taps }) => taps).toFixed(0),
    ...goals.map(goal => (1000 / median(measured[name].flatMap(({ pauses }) => pauses[goal] ?? []))).toFixed(1)),
  ]
}

const bytes = stages.map((_, n) => middle('this core', round => round.stages[n]?.bytes ?? 0))
const head = ['seconds of', 'all', ...stages, 'taps', ...goals.map(goal => `looks/s, ${goal}`)]
console.log(`${machine()}; ${rounds} rounds in turns, medians`)
console.log(table([head, ...names.map(rowOf), ['bytes', sum(bytes), ...bytes].map(String)]))
