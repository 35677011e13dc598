import sharp from 'sharp'
import type { Photographs } from '../../../lab/demo/people.ts'
import { tableCamera } from './document_scenes.ts'

/** A camera that films documents and faces alike, held crosswise. */
export const camera = tableCamera
const { width, height } = camera

/** Fits a picture into the camera's size, and continues it at its borders. */
export async function fitCamera(picture: Uint8Array): Promise<Buffer> {
  const fitted = await sharp(picture)
    .resize({ width, height, fit: 'inside' })
    .png()
    .toBuffer({ resolveWithObject: true })
  const x = width - fitted.info.width
  const y = height - fitted.info.height
  const left = x >> 1
  const top = y >> 1
  return sharp(fitted.data)
    .extend({ left, right: x - left, top, bottom: y - top, extendWith: 'copy' })
    .png()
    .toBuffer()
}

/** A camera's views of a person with a document. */
export interface FilmedScenes {
  readonly document: Buffer
  readonly blurred: Buffer
  readonly face: Buffer
  readonly shut: Buffer
  /** Scenes by the action that each one shows. */
  readonly actions: Readonly<Record<string, Buffer>>
}

/** Shows the photographs to a camera, as large as its own pictures. */
export async function film({ document_front, selfie, frames }: Photographs): Promise<FilmedScenes> {
  const document = await fitCamera(document_front)
  const actions: Record<string, Buffer> = {}
  for (const [action, frame] of Object.entries(frames)) actions[action] = await fitCamera(frame)
  const { BLINK: shut } = actions
  if (shut === undefined) throw new Error('nobody shuts the eyes')
  return {
    document,
    blurred: await sharp(document).blur(8).png().toBuffer(),
    face: await fitCamera(selfie),
    shut,
    actions,
  }
}

let takes = 0

/** The same a moment later, a shade brighter: the service accepts no picture twice. */
export async function filmAgain(scenes: FilmedScenes): Promise<FilmedScenes> {
  const shade = ++takes
  const brighten = (picture: Buffer): Promise<Buffer> => sharp(picture).linear(1, shade).png().toBuffer()
  const actions: Record<string, Buffer> = {}
  for (const [action, frame] of Object.entries(scenes.actions)) actions[action] = await brighten(frame)
  const document = await brighten(scenes.document)
  const blurred = await brighten(scenes.blurred)
  return { document, blurred, face: await brighten(scenes.face), shut: await brighten(scenes.shut), actions }
}

/** An empty wall. */
export function emptyScene(): Promise<Buffer> {
  return sharp({ create: { ...camera, channels: 3, background: '#b9bec4' } })
    .png()
    .toBuffer()
}
