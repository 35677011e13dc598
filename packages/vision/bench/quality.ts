/**
 * Measures the warnings at upload: `node packages/vision/bench/quality.ts [cases [selfies]]`. The pictures are
 * documents under every condition of the photo simulator, and selfies that were spoilt in one way each. Prints a row
 * for each, with the share that carries each warning and the range of the measurements.
 */
import sharp from 'sharp'
import { type MeasuredImage, measureImage } from '../images/check_image.ts'
import { requireMediaType } from '../images/media_type.ts'
import type { Subject } from '../images/picture_quality.ts'
import { findWarnings } from '../images/warnings.ts'
import { renderDocument } from '../synthetic/document.ts'
import { photograph, photographFace } from '../synthetic/photo.ts'
import { photoConditions } from '../synthetic/photo_taking.ts'
import { person, personSeeds, renderPortrait } from '../synthetic/portrait.ts'
import { uploadLimits as limits } from '../test/images/check_upload.ts'
import { inventedFields, plainPortrait } from '../test/synthetic/invented.ts'

const cases = Number(process.argv[2] ?? 6)

function range(values: readonly (number | null)[]): string {
  const known = values.filter(value => value !== null)
  return known.length === 0 ? '' : `${Math.min(...known).toFixed(2)}–${Math.max(...known).toFixed(2)}`
}

async function rowOf(subject: Subject, images: readonly Uint8Array[]): Promise<Record<string, unknown>> {
  const looked = await Promise.all(
    images.map(image => measureImage({ content: image, mediaType: requireMediaType(image, limits), limits, subject })),
  )
  const codes = looked.flatMap(image => findWarnings(subject, image))
  const warned = [...Map.groupBy(codes, code => code)].map(([code, same]) => `${code} ${same.length}/${images.length}`)
  const of = (measure: (image: MeasuredImage) => number | null): string => range(looked.map(measure))
  return {
    edge_width: of(({ quality }) => quality.edgeWidth),
    light: of(({ quality }) => quality.light),
    dark: of(({ quality }) => quality.dark),
    burnt: of(({ quality }) => quality.burnt),
    length: of(({ quality, width, height }) => quality.outline && quality.outline.length * Math.max(width, height)),
    border: of(({ quality }) => quality.outline?.border ?? null),
    warned: warned.join(', '),
  }
}

const formats = ['TD1', 'TD2', 'TD3'] as const
const rows: Record<string, unknown> = {}
let seed = 7_000_000
for (const condition of process.argv[3] === 'selfies' ? [] : photoConditions) {
  const images: Uint8Array[] = []
  for (let n = 0; n < (condition === 'unusable' ? 4 : 1) * cases; n++) {
    const format = formats[n % 3] ?? 'TD3'
    const order = { format, fields: inventedFields(format, ++seed), portrait: plainPortrait, seed }
    const { front, back } = await renderDocument(order)
    images.push(await photograph(back ?? front, { seed, condition }))
  }
  rows[`document ${condition}`] = await rowOf('document', images)
}

const spoilt: Readonly<Record<string, (selfie: Uint8Array) => Promise<Uint8Array>>> = {
  typical: async selfie => selfie,
  'small, 480 high': selfie => sharp(selfie).resize({ height: 480 }).jpeg().toBuffer(),
  'tiny, 320 high': selfie => sharp(selfie).resize({ height: 320 }).jpeg().toBuffer(),
  'blurred a little': selfie => sharp(selfie).blur(2.5).jpeg().toBuffer(),
  blurred: selfie => sharp(selfie).blur(9).jpeg().toBuffer(),
  dim: selfie => sharp(selfie).linear(0.5).jpeg().toBuffer(),
  dark: selfie => sharp(selfie).linear(0.2).jpeg().toBuffer(),
  bright: selfie => sharp(selfie).linear(1.25).jpeg().toBuffer(),
  'too bright': selfie => sharp(selfie).linear(2.6).jpeg().toBuffer(),
}
const selfies: Uint8Array[] = []
for (const who of personSeeds.slice(0, Math.min(cases, 6))) {
  const picture = await renderPortrait(person(who), { turn: 0 }, { width: 900, height: 1200 })
  selfies.push(await photographFace(picture, who))
}
for (const [name, spoil] of Object.entries(spoilt))
  rows[`selfie ${name}`] = await rowOf('selfie', await Promise.all(selfies.map(spoil)))
console.table(rows)
