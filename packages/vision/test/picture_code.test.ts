import type { ReplayFingerprint } from '@attestor/rules'
import { specimenFields } from '@attestor/rules/synthetic'
import test from 'ava'
import sharp from 'sharp'
import { drawFingerprint } from '../../../test/fingerprints.ts'
import { inLongTier, rounds } from '../../../test/tier.ts'
import { openMemory } from '../capture_memory.ts'
import { readDocument } from '../document/read_document.ts'
import { readSides } from '../document/read_sides.ts'
import { pictureCopies } from '../face/picture_code.ts'
import { readFace } from '../face/read_face.ts'
import { toComparable, toFingerprint } from '../face/repetition.ts'
import { loadModels } from '../models.ts'
import { person } from '../synthetic/portrait.ts'
import { seeded } from '../synthetic/random.ts'
import { photograph, photographFace, renderDocument, renderPortrait } from './drawn.ts'

const { below } = seeded(9)
const { planeBytes, code: codePicture, countDifferentBits, maxDifferentBits, areCopies } = pictureCopies
const planes = Uint8Array.from({ length: planeBytes }, () => below(256))

function codeOf(fingerprint: ReplayFingerprint): readonly number[] {
  return codePicture(fingerprint, planes).bands
}

function mayBeCopies(one: readonly number[], other: readonly number[]): boolean {
  return countDifferentBits(one, other) <= maxDifferentBits
}

test('Codes of copies are alike in most of their bits, and those of other pictures are not', t => {
  const codes = Array.from({ length: rounds(6, 40) }, (_, n) => codeOf(drawFingerprint(n)))
  t.true(codes.flat().every(band => Number.isInteger(band) && band >= 0 && band < 2 ** 16))
  let mistaken = 0
  for (const [n, code] of codes.entries()) {
    t.true(mayBeCopies(code, codeOf(drawFingerprint(n, 4))))
    t.true(areCopies(drawFingerprint(n), drawFingerprint(n, 4)))
    t.false(areCopies(drawFingerprint(n), drawFingerprint(n + 1)))
    for (const other of codes.slice(n + 1)) if (mayBeCopies(code, other)) mistaken += 1
  }
  t.true(mistaken < 3, String(mistaken))
  const others = Uint8Array.from({ length: planeBytes }, () => below(256))
  t.false(
    codes.some((code, n) => mayBeCopies(code, codePicture(drawFingerprint(n), others).bands)),
    'by other planes',
  )
})

test('A drawn selfie that was encoded again has nearly the code of the first, and another person’s has not', async t => {
  const models = await loadModels()
  const codeFace = async (photo: Buffer) => {
    const face = await readFace(models, photo)
    return face && codeOf(toFingerprint(toComparable(face.upright)))
  }
  const draw = async (seed: number) =>
    photographFace(await renderPortrait(person(seed), {}, { width: 480, height: 640 }), seed)
  const [one, other] = [await draw(3), await draw(4)]
  const [code, again, stranger] = [
    await codeFace(one),
    await codeFace(await sharp(one).jpeg({ quality: 85 }).toBuffer()),
    await codeFace(other),
  ]
  t.true(code !== null && again !== null && mayBeCopies(code, again))
  t.false(code !== null && stranger !== null && mayBeCopies(code, stranger))
})

test('A picture that is stored is found by later versions: its code stays what it is', t => {
  t.deepEqual(codeOf(drawFingerprint(1)), [7737, 40827, 42411, 25076])
})

test('A portrait’s bits are looked for on both sides of the planes that it is nearest to', t => {
  const portrait = { ...drawFingerprint(1), is_portrait: true }
  for (const [n, values] of codePicture(portrait, planes).copies.entries()) {
    t.is(values[0], codeOf(portrait)[n])
    t.is(new Set(values).size, 16)
    t.true(values.every(value => countDifferentBits([value], [values[0] ?? 0]) <= 4))
  }
})

test('A portrait is a copy of portraits only, and may differ more than a selfie', t => {
  const [selfie, copy] = [drawFingerprint(1), drawFingerprint(1, 30)]
  const [portrait, copiedPortrait] = [selfie, copy].map(one => ({ ...one, is_portrait: true })) as [
    ReplayFingerprint,
    ReplayFingerprint,
  ]
  t.false(areCopies(selfie, copy))
  t.true(areCopies(portrait, copiedPortrait))
  t.false(areCopies(selfie, portrait))
  t.false(areCopies(portrait, { ...drawFingerprint(2), is_portrait: true }))
})

inLongTier(test)(
  'The picture of a drawn passport that was encoded again is a copy of the first, and another person’s is not',
  async t => {
    const models = await loadModels()
    const tools = { models, falseMatchRate: '0.001', print: null, readSides } as const
    const fingerprint = async (document_front: Buffer) => {
      const images = { document_front, document_back: null }
      const { findings } = await readDocument(tools, images, openMemory(), (_, work) => work())
      t.true(findings.portrait_found)
      return findings.fingerprint as ReplayFingerprint
    }
    const draw = async (seed: number) => {
      const portrait = await renderPortrait(person(seed), { distance: 8, headWidth: 0.6 }, { width: 350, height: 450 })
      const { front } = await renderDocument({ format: 'TD3', fields: specimenFields, portrait, seed })
      return photograph(front, { seed, width: 1200 })
    }
    const passport = await draw(3)
    const shrunk = sharp(passport).extract({ left: 20, top: 10, width: 1160, height: 880 }).resize(900)
    const [one, again, other] = [
      await fingerprint(passport),
      await fingerprint(await shrunk.webp({ quality: 75 }).toBuffer()),
      await fingerprint(await draw(4)),
    ]
    const { copies, bands } = codePicture(again, planes)
    t.true(copies.some((values, n) => values.includes(codeOf(one)[n] ?? -1)))
    t.true(mayBeCopies(bands, codeOf(one)))
    t.true(areCopies(one, again))
    t.false(areCopies(one, other))
  },
)
