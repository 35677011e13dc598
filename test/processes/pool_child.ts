/** A child that does what `transaction_id` says, for the pool's tests. */

import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { EngineFindings } from '../../src/decision/findings.ts'
import type { AnalysisRequest } from '../../src/engines/port.ts'
import { pipe_descriptor, serveRequests } from '../../src/processes/serve.ts'

const kept: Uint8Array[] = []
const grown: number[][] = []

/** As whoever took over this process could write it. */
const say = (said: unknown): void => {
  const content = Buffer.from(JSON.stringify(said))
  const header = Buffer.alloc(4)
  header.writeUInt32BE(content.length)
  writeSync(pipe_descriptor, Buffer.concat([header, content]))
}

const deeds: Record<string, (request: AnalysisRequest) => void> = {
  abort: () => process.abort(),
  exit: () => process.exit(3),
  hang: () => {
    for (;;) kept.length = 0
  },
  heap: () => {
    for (;;) grown.push(new Array<number>(100_000).fill(Math.PI))
  },
  outside_the_heap: () => {
    for (;;) kept.push(Buffer.alloc(16 * 2 ** 20, 1))
  },
  write: () => writeFileSync(join(tmpdir(), 'attestor-pool-child'), ''),
  read_the_readme: () => {
    readFileSync(new URL('../../README.md', import.meta.url))
  },
  read_the_keys: () => {
    readFileSync(`/proc/${process.ppid}/environ`)
  },
  start_a_process: () => {
    spawnSync(process.execPath, ['--version'])
  },
  say_null: () => say(null),
  say_bytes: () => void writeSync(pipe_descriptor, Buffer.from([0, 0, 0, 4, 255, 15, 34, 0])),
  say_too_much: () => void writeSync(pipe_descriptor, Buffer.alloc(8, 127)),
  answer_another: () => say({ kind: 'answer', id: 1_000, answer: { document: null } }),
  name_a_stage: () => say({ kind: 'stage', id: 1, stage: 'Anna Maria Eriksson' }),
  fail: () => {
    throw new Error('cannot look')
  },
}

serveRequests<AnalysisRequest, EngineFindings>(async (request, begin) => {
  begin('document')
  deeds[request.transaction_id]?.(request)
  const environment = Object.fromEntries(Object.keys(process.env).map(name => [`env_${name}`, 1]))
  const seen = request.selfie?.byteLength ?? 0
  return { document: null, liveness: null, face: null, stages: { pid: process.pid, seen, ...environment } }
})
