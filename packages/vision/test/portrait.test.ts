/**
 * The portrait of a document that is photographed from far away is found only by a closer look at the picture's parts.
 */
import test from 'ava'
import sharp from 'sharp'
import { createQuarterTurns, findSurePortrait, searchPortrait } from '../face/portrait.ts'
import { decodeImage } from '../images/decode_image.ts'
import { loadModels } from '../models.ts'
import { person } from '../synthetic/portrait.ts'
import { renderPortrait } from './drawn.ts'

/** The detector is surer of this person's face when it is sideways. */
const seed = 90

async function drawFromFar(): Promise<Buffer> {
  return sharp({ create: { width: 1000, height: 700, channels: 3, background: '#d8dde2' } })
    .composite([{ input: await renderPortrait(person(seed), {}, { width: 60, height: 75 }), left: 150, top: 180 }])
    .png()
    .toBuffer()
}

test('a small portrait is found the right way up, however the picture is turned', async t => {
  const models = await loadModels()
  const ways = createQuarterTurns(await decodeImage(await drawFromFar(), 2000))
  for (const turns of [0, 1]) {
    const turned = createQuarterTurns(ways(turns))
    t.is(await findSurePortrait(models, turned), null, 'a glance is not enough')
    t.is((await searchPortrait(models, turned))?.quarterTurns, (4 - turns) % 4, `turned ${turns} times`)
  }
})
