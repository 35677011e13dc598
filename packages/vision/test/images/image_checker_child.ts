/** Checks images as the real child does, and first carries out the order at an image's end. */
import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import sharp from 'sharp'
import { type CheckRequest, type CheckResponse, respondToCheck } from '../../images/check_image.ts'
import { restrictImageLoaders } from '../../images/image_loaders.ts'
import { serveRequests } from '../../processes/serve.ts'

const grown: Uint8Array[] = []

function attempt(work: () => unknown): string {
  try {
    return `done: ${work()}`
  } catch (error) {
    return String(error)
  }
}

/** Exhausts the process: from then on no image can be decoded. */
function exhaust(): void {
  sharp.block({ operation: ['VipsForeignLoad'] })
}

const deadly: Record<string, () => void> = {
  abort: () => process.abort(),
  hang: () => {
    for (;;) grown.length = 0
  },
  exhaust,
  grow: () => {
    for (;;) grown.push(Buffer.alloc(16 * 2 ** 20, 1))
  },
}

const forbidden: Record<string, () => unknown> = {
  write: () => writeFileSync(join(tmpdir(), 'attestor-image-checker-child'), ''),
  readme: () => readFileSync(new URL('../../../../README.md', import.meta.url)),
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
  return respondToCheck(request)
})
