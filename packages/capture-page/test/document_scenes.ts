import sharp, { type Sharp } from 'sharp'
import { photograph, renderDocument } from '../../vision/test/drawn.ts'
import { inventedFields, plainPortrait } from '../../vision/test/synthetic/invented.ts'

/** The camera that films the documents. */
export const tableCamera = { width: 1280, height: 960 }
const { width, height } = tableCamera
const seed = 31

/** A passport on a table, filmed well, and filmed badly in one way each. */
export interface DocumentScenes {
  readonly absent: Buffer
  readonly small: Buffer
  readonly cutOff: Buffer
  readonly blurred: Buffer
  readonly dark: Buffer
  readonly glare: Buffer
  /** The same document a moment later, held a little elsewhere. */
  readonly moved: Buffer
  readonly good: Buffer
}

const table = '#6b5a48'

export async function drawDocumentScenes(): Promise<DocumentScenes> {
  const fields = inventedFields('TD3', seed)
  const { front } = await renderDocument({ format: 'TD3', fields, portrait: plainPortrait, seed })
  const good = await photograph(front, { seed, condition: 'typical', width })
  const empty = sharp({ create: { width, height, channels: 3, background: table } })
  const encode = (picture: Sharp): Promise<Buffer> => picture.png().toBuffer()
  const small = await sharp(front).resize({ width: 280 }).png().toBuffer()
  const spot = `<svg width="${width}" height="${height}"><circle cx="${width / 2}" cy="${height / 2}" r="${height / 5}" fill="#fff"/></svg>`
  const shift = 60
  const shifted = { left: 0, top: 0, width: width - shift, height: height - shift }
  return {
    absent: await encode(empty.clone()),
    small: await encode(empty.clone().composite([{ input: small, left: 520, top: 400 }])),
    cutOff: await encode(
      sharp(good)
        .extract({ left: 0, top: 0, width: Math.round(width * 0.6), height })
        .extend({ top: 0, bottom: 0, left: width - Math.round(width * 0.6), right: 0, extendWith: 'copy' }),
    ),
    blurred: await encode(sharp(good).blur(8)),
    dark: await encode(sharp(good).linear(0.2)),
    glare: await encode(sharp(good).composite([{ input: Buffer.from(spot) }])),
    moved: await encode(sharp(good).extract(shifted).extend({ left: shift, top: shift, extendWith: 'copy' })),
    good,
  }
}
