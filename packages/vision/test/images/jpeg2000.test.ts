import { encodeJpeg2000, type Samples, wrapJpeg2000 } from '@attestor/credentials/synthetic'
import test from 'ava'
import { rounds } from '../../../../test/tier.ts'
import { decodePortrait, UnreadableImageError } from '../../images/decode_image.ts'
import { type Random, seeded } from '../../synthetic/random.ts'

const [width, height] = [96, 128]

/** Paints slow changes of each colour, which survive a compression. */
function paint(channels: number): Samples {
  const data = new Uint8Array(width * height * channels)
  for (let at = 0; at < data.length; at++) {
    const [pixel, channel] = [Math.floor(at / channels), at % channels]
    data[at] = 60 * channel + Math.round(((pixel % width) / width) * 60 + (Math.floor(pixel / width) / height) * 40)
  }
  return { data, width, height, channels }
}

/** Measures the mean difference of the colours from the painted ones. */
function measureError(data: Uint8Array, painted: Samples, shown: (channel: number) => number): number {
  let sum = 0
  for (let at = 0; at < data.length; at++)
    sum += Math.abs((data[at] ?? 0) - (painted.data[Math.floor(at / 3) * painted.channels + shown(at % 3)] ?? 0))
  return sum / data.length
}

test('JPEG 2000 is decoded, bare or as a file, in colours or grey', async t => {
  const [rgb, grey] = [paint(3), paint(1)]
  const [colours, shades] = [await encodeJpeg2000(rgb), await encodeJpeg2000(grey)]
  for (const [image, painted, shown] of [
    [colours, rgb, (channel: number) => channel],
    [wrapJpeg2000(colours, 16), rgb, (channel: number) => channel],
    [wrapJpeg2000(shades, 17), grey, () => 0],
  ] as const) {
    const picture = await decodePortrait(image, 1280)
    t.deepEqual([picture.width, picture.height], [width, height])
    t.true(measureError(picture.data, painted, shown) < 3)
  }
  const small = await decodePortrait(colours, 64)
  t.deepEqual([small.width, small.height], [48, 64])
})

/** Returns the codestream with four bytes of SIZ changed. */
function withSize(codestream: Buffer, at: number, value: number): Buffer {
  const changed = Buffer.from(codestream)
  changed.writeUInt32BE(value, at)
  return changed
}

/** Returns the codestream with precincts of one sample in every resolution, as its COD may ask for. */
function withPrecincts(codestream: Buffer, exponents: number): Buffer {
  const at = codestream.indexOf(Buffer.from('ff52', 'hex'))
  const levels = codestream[at + 9] ?? 0
  const segment = Buffer.from(codestream.subarray(at, at + 2 + codestream.readUInt16BE(at + 2)))
  segment[4] = (segment[4] ?? 0) | 1
  const grown = Buffer.concat([segment, Buffer.alloc(levels + 1, exponents)])
  grown.writeUInt16BE(grown.length - 2, 2)
  return Buffer.concat([codestream.subarray(0, at), grown, codestream.subarray(at + segment.length)])
}

test('more precincts, blocks or layers than a portrait has are refused before they are allocated', async t => {
  const codestream = await encodeJpeg2000(paint(3))
  const large = withSize(withSize(withSize(withSize(codestream, 8, 2000), 12, 2000), 24, 2000), 28, 2000)
  await t.throwsAsync(decodePortrait(withPrecincts(large, 0), 1280), { message: /too much to decode/ })
  await t.throwsAsync(decodePortrait(withPrecincts(codestream, 0), 1280), { message: /too much to decode/ })
  const layered = Buffer.from(codestream)
  layered.writeUInt16BE(65_535, codestream.indexOf(Buffer.from('ff52', 'hex')) + 6)
  await t.throwsAsync(decodePortrait(layered, 1280), { message: /too much to decode/ })
})

test('a picture that is too large, too deep or of other colours is refused before it is decoded', async t => {
  const codestream = await encodeJpeg2000(paint(3))
  const deep = Buffer.from(codestream)
  deep[42] = 15
  const coarse = Buffer.from(codestream)
  coarse[43] = 2
  const refused: readonly (readonly [Buffer, RegExp])[] = [
    [withSize(withSize(codestream, 8, 60_000), 12, 60_000), /size is malformed|too much/],
    [withSize(withSize(withSize(codestream, 8, 3000), 12, 3000), 24, 3000), /too much/],
    [withSize(withSize(codestream, 24, 1), 28, 1), /size/],
    [withSize(codestream, 24, 0), /size/],
    [withSize(codestream, 16, 96), /size/],
    [deep, /eight bits/],
    [coarse, /eight bits/],
    [wrapJpeg2000(codestream, 18), /colours/],
    [wrapJpeg2000(codestream, 16, { type: 'pclr' }), /palette/],
    [codestream.subarray(0, 30), /malformed/],
    [wrapJpeg2000(codestream, 16).subarray(0, 60), /malformed|no codestream/],
    [Buffer.alloc(0), /malformed/],
    [Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>'), /malformed/],
  ]
  for (const [image, message] of refused)
    await t.throwsAsync(decodePortrait(image, 1280), { instanceOf: UnreadableImageError, message })
})

function mutate(file: Buffer, random: Random): Buffer {
  const bytes = Buffer.from(file)
  // The headers hold the lengths and counts.
  for (let change = 0; change <= random.below(4); change++)
    bytes[random.below(random.below(2) === 0 ? 250 : bytes.length)] = random.below(256)
  return random.below(4) === 0 ? bytes.subarray(0, random.below(bytes.length)) : bytes
}

test('mutated portraits are decoded or refused, and none takes a second', async t => {
  const files = [await encodeJpeg2000(paint(3)), wrapJpeg2000(await encodeJpeg2000(paint(1)), 17)]
  const random = seeded(32)
  let [most, decoded] = [0, 0]
  for (let round = 0; round < rounds(150, 20_000); round++) {
    const bytes = mutate(files[round % 2] ?? Buffer.alloc(0), random)
    const before = process.threadCpuUsage()
    try {
      const { data, ...size } = await decodePortrait(bytes, 1280)
      decoded++
      t.is(data.length, size.width * size.height * 3)
    } catch (error) {
      if (!(error instanceof UnreadableImageError)) throw error
    }
    const { user, system } = process.threadCpuUsage(before)
    most = Math.max(most, (user + system) / 1000)
  }
  t.true(most < 1000, `${most} ms`)
  t.true(decoded > 0)
  // The decoder still works.
  t.is((await decodePortrait(await encodeJpeg2000(paint(3)), 1280)).width, width)
})
