import sharp, { type Sharp } from 'sharp'
import { pageMeasures } from '../../document_measures.ts'
import { headOf, issuedPortrait } from './heads.ts'
import { type Chance, chance } from './random.ts'
import { zoneOutlines, zonePitch } from './zone_print.ts'

/** A picture with its name, and the rows of bytes that it is painted as: `channels` a pixel. */
export interface Painting {
  readonly data: Uint8Array
  readonly width: number
  readonly height: number
  readonly channels: 1 | 3
}

/** Returns the size of a picture of so many megapixels in pixels, 4 by 3 as phones' are. */
function sizeOf(megapixels: number): { width: number; height: number } {
  const height = Math.floor(Math.sqrt((megapixels * 1e6 * 3) / 4))
  return { width: Math.floor((height * 4) / 3), height }
}

function painted(megapixels: number, paint: (x: number, y: number) => number): Painting {
  const { width, height } = sizeOf(megapixels)
  const data = new Uint8Array(width * height)
  for (let y = 0; y < height; y++) for (let x = 0; x < width; x++) data[y * width + x] = paint(x, y)
  return { data, width, height, channels: 1 }
}

/** Repeats the same part to the right and downwards. */
async function tiled(megapixels: number, part: Sharp): Promise<Painting> {
  const size = sizeOf(megapixels)
  const tile = await part.flatten({ background: '#eee' }).removeAlpha().png().toBuffer()
  const { data } = await sharp({ create: { ...size, channels: 3, background: '#eee' } })
    .composite([{ input: tile, tile: true, gravity: 'northwest' }])
    .removeAlpha()
    .raw()
    .toBuffer({ resolveWithObject: true })
  return { data, ...size, channels: 3 }
}

const signs = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789<'

const lineSpacing = pageMeasures.TD3.lineSpacing.norm

/** Draws lines of OCR-B as a picture of its own, `pitch` pixels from character to character. */
function lettering(lines: readonly string[], pitch: number, seed: number): Sharp {
  const wide = (lines[0]?.length ?? 0) * zonePitch + 8
  const high = lines.length * lineSpacing + 8
  const print = { weight: 0, stray: 0.04, pitch: zonePitch, lineSpacing, dropout: 0 }
  const content = zoneOutlines(lines, { left: 4, base: high - 6, seed }, print)
  const size = `width="${Math.round((wide * pitch) / zonePitch)}" height="${Math.round((high * pitch) / zonePitch)}"`
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" ${size} viewBox="0 0 ${wide} ${high}"><rect width="${wide}" height="${high}" fill="#eee"/>${content}</svg>`
  return sharp(Buffer.from(svg), { unlimited: true })
}

function anyLines(random: Chance, rows: number, columns: number): string[] {
  return Array.from({ length: rows }, () =>
    Array.from({ length: columns }, () => signs.charAt(random.below(signs.length))).join(''),
  )
}

/** Draws zones that begin as a passport's does and whose check digits disagree. */
function passportLines(random: Chance): string[] {
  return [
    `P<UTO${anyLines(random, 1, 39)[0]?.replace(/[0-9]/g, '<') ?? ''}`,
    `${anyLines(random, 1, 44)[0]?.replace(/[A-Z<]/g, '7') ?? ''}`,
  ]
}

/**
 * Surrounds a portrait with so much print that a reader of text could read for minutes: `characters` in the picture's
 * width.
 */
async function printAround(characters: number, seed: number, megapixels: number): Promise<Painting> {
  const random = chance(seed, 'print')
  const { width, height } = sizeOf(megapixels)
  const face = await sharp(await issuedPortrait(headOf(seed), seed))
    .resize({ height: Math.round(height / 4) })
    .toBuffer()
  const words = await tiled(megapixels, lettering(anyLines(random, 24, 40), width / characters, seed))
  const { data } = await sharp(words.data, { raw: { width, height, channels: 3 } })
    .composite([{ input: face, left: Math.round(width * 0.4), top: Math.round(height * 0.4) }])
    .removeAlpha()
    .raw()
    .toBuffer({ resolveWithObject: true })
  return { ...words, data }
}

async function crowd(seed: number, megapixels: number): Promise<Painting> {
  const side = Math.round(sizeOf(megapixels).width / 10)
  return tiled(megapixels, sharp(await issuedPortrait(headOf(seed), seed)).resize({ width: side }))
}

function slanted(x: number, y: number): number {
  return (((x * 3 + y) >> 5) & 1) * 235 + 10
}

