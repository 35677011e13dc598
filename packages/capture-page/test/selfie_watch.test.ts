import { readFileSync } from 'node:fs'
import { loadModels } from '@attestor/vision/readers'
import type { RgbImage } from '@attestor/vision/testing'
import test from 'ava'
import sharp from 'sharp'
import { inLongTier } from '../../../test/tier.ts'
import { adviseAction, isClear } from '../page/guidance/chosen_frame.ts'
import { createSelfieWatch, drawnOval } from '../page/guidance/selfie_watch.ts'
import { createPatience } from '../page/guidance/watch.ts'
import { drawTilted, wideCamera } from './face_scenes.ts'

async function shrink(picture: Buffer, side: number): Promise<RgbImage> {
  const shrunk = sharp(picture).resize(side, side, { fit: 'inside' }).removeAlpha().raw()
  const { data, info } = await shrunk.toBuffer({ resolveWithObject: true })
  return { data, width: info.width, height: info.height }
}

/** Returns the guide's hint for a still head, and its judgement of the picture that would then be sent. */
async function watchStill(degrees: number) {
  const watch = createSelfieWatch(await loadModels(), { selfie: null, mouth: null })
  const picture = await drawTilted(degrees)
  const frame = await shrink(picture, watch.side)
  for (let at = 0; at < 2000; at += 200) {
    const { seen, done } = await watch.look(frame, wideCamera, at)
    if (done)
      return { hint: seen.hint, refused: await watch.accept(await shrink(picture, watch.pictureSide), wideCamera) }
    if (at > 800) return { hint: seen.hint, refused: null }
  }
  throw new Error('the guide says neither')
}

inLongTier(test)('a head tilted around the limit is taken in a wide picture where it is called good', async t => {
  const hints: string[] = []
  for (const degrees of [17, 19.7, 20, 20.5, 25]) {
    const { hint, refused } = await watchStill(degrees)
    hints.push(hint)
    t.is(refused, null, `${degrees}`)
  }
  t.deepEqual([...new Set(hints)], ['GOOD', 'LOOK_AHEAD'])
})

test('a person has time to read why a picture was not taken', t => {
  const patience = createPatience(3, 500)
  const look = (at: number) => patience.look(null, at)
  t.deepEqual([0, 300, 600].map(look).at(-1), { hint: 'GOOD', progress: 1 })
  patience.judged('LOOK_AHEAD')
  t.deepEqual([700, 2500].map(look), Array(2).fill({ hint: 'LOOK_AHEAD', progress: 0 }))
  t.deepEqual(
    [2600, 2900, 3200].map(look).map(({ hint }) => hint),
    Array(3).fill('GOOD'),
  )
  t.is(look(3300).progress, 1)
})

test('the oval of the rule is the oval that is drawn', t => {
  const css = readFileSync('packages/capture-page/page/page.css', 'utf8')
  const oval = /\.face \.frame \{([^}]*)\}/.exec(css)?.[1]
  const { height, aspect, maxWidth } = drawnOval
  for (const line of [`height: ${100 * height}%;`, `aspect-ratio: ${aspect};`, `max-width: ${100 * maxWidth}%;`])
    t.true(oval?.includes(line), line)
})

test('a turn that is too small or too large is corrected while it lasts', t => {
  const turns = [-0.6, 0, 0.2, 0.4, 0.61, 0.63, 1, 1.15, 1.2, 2.2]
  const of = turns.map(score => ({ score, threshold: 0.5 }))
  t.deepEqual(
    of.map(turn => (isClear('TURN_LEFT', turn) ? 'GOOD' : adviseAction('TURN_LEFT', turn))),
    [...Array(3).fill('TURN_LEFT'), 'TURN_FURTHER', 'TURN_FURTHER', 'GOOD', 'GOOD', 'GOOD', 'TURN_BACK', 'TURN_BACK'],
  )
  // A solid head has not shown yet: the turn must go on.
  t.is(adviseAction('TURN_RIGHT', { score: 0.7, threshold: 0.5 }), 'TURN_FURTHER')
  t.is(adviseAction('BLINK', { score: 2, threshold: 0.4 }), 'BLINK')
})
