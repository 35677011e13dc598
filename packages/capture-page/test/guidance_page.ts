import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { openAssets } from '@attestor/page-files'
import type { Page } from 'puppeteer-core'
import type { FakeCamera } from '../../../test/fake_camera.ts'
import type { Goal, GuideSubject, Hint, Seen } from '../page/guidance/guide.ts'

const timeout = 240_000
const entry = 'packages/capture-page/page/guidance/open_guide.ts'
const report = 'packages/capture-page/page/camera_report.ts'

/** The capture page's policy. */
const policy =
  "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; img-src 'self' data: blob:; " +
  "connect-src 'self'; media-src 'self' blob:; worker-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

/** The files of the page, by their paths; `refused` are answered 404, as if the network had lost them. */
async function serveFiles(refused: RegExp | null, sent: Map<string, number>): Promise<Server> {
  const assets = openAssets([entry, report])
  const server = createServer(({ url = '/' }, response) => {
    const asset = assets.get(url.slice(1))
    if (url === '/') {
      response.writeHead(200, { 'Content-Type': 'text/html', 'Content-Security-Policy': policy })
      response.end('<!doctype html><title>Camera</title><video autoplay muted playsinline></video>')
    } else if (asset === null || refused?.test(url)) response.writeHead(404).end()
    else {
      const body = asset.gzip ?? asset.content
      sent.set(url.slice(1), body.length)
      response
        .writeHead(200, { 'Content-Type': asset.type, ...(asset.gzip && { 'Content-Encoding': 'gzip' }) })
        .end(body)
    }
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return server
}

/** A page with a camera and a guide. */
export interface GuidancePage {
  readonly page: Page
  readonly kind: 'full' | 'plain'
  /** Bytes that the browser was sent, by file. */
  readonly sent: ReadonlyMap<string, number>
  /** Begins to look for a goal. */
  watch(goal: Goal): Promise<void>
  /** Resolves when the guide gives this hint. */
  waitForHint(hint: Hint): Promise<void>
  /** Returns all views since the watch began. */
  seen(): Promise<readonly Seen[]>
  /** The picture that the watch, or the button, ended with. */
  taken(): Promise<Buffer>
  press(): Promise<Buffer>
  /** Returns the number of running workers. */
  workers(): number
  abort(): Promise<string>
}

const open = `async subject => {
  const { openGuide, cameraConstraints } = await import('/${entry}')
  const video = document.querySelector('video')
  video.srcObject = await navigator.mediaDevices.getUserMedia({ video: cameraConstraints[subject] })
  const [track] = video.srcObject.getVideoTracks()
  track.addEventListener('ended', () => { throw new Error('the camera is lost') })
  await video.play()
  const guide = await openGuide(subject)
  const toText = async blob => {
    const bytes = new Uint8Array(await blob.arrayBuffer())
    return blob.type + ',' + bytes.toBase64()
  }
  window.rig = {
    kind: guide.kind,
    guide,
    video,
    seen: [],
    watch(goal) {
      rig.seen = []
      rig.controller = new AbortController()
      rig.taken = guide.watch(video, goal, seen => rig.seen.push(seen), rig.controller.signal).then(toText)
      rig.taken.catch(() => {})
    },
    take: () => guide.take(video).then(toText),
  }
  return guide.kind
}`

function fromText(text: unknown): Buffer {
  const [type, bytes = ''] = String(text).split(',')
  if (type !== 'image/jpeg') throw new Error(`a picture is ${type}`)
  return Buffer.from(bytes, 'base64')
}

/** Options of a page: files that it doesn't get, and code that runs in it beforehand. */
export interface PageOptions {
  readonly refused?: RegExp
  readonly before?: string
}

/** The functions of a test that a page needs; a bench has them, too. */
export interface Runner {
  teardown(end: () => unknown): void
  fail(why: string): unknown
}

/** Opens a camera and a guide in a page of the camera's browser. */
export async function openGuidance(
  t: Runner,
  camera: FakeCamera,
  subject: GuideSubject,
  { refused, before }: PageOptions = {},
): Promise<GuidancePage> {
  const sent = new Map<string, number>()
  const server = await serveFiles(refused ?? null, sent)
  t.teardown(() => server.close())
  const page = await camera.browser.newPage()
  page.setDefaultTimeout(timeout)
  page.on('pageerror', error => t.fail(String(error)))
  page.on('console', message => {
    if (/Content Security Policy/.test(message.text())) t.fail(message.text())
  })
  await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`)
  if (before !== undefined) await page.evaluate(before)
  const kind = (await page.evaluate(`(${open})('${subject}')`)) as GuidancePage['kind']
  return {
    page,
    kind,
    sent,
    watch: async goal => void (await page.evaluate(`rig.watch(${JSON.stringify(goal)})`)),
    waitForHint: async hint => void (await page.waitForFunction(`rig.seen.at(-1)?.hint === '${hint}'`)),
    seen: async () => (await page.evaluate('rig.seen')) as readonly Seen[],
    taken: async () => fromText(await page.evaluate('rig.taken')),
    press: async () => fromText(await page.evaluate('rig.take()')),
    workers: () => page.workers().length,
    abort: async () => {
      await page.evaluate("rig.controller.abort(new Error('enough'))")
      return String(await page.evaluate('rig.taken.then(() => "taken", error => error.message)'))
    },
  }
}
