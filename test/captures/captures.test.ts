import { crc32 } from 'node:zlib'
import test, { type ExecutionContext } from 'ava'
import fc from 'fast-check'
import sharp, { type Sharp } from 'sharp'
import { newKey } from '../../src/base/encryption.ts'
import { newId, sha256 } from '../../src/base/ids.ts'
import { deleteStatement, encryptCapture, readCaptures, type SavedCapture } from '../../src/captures/captures.ts'
import { keyedDigest } from '../../src/captures/digest.ts'
import { openStore } from '../../src/durable/store/source.ts'
import { run } from '../../src/durable/store/statement.ts'
import { checkImage } from '../../src/images/check_image.ts'
import { isAffordable } from '../../src/images/decode_cost.ts'
import { measured_side } from '../../src/images/quality.ts'
import { manualClock } from '../clock.ts'
import { databases } from '../database.ts'
import { noise } from '../noise.ts'

const limits = { max_bytes: 2_000_000, max_megapixels: 4 }

const picture = (width = 300, height = 200): Sharp => noise(width, height, 32)

const refused = async (t: ExecutionContext, content: Uint8Array, code: string, type: string | null = null) =>
  t.throwsAsync(checkImage(content, type, limits, 'selfie'), { name: 'ApiError', code })

/** A PNG of one row that says it is far larger. */
const bomb = async (width: number, height: number, small = picture(64, 64).png()): Promise<Buffer> => {
  const png = await small.toBuffer()
  png.writeUInt32BE(width, 16)
  png.writeUInt32BE(height, 20)
  const { crc32 } = await import('node:zlib')
  png.writeUInt32BE(crc32(png.subarray(12, 29)), 29)
  return png
}

for (const engine of databases) {
  test(`${engine.name}: a capture comes back as it was, under its own key and in its own place only`, async t => {
    const database = await engine.fresh()
    const store = openStore(database.address, 2)
    t.teardown(async () => {
      await store.close()
      await database.drop()
    })
    const clock = manualClock()
    const key = newKey()
    const content = Buffer.from('every pixel of it'.repeat(1000))
    const capture = { account_id: newId(), transaction_id: newId(), kind: 'selfie', media_type: 'image/jpeg', content }
    const keep = async (one: typeof capture) => {
      const { reference, insertion } = encryptCapture(clock, key, one)
      await store.commit(() => run(insertion))
      return reference
    }
    const saved = await keep(capture)
    const other = await keep({ ...capture, content: Buffer.from('other') })
    const both = await readCaptures(store, key, [other, saved])
    t.deepEqual([both(saved), both(other)], [content, Buffer.from('other')])
    const unreadable = async (under: Buffer, reference: SavedCapture) => {
      const contentOf = await readCaptures(store, under, [reference])
      t.throws(() => contentOf(reference), { name: 'UnreadableCaptureError' })
    }
    t.is(saved.digest, keyedDigest(key, sha256(content)))
    t.not(keyedDigest(newKey(), sha256(content)), saved.digest, 'without the key nobody can tell what it is of')
    t.deepEqual(both({ ...saved, digest: sha256(content) }), content, 'as it was named before')
    await unreadable(newKey(), saved)
    await unreadable(key, { ...saved, digest: other.digest })
    const [row] = await store.read({ sql: 'SELECT * FROM captures WHERE id = ?', values: [saved.capture_id] })
    t.is(row?.byte_count, content.length)
    t.false(Buffer.from(row?.content as Uint8Array).includes('every pixel'))
    await store.commit(() =>
      run({ sql: 'UPDATE captures SET content = ? WHERE id = ?', values: [row?.content ?? null, other.capture_id] }),
    )
    await unreadable(key, other)
    await store.commit(() => run(deleteStatement(saved.capture_id)))
    await unreadable(key, saved)
  })
}

test('JPEG, PNG and WebP are told by their content', async t => {
  const images = {
    'image/jpeg': await picture().jpeg().toBuffer(),
    'image/png': await picture().png().toBuffer(),
    'image/webp': await picture().webp().toBuffer(),
  } as const
  for (const [media_type, content] of Object.entries(images)) {
    t.like(await checkImage(content, null, limits, 'selfie'), { media_type, width: 300, height: 200 } as never)
    t.is((await checkImage(content, media_type, limits, 'selfie')).media_type, media_type as never)
  }
  await refused(t, images['image/jpeg'], 'unsupported_media_type', 'image/png')
  t.like(await checkImage(await picture().jpeg({ progressive: true }).toBuffer(), null, limits, 'selfie'), {
    width: 300,
  })
})

