/**
 * Lets one photo of a stranger answer a challenge: `node packages/vision/bench/rendered.ts FOLDER [PEOPLE]`, with a
 * folder that `packages/vision/bench/pictures/collect.ts` filled. One picture of each person is the selfie; rendered in
 * the poses of a challenge it is every frame, by turns as a stream is injected and as a screen is photographed. Each
 * reach of the mesh answers the three default sets of actions. Limits are set on the calibration half of the people;
 * report the validation half.
 */

import type { LivenessAction } from '@attestor/rules'
import { judgeLiveness } from '@attestor/rules/testing'
import { written } from '../../../src/cli/intervals.ts'
import { localEngineName } from '../engine_name.ts'
import { createLivenessFindings } from '../face/challenge_response.ts'
import { type ComparedFace, readFace } from '../face/read_face.ts'
import { loadModels } from '../models.ts'
import { meshReaches } from '../synthetic/rendered_face.ts'
import { challenges, type Picture, prepareAttack, readPeople, readPicture } from './rendered_attack.ts'

const [folder = '.', most = '100'] = process.argv.slice(2)
const models = await loadModels()
const { limits } = models.embedding.model

type Frames = ReadonlyMap<LivenessAction, ComparedFace | null>

/** Judges a challenge twice: without the rule for rendered faces, and with it. */
function judge(actions: readonly LivenessAction[], selfie: ComparedFace, frames: Frames): readonly [boolean, boolean] {
  const findings = createLivenessFindings(
    { engine: localEngineName, limits },
    { selfie, frames: actions.map(action => ({ action, picture: frames.get(action) ?? null })) },
  )
  const isPassed = (judged: typeof findings): boolean => judgeLiveness(judged, 1).section.status === 'PASSED'
  return [isPassed({ ...findings, surroundings: null }), isPassed(findings)]
}

const tally = new Map<string, { tried: number; before: number; after: number }>()

function count(row: string, [before, after]: readonly [boolean, boolean]): void {
  const { tried, ...counts } = tally.get(row) ?? { tried: 0, before: 0, after: 0 }
  tally.set(row, { tried: tried + 1, before: counts.before + Number(before), after: counts.after + Number(after) })
}

/** Attacks with a picture; returns whether that was possible. */
async function attack(picture: Picture, n: number): Promise<boolean> {
  const way = n % 2 === 1 ? 'photographed' : 'injected'
  const prepared = await prepareAttack(models, await readPicture(folder, picture), { way, seed: n })
  const selfie = prepared && (await readFace(models, prepared.selfie))
  if (!selfie) return false
  for (const reach of meshReaches) {
    const frames = new Map<LivenessAction, ComparedFace | null>()
    for (const action of new Set(challenges.flat()))
      frames.set(action, await readFace(models, await prepared.frame(action, reach), action))
    for (const actions of challenges) count(`${picture.split} | ${way} | ${reach}`, judge(actions, selfie, frames))
  }
  return true
}

let attacked = 0
for (const pictures of readPeople(folder).values()) {
  if (attacked >= Number(most)) break
  const picture = pictures.at(-1)
  if (picture && (await attack(picture, attacked))) attacked++
}
console.log(`${attacked} people\n\n| Half | How | Mesh | passed without surroundings | passed |\n| - | - | - | - | - |`)
for (const [row, { tried, before, after }] of [...tally].sort())
  console.log(`| ${row} | ${written(before, tried)} | ${written(after, tried)} |`)
