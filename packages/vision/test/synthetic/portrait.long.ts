import type { FaceTemplate } from '@attestor/rules'
import test from 'ava'
import { embedFace, measureFaceDistance } from '../../face/embedding.ts'
import { findFaces } from '../../face/faces.ts'
import { decodeImage } from '../../images/decode_image.ts'
import { loadModels } from '../../models.ts'
import { type PortraitPose, person, personSeeds, renderPortrait } from '../../synthetic/portrait.ts'

const size = { width: 320, height: 400 }

async function faceOf(seed: number, pose: PortraitPose = {}): Promise<FaceTemplate> {
  const models = await loadModels()
  const pixels = await decodeImage(await renderPortrait(person(seed), pose, size), 1280)
  const faces = await findFaces(models, pixels)
  const [face] = faces
  if (!face || faces.length !== 1) throw new Error(`seed ${seed}: ${faces.length} faces`)
  return (await embedFace(models.embedding, pixels, face.landmarks)).template
}

test('a person and a pose give the same picture each time, and another pose another one', async t => {
  const once = await renderPortrait(person(7), { turn: 0.2 }, { width: 60, height: 80 })
  t.deepEqual(await renderPortrait(person(7), { turn: 0.2 }, { width: 60, height: 80 }), once)
  t.notDeepEqual(await renderPortrait(person(7), { turn: 0.3 }, { width: 60, height: 80 }), once)
  t.notDeepEqual(await renderPortrait(person(8), { turn: 0.2 }, { width: 60, height: 80 }), once)
})

test('every two of the listed persons are different people to the models', async t => {
  const faces: FaceTemplate[] = []
  for (const seed of personSeeds) faces.push(await faceOf(seed))
  const distances = faces.flatMap((one, i) => faces.slice(i + 1).map(other => measureFaceDistance(one, other)))
  t.true(Math.min(...distances) > 0.6, `${Math.min(...distances)}`)
})

test('a person stays the same under other light, from further away and with a little turn', async t => {
  for (const seed of personSeeds.slice(0, 3)) {
    const first = await faceOf(seed)
    for (const pose of [
      { light: { side: 0.5, strength: 0.8 } },
      { distance: 8, headWidth: 0.6 },
      { turn: 0.15, tilt: 0.2 },
    ] satisfies PortraitPose[]) {
      const distance = measureFaceDistance(first, await faceOf(seed, pose))
      t.true(distance <= 0.4, `seed ${seed}, ${JSON.stringify(pose)}: ${distance}`)
    }
  }
})