test('what is no still picture of these kinds is refused', async t => {
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
  // The picture itself seems to begin in a comment before it: zlib's crc32 makes the chunk whole for any reader.
  const comment = Buffer.from('tEXtComment\0IDAT', 'latin1')
  const chunk = Buffer.alloc(comment.length + 8)
  chunk.writeUInt32BE(comment.length - 4)
  comment.copy(chunk, 4)
  chunk.writeUInt32BE(crc32(comment), comment.length + 4)
  await refused(t, Buffer.concat([still.subarray(0, 33), chunk, acTL, still.subarray(33)]), 'unusable_capture')
})

test('a truncated or damaged picture is refused, however much of it is there', async t => {
  const images = [
    await picture().jpeg().toBuffer(),
    await picture().jpeg({ progressive: true }).toBuffer(),
    await picture().png().toBuffer(),
    await picture().webp().toBuffer(),
  ]
  for (const whole of images)
    for (const share of [0.2, 0.5, 0.9]) await refused(t, whole.subarray(0, whole.length * share), 'unusable_capture')
})

test('size is bounded in bytes and, before anything is decoded, in pixels', async t => {
  await refused(t, Buffer.alloc(limits.max_bytes + 1, 0xff), 'too_large')
  await refused(t, await bomb(20_000, 20_000), 'too_large')
  await refused(t, await bomb(2_000_000_000, 2), 'unusable_capture')
  await refused(t, await bomb(1_900, 1_900), 'unusable_capture')
  const deep = () => picture(64, 64).ensureAlpha().toColourspace('rgb16')
  const wide = { ...limits, max_megapixels: 50 }
  const judged = async (png: Sharp) => checkImage(await bomb(4_900, 4_900, png), null, wide, 'selfie')
  await t.throwsAsync(judged(deep().png({ progressive: true })), { name: 'ApiError', message: /baseline JPEG/ })
  await t.throwsAsync(judged(deep().png()), { name: 'ApiError', code: 'too_large' })
  await t.throwsAsync(judged(picture(64, 64).png()), { name: 'ApiError', code: 'unusable_capture' })
  t.like(await checkImage(await picture(2000, 2000).jpeg().toBuffer(), null, limits, 'selfie'), { height: 2000 })
})

test('24 megapixels are taken of any usual encoding, and 50 of what a camera writes', t => {
  const of = (megapixels: number) => ({ width: megapixels * 1000, height: 1000, channels: 3, depth: 'uchar' })
  const progressive = { format: 'jpeg', isProgressive: true }
  const lossless = { format: 'webp' }
  const [full, halved] = [{ chromaSubsampling: '4:4:4' }, { chromaSubsampling: '4:2:0' }]
  for (const encoding of [{ ...progressive, ...full }, { format: 'png', isProgressive: true }, lossless])
    t.true(isAffordable({ ...of(24), ...encoding }) && !isAffordable({ ...of(50.1), ...encoding }))
  t.false(isAffordable({ ...of(30), ...progressive, ...full }))
  t.true(isAffordable({ ...of(49), ...progressive, ...halved }))
  t.false(isAffordable({ ...of(24), ...progressive, channels: 4, chromaSubsampling: '4:4:4:4' }))
  for (const format of ['jpeg', 'png']) t.true(isAffordable({ ...of(50), format, channels: 4 }))
  const deep = { format: 'png', depth: 'ushort' }
  t.true(isAffordable({ ...of(12), ...deep, channels: 4 }) && isAffordable({ ...of(16), ...deep }))
  t.false(isAffordable({ ...of(13), ...deep, channels: 4 }) || isAffordable({ ...of(17), ...deep }))
})

test.serial('what a picture is measured by is given back at once, and not left to the garbage collector', async t => {
  const content = await picture(1000, 1000).jpeg().toBuffer()
  const kept: number[] = []
  for (let taken = 0; taken < 4; taken++) {
    const before = process.memoryUsage().external
    await checkImage(content, null, limits, 'document')
    kept.push(process.memoryUsage().external - before)
  }
  t.true(Math.max(...kept) < (measured_side * measured_side * 3) / 2, kept.join(', '))
})

test('whatever the bytes, the answer is a picture or a refusal', async t => {
  const seeds = [await picture(80, 80).jpeg().toBuffer(), await picture(80, 80).png().toBuffer()]
  seeds.push(await picture(80, 80).webp().toBuffer())
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...seeds),
      fc.array(fc.tuple(fc.nat(), fc.integer({ min: 0, max: 255 })), { minLength: 1, maxLength: 8 }),
      async (seed, changes) => {
        const content = Buffer.from(seed)
        for (const [at, byte] of changes) content[at % content.length] = byte
        const verdict = await checkImage(content, null, limits, 'selfie').catch((error: unknown) => error)
        if (verdict instanceof Error && verdict.name !== 'ApiError') throw verdict
      },
    ),
    { numRuns: 60 },
  )
  t.pass()
})
