/**
 * OpenStack Swift stores the contents of its S3 API on disk. It serves the tests of captures in an object store:
 * Debian's package `python3-swift`.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { CreateBucketCommand, ListObjectsV2Command, S3Client, type S3ClientConfig } from '@aws-sdk/client-s3'

/** Debian's own Python has the package; another one does not. */
const python = '/usr/bin/python3'

export const hasSwift: boolean =
  existsSync(python) && existsSync('/usr/lib/python3/dist-packages/swift/common/middleware/s3api')

export const bucket = 'captures'

/** A running server with an empty bucket. */
export interface Swift {
  readonly client: S3ClientConfig & { readonly endpoint: string }
  /** Environment variables that the SDK reads. */
  readonly environment: Readonly<Record<string, string>>
  /** The names of all objects. */
  list(): Promise<readonly string[]>
  stop(): Promise<void>
}

export async function startSwift(): Promise<Swift> {
  const folder = mkdtempSync(join(tmpdir(), 'attestor-swift-'))
  const accessKeyId = 'attestor:tester'
  const secretAccessKey = 'sesame'
  const script = join(import.meta.dirname, 'swift_server.py')
  const server = spawn(python, ['-W', 'ignore', script, folder, accessKeyId, secretAccessKey], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const ended = once(server, 'exit')
  const ready = once(createInterface({ input: server.stdout }), 'line')
  const [port] = await Promise.race([
    ready,
    ended.then(() => Promise.reject(new Error('Swift is installed but does not start'))),
  ])
  const endpoint = `http://127.0.0.1:${port}`
  const client = { endpoint, region: 'eu-west-1', credentials: { accessKeyId, secretAccessKey } }
  const s3 = new S3Client({ ...client, forcePathStyle: true })
  await s3.send(new CreateBucketCommand({ Bucket: bucket }))
  return {
    client,
    environment: {
      AWS_ENDPOINT_URL_S3: endpoint,
      AWS_REGION: client.region,
      AWS_ACCESS_KEY_ID: accessKeyId,
      AWS_SECRET_ACCESS_KEY: secretAccessKey,
    },
    async list() {
      const { Contents = [] } = await s3.send(new ListObjectsV2Command({ Bucket: bucket }))
      return Contents.map(({ Key = '' }) => Key)
    },
    async stop() {
      s3.destroy()
      server.stdin.end()
      await ended
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
