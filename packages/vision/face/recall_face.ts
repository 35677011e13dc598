import type { LivenessAction } from '@attestor/rules'
import type { CaptureMemory } from '../capture_memory.ts'
import type { Models } from '../models.ts'
import type { CaptureName, EncodedImage } from '../port.ts'
import { type ComparedFace, readFace, type SeenFace } from './read_face.ts'

/** The capture of which the face is wanted, and the action that it answers; null for the selfie. */
export interface WantedFace {
  readonly capture: CaptureName
  readonly answers: LivenessAction | null
}

function nameFace({ answers }: WantedFace): string {
  return answers === null ? 'face' : `face that answers ${answers}`
}

/** The large parts of a face that only a comparison needs. */
type ComparisonParts = Pick<ComparedFace, 'upright' | 'thumbnail'>

const partsPrefix = 'compared parts of the '

/** Reads the widest face of a picture, or remembers it. */
export function recallFace(
  models: Models,
  memory: CaptureMemory,
  wanted: WantedFace,
  image: EncodedImage,
): Promise<SeenFace | null> {
  const { capture, answers } = wanted
  const what = nameFace(wanted)
  const find = async (): Promise<SeenFace | null> => {
    const read = await readFace(models, image, answers)
    if (read === null) return null
    const { upright, thumbnail, ...seen } = read
    memory.write(capture, partsPrefix + what, { upright, thumbnail } satisfies ComparisonParts, 'analysis')
    return seen
  }
  const isWhole = (seen: SeenFace | null): boolean =>
    seen === null || memory.read(capture, partsPrefix + what) !== undefined
  return memory.recall(capture, what, find, isWhole)
}

/** Returns the remembered face; null if there is none, or if it was not sought. */
export function readRemembered(memory: CaptureMemory, wanted: WantedFace): SeenFace | null {
  return memory.read<SeenFace | null>(wanted.capture, nameFace(wanted)) ?? null
}

/** Adds the parts of a recalled face that a comparison needs. */
export function toCompared(memory: CaptureMemory, wanted: WantedFace, seen: SeenFace): ComparedFace {
  const parts = memory.read<ComparisonParts>(wanted.capture, partsPrefix + nameFace(wanted))
  if (parts === undefined) throw new Error(`${wanted.capture}: its face was not recalled`)
  return { ...seen, ...parts }
}
