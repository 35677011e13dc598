import { crc32 } from 'node:zlib'
import test, { type ExecutionContext } from 'ava'
import fc from 'fast-check'
import sharp, { type Sharp } from 'sharp'
import { noise } from '../../../../test/noise.ts'
import { isAffordable } from '../../images/decode_cost.ts'
import { decodeImage } from '../../images/decode_image.ts'
import { maxMeasuredSide } from '../../images/picture_quality.ts'
import { checkUpload } from './check_upload.ts'

const limits = { max_bytes: 2_000_000, max_megapixels: 4 }

function picture(width = 300, height = 200): Sharp {
  return noise(width, height, 32)
}

async function refused(t: ExecutionContext, content: Uint8Array, code: string) {
  return t.throwsAsync(checkUpload(content, 'selfie', { limits }), { name: 'ImageError', code })
}

/** Returns a PNG of one row whose header claims to be far larger. */
async function bomb(width: number, height: number, small = picture(64, 64).png()): Promise<Buffer> {
  const png = await small.toBuffer()
  png.writeUInt32BE(width, 16)
  png.writeUInt32BE(height, 20)
  png.writeUInt32BE(crc32(png.subarray(12, 29)), 29)
  return png
}

test('JPEG, PNG and WebP are recognised by their content', async t => {
  const images = {
    'image/jpeg': await picture().jpeg().toBuffer(),
    'image/png': await picture().png().toBuffer(),
    'image/webp': await picture().webp().toBuffer(),
  } as const
  for (const [media_type, content] of Object.entries(images))
    t.like(await checkUpload(content, 'selfie', { limits }), { media_type, width: 300, height: 200 } as never)
  t.like(await checkUpload(await picture().jpeg({ progressive: true }).toBuffer(), 'selfie', { limits }), {
    width: 300,
  })
})

test('only still pictures of these types are accepted', async t => {
  const svg = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="300" height="300"/>')
  for (const content of [svg, await picture().gif().toBuffer(), await picture().tiff().toBuffer(), Buffer.from('x')])
    await refused(t, content, 'unsupported_media_type')
  for (const head of ['\xff\xd8\xff', '\x89PNG\r\n\x1a\n', 'RIFF\x10\0\0\0WEBP'])
    await refused(t, Buffer.concat([Buffer.from(head, 'latin1'), svg]), 'unusable_capture')
  await refused(t, Buffer.alloc(0), 'unusable_capture')
  await refused(t, await picture(63, 300).png().toBuffer(), 'unusable_capture')
  const stills = [await picture(100, 100).png().toBuffer(), await picture(100, 100).negate().png().toBuffer()]
  const frames = await sharp(stills, { join: { animated: true } })
    .webp({ delay: [50, 50] })
    .toBuffer()
  await refused(t, frames, 'unusable_capture')
  const still = await picture().png().toBuffer()
  const acTL = Buffer.from('\0\0\0\x08acTL\0\0\0\x02\0\0\0\0\0\0\0\0', 'latin1')
  await refused(t, Buffer.concat([still.subarray(0, 33), acTL, still.subarray(33)]), 'unusable_capture')
  // A comment before the picture contains the beginning of one: zlib's crc32 makes the chunk whole for any reader.
  const comment = Buffer.from('tEXtComment\0IDAT', 'latin1')
  const chunk = Buffer.alloc(comment.length + 8)
  chunk.writeUInt32BE(comment.length - 4)
  comment.copy(chunk, 4)
  chunk.writeUInt32BE(crc32(comment), comment.length + 4)
  await refused(t, Buffer.concat([still.subarray(0, 33), chunk, acTL, still.subarray(33)]), 'unusable_capture')
})

test('a truncated or damaged picture is rejected, however much of it is there', async t => {
  const images = [
    await picture().jpeg().toBuffer(),
    await picture().jpeg({ progressive: true }).toBuffer(),
    await picture().png().toBuffer(),
    await picture().webp().toBuffer(),
  ]
  for (const whole of images)
    for (const share of [0.2, 0.5, 0.9]) await refused(t, whole.subarray(0, whole.length * share), 'unusable_capture')
})

