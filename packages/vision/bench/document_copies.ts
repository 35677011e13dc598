/**
 * Measures the search for copies of document pictures that another customer uploads: `node
 * packages/vision/bench/document_copies.ts [DOCUMENTS [COPIES [FIRST]]]`. Passports and cards of as many people are
 * drawn and photographed, and each photo is copied: cut off by up to 4 % at each side, shrunk to a half or enlarged by
 * a half, lightened or darkened by a fifth, encoded as JPEG or WebP of quality 40 to
 * 95. Prints the number of copies that a search finds, that of pictures of other people's documents which it takes for
 * copies, and that of those which it looks at.
 *
 * A copy's portrait is sought at the place that the original's page shows; its zone is not read again.
 * `FINGERPRINTS=FILE` keeps the measurements, document by document, and counts it in the next run.
 */

import { appendFileSync, existsSync, readFileSync } from 'node:fs'
import type { ReplayFingerprint } from '@attestor/rules'
import { specimenFields } from '@attestor/rules/synthetic'
import sharp from 'sharp'
import { machine } from '../../../lab/bench/measure.ts'
import { written } from '../../../src/cli/intervals.ts'
import { openMemory } from '../capture_memory.ts'
import { readDocument } from '../document/read_document.ts'
import { readSides, type SidesReading } from '../document/read_sides.ts'
import type { Place } from '../face/portrait.ts'
import { fromFingerprint, measureDifference } from '../face/repetition.ts'
import { loadModels } from '../models.ts'
import { renderDocument } from '../synthetic/document.ts'
import { photograph } from '../synthetic/photo.ts'
import { person, renderPortrait } from '../synthetic/portrait.ts'
import { type Random, seeded } from '../synthetic/random.ts'
import { searchPicture } from './picture_search.ts'

const [count = 104, copies = 30, first = 7001] = process.argv.slice(2).map(Number)
const models = await loadModels()

async function readFingerprint(image: Buffer, scan: SidesReading): Promise<ReplayFingerprint | null> {
  const tools = { models, falseMatchRate: '0.001', print: null, readSides: async () => scan } as const
  const images = { document_front: image, document_back: null, awaits_back: true }
  const { findings } = await readDocument(tools, images, openMemory(), (_, work) => work())
  return findings.fingerprint ?? null
}

async function copyPhoto(photo: Buffer, scan: SidesReading, random: Random): Promise<ReplayFingerprint | null> {
  const { width, height } = await sharp(photo).metadata()
  const [left = 0, top = 0, right = 0, bottom = 0] = [0, 0, 0, 0].map(() => random.between(0, 0.04))
  const [wide, high] = [1 - left - right, 1 - top - bottom]
  const move = (place: Place | null): Place | null =>
    place && {
      x: (place.x - left) / wide,
      y: (place.y - top) / high,
      width: place.width / wide,
      height: place.height / high,
    }
  const quality = Math.round(random.between(40, 95))
  const scale = random.between(0.5, 1.5)
  const brightness = random.between(0.8, 1.2)
  const isWebp = random.next() < 0.33
  const box = {
    left: Math.round(left * width),
    top: Math.round(top * height),
    width: Math.round(width * wide),
    height: Math.round(height * high),
  }
  const changed = sharp(photo)
    .extract(box)
    .resize(Math.round(box.width * scale))
    .linear(brightness, 0)
  const copy = await (isWebp ? changed.webp({ quality, effort: 1 }) : changed.jpeg({ quality })).toBuffer()
  return readFingerprint(copy, {
    ...scan,
    portraitRegion: move(scan.portraitRegion),
    pageRegion: move(scan.pageRegion),
  })
}

interface Measured {
  readonly seed: number
  readonly format: 'TD1' | 'TD3'
  readonly original: ReplayFingerprint | null
  readonly copies: readonly (ReplayFingerprint | null)[]
  /** The fingerprint of another photo of the same document; half of the documents have one. */
  readonly second: ReplayFingerprint | null
}

const conditions = ['typical', 'typical', 'blurred', 'tilted', 'side_light', 'noisy', 'compressed', 'curved'] as const

