/** A child that checks images as the real one does, and first does what the end of an image asks for. */
import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ApiError } from '../../src/base/api_error.ts'
import { type CheckRequest, checkImage } from '../../src/images/check_image.ts'
import type { CheckResponse } from '../../src/images/image_checker.ts'
import { restrictImageLoaders } from '../../src/images/image_loaders.ts'
import { serveRequests } from '../../src/processes/serve.ts'

const grown: Uint8Array[] = []

const attempt = (work: () => unknown): string => {
  try {
    return `done: ${work()}`
  } catch (error) {
    return String(error)
  }
}

const deadly: Record<string, () => void> = {
  abort: () => process.abort(),
  hang: () => {
    for (;;) grown.length = 0
  },
  grow: () => {
    for (;;) grown.push(Buffer.alloc(16 * 2 ** 20, 1))
  },
}

const forbidden: Record<string, () => unknown> = {
  write: () => writeFileSync(join(tmpdir(), 'attestor-image-checker-child'), ''),
  readme: () => readFileSync(new URL('../../README.md', import.meta.url)),
  keys: () => readFileSync(`/proc/${process.ppid}/environ`),
  spawn: () => spawnSync(process.execPath, ['--version']),
  environment: () => Object.keys(process.env).join(),
}

restrictImageLoaders()
serveRequests<CheckRequest, CheckResponse>(async request => {
  const named = /\{(\w+)\}$/.exec(Buffer.from(request.content.subarray(-40)).toString('latin1'))?.[1] ?? ''
  deadly[named]?.()
  const deed = forbidden[named]
  if (deed !== undefined) return { error: { code: 'unusable_capture', message: attempt(deed) } }
  try {
    return { image: await checkImage(request) }
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    return { error: { code: error.code, message: error.message } }
  }
})
