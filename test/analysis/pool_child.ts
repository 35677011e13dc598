/** A child that does what `transaction_id` says, for the pool's tests. */

import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { AnalysisRequest, Evidence } from '../../src/analysis/port.ts'
import { serveQuestions } from '../../src/children/wire.ts'

const kept: Uint8Array[] = []
const grown: number[][] = []

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
  fail: () => {
    throw new Error('cannot look')
  },
}

serveQuestions<AnalysisRequest, Evidence>(async (request, begin) => {
  begin('document')
  deeds[request.transaction_id]?.(request)
  const environment = Object.fromEntries(Object.keys(process.env).map(name => [`env_${name}`, 1]))
  const seen = request.selfie?.byteLength ?? 0
  return { document: null, liveness: null, face: null, stages: { pid: process.pid, seen, ...environment } }
})
