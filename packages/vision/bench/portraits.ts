/**
 * Measures the comparison of a selfie with a portrait as documents have it. Labelled selfies of a folder
 * (`truth/labels.ts`) are each set into a passport's page, printed, and photographed by the simulated phone at sizes
 * where its face has so many pixels:
 *
 *     node packages/vision/bench/portraits.ts FOLDER [PEOPLE, 60 by default] [SIDE of the split]
 *
 * Kinds of print: as a photograph; in halftone, clustered dots of 4 by 4 at 600 dpi, which is a screen of 150 lines an
 * inch; grey, as a laser engraves polycarbonate: 16 greys of little contrast, in lines. Portraits measure 35 by 45 mm
 * with a head of 32 to 36 mm (ICAO 9303 part 3, 3.9). Pairs are of a portrait and another picture that passes the gates
 * of a selfie. No picture is kept.
 */
import sharp from 'sharp'
import { machine } from '../../../lab/bench/measure.ts'
import { written } from '../../../src/cli/intervals.ts'
import { embedFace, measureFaceDistance } from '../face/embedding.ts'
import { createQuarterTurns, findSurePortrait } from '../face/portrait.ts'
import { checkQuality } from '../face/quality.ts'
import { type ComparedFace, readFace } from '../face/read_face.ts'
import { decodeImage } from '../images/decode_image.ts'
import { restrictImageLoaders } from '../images/image_loaders.ts'
import type { RgbImage } from '../images/raster.ts'
import { loadModels } from '../models.ts'
import { photograph } from '../synthetic/photo.ts'
import { readLabels, type SelfieLabel } from './truth/labels.ts'
import { readPicture } from './truth/picture_file.ts'

const [folder = '', count = '60', side] = process.argv.slice(2)
const widths = [48, 64, 80, 120, 200] as const
const dpi = 600
const perMm = dpi / 25.4
const portraitMm = { width: 35, height: 45 } as const
const pageMm = { width: 125, height: 88, left: 5, top: 18 } as const
/** FaceMesh's face, from the hair line to the chin, of a head that measures 34 mm from crown to chin. */
const faceMm = 25
/** The share of the photo's width that the page takes (`packages/vision/synthetic/photo_taking.ts`, typical). */
const fill = 0.83

restrictImageLoaders()
const models = await loadModels()
const { limits } = models.embedding.model

interface Subject {
  readonly label: SelfieLabel
  readonly image: Buffer
  readonly seen: ComparedFace
}

/** Reads the pictures of a side that pass the gates, at most four of a person. */
async function readSubjects(): Promise<Subject[]> {
  const { selfies } = readLabels(folder)
  const wanted = selfies.filter(({ compare, split }) => compare && (side === undefined || split === side))
  const found: Subject[] = []
  for (const [, own] of Map.groupBy(wanted, ({ person }) => person)) {
    for (const label of own.slice(0, 4)) {
      const image = await readPicture(folder, label.file)
      const seen = await readFace(models, image)
      if (seen?.persons === 1 && checkQuality(seen).every(({ passed }) => passed)) found.push({ label, image, seen })
    }
  }
  const several = [...Map.groupBy(found, ({ label }) => label.person)].filter(([, own]) => own.length > 1)
  const people = new Set(several.slice(0, Number(count)).map(([person]) => person))
  return found.filter(({ label }) => people.has(label.person))
}

