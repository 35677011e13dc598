import sharp from 'sharp'
import { analyse } from './analyse.ts'
import { embedFace } from './face/embedding.ts'
import { measureEyeOpenings } from './face/iris.ts'
import { findLandmarks } from './face/landmarks.ts'
import { decodeImage } from './images/decode_image.ts'
import { decodeDocument } from './images/document_picture.ts'
import { viewPicture } from './print/page.ts'
import type { AnalysisTools } from './tools.ts'

const side = 320
const middle = { left: side / 4, top: side / 4, width: side / 2, height: side / 2 } as const
const eyes = [
  [side * 0.4, side * 0.4],
  [side * 0.6, side * 0.4],
] as const

/**
 * Draws two lines of the letter H, 24 pixels high, without a font: each line that is read costs the start some 30 CPU
 * ms.
 */
function drawLetters(): { readonly data: Uint8Array; readonly width: number; readonly height: number } {
  const width = 400
  const height = 96
  const data = new Uint8Array(width * height).fill(255)
  for (let at = 0; at < data.length; at++) {
    const x = (at % width) % 24
    const y = Math.floor(at / width) % 48
    const isInk = y < 24 && ((x >= 4 && x < 8) || (x >= 16 && x < 20) || (y >= 10 && y < 14 && x >= 4 && x < 20))
    if (isInk && (at % width) % 168 < 144) data[at] = 0
  }
  return { data, width, height }
}

/**
 * Runs everything that an analysis uses once, so that the first real one is about as fast as the next. A grey picture
 * shows no face, so the networks after the detector run on an invented one; rows of letters are read like a zone.
 */
export async function warmUp(tools: AnalysisTools): Promise<void> {
  const grey = await sharp({ create: { width: side, height: side, channels: 3, background: '#808080' } })
    .png()
    .toBuffer()
  const { data, ...size } = drawLetters()
  const page = await sharp(data, { raw: { ...size, channels: 1 } })
    .png()
    .toBuffer()
  // Print is read below, in fewer lines than a whole side has.
  await analyse(
    { ...tools, print: null },
    {
      transaction_id: '',
      transaction_type: 'DOCUMENT_AND_BIOMETRIC',
      document_front: page,
      document_back: null,
      selfie: grey,
      challenge: null,
      enrolled_face: null,
    },
  )
  const pixels = await decodeImage(grey, side)
  const landmarks = await findLandmarks(tools.models, pixels, { score: 1, ...middle, eyes })
  await measureEyeOpenings(tools.models, pixels, landmarks)
  await embedFace(tools.models.embedding, pixels, landmarks)
  await tools.print?.read(viewPicture((await decodeDocument(page)).pixels), {
    side: 416,
    turns: null,
    isEnough: lines => lines.length > 0,
  })
}
