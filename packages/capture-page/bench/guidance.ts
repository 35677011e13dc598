/**
 * The capture page's guidance in Chromium: how soon it sees something, how often a second it can look on a core to itself
 * and on slower ones, what is loaded for it, and whether its memory grows.
 *
 *     node packages/capture-page/bench/guidance.ts [frames, 1000 by default]
 */
import { globSync, readFileSync } from 'node:fs'
import { machine, table } from '../../../lab/bench/measure.ts'
import { openFakeCamera } from '../../../test/fake_camera.ts'
import type { GuideSubject } from '../page/guidance/guide.ts'
import { drawDocumentScenes, tableCamera } from '../test/document_scenes.ts'
import { drawFaceScenes, faceCamera } from '../test/face_scenes.ts'
import { type GuidancePage, openGuidance, type Runner } from '../test/guidance_page.ts'

const frames = Number(process.argv[2] ?? 1000)

/** The options with which a test opens something. */
const endings: (() => unknown)[] = []
const context: Runner = {
  teardown: end => endings.push(end),
  fail: why => {
    throw new Error(why)
  },
}

function sum(numbers: Iterable<number>): number {
  return [...numbers].reduce((total, one) => total + one, 0)
}

/** A field of a thread's or process's `stat`, counted from its state, as its name may have blanks. */
function readStat(path: string, field: number): number {
  const stat = readFileSync(`${path}/stat`, 'latin1')
  return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[field])
}

function isBelow(pid: string, ancestor: number): boolean {
  for (let at = Number(pid); at > 1; at = readStat(`/proc/${at}`, 1)) if (at === ancestor) return true
  return false
}

/** Milliseconds of CPU that the browser's threads of a name took: other load does not count. Linux only. */
function readCpu(browser: number, name: string): number {
  const threads = globSync('/proc/[0-9]*/task/[0-9]*').filter(path => {
    try {
      const [, , pid = ''] = path.split('/')
      return readFileSync(`${path}/comm`, 'latin1').startsWith(name) && isBelow(pid, browser)
    } catch {
      // It ended while we looked.
      return false
    }
  })
  return 10 * sum(threads.map(path => readStat(path, 11) + readStat(path, 12)))
}

async function countLooks({ page }: GuidancePage): Promise<number> {
  return Number(await page.evaluate('rig.seen.length'))
}

/** Waits for so many looks more. */
async function waitForLooks(guide: GuidancePage, looks: number): Promise<number> {
  const from = await countLooks(guide)
  await guide.page.waitForFunction(`rig.seen.length >= ${from + looks}`)
  return (await countLooks(guide)) - from
}

async function heapOf({ page }: GuidancePage): Promise<string> {
  const [worker] = page.workers()
  if (worker === undefined) throw new Error('no worker')
  await worker.client.send('HeapProfiler.collectGarbage')
  const { usedSize } = await worker.client.send('Runtime.getHeapUsage')
  const tensors = await worker.evaluate(
    `import('/lib/tensorflow-tfjs-core.js').then(tf => tf.memory()).then(({ numTensors, numBytes }) => numTensors + ' tensors, ' + (numBytes / 1e6).toFixed(1) + ' MB')`,
  )
  return `${(usedSize / 1e6).toFixed(1)} MB JS heap, ${tensors}`
}

async function measure(subject: GuideSubject): Promise<void> {
  const camera = await openFakeCamera(context, subject === 'face' ? faceCamera : tableCamera)
  // The scene is never good, so that nothing is taken: eyes are shut, a document is blurred.
  const scene = subject === 'face' ? (await drawFaceScenes(['shut'])).shut : (await drawDocumentScenes()).blurred
  await camera.show(scene)
  const start = performance.now()
  const guide = await openGuidance(context, camera, subject)
  const opened = performance.now() - start
  await guide.watch(subject === 'face' ? { kind: 'selfie' } : { kind: 'document' })
  await guide.page.waitForFunction('rig.seen.length > 0')
  const first = performance.now() - start
  await waitForLooks(guide, 10)
  const browser = camera.browser.process()?.pid ?? 0
  const from = readCpu(browser, 'DedicatedWorker')
  const looks = await waitForLooks(guide, 60)
  const worker = (readCpu(browser, 'DedicatedWorker') - from) / looks
  const rates = [1, 4, 6].map(rate => (1000 / (rate * worker)).toFixed(1))
  const row = [
    subject,
    String(sum(guide.sent.values())),
    opened.toFixed(0),
    first.toFixed(0),
    worker.toFixed(1),
    ...rates,
  ]
  const head = [
    'subject',
    'bytes',
    'open, ms',
    'first hint, ms',
    'ms CPU a look',
    'looks a second',
    'at a quarter',
    'at a sixth',
  ]
  console.log(table([head, row]))
  if (subject === 'face') {
    const before = await heapOf(guide)
    await waitForLooks(guide, frames)
    console.log(`before: ${before}; ${frames} frames later: ${await heapOf(guide)}`)
  }
}

console.log(machine())
await measure('document')
await measure('face')
for (const end of endings.reverse()) await end()