/** Cuts a picture's portrait, in the pixels of its print. */
async function cutPortrait({ image, seen }: Subject): Promise<RgbImage> {
  const pixels = await decodeImage(image, 1280)
  const { points } = seen.face.landmarks
  const [top, chin] = [points[10], points[152]]
  if (!top || !chin) throw new Error('no face')
  const scale = (Math.hypot(chin[0] - top[0], chin[1] - top[1]) || 1) / faceMm
  const width = Math.round(portraitMm.width * scale)
  const height = Math.round(portraitMm.height * scale)
  const left = Math.round((top[0] + chin[0]) / 2 - width / 2)
  const above = Math.round(chin[1] - 0.84 * height)
  const margin = Math.max(width, height)
  const raw = { width: pixels.width, height: pixels.height, channels: 3 } as const
  const wide = await sharp(pixels.data, { raw })
    .extend({ top: margin, bottom: margin, left: margin, right: margin, extendWith: 'copy' })
    .raw()
    .toBuffer()
  const extended = { width: raw.width + 2 * margin, height: raw.height + 2 * margin, channels: 3 } as const
  const clamp = (at: number, length: number, most: number): number => Math.max(0, Math.min(most - length, at + margin))
  const size = { width: Math.round(portraitMm.width * perMm), height: Math.round(portraitMm.height * perMm) }
  const data = await sharp(wide, { raw: extended })
    .extract({ left: clamp(left, width, extended.width), top: clamp(above, height, extended.height), width, height })
    .resize({ ...size, fit: 'fill' })
    .raw()
    .toBuffer()
  return { data: new Uint8Array(data), ...size }
}

/** Thresholds of a clustered dot of 4 by 4 (Ulichney, Digital Halftoning, 1987): the dot grows from its middle. */
const dot = [12, 5, 6, 13, 4, 0, 1, 7, 11, 3, 2, 8, 15, 10, 9, 14]

function toHalftone({ data, ...size }: RgbImage): RgbImage {
  const printed = new Uint8Array(data.length)
  for (let at = 0; at < data.length; at += 3) {
    const x = (at / 3) % size.width
    const y = Math.floor(at / 3 / size.width)
    // The screens of the inks are turned against each other; a shift does as well, as they are not seen.
    for (const channel of [0, 1, 2] as const) {
      const cell = ((y + channel) % 4) * 4 + ((x + 2 * channel) % 4)
      printed[at + channel] = (data[at + channel] ?? 0) > (((dot[cell] ?? 0) + 0.5) / 16) * 255 ? 245 : 25
    }
  }
  return { data: printed, ...size }
}

function toLaser({ data, ...size }: RgbImage): RgbImage {
  const printed = new Uint8Array(data.length)
  for (let at = 0; at < data.length; at += 3) {
    const y = Math.floor(at / 3 / size.width)
    const luma = 0.299 * (data[at] ?? 0) + 0.587 * (data[at + 1] ?? 0) + 0.114 * (data[at + 2] ?? 0)
    const level = Math.round((luma / 255) * 15) / 15
    const value = 70 + 130 * (y % 4 === 3 ? Math.min(1, level + 0.15) : level)
    printed.fill(value, at, at + 3)
  }
  return { data: printed, ...size }
}

const kinds: Readonly<Record<string, (portrait: RgbImage) => RgbImage>> = {
  photograph: portrait => portrait,
  halftone: toHalftone,
  'laser, grey': toLaser,
}

async function setIntoPage({ data, width, height }: RgbImage): Promise<Buffer> {
  const portrait = await sharp(data, { raw: { width, height, channels: 3 } })
    .png({ compressionLevel: 1 })
    .toBuffer()
  const size = { width: Math.round(pageMm.width * perMm), height: Math.round(pageMm.height * perMm) }
  return sharp({ create: { ...size, channels: 3, background: '#dfe3da' } })
    .composite([{ input: portrait, left: Math.round(pageMm.left * perMm), top: Math.round(pageMm.top * perMm) }])
    .png({ compressionLevel: 1 })
    .toBuffer()
}

interface Portrait {
  readonly kind: string
  readonly width: number
  readonly subject: Subject
  readonly distances: {
    readonly same: readonly number[]
    readonly other: readonly number[]
    readonly self: number
  } | null
}

