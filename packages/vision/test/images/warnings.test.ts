import test from 'ava'
import sharp, { type Sharp } from 'sharp'
import { rounds } from '../../../../test/tier.ts'
import type { Subject } from '../../images/picture_quality.ts'
import { warningCatalogue } from '../../images/warnings.ts'
import type { PhotoCondition } from '../../synthetic/photo_taking.ts'
import { person } from '../../synthetic/portrait.ts'
import { photograph, renderDocument, renderPortrait } from '../drawn.ts'
import { inventedFields, plainPortrait } from '../synthetic/invented.ts'
import { checkUpload } from './check_upload.ts'

async function warned(subject: Subject, image: Uint8Array): Promise<readonly string[]> {
  return (await checkUpload(image, subject)).warnings
}

const seed = 31
const { front } = await renderDocument({
  format: 'TD3',
  fields: inventedFields('TD3', seed),
  portrait: plainPortrait,
  seed,
})

function photo(condition: PhotoCondition): Promise<Buffer> {
  return photograph(front, { seed, condition, width: 1200 })
}

const typical = await photo('typical')
const { width = 0, height = 0 } = await sharp(typical).metadata()

/** The photo, spoilt in one way each. */
const spoilt: Readonly<Record<string, () => Promise<Buffer>>> = {
  IMAGE_BLURRED: () => sharp(typical).blur(9).jpeg().toBuffer(),
  IMAGE_TOO_DARK: () => sharp(typical).linear(0.2).jpeg().toBuffer(),
  DOCUMENT_CUT_OFF: () =>
    sharp(typical)
      .extract({ left: 0, top: 0, width: Math.round(width * 0.6), height })
      .jpeg()
      .toBuffer(),
  DOCUMENT_TOO_SMALL: async () => {
    const small = await sharp(front).resize({ width: 300 }).png().toBuffer()
    return sharp({ create: { width: 1600, height: 1200, channels: 3, background: '#6b5a48' } })
      .composite([{ input: small, left: 600, top: 500 }])
      .jpeg()
      .toBuffer()
  },
  DOCUMENT_GLARE: () => {
    const spot = `<svg width="${width}" height="${height}"><circle cx="${width / 2}" cy="${height / 2}" r="${height / 5}" fill="#fff"/></svg>`
    return sharp(typical)
      .composite([{ input: Buffer.from(spot) }])
      .jpeg()
      .toBuffer()
  },
}

test('a photo of a document that can be read is not warned of, whatever the condition', async t => {
  const conditions = ['typical', 'shadow', 'side_light', 'small', 'busy'] as const
  for (const condition of conditions.slice(0, rounds(2, 5)))
    t.deepEqual(await warned('document', condition === 'typical' ? typical : await photo(condition)), [], condition)
})

test('each way to spoil a photo of a document has its own warning, and no other', async t => {
  for (const [code, spoil] of Object.entries(spoilt)) t.deepEqual(await warned('document', await spoil()), [code])
  t.deepEqual(await warned('document', await sharp(typical).resize({ width: 500 }).jpeg().toBuffer()), [
    'IMAGE_LOW_RESOLUTION',
  ])
})

test('a selfie is warned of when it is small, blurred, dark or burnt out, and never of a document', async t => {
  const selfie = await renderPortrait(person(15), { turn: 0 }, { width: 600, height: 800 })
  const look = async (spoil: (picture: Sharp) => Sharp): Promise<readonly string[]> =>
    warned('selfie', await spoil(sharp(selfie)).jpeg().toBuffer())
  t.deepEqual(await look(picture => picture), [])
  t.deepEqual(await look(picture => picture.linear(0.5)), [], 'dim light will do')
  t.deepEqual(await look(picture => picture.blur(9)), ['IMAGE_BLURRED'])
  t.deepEqual(await look(picture => picture.linear(0.15)), ['IMAGE_TOO_DARK'])
  t.deepEqual(await look(picture => picture.linear(3)), ['IMAGE_TOO_BRIGHT'])
  t.deepEqual(await look(picture => picture.resize({ height: 320 })), ['IMAGE_LOW_RESOLUTION'])
})

test('a picture of any shape and colouring can be judged', async t => {
  const create = { width: 64, height: 6000, channels: 3, background: '#fff' } as const
  const odd = [
    sharp({ create }),
    sharp({ create }).rotate(90),
    sharp({ create: { ...create, height: 64, channels: 4, background: '#00000000' } }),
    sharp({ create }).toColourspace('b-w'),
    sharp({ create }).toColourspace('rgb16'),
  ]
  for (const picture of odd)
    for (const subject of ['document', 'selfie'] as const)
      for (const code of await warned(subject, await picture.clone().png().toBuffer())) t.true(code in warningCatalogue)
  const cmyk = await sharp({ create }).toColourspace('cmyk').jpeg().toBuffer()
  t.true((await warned('document', cmyk)).includes('IMAGE_TOO_BRIGHT'))
})
