import { createHash } from 'node:crypto'
import { deserialize, serialize } from 'node:v8'
import type { CaptureName, KeptByCapture } from '../port.ts'
import { hashMrzNetwork } from './document/network.ts'
import { localEngineName } from './engine_name.ts'
import { faceSpace } from './face/embedding.ts'
import { faceModels, textModels } from './models.ts'

/** Everything that the findings in an image depend on, except the image. */
const revision = createHash('sha256')
  .update(JSON.stringify([hashMrzNetwork(), faceModels, textModels, faceSpace.model, process.versions.v8]))
  .digest('hex')

const engine = `${localEngineName.name} ${localEngineName.version} ${revision}`

/** What was found in the captures of a transaction, by capture and by what was looked for. */
export interface CaptureMemory {
  /** What this or an earlier request found; otherwise looks for it now. */
  recall<T>(capture: CaptureName, what: string, find: () => T | Promise<T>): Promise<T>
  /** Undefined if it was not looked for. */
  read<T>(capture: CaptureName, what: string): T | undefined
  write(capture: CaptureName, what: string, value: unknown): void
  remove(capture: CaptureName, what: string): void
  list(): readonly { readonly capture: CaptureName; readonly what: string }[]
  /** Everything about the captures in which something new was found. */
  listNew(): KeptByCapture
}

type Found = Map<string, unknown>

/** Structured clone keeps every number as it is; JSON would lose -0 and NaN, and the bytes of a list of floats. */
const encode = (found: Found): Uint8Array => {
  const { buffer, byteOffset, byteLength } = serialize(found)
  return new Uint8Array(buffer, byteOffset, byteLength)
}
const decode = (content: Uint8Array): Found => deserialize(content) as Found

/** Starts with the findings of earlier requests. */
export const openMemory = (kept: KeptByCapture = {}): CaptureMemory => {
  const captures = new Map<CaptureName, Found>()
  const changed = new Set<CaptureName>()
  for (const [name, entries] of Object.entries(kept)) {
    const own = entries?.find(entry => entry.engine === engine)
    if (own?.content instanceof Uint8Array) captures.set(name as CaptureName, decode(own.content))
  }
  const open = (capture: CaptureName): Found => {
    const found = captures.get(capture) ?? new Map<string, unknown>()
    captures.set(capture, found)
    return found
  }
  const write = (capture: CaptureName, what: string, value: unknown): void => {
    open(capture).set(what, value)
    changed.add(capture)
  }
  return {
    async recall<T>(capture: CaptureName, what: string, find: () => T | Promise<T>): Promise<T> {
      const found = open(capture)
      if (found.has(what)) return found.get(what) as T
      const value = await find()
      write(capture, what, value)
      return value
    },
    read: <T>(capture: CaptureName, what: string) => captures.get(capture)?.get(what) as T | undefined,
    write,
    remove(capture, what) {
      open(capture).delete(what)
      changed.add(capture)
    },
    list: () => [...captures].flatMap(([capture, found]) => [...found.keys()].map(what => ({ capture, what }))),
    listNew: () =>
      Object.fromEntries([...changed].map(name => [name, [{ engine, content: encode(open(name)) }]])) as KeptByCapture,
  }
}
