/** Does what a request's `deed` asks for, as a child in the pool's tests. */

import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { encodeJsonWithBytes } from '../../processes/json_with_bytes.ts'
import { pipeDescriptor, serveRequests } from '../../processes/serve.ts'

export interface TestRequest {
  readonly deed: string
  readonly bytes: Uint8Array | null
}

export interface TestResponse {
  readonly pid: number
  readonly byteCount: number
  readonly environment: readonly string[]
}

const kept: Uint8Array[] = []
const grown: number[][] = []

/** Writes to the pipe without a check, as an attacker could who took this process over. */
function sendRaw(message: unknown): void {
  const content = Buffer.concat(encodeJsonWithBytes(message))
  const header = Buffer.alloc(4)
  header.writeUInt32BE(content.length)
  writeSync(pipeDescriptor, Buffer.concat([header, content]))
}

const deeds: Record<string, () => void> = {
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
  write_a_program: () => writeFileSync(new URL('../../ready/compiled/program', import.meta.url), ''),
  read_its_program: () => {
    readFileSync(import.meta.filename)
  },
  read_the_readme: () => {
    readFileSync(new URL('../../../../README.md', import.meta.url))
  },
  read_the_keys: () => {
    readFileSync(`/proc/${process.ppid}/environ`)
  },
  start_a_process: () => {
    spawnSync(process.execPath, ['--version'])
  },
  send_null: () => sendRaw(null),
  send_bytes: () => void writeSync(pipeDescriptor, Buffer.from([0, 0, 0, 4, 255, 15, 34, 0])),
  send_no_json: () => void writeSync(pipeDescriptor, Buffer.from([0, 0, 0, 8, 0, 0, 0, 4, 255, 15, 34, 0])),
  send_no_bytes: () => sendRaw({ type: 'response', id: 1, response: { $bytes: [0, 9] } }),
  send_too_much: () => void writeSync(pipeDescriptor, Buffer.alloc(8, 127)),
  respond_to_another: () => sendRaw({ type: 'response', id: 1_000, response: {} }),
  name_a_stage: () => sendRaw({ type: 'stage', id: 1, stage: 'Anna Maria Eriksson' }),
  fail: () => {
    throw new Error('cannot work')
  },
}

serveRequests<TestRequest, TestResponse>(async ({ deed, bytes }, beginStage) => {
  beginStage('document')
  deeds[deed]?.()
  return { pid: process.pid, byteCount: bytes?.byteLength ?? 0, environment: Object.keys(process.env) }
})
