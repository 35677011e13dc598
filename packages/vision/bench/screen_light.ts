/**
 * Measures the share of faces on which the light of a screen is seen, and on which it is seen falsely: `node
 * packages/vision/bench/screen_light.ts FOLDER`, with webcam pictures that `packages/vision/bench/pictures/collect.ts`
 * filled. Four pictures of one sitting are the frames of a challenge, taken without such light: the real side. The
 * light of a screen of a given share of the room's illuminance is calculated for each, by Lambert's law: the simulated
 * side. Another order than the stamped one is a recording.
 */

import { readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import type { ScreenColour } from '@attestor/rules'
import { written } from '../../../src/cli/intervals.ts'
import { listColours } from '../../../src/verification/transactions/challenge.ts'
import { readFace } from '../face/read_face.ts'
import { type LitFrame, measureScreenLight, type Tint } from '../face/screen_light.ts'
import { loadModels } from '../models.ts'
import { seeded } from '../synthetic/random.ts'

const [folder = '.'] = process.argv.slice(2)
const models = await loadModels()
const { selfies } = JSON.parse(readFileSync(join(folder, 'labels.json'), 'utf8')) as {
  selfies: readonly { file: string; person: string; split: string; source: { path: string } }[]
}

/** Adds the screen's light to the skin's colour: nothing to one channel, and as much to both others. */
function addLight([red, blue]: Tint, colour: ScreenColour, share: number): Tint {
  const more = Math.log(1 + share)
  if (colour === 'CYAN') return [red - more, blue]
  return colour === 'YELLOW' ? [red, blue - more] : [red + more, blue + more]
}

/** The pictures of a sitting: the file's name without its number. */
const sittings = new Map<string, { split: string; tints: Tint[] }>()
for (const { file, person, split, source } of selfies) {
  const face = await readFace(models, readFileSync(join(folder, file)), 'BLINK')
  const name = `${person} ${basename(source.path).replace(/_\d+\.\w+$/, '')}`
  const sitting = sittings.get(name) ?? { split, tints: [] }
  if (face?.tint) sitting.tints.push(face.tint)
  sittings.set(name, sitting)
}

const random = seeded(31)
const draws = 200
const count = 4

/**
 * Judges a challenge before a screen by the colours that it shows and the light on the face; null for a sitting with
 * too few pictures.
 */
function judge(tints: readonly Tint[], share: number, isRecorded: boolean): 'followed' | 'contradicted' | 'not seen' {
  const drawOrder = (): ScreenColour[] => listColours({ challenge_id: String(random.between(0, 1)) }, count)
  const stamped = drawOrder()
  let lit = stamped
  while (isRecorded && lit.join() === stamped.join()) lit = drawOrder()
  const left = [...tints]
  const frames = stamped.map((colour, n): LitFrame => {
    const [tint = [0, 0]] = left.splice(Math.floor(random.between(0, left.length)), 1)
    return { colour, tint: addLight(tint, lit[n] ?? colour, share) }
  })
  const found = measureScreenLight(frames)
  if (found === null) return 'not seen'
  return found.score >= found.threshold ? 'followed' : 'contradicted'
}

const usable = [...sittings.values()].filter(({ tints }) => tints.length >= 2 * count)
console.log(
  `${usable.length} sittings\n\n| Half | Screen / room | Frames | followed | contradicted |\n| - | - | - | - | - |`,
)
for (const split of [...new Set(usable.map(one => one.split))].sort())
  for (const share of [0, 0.03, 0.05, 0.1, 0.15, 0.2, 0.3, 0.5])
    for (const isRecorded of share === 0 ? [false] : [false, true]) {
      const found = usable
        .filter(one => one.split === split)
        .flatMap(({ tints }) => Array.from({ length: draws }, () => judge(tints, share, isRecorded)))
      const rate = (what: string): string => written(found.filter(one => one === what).length, found.length)
      console.log(
        `| ${split} | ${share} | ${isRecorded ? 'recorded' : 'live'} | ${rate('followed')} | ${rate('contradicted')} |`,
      )
    }
