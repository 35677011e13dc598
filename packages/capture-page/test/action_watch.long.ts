import { loadModels } from '@attestor/vision/readers'
import { type PortraitPose, person, personSeeds, renderPortrait } from '@attestor/vision/synthetic'
import type { RgbImage } from '@attestor/vision/testing'
import test from 'ava'
import sharp from 'sharp'
import { createActionWatch } from '../page/guidance/action_watch.ts'

async function draw(pose: PortraitPose): Promise<RgbImage> {
  const portrait = await renderPortrait(
    person(personSeeds[0] ?? 0),
    { headWidth: 0.5, ...pose },
    { width: 480, height: 640 },
  )
  const { data, info } = await sharp(portrait).removeAlpha().raw().toBuffer({ resolveWithObject: true })
  return { data, width: info.width, height: info.height }
}

test('a person who began with an open mouth closes it after a reload, opens it again, and is seen', async t => {
  const [models, rest, open] = await Promise.all([loadModels(), draw({}), draw({ mouthOpen: 0.9 })])
  const watch = createActionWatch(models, { selfie: null, mouth: null }, 'OPEN_MOUTH')
  const looks = async (raster: RgbImage, count: number): Promise<string[]> => {
    const hints: string[] = []
    for (let n = 0; n < count; n++) hints.push((await watch.look(raster, raster, 100 * n)).seen.hint)
    return hints
  }
  t.is((await looks(open, 6)).at(-1), 'OPEN_MOUTH', 'the first looks are taken for a face at rest')
  t.false((await looks(rest, 6)).includes('GOOD'))
  t.is((await looks(open, 1))[0], 'GOOD')
  t.is(await watch.accept(open, open), null)
})

test('a turn that is too small is asked for until it is far enough, and then it is seen', async t => {
  const [models, rest, small, far] = await Promise.all([
    loadModels(),
    draw({}),
    draw({ turn: 0.3 }),
    draw({ turn: 0.5 }),
  ])
  const watch = createActionWatch(models, { selfie: null, mouth: null }, 'TURN_LEFT')
  let at = 0
  const look = async (raster: RgbImage): Promise<string> => (await watch.look(raster, raster, 100 * at++)).seen.hint
  for (let n = 0; n < 6; n++) await look(rest)
  t.is(await look(small), 'TURN_FURTHER')
  t.is(await watch.accept(small, small), 'TURN_LEFT', 'nor would the service take it')
  t.is(await look(far), 'GOOD')
  t.is(await watch.accept(far, far), null)
})
