import { createHash } from 'node:crypto'
import { extname, join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { pieceBytes, releaseBuffer } from '../../base/bytes.ts'
import { startEncryption } from '../../base/encryption.ts'

/** A content that was encrypted in pieces. Head and pieces together are the input of `decryptContent`. */
export interface EncryptedContent {
  readonly head: Buffer
  readonly pieces: readonly Buffer[]
}

/** The work on a content that is held in the thread, by the number that it is held under. */
export type ContentTask =
  | { readonly task: 'hold'; readonly id: number; readonly chunks: readonly Uint8Array[] }
  | { readonly task: 'digest'; readonly id: number }
  | { readonly task: 'encrypt'; readonly id: number; readonly key: Uint8Array; readonly aad: string }
  | { readonly task: 'drop'; readonly id: number }

/** The answer to the oldest task that is not answered yet. `hold` and `drop` have none. */
export type ContentAnswer = string | EncryptedContent

function encryptChunks(chunks: readonly Uint8Array[], key: Uint8Array, aad: string): EncryptedContent {
  const encryption = startEncryption(key, aad)
  const size = chunks.reduce((sum, { length }) => sum + length, 0)
  const pieces: Buffer[] = []
  let at = 0
  for (const chunk of chunks) {
    const encrypted = encryption.update(chunk)
    for (let from = 0; from < encrypted.length; ) {
      const within = at % pieceBytes
      if (within === 0) pieces.push(Buffer.allocUnsafeSlow(Math.min(pieceBytes, size - at)))
      const part = encrypted.subarray(from, from + pieceBytes - within)
      pieces.at(-1)?.set(part, within)
      from += part.length
      at += part.length
    }
    releaseBuffer(encrypted)
    releaseBuffer(chunk)
  }
  return { head: encryption.end(), pieces }
}

/** Returns what the thread does. A content is encrypted once, and not held any more then. */
export function createContentWorker(): (task: ContentTask) => ContentAnswer | null {
  const contents = new Map<number, readonly Uint8Array[]>()
  return asked => {
    const chunks = contents.get(asked.id) ?? []
    if (asked.task === 'hold') contents.set(asked.id, asked.chunks)
    if (asked.task === 'drop') {
      contents.delete(asked.id)
      chunks.forEach(releaseBuffer)
    }
    if (asked.task === 'digest') {
      const hash = createHash('sha256')
      for (const chunk of chunks) hash.update(chunk)
      return hash.digest('hex')
    }
    if (asked.task !== 'encrypt') return null
    contents.delete(asked.id)
    return encryptChunks(chunks, asked.key, asked.aad)
  }
}

interface Thread {
  readonly worker: Worker
  readonly waiting: PromiseWithResolvers<ContentAnswer>[]
}

let thread: Thread | null = null
let lastId = 0
/** The contents that a thread holds the bytes of, too. */
const held = new WeakMap<Uint8Array, { readonly by: Thread; readonly id: number }>()

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

/** Moves the chunks of a content to the thread, which digests and encrypts it from then on. */
export function holdContent(content: Uint8Array, chunks: readonly Uint8Array[]): void {
  if (content.length <= pieceBytes || !chunks.every(({ buffer, length }) => buffer.byteLength === length)) {
    chunks.forEach(releaseBuffer)
    return
  }
  const by = getThread()
  const id = ++lastId
  by.worker.postMessage(
    { task: 'hold', id, chunks } satisfies ContentTask,
    chunks.map(({ buffer }) => buffer as ArrayBuffer),
  )
  held.set(content, { by, id })
}

/** Called when nothing more is asked about a content. */
export function dropContent(content: Uint8Array): void {
  const found = held.get(content)
  held.delete(content)
  if (found !== undefined && found.by === thread) found.by.worker.postMessage({ task: 'drop', id: found.id })
}

function ask(by: Thread, task: ContentTask): Promise<ContentAnswer> {
  const answer = Promise.withResolvers<ContentAnswer>()
  by.waiting.push(answer)
  by.worker.postMessage(task)
  return answer.promise
}

/** The SHA-256 of a content that the thread holds; null where it does not. */
export async function digestHeld(content: Uint8Array): Promise<string | null> {
  const found = held.get(content)
  if (found === undefined || found.by !== thread) return null
  return (await ask(found.by, { task: 'digest', id: found.id })) as string
}

/** A message has no Buffer: it comes as a plain array of bytes. */
function toBuffer({ buffer, byteOffset, byteLength }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength)
}

/** Encrypts a content that the thread holds, for the first time; null where it does not. */
export async function encryptHeld(key: Uint8Array, aad: string, content: Uint8Array): Promise<EncryptedContent | null> {
  const found = held.get(content)
  held.delete(content)
  if (found === undefined || found.by !== thread) return null
  const { head, pieces } = (await ask(found.by, { task: 'encrypt', id: found.id, key, aad })) as EncryptedContent
  return { head: toBuffer(head), pieces: pieces.map(toBuffer) }
}