async function measure(seed: number): Promise<Measured> {
  const random = seeded(seed)
  const format = seed % 2 === 1 ? 'TD3' : 'TD1'
  const [turn = 0, tilt = 0, lookUp = 0] = [0, 0, 0].map(() => random.between(-0.05, 0.05))
  const pose = { distance: 8, headWidth: 0.6, turn, tilt, lookUp }
  const portrait = await renderPortrait(person(seed), pose, { width: 350, height: 450 })
  const document_code = format === 'TD1' ? 'I' : 'P'
  const fields = { ...specimenFields, expiry_date: '2049-04-15', document_code, document_number: `X${seed}` }
  const { front } = await renderDocument({ format, fields, portrait, seed })
  const condition = conditions[(seed >> 1) & 7] ?? 'typical'
  const photo = await photograph(front, { seed, condition, width: 1200 })
  const scan = await readSides(photo, null)
  const original = await readFingerprint(photo, scan)
  const again = seed % 4 > 1 ? null : await photograph(front, { seed: seed + 100_000, condition, width: 1200 })
  const second = again && (await readFingerprint(again, await readSides(again, null)))
  const found: (ReplayFingerprint | null)[] = []
  for (let n = 0; n < copies; n++) found.push(await copyPhoto(photo, scan, random))
  return { seed, format, original, copies: found, second }
}

const file = process.env.FINGERPRINTS
const known: readonly Measured[] =
  file !== undefined && existsSync(file)
    ? readFileSync(file, 'utf8')
        .split('\n')
        .filter(line => line !== '')
        .map(line => JSON.parse(line))
    : []
const measured = [...known]
for (let seed = first; seed < first + count; seed++) {
  if (known.some(one => one.seed === seed)) continue
  const one = await measure(seed)
  if (file !== undefined) appendFileSync(file, `${JSON.stringify(one)}\n`)
  measured.push(one)
}

function difference(one: ReplayFingerprint, other: ReplayFingerprint): number {
  return measureDifference(fromFingerprint(one), fromFingerprint(other))
}

function range(differences: readonly number[]): string {
  return `differences ${Math.min(...differences).toFixed(4)} to ${Math.max(...differences).toFixed(4)}`
}

console.log(machine())
type Pair = readonly [ReplayFingerprint | null, ReplayFingerprint | null]

function printPairs(what: string, pairs: readonly Pair[]): void {
  const found = pairs.filter(([kept, taken]) => kept !== null && taken !== null && searchPicture(taken, kept).isFound)
  const differences = pairs.flatMap(([kept, taken]) => (kept && taken ? [difference(taken, kept)] : []))
  console.log(
    `${what}: found ${written(found.length, pairs.length)}; ${range(differences)}; no portrait ${pairs.length - differences.length}`,
  )
}

for (const format of ['TD3', 'TD1'] as const) {
  const own = measured.filter(one => one.format === format)
  console.log(`${format}: ${own.length} documents`)
  printPairs(
    '  a photo and its copy',
    own.flatMap(({ original, copies }) => copies.map((copy): Pair => [original, copy])),
  )
  printPairs(
    '  two copies of a photo',
    own.flatMap(({ copies }) => copies.slice(1).map((copy, n): Pair => [copies[n] ?? null, copy])),
  )
}
const originals = measured.flatMap(({ original }) => original ?? [])
const others = originals.flatMap(one => originals.flatMap(other => (other === one ? [] : [[one, other] as const])))
const searches = others.map(([one, other]) => searchPicture(one, other))
console.log(
  `other people's: found ${written(searches.filter(({ isFound }) => isFound).length, others.length)}, ` +
    `candidates ${written(searches.filter(({ isCandidate }) => isCandidate).length, others.length)}, ` +
    `share a band ${written(searches.filter(({ sharesBand }) => sharesBand).length, others.length)}; ` +
    range(others.map(([one, other]) => difference(one, other))),
)
const photos = measured.flatMap(({ original, second }) => (original && second ? [[second, original] as const] : []))
console.log(
  `another photo: found ${written(photos.filter(([one, other]) => searchPicture(one, other).isFound).length, photos.length)}; ` +
    range(photos.map(([one, other]) => difference(one, other))),
)
