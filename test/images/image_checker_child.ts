/** A child that checks photos as the real one does, and does what a photo says that begins with a deed's name. */
import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ApiError } from '../../src/base/api_error.ts'
import { checkImage, restrictImageLoaders } from '../../src/images/check_image.ts'
import type { PhotoRequest, PhotoResponse } from '../../src/images/photo_wire.ts'
import { serveRequests } from '../../src/processes/serve.ts'

const grown: Uint8Array[] = []

/** What an attempt came to, in the words of the refusal. */
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
  write: () => writeFileSync(join(tmpdir(), 'attestor-photo-child'), ''),
  readme: () => readFileSync(new URL('../../README.md', import.meta.url)),
  keys: () => readFileSync(`/proc/${process.ppid}/environ`),
  spawn: () => spawnSync(process.execPath, ['--version']),
  environment: () => Object.keys(process.env).join(),
}

restrictImageLoaders()
serveRequests<PhotoRequest, PhotoResponse>(async ({ content, limits, subject }) => {
  const named = /\{(\w+)\}$/.exec(Buffer.from(content.subarray(-40)).toString('latin1'))?.[1] ?? ''
  deadly[named]?.()
  const deed = forbidden[named]
  if (deed !== undefined) return { refused: { code: 'unusable_capture', message: attempt(deed) } }
  try {
    return { facts: await checkImage(content, null, limits, subject) }
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    return { refused: { code: error.code, message: error.message } }
  }
})
