import type { CaptureName, EncodedImage } from '../../port.ts'
import type { CaptureMemory } from '../capture_memory.ts'
import type { Models } from '../models.ts'
import { type ComparedFace, type Purpose, readFace, type SeenFace } from './read_face.ts'
import { embedFaces, type FaceCuts, type FaceVectors } from './templates.ts'
import type { UprightMap } from './upright.ts'

const cutsPrefix = 'cuts of '
const vectorsPrefix = 'vectors of '
const uprightPrefix = 'upright '

/** Remembers the cuts of a face until they are embedded: a run of the network for each face costs more. */
export function rememberCuts(memory: CaptureMemory, capture: CaptureName, what: string, cuts: FaceCuts): void {
  memory.write(capture, cutsPrefix + what, cuts, 'last_capture')
}

/** Whether a face is embedded, or can be. */
export function isComparable(memory: CaptureMemory, capture: CaptureName, what: string): boolean {
  return [cutsPrefix, vectorsPrefix].some(prefix => memory.read(capture, prefix + what) !== undefined)
}

/** Embeds all faces that are not embedded yet, in one run of the network. */
export function embedRemembered(models: Models, memory: CaptureMemory): void {
  const pending = memory.list().flatMap(({ capture, what }) => {
    const cuts = what.startsWith(cutsPrefix) ? memory.read<FaceCuts>(capture, what) : undefined
    return cuts === undefined ? [] : [{ capture, what: what.slice(cutsPrefix.length), cuts }]
  })
  const vectors = embedFaces(
    models,
    pending.map(({ cuts }) => cuts),
  )
  for (const [n, { capture, what }] of pending.entries()) {
    memory.write(capture, vectorsPrefix + what, vectors[n], 'last_capture')
    memory.remove(capture, cutsPrefix + what)
  }
}

/** The vectors of a face after `embedRemembered`. @throws {Error} where it was not embedded */
export function readVectors(memory: CaptureMemory, capture: CaptureName, what: string): FaceVectors {
  const vectors = memory.read<FaceVectors>(capture, vectorsPrefix + what)
  if (vectors === undefined) throw new Error(`${capture}: its face is not embedded`)
  return vectors
}

/** Whose face it is, and what it is read for. */
export interface WantedFace {
  readonly capture: CaptureName
  readonly purpose: Purpose
}

function nameFace({ purpose }: WantedFace): string {
  return 'answers' in purpose
    ? `face that answers ${purpose.answers}`
    : `face in ${purpose.former?.model ?? 'one space'}`
}

/** Reads the widest face of a picture, or remembers it. */
export function recallFace(
  models: Models,
  memory: CaptureMemory,
  wanted: WantedFace,
  image: EncodedImage,
): Promise<SeenFace | null> {
  const { capture, purpose } = wanted
  const what = nameFace(wanted)
  const find = async (): Promise<SeenFace | null> => {
    const read = await readFace(models, image, purpose)
    if (read === null) return null
    const { cuts, upright, ...seen } = read
    rememberCuts(memory, capture, what, cuts)
    memory.write(capture, uprightPrefix + what, upright, 'analysis')
    return seen
  }
  const isWhole = (seen: SeenFace | null): boolean =>
    seen === null || (isComparable(memory, capture, what) && memory.read(capture, uprightPrefix + what) !== undefined)
  return memory.recall(capture, what, find, isWhole)
}

/** The face that is remembered; null where there is none, or nobody has looked for it. */
export function readRemembered(memory: CaptureMemory, wanted: WantedFace): SeenFace | null {
  return memory.read<SeenFace | null>(wanted.capture, nameFace(wanted)) ?? null
}

/** Adds what a comparison needs of a face that was recalled, after `embedRemembered`. */
export function toCompared(memory: CaptureMemory, wanted: WantedFace, seen: SeenFace): ComparedFace {
  const { capture } = wanted
  const what = nameFace(wanted)
  const upright = memory.read<UprightMap>(capture, uprightPrefix + what)
  if (upright === undefined) throw new Error(`${capture}: its face was not recalled`)
  return { ...seen, upright, vectors: readVectors(memory, capture, what) }
}
