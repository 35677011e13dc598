import type { CaptureName, EncodedImage } from '../port.ts'
import type { CaptureMemory } from './capture_memory.ts'
import { type ComparedFace, type FacePicture, type Purpose, readFace, type SeenFace } from './face/read_face.ts'
import { embedFaces, type FaceCuts, type FaceVectors } from './face/templates.ts'
import type { Models } from './models.ts'

const cutsPrefix = 'cuts of '
const vectorsPrefix = 'vectors of '

/** Remembers the cuts of a face until they are embedded: a run of the network for each face costs more. */
export const rememberCuts = (memory: CaptureMemory, capture: CaptureName, what: string, cuts: FaceCuts): void =>
  memory.write(capture, cutsPrefix + what, cuts)

/** Embeds all faces that are not embedded yet, in one run of the network. */
export const embedRemembered = (models: Models, memory: CaptureMemory): void => {
  const pending = memory.list().flatMap(({ capture, what }) => {
    const cuts = what.startsWith(cutsPrefix) ? memory.read<FaceCuts>(capture, what) : undefined
    return cuts === undefined ? [] : [{ capture, what: what.slice(cutsPrefix.length), cuts }]
  })
  const vectors = embedFaces(
    models,
    pending.map(({ cuts }) => cuts),
  )
  for (const [n, { capture, what }] of pending.entries()) {
    memory.write(capture, vectorsPrefix + what, vectors[n])
    memory.remove(capture, cutsPrefix + what)
  }
}

/** The vectors of a face after `embedRemembered`. @throws {Error} where it was not embedded */
export const readVectors = (memory: CaptureMemory, capture: CaptureName, what: string): FaceVectors => {
  const vectors = memory.read<FaceVectors>(capture, vectorsPrefix + what)
  if (vectors === undefined) throw new Error(`${capture}: its face is not embedded`)
  return vectors
}

/** Whose face it is, and what it is read for. */
export interface WantedFace {
  readonly capture: CaptureName
  readonly purpose: Purpose
}

const nameFace = ({ purpose }: WantedFace): string =>
  'answers' in purpose ? `face that answers ${purpose.answers}` : `face in ${purpose.former?.model ?? 'one space'}`

const withoutCuts = ({ cuts: _, ...seen }: FacePicture): SeenFace => seen

/** Reads the widest face of a picture, or remembers it. */
export const recallFace = (
  models: Models,
  memory: CaptureMemory,
  wanted: WantedFace,
  image: EncodedImage,
): Promise<SeenFace | null> =>
  memory.recall(wanted.capture, nameFace(wanted), async () => {
    const read = await readFace(models, image, wanted.purpose)
    if (read === null) return null
    rememberCuts(memory, wanted.capture, nameFace(wanted), read.cuts)
    return withoutCuts(read)
  })

/** The face that is remembered; null where there is none, or nobody has looked for it. */
export const readRemembered = (memory: CaptureMemory, wanted: WantedFace): SeenFace | null =>
  memory.read<SeenFace | null>(wanted.capture, nameFace(wanted)) ?? null

/** Adds the vectors of a face after `embedRemembered`. */
export const addVectors = (memory: CaptureMemory, wanted: WantedFace, seen: SeenFace): ComparedFace => ({
  ...seen,
  vectors: readVectors(memory, wanted.capture, nameFace(wanted)),
})
