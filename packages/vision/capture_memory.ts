import { createHash } from 'node:crypto'
import { deserialize, serialize } from 'node:v8'
import { localEngineName } from './engine_name.ts'
import { faceModels, textModels } from './model_files.ts'
import type { Models } from './models.ts'
import type { CaptureName, KeptByCapture, KeptFindings, KeptFor } from './port.ts'
import { mrzNetworkHash } from './zone/network.ts'

/** Names everything that the findings in an image depend on, except the image. */
export function nameRevision({ embedding, passiveLiveness }: Pick<Models, 'embedding' | 'passiveLiveness'>): string {
  const own = [embedding.model.name, passiveLiveness?.model.name]
  const parts = [mrzNetworkHash, faceModels, textModels, own, process.versions.v8]
  const revision = createHash('sha256').update(JSON.stringify(parts)).digest('hex')
  return `${localEngineName.name} ${localEngineName.version} ${revision}`
}

/** The findings in the captures of a transaction, under the capture and a name for what was sought. */
export interface CaptureMemory {
  /** Returns what this or an earlier request found, if all that belongs to it is known too; otherwise finds it now. */
  recall<T>(capture: CaptureName, what: string, find: () => T | Promise<T>, isWhole?: (known: T) => boolean): Promise<T>
  /** Returns undefined if the finding was not sought, or is kept for later requests. */
  read<T>(capture: CaptureName, what: string): T | undefined
  write(capture: CaptureName, what: string, value: unknown, keptFor?: KeptFor): void
  /** Lists, for each capture with new findings, all findings that are kept for the same requests as a new one. */
  listNew(): KeptByCapture
}

type Found = Map<string, { readonly value: unknown; readonly keptFor: KeptFor }>

/** Structured clone keeps every number as it is; JSON would lose -0 and NaN, and the bytes of a list of floats. */
function encode(values: ReadonlyMap<string, unknown>): Uint8Array {
  const { buffer, byteOffset, byteLength } = serialize(values)
  return new Uint8Array(buffer, byteOffset, byteLength)
}

function decode(content: Uint8Array): ReadonlyMap<string, unknown> {
  return deserialize(content) as Map<string, unknown>
}

function decodeAll(engine: string, entries: readonly KeptFindings[]): Found {
  return new Map(
    entries.flatMap(({ content, kept_for: keptFor, ...made }) =>
      made.engine === engine && content instanceof Uint8Array
        ? [...decode(content)].map(([what, value]) => [what, { value, keptFor }] as const)
        : [],
    ),
  )
}

function encodeFor(engine: string, found: Found, keptFor: KeptFor): KeptFindings {
  const values = [...found].flatMap(([what, one]) => (one.keptFor === keptFor ? [[what, one.value] as const] : []))
  return { engine, kept_for: keptFor, content: encode(new Map(values)) }
}

/** Opens the memory with the findings of earlier requests, as far as the same revision made them. */
export function openMemory(revision = '', kept: KeptByCapture = {}): CaptureMemory {
  const captures = new Map<CaptureName, Found>()
  const changed = new Map<CaptureName, Set<KeptFor>>()
  for (const [name, entries] of Object.entries(kept))
    captures.set(name as CaptureName, decodeAll(revision, entries ?? []))
  const open = (capture: CaptureName): Found => {
    const found = captures.get(capture) ?? new Map()
    captures.set(capture, found)
    return found
  }
  const change = (capture: CaptureName, keptFor: KeptFor): void => {
    changed.set(capture, (changed.get(capture) ?? new Set()).add(keptFor))
  }
  const write: CaptureMemory['write'] = (capture, what, value, keptFor = 'capture') => {
    open(capture).set(what, { value, keptFor })
    change(capture, keptFor)
  }
  return {
    async recall<T>(
      capture: CaptureName,
      what: string,
      find: () => T | Promise<T>,
      isWhole: (known: T) => boolean = () => true,
    ): Promise<T> {
      const known = open(capture).get(what)
      if (known !== undefined && isWhole(known.value as T)) return known.value as T
      const value = await find()
      write(capture, what, value)
      return value
    },
    read: <T>(capture: CaptureName, what: string) => captures.get(capture)?.get(what)?.value as T | undefined,
    write,
    listNew: () =>
      Object.fromEntries(
        [...changed].map(([name, parts]) => [
          name,
          [...parts].map(keptFor => encodeFor(revision, open(name), keptFor)),
        ]),
      ) as KeptByCapture,
  }
}
