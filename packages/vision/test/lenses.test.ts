import test from 'ava'
import { checkQuality } from '../face/quality.ts'
import { readFace } from '../face/read_face.ts'
import { loadModels } from '../models.ts'
import { person, personSeeds } from '../synthetic/portrait.ts'
import { covered } from './covered.ts'
import { renderPortrait } from './drawn.ts'

const [anna = 1] = personSeeds

async function findFailed(picture: Buffer): Promise<readonly string[]> {
  const face = await readFace(await loadModels(), picture)
  if (face === null) throw new Error('no face')
  return checkQuality(face).flatMap(({ name, passed }) => (passed ? [] : [name]))
}

test('bright lenses are seen by their colour alone', async t => {
  const plain = await renderPortrait(person(anna), {}, { width: 480, height: 640 })
  t.deepEqual(await findFailed(plain), [])
  t.deepEqual(await findFailed(await covered(plain, 'sky_glasses')), ['lens_colour'])
})

test('clear glasses with a blue sheen are no cover, dark ones are', async t => {
  const plain = await renderPortrait(person(anna), {}, { width: 480, height: 640 })
  t.deepEqual(await findFailed(await covered(plain, 'clear_glasses')), [])
  t.true(
    (await findFailed(await covered(plain, 'dark_glasses'))).some(name => ['eyes_seen', 'lens_colour'].includes(name)),
  )
})
