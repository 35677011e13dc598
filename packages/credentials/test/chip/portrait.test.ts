import { loadModels } from '@attestor/vision/readers'
import { person, personSeeds, seeded } from '@attestor/vision/synthetic'
import { analyse, readSides } from '@attestor/vision/testing'
import test from 'ava'
import sharp from 'sharp'
import { inLongTier, rounds } from '../../../../test/tier.ts'
import { renderPortrait } from '../../../vision/test/drawn.ts'
import { readPortraitGroup } from '../../chip/data_groups.ts'
import { UnreadableFileError } from '../../chip/unreadable_file_error.ts'
import { composePortraitGroup } from '../../synthetic/chip.ts'
import { encodeJpeg2000, wrapJpeg2000 } from '../../synthetic/jpeg2000.ts'
import { mutate } from './mutate.ts'

const [anna = 1, berta = 2] = personSeeds
const size = { width: 480, height: 640 }
const request = {
  transaction_id: '0192d4a0-0000-7000-8000-000000000000',
  transaction_type: 'DOCUMENT_AND_BIOMETRIC',
  document_front: null,
  document_back: null,
  challenge: null,
  enrolled_face: null,
} as const

async function drawForChip(seed: number): Promise<Buffer> {
  const image = sharp(await renderPortrait(person(seed), {}, size)).removeAlpha()
  const { data, info } = await image.raw().toBuffer({ resolveWithObject: true })
  return encodeJpeg2000({ data, ...info })
}

inLongTier(test)('a selfie is compared with the JPEG 2000 of a chip beside the printed portrait', async t => {
  const models = await loadModels()
  const selfie = await renderPortrait(person(anna), {}, size)
  const compare = async (signed_portrait: Buffer | null) => {
    const tools = { models, falseMatchRate: '0.001', readSides, print: null } as const
    return (await analyse(tools, { ...request, selfie, signed_portrait })).face?.chip
  }
  const own = await drawForChip(anna)
  const [same, other] = [await compare(own), await compare(await drawForChip(berta))]
  t.true((same?.distance ?? 1) * 5 < (other?.distance ?? 0))
  t.deepEqual([same?.same_picture, other?.same_picture], [true, false])
  t.is(await compare(null), null)
  // A signed portrait that nobody can decode fails no analysis.
  t.is(await compare(own.subarray(0, 30)), null)
})

test('a portrait is found in DG2 whatever its format, and mutated headers are refused or lead nowhere else', t => {
  const codestream = Buffer.concat([Buffer.from('ff4fff51002f', 'hex'), Buffer.alloc(300, 7)])
  const images = {
    'image/jpeg': Buffer.concat([Buffer.from('ffd8ffe0', 'hex'), Buffer.alloc(300, 7)]),
    'image/j2k': codestream,
    'image/jp2': wrapJpeg2000(codestream, 16),
  }
  const random = seeded(34)
  for (const [media_type, image] of Object.entries(images)) {
    const file = composePortraitGroup(image)
    t.deepEqual(readPortraitGroup(file), { media_type, image } as ReturnType<typeof readPortraitGroup>)
    for (let round = 0; round < rounds(1000, 30_000); round++) {
      try {
        const found = readPortraitGroup(mutate(file, random))
        t.true(found.image.length <= file.length + 256)
      } catch (error) {
        if (!(error instanceof UnreadableFileError)) throw error
      }
    }
  }
  const far = composePortraitGroup(Buffer.concat([Buffer.alloc(5000, 1), images['image/jpeg']]))
  t.throws(() => readPortraitGroup(far), { instanceOf: UnreadableFileError })
})
