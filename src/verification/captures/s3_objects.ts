import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import type { S3Client, S3ClientConfig } from '@aws-sdk/client-s3'
import { asError } from '../../base/api_error.ts'
import { forEachPiece, gatherPieces, joinPieces } from '../../base/bytes.ts'
import { type Clock, wait } from '../../base/clock.ts'
import { backoffMs, DeadlineError, withDeadline } from '../../base/time.ts'
import { type ObjectStore, ObjectStoreError } from './object_store.ts'

/** A bucket, and the prefix of all object names in it. */
export interface S3Location {
  readonly bucket: string
  /** Empty, or it ends in a slash. */
  readonly prefix: string
}

export interface S3Options extends S3Location {
  readonly clock: Clock
  /** Whether the bucket is named in the path, not in the host. */
  readonly path_style: boolean
  /** The time of one attempt. */
  readonly attempt_ms: number
  /** Settings that the SDK would read from the environment and its files. */
  readonly client?: S3ClientConfig
}

const maxAttempts = 3
const pauses = { initialMs: 100, maxMs: 1000 }
const connectMs = 3000

const quiet = { debug() {}, info() {}, warn() {}, error() {} }

interface Failure {
  readonly status: number | null
  readonly name: string
}

function readFailure(error: unknown): Failure {
  const { $metadata, name = '' } = error as { $metadata?: { httpStatusCode?: number }; name?: string }
  return { status: $metadata?.httpStatusCode ?? null, name }
}

/** The SDK's names of errors that occur before a request is sent, because a setting is missing. */
function isMisconfigured(name: string, message: string): boolean {
  return /^CredentialsProviderError$|^TokenProviderError$/.test(name) || /Region is missing|Invalid URL/.test(message)
}

/** Error codes with status 400 that are temporary: the upload was damaged or too slow on its way. */
const passingCodes = ['BadDigest', 'XAmzContentSHA256Mismatch', 'IncompleteBody', 'RequestTimeout']

function isTemporary({ status, name }: Failure, message: string): boolean {
  return status === null
    ? !isMisconfigured(name, message)
    : status >= 500 || status === 408 || status === 429 || passingCodes.includes(name)
}

/** One attempt, aborted when it takes too long. */
async function attempt<T>(
  { clock, attempt_ms }: S3Options,
  what: string,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  try {
    return await withDeadline(clock, attempt_ms, work)
  } catch (cause) {
    const { message } = asError(cause)
    const failure = readFailure(cause)
    const reason = cause instanceof DeadlineError ? `no answer in ${attempt_ms} ms` : `${failure.name}: ${message}`
    const status = failure.status === null ? '' : ` (status ${failure.status})`
    throw new ObjectStoreError(`${what}: ${reason}${status}`, {
      cause,
      is_temporary: isTemporary(failure, message),
      is_denied: failure.status === 403,
    })
  }
}

async function retry<T>(
  options: S3Options,
  what: string,
  work: (signal: AbortSignal) => Promise<T>,
  count = 1,
): Promise<T> {
  try {
    return await attempt(options, what, work)
  } catch (error) {
    if (!(error instanceof ObjectStoreError) || !error.is_temporary || count === maxAttempts) throw error
    await wait(options.clock, backoffMs(count, pauses))
    return retry(options, what, work, count + 1)
  }
}

/** Returns the hash that the store compares with the received content: it keeps none that was damaged on its way. */
async function hashPieces(pieces: readonly Buffer[]): Promise<string> {
  const hash = createHash('sha256')
  await forEachPiece(pieces, piece => hash.update(piece))
  return hash.digest('hex')
}

async function readBody(body: AsyncIterable<Uint8Array>, max_bytes: number): Promise<Buffer> {
  const pieces = gatherPieces()
  let size = 0
  for await (const chunk of body) {
    size += chunk.length
    pieces.add(chunk)
    // It is larger than the stored object, so it would not decrypt.
    if (size > max_bytes) break
  }
  return joinPieces(pieces.end())
}

/** The SDK takes a tenth of a second and 30 MB to load: it is loaded only where it is used. */
async function openClient({ path_style, client = {} }: S3Options) {
  const sdk = await import('@aws-sdk/client-s3')
  const s3: S3Client = new sdk.S3Client({
    forcePathStyle: path_style,
    maxAttempts: 1,
    logger: quiet,
    // The signature covers the content. Many compatible stores do not know the SDK's own checksums.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    requestHandler: { connectionTimeout: connectMs },
    ...client,
  })
  return { sdk, s3 }
}

/** Objects in a bucket of S3, or of a store that is compatible with it. Region, endpoint and credentials are the SDK's own settings. */
export async function openS3Objects(options: S3Options): Promise<ObjectStore> {
  const { bucket: Bucket, prefix } = options
  const { sdk, s3 } = await openClient(options)
  return {
    url: `s3://${Bucket}/${prefix}`,
    async put(name, pieces) {
      const ContentLength = pieces.reduce((sum, { length }) => sum + length, 0)
      const sha256 = await hashPieces(pieces)
      await retry(options, 'PUT', abortSignal => {
        const put = new sdk.PutObjectCommand({
          Bucket,
          Key: prefix + name,
          Body: Readable.from(pieces),
          ContentLength,
          ContentType: 'application/octet-stream',
        })
        put.middlewareStack.add(
          next => args => {
            Object.assign((args.request as { headers: object }).headers, { 'x-amz-content-sha256': sha256 })
            return next(args)
          },
          { step: 'build', name: 'signContent' },
        )
        return s3.send(put, { abortSignal })
      })
    },
    get: (name, max_bytes) =>
      retry(options, 'GET', async abortSignal => {
        try {
          const { Body } = await s3.send(new sdk.GetObjectCommand({ Bucket, Key: prefix + name }), { abortSignal })
          return await readBody(Body as AsyncIterable<Uint8Array>, max_bytes)
        } catch (error) {
          // A bucket that is missing is another error, of all objects.
          const { status, name } = readFailure(error)
          if (name === 'NoSuchKey' || (status === 404 && name !== 'NoSuchBucket')) return null
          throw error
        }
      }),
    async delete(name) {
      await retry(options, 'DELETE', abortSignal =>
        s3.send(new sdk.DeleteObjectCommand({ Bucket, Key: prefix + name }), { abortSignal }),
      )
    },
    close: () => s3.destroy(),
  }
}
