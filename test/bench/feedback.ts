/**
 * What it costs to analyse captures as they arrive: `node test/bench/feedback.ts [RUNS [passport|card]]`. A whole node on SQLite
 * with the local engine takes invented people through the device side, in turn with `CAPTURE_FEEDBACK_MS=0` (before) and 10000
 * (after: on a busy machine 2 s may be too short, and this measures work, not patience). CPU is that of the service and its child processes. Prints a table.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { performance } from 'node:perf_hooks'
import { inventCard, inventScene } from '../../demo/people.ts'
import { anotherTake, phoneOf, startCall } from '../service/client.ts'
import { type LocalNode, openLocalNode } from './local_node.ts'
import { cpuMilliseconds, familyCpuMilliseconds, machine, median, table } from './measure.ts'

const runs = Number(process.argv[2] ?? 5)
const isCard = process.argv[3] === 'card'
const folder = mkdtempSync(join(tmpdir(), 'attestor-feedback-'))

const open = (feedbackMs: number): Promise<LocalNode> =>
  openLocalNode({ DATABASE_URL: `sqlite:${folder}/${feedbackMs}.sqlite`, CAPTURE_FEEDBACK_MS: String(feedbackMs) })

type Images = Readonly<Record<string, Uint8Array>>

/** The photos of one person, by the path's end or by the action. */
const invent = async (seed: number): Promise<Images> => {
  const scene = await inventScene(false, seed)
  const card = isCard ? await inventCard(seed) : null
  const sides = card
    ? { 'document/front': card.front, 'document/back': card.back }
    : { 'document/front': scene.document_front }
  return { ...sides, selfie: scene.selfie, ...scene.frames }
}

/** proc_pid_io(5): what this process has read and written, of files, pipes and sockets alike; Linux only. */
const readAndWritten = (): number => {
  const counters = readFileSync('/proc/self/io', 'utf8')
  const [read = 0, written = 0] = ['rchar', 'wchar'].map(name => Number(counters.match(`${name}: (\\d+)`)?.[1]))
  return read + written
}

interface Figures {
  readonly total_cpu: number
  readonly service_cpu: number
  readonly moved_mb: number
  readonly end_cpu: number
  readonly end_ms: number
  readonly upload_ms: number
  readonly slowest_ms: number
  readonly kept_kb: number
  readonly outcome: string
}

const verify = async ({ node, call, open: openSession }: LocalNode, images: Images): Promise<Figures> => {
  const phone = phoneOf(call, await openSession())
  await phone.start({ ...startCall, document_type: isCard ? 'ID_CARD' : 'PASSPORT' })
  await phone.signals()
  const [cpu, own, moved] = [familyCpuMilliseconds(), cpuMilliseconds(), readAndWritten()]
  const uploads: number[] = []
  const upload = async (path: string, name: string): Promise<void> => {
    const image = anotherTake(images[name] ?? new Uint8Array())
    const began = performance.now()
    const { status, text } = await phone.upload(path, image)
    uploads.push(performance.now() - began)
    if (status !== 200) throw new Error(`${path}: ${status} ${text}`)
  }
  for (const name of Object.keys(images).filter(one => /^document|^selfie/.test(one))) await upload(name, name)
  const { body: challenge } = await phone.challenge()
  for (const [n, action] of (challenge.actions as string[]).entries())
    await upload(`liveness/${challenge.challenge_id}/${n}`, action)
  const sql = "SELECT COALESCE(SUM(byte_count), 0) AS kept FROM captures WHERE kind = 'findings'"
  const [row] = await node.service.store.read({ sql, values: [] })
  const [end_cpu, began] = [familyCpuMilliseconds(), performance.now()]
  await phone.complete()
  const { body: result } = await phone.result('60')
  const [endedCpu, ended] = [familyCpuMilliseconds(), performance.now()]
  return {
    total_cpu: endedCpu - cpu,
    service_cpu: cpuMilliseconds() - own,
    moved_mb: (readAndWritten() - moved) / 2 ** 20,
    end_cpu: endedCpu - end_cpu,
    end_ms: ended - began,
    upload_ms: median(uploads),
    slowest_ms: Math.max(...uploads),
    kept_kb: Number(row?.kept) / 1024,
    outcome: String(result.outcome),
  }
}

const nodes = { before: await open(0), after: await open(10_000) }
const figures: Record<keyof typeof nodes, Figures[]> = { before: [], after: [] }
// All before the first measurement: what the invention leaves to be collected would fall into one of them.
const people: Images[] = []
for (let run = -1; run < runs; run++) people.push(await invent(1000 + run))
for (const [run, images] of people.entries()) {
  for (const name of ['before', 'after'] as const) {
    const measured = await verify(nodes[name], images)
    // The first one warms up.
    if (run > 0) figures[name].push(measured)
  }
}
await Promise.all(Object.values(nodes).map(({ node }) => node.stop()))
rmSync(folder, { recursive: true })

const row = (title: string, read: (one: Figures) => number): string[] => [
  title,
  ...(['before', 'after'] as const).map(name => Math.round(median(figures[name].map(read))).toString()),
]
const outcomes = [...new Set([...figures.before, ...figures.after].map(({ outcome }) => outcome))].join(', ')
console.log(`${machine()}; ${runs} runs, medians; ${outcomes}`)
console.log(
  table([
    ['', 'before', 'after'],
    row('CPU ms, COMPLETE to FINISHED', one => one.end_cpu),
    row('ms, COMPLETE to FINISHED', one => one.end_ms),
    row('CPU ms, first upload to FINISHED', one => one.total_cpu),
    row('CPU ms of the service in it', one => one.service_cpu),
    row('MB that the service reads and writes', one => one.moved_mb),
    row('ms of an upload', one => one.upload_ms),
    row('ms of the slowest upload', one => one.slowest_ms),
    row('kB kept before the end', one => one.kept_kb),
  ]),
)
