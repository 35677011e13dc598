import { createHash } from 'node:crypto'
import { extname, join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { forEachPiece, releaseBuffer, toPieces } from '../../base/bytes.ts'
import { startEncryption } from '../../base/encryption.ts'

/** A content that was encrypted in pieces. Head and pieces together are the input of `decryptContent`. */
export interface EncryptedContent {
  readonly head: Buffer
  readonly pieces: readonly Buffer[]
}

/** A content, and its SHA-256 (hex). */
export interface DigestedContent {
  readonly content: Buffer
  readonly digest: string
}

/** The work on pieces that are moved to the thread, each with memory of its own. */
export type ContentTask =
  | { readonly task: 'join'; readonly pieces: readonly Uint8Array[] }
  | { readonly task: 'encrypt'; readonly pieces: readonly Uint8Array[]; readonly key: Uint8Array; readonly aad: string }

/** The answer to the oldest task that is not answered yet. */
export type ContentAnswer = DigestedContent | EncryptedContent

function joinPieces(pieces: readonly Uint8Array[]): DigestedContent {
  const hash = createHash('sha256')
  const content = Buffer.allocUnsafeSlow(pieces.reduce((size, { length }) => size + length, 0))
  let at = 0
  for (const piece of pieces) {
    hash.update(piece)
    content.set(piece, at)
    at += piece.length
    releaseBuffer(piece)
  }
  return { content, digest: hash.digest('hex') }
}

function encryptPieces(plain: readonly Uint8Array[], key: Uint8Array, aad: string): EncryptedContent {
  const encryption = startEncryption(key, aad)
  const pieces = plain.map(piece => {
    const encrypted = encryption.update(piece)
    releaseBuffer(piece)
    return encrypted
  })
  return { head: encryption.end(), pieces }
}

/** Runs in the thread, which keeps nothing. */
export function workOnContent(asked: ContentTask): ContentAnswer {
  return asked.task === 'join' ? joinPieces(asked.pieces) : encryptPieces(asked.pieces, asked.key, asked.aad)
}

interface Thread {
  readonly worker: Worker
  readonly waiting: PromiseWithResolvers<ContentAnswer>[]
}

let thread: Thread | null = null

/** Starts the thread with the first large content. It keeps no process alive. */
function getThread(): Thread {
  if (thread !== null) return thread
  const worker = new Worker(join(import.meta.dirname, `content_worker${extname(import.meta.filename)}`))
  const started: Thread = { worker, waiting: [] }
  worker.on('message', (answer: ContentAnswer) => started.waiting.shift()?.resolve(answer))
  const end = (): void => {
    if (thread === started) thread = null
    for (const { reject } of started.waiting.splice(0)) reject(new Error('the thread of contents ended'))
  }
  worker.on('error', end)
  worker.on('exit', end)
  worker.unref()
  thread = started
  return started
}

/** The buffers of bytes that have one each: they can be moved to another thread. */
export function ownBuffers(pieces: readonly Uint8Array[]): ArrayBuffer[] {
  return pieces.map(({ buffer }) => buffer as ArrayBuffer)
}

function ask(task: ContentTask): Promise<ContentAnswer> {
  const { worker, waiting } = getThread()
  const answer = Promise.withResolvers<ContentAnswer>()
  waiting.push(answer)
  worker.postMessage(task, ownBuffers(task.pieces))
  return answer.promise
}

/** A message has no Buffer: it comes as a plain array of bytes. */
function toBuffer({ buffer, byteOffset, byteLength }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength)
}

/** Joins and digests, beside the event loop, pieces that nobody reads afterwards. */
export async function joinBeside(pieces: readonly Uint8Array[]): Promise<DigestedContent> {
  const { content, digest } = (await ask({ task: 'join', pieces })) as DigestedContent
  return { content: toBuffer(content), digest }
}

/** Encrypts a content beside the event loop. The thread gets a copy. */
export async function encryptBeside(key: Uint8Array, aad: string, content: Uint8Array): Promise<EncryptedContent> {
  const copies: Uint8Array[] = []
  await forEachPiece(toPieces(content), piece => {
    const copy = Buffer.allocUnsafeSlow(piece.length)
    copy.set(piece)
    copies.push(copy)
  })
  const { head, pieces } = (await ask({ task: 'encrypt', pieces: copies, key, aad })) as EncryptedContent
  return { head: toBuffer(head), pieces: pieces.map(toBuffer) }
}