/** Compares a printed and photographed portrait with all other pictures; null if it is not found. */
async function comparePortrait(
  page: Buffer,
  { subject, kind, width }: Omit<Portrait, 'distances'>,
  all: readonly Subject[],
  seed: number,
): Promise<Portrait> {
  const faceShare = subject.seen.face.width / Math.hypot(...spanOf(subject))
  const pxPerMm = width / (faceShare * faceMm)
  const photo = await photograph(page, { seed, width: Math.round((pageMm.width * pxPerMm) / fill) })
  const found = await findSurePortrait(models, createQuarterTurns(await decodeImage(photo, 2000)))
  if (found === null) return { kind, width, subject, distances: null }
  const pixels = createQuarterTurns(await decodeImage(photo, 2000))(found.quarterTurns)
  const { template } = await embedFace(models.embedding, pixels, found.face.landmarks)
  const distanceTo = ({ seen }: Subject): number => measureFaceDistance(template, seen.template)
  const others = all.filter(other => other !== subject)
  return {
    kind,
    width,
    subject,
    distances: {
      same: others.filter(({ label }) => label.person === subject.label.person).map(distanceTo),
      other: others.filter(({ label }) => label.person !== subject.label.person).map(distanceTo),
      self: distanceTo(subject),
    },
  }
}

function spanOf({ seen }: Subject): readonly [number, number] {
  const { points } = seen.face.landmarks
  const [top, chin] = [points[10] ?? [0, 0], points[152] ?? [0, 0]]
  return [chin[0] - top[0], chin[1] - top[1]]
}

const subjects = await readSubjects()
process.stderr.write(
  `${subjects.length} pictures of ${new Set(subjects.map(({ label }) => label.person)).size} people\n`,
)
const portraits: Portrait[] = []
for (const [n, subject] of subjects.entries()) {
  const portrait = await cutPortrait(subject)
  for (const [kind, print] of Object.entries(kinds)) {
    const page = await setIntoPage(print(portrait))
    for (const width of widths) portraits.push(await comparePortrait(page, { subject, kind, width }, subjects, n + 1))
  }
  if (n % 20 === 19) process.stderr.write(`${n + 1}\n`)
}

function rowOf(name: string, some: readonly Portrait[]): string {
  const found = some.flatMap(({ distances }) => distances ?? [])
  const same = found.flatMap(one => one.same)
  const other = found.flatMap(one => one.other)
  const self = found.map(one => one.self)
  const { '0.001': accept } = limits.accept_below
  return `| ${[
    name,
    written(some.length - found.length, some.length),
    written(same.filter(distance => distance > accept).length, same.length),
    written(same.filter(distance => distance > limits.reject_above).length, same.length),
    written(other.filter(distance => distance <= accept).length, other.length),
    written(self.filter(distance => distance <= limits.same_picture).length, self.length),
    written(same.filter(distance => distance <= limits.same_picture).length, same.length),
  ].join(' | ')} |`
}

const head = [
  'Portrait',
  'not found',
  'one person, not accepted',
  'one person, reported as two',
  'two people, accepted',
  'its own picture, near enough to be reported as the same',
  'another picture of the person, as near',
]
process.stdout.write(`${machine()}, ${subjects.length} pictures, default limit ${limits.accept_below['0.001']}\n\n`)
process.stdout.write(`| ${head.join(' | ')} |\n|${' - |'.repeat(head.length)}\n`)
for (const kind of Object.keys(kinds))
  process.stdout.write(
    `${rowOf(
      kind,
      portraits.filter(one => one.kind === kind),
    )}\n`,
  )
for (const width of widths)
  process.stdout.write(
    `${rowOf(
      `face of ${width} px`,
      portraits.filter(one => one.width === width),
    )}\n`,
  )
for (const kind of Object.keys(kinds))
  for (const width of widths)
    process.stdout.write(
      `${rowOf(
        `${kind}, ${width} px`,
        portraits.filter(one => one.kind === kind && one.width === width),
      )}\n`,
    )

for (const width of widths) {
  const some = portraits
    .filter(one => one.width === width && one.kind === 'photograph')
    .flatMap(one => one.distances ?? [])
  const quantiles = (list: readonly number[]): string => {
    const sorted = [...list].sort((one, other) => one - other)
    return [0.01, 0.05, 0.5, 0.95].map(share => sorted[Math.floor(sorted.length * share)]?.toFixed(3)).join(', ')
  }
  const own = quantiles(some.map(({ self }) => self))
  process.stderr.write(
    `${width} px: own picture ${own}; others of the person ${quantiles(some.flatMap(({ same }) => same))}\n`,
  )
}
