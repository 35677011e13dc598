import test from 'ava'
import sharp from 'sharp'
import { pictureCopies } from '../../src/engines/local/face/picture_code.ts'
import { readFace } from '../../src/engines/local/face/read_face.ts'
import { toComparable, toFingerprint } from '../../src/engines/local/face/repetition.ts'
import { loadModels } from '../../src/engines/local/models.ts'
import { photographFace } from '../../synthetic/photo.ts'
import { person, renderPortrait } from '../../synthetic/portrait.ts'
import { seeded } from '../../synthetic/random.ts'
import { drawFingerprint } from '../fingerprints.ts'

const { below } = seeded(9)
const { planeBytes, code: codePicture, mayBeCopies, areCopies } = pictureCopies
const planes = Uint8Array.from({ length: planeBytes }, () => below(256))

test('Codes of copies are alike in most of their bits, and those of other pictures are not', t => {
  const codes = Array.from({ length: 40 }, (_, n) => codePicture(drawFingerprint(n), planes))
  t.true(codes.flat().every(band => Number.isInteger(band) && band >= 0 && band < 2 ** 16))
  let mistaken = 0
  for (const [n, code] of codes.entries()) {
    t.true(mayBeCopies(code, codePicture(drawFingerprint(n, 4), planes)))
    t.true(areCopies(drawFingerprint(n), drawFingerprint(n, 4)))
    t.false(areCopies(drawFingerprint(n), drawFingerprint(n + 1)))
    for (const other of codes.slice(n + 1)) if (mayBeCopies(code, other)) mistaken += 1
  }
  t.true(mistaken < 3, String(mistaken))
  const others = Uint8Array.from({ length: planeBytes }, () => below(256))
  t.false(
    codes.some((code, n) => mayBeCopies(code, codePicture(drawFingerprint(n), others))),
    'by other planes',
  )
})

test('A drawn selfie that was encoded again has nearly the code of the first, and another person’s has not', async t => {
  const models = await loadModels()
  const codeOf = async (photo: Buffer) => {
    const face = await readFace(models, photo)
    return face && codePicture(toFingerprint(toComparable(face.upright)), planes)
  }
  const draw = async (seed: number) =>
    photographFace(await renderPortrait(person(seed), {}, { width: 480, height: 640 }), seed)
  const [one, other] = [await draw(3), await draw(4)]
  const [code, again, stranger] = [
    await codeOf(one),
    await codeOf(await sharp(one).jpeg({ quality: 85 }).toBuffer()),
    await codeOf(other),
  ]
  t.true(code !== null && again !== null && mayBeCopies(code, again))
  t.false(code !== null && stranger !== null && mayBeCopies(code, stranger))
})