/** Draws bars of random widths, as a barcode's are, all over the picture. */
function bars(random: Chance): (x: number, y: number) => number {
  const dark = Array.from({ length: 4096 }, () => random.below(2) * 225 + 15)
  return x => dark[(x >> 4) & 4095] ?? 0
}

/** Draws dots a pitch apart, each of which could be a character. */
function dots(x: number, y: number): number {
  return x % 40 < 24 && y % 96 < 30 ? 20 : 235
}

/** Pictures that are made to keep one stage or another busy, named after their content. */
export const hostilePaintings: Readonly<Record<string, (seed: number, megapixels: number) => Promise<Painting>>> = {
  noise: async (seed, megapixels) => {
    const random = chance(seed, 'noise')
    return painted(megapixels, () => random.below(256))
  },
  grain: async (seed, megapixels) => {
    const random = chance(seed, 'grain')
    const spots = Array.from({ length: 1 << 16 }, () => random.below(256))
    return painted(megapixels, (x, y) => spots[((x >> 4) * 251 + (y >> 4) * 509) & 0xffff] ?? 0)
  },
  checkerboard: async (_, megapixels) => painted(megapixels, (x, y) => (((x >> 3) + (y >> 3)) & 1) * 255),
  squares: async (_, megapixels) => painted(megapixels, (x, y) => (((x >> 5) + (y >> 5)) & 1) * 255),
  stripes: async (_, megapixels) => painted(megapixels, slanted),
  bars: async (seed, megapixels) => painted(megapixels, bars(chance(seed, 'bars'))),
  dots: async (_, megapixels) => painted(megapixels, dots),
  'characters of OCR-B': (seed, megapixels) =>
    tiled(megapixels, lettering(anyLines(chance(seed, 'soup'), 24, 100), sizeOf(megapixels).width / 110, seed)),
  zones: (seed, megapixels) =>
    tiled(megapixels, lettering(passportLines(chance(seed, 'zones')), sizeOf(megapixels).width / 150, seed)),
  'print around a portrait': (seed, megapixels) => printAround(130, seed, megapixels),
  'small print around a portrait': (seed, megapixels) => printAround(360, seed, megapixels),
  faces: crowd,
}

function sharpOf({ data, ...raw }: Painting): Sharp {
  return sharp(data, { raw, limitInputPixels: false })
}

function sixteenBits(picture: Sharp): Sharp {
  return picture.ensureAlpha().toColourspace('rgb16')
}

/** Ways to encode a picture, each with other work for the decoder. */
export const hostileCodecs: Readonly<Record<string, (painting: Painting) => Promise<Buffer>>> = {
  JPEG: painting => sharpOf(painting).jpeg({ quality: 30 }).toBuffer(),
  'JPEG turned by EXIF': painting =>
    sharpOf(painting).withMetadata({ orientation: 6 }).jpeg({ quality: 30 }).toBuffer(),
  'JPEG, progressive': painting =>
    sharpOf(painting)
      .toColourspace('srgb')
      .jpeg({ quality: 30, progressive: true, chromaSubsampling: '4:4:4' })
      .toBuffer(),
  'JPEG, progressive, CMYK': painting =>
    sharpOf(painting)
      .toColourspace('cmyk')
      .jpeg({ quality: 30, progressive: true, chromaSubsampling: '4:4:4' })
      .toBuffer(),
  PNG: painting => sharpOf(painting).toColourspace('srgb').png({ compressionLevel: 3 }).toBuffer(),
  'PNG, interlaced': painting =>
    sharpOf(painting).toColourspace('srgb').png({ compressionLevel: 3, progressive: true }).toBuffer(),
  'PNG, 16 bits, alpha': painting => sixteenBits(sharpOf(painting)).png({ compressionLevel: 3 }).toBuffer(),
  'PNG, 16 bits, alpha, interlaced': painting =>
    sixteenBits(sharpOf(painting)).png({ compressionLevel: 3, progressive: true }).toBuffer(),
  'PNG turned by EXIF': painting =>
    sharpOf(painting).toColourspace('srgb').withMetadata({ orientation: 6 }).png({ compressionLevel: 3 }).toBuffer(),
  WebP: painting => sharpOf(painting).webp({ quality: 10, effort: 0 }).toBuffer(),
  'WebP, lossless': painting => sharpOf(painting).webp({ lossless: true, effort: 0 }).toBuffer(),
}