test('a JPEG whose end marker is missing, or followed by more, is whole', async t => {
  for (const progressive of [false, true]) {
    const jpeg = await picture().jpeg({ progressive }).toBuffer()
    t.is(jpeg.subarray(-2).toString('hex'), 'ffd9')
    for (const content of [jpeg.subarray(0, -1), jpeg.subarray(0, -2), Buffer.concat([jpeg, Buffer.alloc(9)])]) {
      t.like(await checkUpload(content, 'selfie', { limits }), { width: 300, height: 200 })
      t.like(await decodeImage(content, 300), { width: 300, height: 200 })
    }
  }
})

test('size is bounded in bytes and, before anything is decoded, in pixels', async t => {
  await refused(t, Buffer.alloc(limits.max_bytes + 1, 0xff), 'too_large')
  await refused(t, await bomb(20_000, 20_000), 'too_large')
  await refused(t, await bomb(2_000_000_000, 2), 'unusable_capture')
  await refused(t, await bomb(1_900, 1_900), 'unusable_capture')
  const deep = () => picture(64, 64).ensureAlpha().toColourspace('rgb16')
  const judged = async (png: Sharp) => checkUpload(await bomb(4_900, 4_900, png), 'selfie')
  await t.throwsAsync(judged(deep().png({ progressive: true })), { name: 'ImageError', message: /baseline JPEG/ })
  await t.throwsAsync(judged(deep().png()), { name: 'ImageError', code: 'too_large' })
  await t.throwsAsync(judged(picture(64, 64).png()), { name: 'ImageError', code: 'unusable_capture' })
  t.like(await checkUpload(await picture(2000, 2000).jpeg().toBuffer(), 'selfie', { limits }), { height: 2000 })
})

test('24 megapixels are taken of any usual encoding, and 200 of what a phone writes', t => {
  const of = (megapixels: number) => ({ width: megapixels * 1000, height: 1000, channels: 3, depth: 'uchar' })
  const progressive = { format: 'jpeg', isProgressive: true }
  const lossless = { format: 'webp' }
  const full = { chromaSubsampling: '4:4:4' }
  const halved = { chromaSubsampling: '4:2:0' }
  for (const encoding of [{ ...progressive, ...full }, { format: 'png', isProgressive: true }, lossless])
    t.true(isAffordable({ ...of(24), ...encoding }) && !isAffordable({ ...of(50.1), ...encoding }))
  t.false(isAffordable({ ...of(30), ...progressive, ...full }))
  t.true(isAffordable({ ...of(49), ...progressive, ...halved }))
  t.false(isAffordable({ ...of(24), ...progressive, channels: 4, chromaSubsampling: '4:4:4:4' }))
  t.true(isAffordable({ ...of(199.8), format: 'jpeg', ...halved }))
  for (const format of ['jpeg', 'png']) t.true(isAffordable({ ...of(50), format, channels: 4 }))
  const deep = { format: 'png', depth: 'ushort' }
  t.true(isAffordable({ ...of(12), ...deep, channels: 4 }) && isAffordable({ ...of(16), ...deep }))
  t.false(isAffordable({ ...of(13), ...deep, channels: 4 }) || isAffordable({ ...of(17), ...deep }))
})

test.serial('the memory of a measured picture is released at once', async t => {
  const content = await picture(1000, 1000).jpeg().toBuffer()
  const kept: number[] = []
  for (let taken = 0; taken < 4; taken++) {
    const before = process.memoryUsage().external
    await checkUpload(content, 'document', { limits })
    kept.push(process.memoryUsage().external - before)
  }
  t.true(Math.max(...kept) < (maxMeasuredSide * maxMeasuredSide * 3) / 2, kept.join(', '))
})

test('any bytes are either accepted or rejected', async t => {
  const seeds = [await picture(80, 80).jpeg().toBuffer(), await picture(80, 80).png().toBuffer()]
  seeds.push(await picture(80, 80).webp().toBuffer())
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...seeds),
      fc.array(fc.tuple(fc.nat(), fc.integer({ min: 0, max: 255 })), { minLength: 1, maxLength: 8 }),
      async (seed, changes) => {
        const content = Buffer.from(seed)
        for (const [at, byte] of changes) content[at % content.length] = byte
        const verdict = await checkUpload(content, 'selfie', { limits }).catch((error: unknown) => error)
        if (verdict instanceof Error && verdict.name !== 'ImageError') throw verdict
      },
    ),
    { numRuns: 60 },
  )
  t.pass()
})
