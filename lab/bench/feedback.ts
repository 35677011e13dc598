/**
 * `node lab/bench/feedback.ts [RUNS [passport|card]]` measures what it costs to analyse captures as they arrive. A
 * whole node on SQLite with the local engine takes invented people through the device side, in turn with
 * `CAPTURE_FEEDBACK_MS=0` (before) and 10000 (after: on a busy machine 2 s may be too short, and this measures work,
 * not patience). CPU is that of the service and its child processes. Prints a table.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { performance } from 'node:perf_hooks'
import { callTo } from '../../test/calls.ts'
import { anotherTake, phoneOf, startCall } from '../../test/service/client.ts'
import { inventCard, inventPhotographs } from '../demo/people.ts'
import type { Usage } from './feedback_node.ts'
import { machine, median, startProgram, table } from './measure.ts'

const runs = Number(process.argv[2] ?? 15)
const isCard = process.argv[3] === 'card'
const folder = mkdtempSync(join(tmpdir(), 'attestor-feedback-'))

/** A node in a process of its own, and calls to it. */
async function startNode(feedbackMs: number) {
  const program = startProgram('feedback_node.ts', {
    DATABASE_URL: `sqlite:${folder}/${feedbackMs}.sqlite`,
    CAPTURE_FEEDBACK_MS: String(feedbackMs),
  })
  const { url } = await program.ask<{ url: string }>('ready')
  return { program, call: callTo(() => url) }
}

type MeasuredNode = Awaited<ReturnType<typeof startNode>>

type Images = Readonly<Record<string, Uint8Array>>

/** The photos of one person, by the path's end or by the action. */
async function invent(seed: number): Promise<Images> {
  const photographs = await inventPhotographs(false, seed)
  const card = isCard ? await inventCard(seed) : null
  const sides = card
    ? { 'document/front': card.front, 'document/back': card.back }
    : { 'document/front': photographs.document_front }
  return { ...sides, selfie: photographs.selfie, ...photographs.frames }
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

async function verify({ program, call }: MeasuredNode, images: Images): Promise<Figures> {
  const { token } = await program.ask<{ token: string }>('open')
  const phone = phoneOf(call, token)
  await phone.start({ ...startCall, document_type: isCard ? 'ID_CARD' : 'PASSPORT' })
  await phone.signals()
  const atStart = await program.ask<Usage>('usage')
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
  const kept = await program.ask<{ bytes: number }>('kept')
  const atComplete = await program.ask<Usage>('usage')
  const began = performance.now()
  await phone.complete()
  const { body: result } = await phone.result('60')
  const atEnd = await program.ask<Usage>('usage')
  const ended = performance.now()
  return {
    total_cpu: atEnd.cpu_ms - atStart.cpu_ms,
    service_cpu: atEnd.own_cpu_ms - atStart.own_cpu_ms,
    moved_mb: (atEnd.moved - atStart.moved) / 2 ** 20,
    end_cpu: atEnd.cpu_ms - atComplete.cpu_ms,
    end_ms: ended - began,
    upload_ms: median(uploads),
    slowest_ms: Math.max(...uploads),
    kept_kb: kept.bytes / 1024,
    outcome: String(result.outcome),
  }
}

const nodes = { before: await startNode(0), after: await startNode(10_000) }
const figures: Record<keyof typeof nodes, Figures[]> = { before: [], after: [] }
for (let run = -1; run < runs; run++) {
  const images = await invent(1000 + run)
  for (const name of ['before', 'after'] as const) {
    const measured = await verify(nodes[name], images)
    // The first one warms up.
    if (run >= 0) figures[name].push(measured)
  }
}
for (const { program } of Object.values(nodes)) {
  await program.ask('stop')
  await program.end()
}
rmSync(folder, { recursive: true })

function row(title: string, read: (one: Figures) => number): string[] {
  return [title, ...(['before', 'after'] as const).map(name => Math.round(median(figures[name].map(read))).toString())]
}

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
