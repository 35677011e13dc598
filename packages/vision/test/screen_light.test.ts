import type { ScreenColour } from '@attestor/rules'
import { judgeLiveness } from '@attestor/rules/testing'
import test from 'ava'
import { localEngineName } from '../engine_name.ts'
import { createLivenessFindings } from '../face/challenge.ts'
import { readFace } from '../face/read_face.ts'
import { measureScreenLight } from '../face/screen_light.ts'
import { loadModels } from '../models.ts'
import { type Light, person, personSeeds, renderPortrait } from '../synthetic/portrait.ts'

const models = await loadModels()
const [anna = 1] = personSeeds
const actions = ['TURN_LEFT', 'TURN_RIGHT', 'BLINK', 'OPEN_MOUTH'] as const
const poses = [{ turn: 0.7 }, { turn: -0.7 }, { blink: 1 }, { mouthOpen: 0.9 }] as const
const order: readonly ScreenColour[] = ['MAGENTA', 'CYAN', 'YELLOW', 'MAGENTA']
const lights = { CYAN: [0, 1, 1], MAGENTA: [1, 0, 1], YELLOW: [1, 1, 0] } as const

function draw(pose: object, light: Light): Promise<Buffer> {
  return renderPortrait(person(anna), { ...pose, light, headWidth: 0.3 }, { width: 384, height: 512 })
}

function shine(colour: ScreenColour, ratio: number): Light {
  const [r, g, b] = lights[colour]
  return { screen: [r * ratio, g * ratio, b * ratio] }
}

/** Films a head that follows the challenge before a screen, whose light is a share of the other light. */
async function film(ratio: number) {
  const frames = await Promise.all(poses.map((pose, n) => draw(pose, shine(order[n] ?? 'CYAN', ratio))))
  return Promise.all(frames.map((frame, n) => readFace(models, frame, actions[n])))
}

const selfie = await readFace(models, await draw({}, {}))
const lit = await film(0.1)

function judge(frames: typeof lit, shown: readonly ScreenColour[]) {
  const findings = createLivenessFindings(
    { engine: localEngineName, limits: models.embedding.model.limits },
    { selfie, frames: actions.map((action, n) => ({ action, picture: frames[n] ?? null, colour: shown[n] ?? null })) },
  )
  const { section, issues } = judgeLiveness(findings, 1)
  const check = section.data.checks.find(({ name }) => name === 'screen_light')
  return [check?.status, section.status, issues.map(({ code }) => code)]
}

test('a head before the screen follows its colours at a tenth of the other light', t => {
  t.deepEqual(judge(lit, order), ['PASSED', 'PASSED', []])
})

test('a screen that other light outshines is not evaluable', async t => {
  t.deepEqual(judge(await film(0.03), order), ['NOT_EXECUTED', 'PASSED', []])
})

test('a recording made before the colours of another challenge is reported, and decides nothing', t => {
  const others: readonly ScreenColour[] = ['YELLOW', 'MAGENTA', 'CYAN', 'YELLOW']
  t.deepEqual(judge(lit, others), ['PASSED', 'PASSED', ['SCREEN_LIGHT_NOT_FOLLOWED']])
})

test('frames whose screen showed nothing, or whose background is not seen, measure no light', async t => {
  const frames = lit.map((frame, n) => ({ tint: frame?.tint ?? null, colour: order[n] ?? null }))
  t.truthy(measureScreenLight(frames))
  t.is(measureScreenLight(frames.with(2, { tint: frames[2]?.tint ?? null, colour: null })), null)
  t.is(measureScreenLight(frames.with(2, { tint: null, colour: 'YELLOW' })), null)
  t.is(measureScreenLight(frames.slice(1)), null, 'three frames follow some order by chance')
  const near = await renderPortrait(person(anna), { headWidth: 0.95 }, { width: 240, height: 320 })
  t.is((await readFace(models, near, 'BLINK'))?.tint, null)
})
