/**
 * Lets prints before the camera, and people, answer challenges: `node packages/vision/bench/prints.ts [PRINTS [HEADS
 * [FIRST]]]`. Heads are drawn from seed FIRST on; `PICTURES=DIR` keeps their pictures for the next run. Each print is
 * turned both ways and tipped for a blink, an open mouth and a look upwards. Every set of actions with a turn is judged
 * from the same pictures, whether the service draws it or not. A print with holes for living eyes and lips can only be
 * stopped by a row of turns.
 */

import type { LivenessAction } from '@attestor/rules'
import { judgeLiveness } from '@attestor/rules/testing'
import { written } from '../../../src/cli/intervals.ts'
import { localEngineName } from '../engine_name.ts'
import { createLivenessFindings } from '../face/challenge_response.ts'
import { showsAction } from '../face/liveness.ts'
import { type ComparedFace, readFace } from '../face/read_face.ts'
import { loadModels } from '../models.ts'
import { type PictureKind, picture } from './drawn_faces.ts'
import { printAttack, shapes } from './print_attack.ts'

const models = await loadModels()
const [prints = 1000, heads = 60, first = 1] = process.argv.slice(2).map(Number)

type Frames = Readonly<Record<LivenessAction, ComparedFace | null>>

const turns: readonly LivenessAction[] = ['TURN_LEFT', 'TURN_RIGHT']
const actions: readonly LivenessAction[] = [...turns, 'BLINK', 'OPEN_MOUTH', 'LOOK_UP']

/** Every set of actions with a turn, as bits of `actions`; both turns first, then by size. */
const challenges = Array.from({ length: 2 ** actions.length }, (_, bits) => actions.filter((_, i) => (bits >> i) & 1))
  .filter(set => set.some(action => turns.includes(action)))
  .map(set => ({ set, rank: (turns.every(turn => set.includes(turn)) ? 0 : 10) + set.length }))
  .sort((one, other) => one.rank - other.rank)
  .map(({ set }) => set)

/** Returns whether one challenge is passed: its frames are examined once for all actions that they answer. */
function isPassed(set: readonly LivenessAction[], frames: Frames, selfie: ComparedFace | null): boolean {
  const answered = set.map(action => ({ action, picture: frames[action] }))
  return (
    judgeLiveness(
      createLivenessFindings(
        { engine: localEngineName, limits: models.embedding.model.limits },
        { frames: answered, selfie },
      ),
      1,
    ).section.status === 'PASSED'
  )
}

const tally = new Map<string, Map<string, number>>()

function count(row: string, column: string): void {
  const counts = tally.get(row) ?? new Map<string, number>()
  tally.set(row, counts.set(column, (counts.get(column) ?? 0) + 1))
}

/** Counts the challenges that these frames pass. */
function answerAll(row: string, frames: Frames, selfie: ComparedFace | null): void {
  for (const set of challenges) if (isPassed(set, frames, selfie)) count(row, String(set))
}

async function look(image: Buffer): Promise<ComparedFace | null> {
  return readFace(models, image)
}

function isTurned(action: LivenessAction, picture: ComparedFace | null): boolean {
  return picture !== null && showsAction(action, picture.expression, { selfie: null }) === true
}

/** Returns whether either turn was followed; a person who followed both is counted. */
function hasTurned(row: string, { TURN_LEFT, TURN_RIGHT }: Pick<Frames, 'TURN_LEFT' | 'TURN_RIGHT'>): boolean {
  const left = isTurned('TURN_LEFT', TURN_LEFT)
  const right = isTurned('TURN_RIGHT', TURN_RIGHT)
  if (left && right) count(row, 'turned')
  return left || right
}

/** Measures people first; their selfies are printed afterwards. */
async function measurePeople(): Promise<ReadonlyMap<number, ComparedFace>> {
  const selfies = new Map<number, ComparedFace>()
  for (let seed = first; seed < first + heads; seed++) {
    const seen = async (kind: PictureKind): Promise<ComparedFace | null> => look(await picture(seed, kind))
    const selfie = await seen('selfie')
    if (selfie) selfies.set(seed, selfie)
    const frames: Frames = {
      TURN_LEFT: await seen('left'),
      TURN_RIGHT: await seen('right'),
      BLINK: await seen('blink'),
      OPEN_MOUTH: await seen('mouth'),
      LOOK_UP: await seen('up'),
    }
    count('person', 'tried')
    hasTurned('person', frames)
    answerAll('person', frames, selfie)
  }
  return selfies
}

async function measurePrints(selfies: ReadonlyMap<number, ComparedFace>): Promise<void> {
  const printed = [...selfies]
  for (let n = 0; n < prints; n++) {
    const [head, original] = printed[n % printed.length] ?? []
    if (head === undefined || original === undefined) throw new Error('no face was found in any selfie')
    const attack = await printAttack(first + n, await picture(head, 'selfie'), original)
    count(attack.shape, 'tried')
    const turned = { TURN_LEFT: await look(await attack.left()), TURN_RIGHT: await look(await attack.right()) }
    // Every challenge here asks for a turn: a print that follows neither passes none, whatever else it shows.
    if (!hasTurned(attack.shape, turned)) continue
    const tipped = await look(await attack.tipped())
    const frames: Frames = { ...turned, BLINK: tipped, OPEN_MOUTH: tipped, LOOK_UP: tipped }
    const selfie = await attack.selfie()
    answerAll(attack.shape, frames, selfie ? await look(selfie) : original)
  }
}

/** Returns the share of the tries of some rows that a column counts. */
function share(rows: readonly string[], column: string): string {
  const sum = (name: string): number => rows.reduce((total, row) => total + (tally.get(row)?.get(name) ?? 0), 0)
  return written(sum(column), sum('tried'))
}

function report(): void {
  console.log(`turned both ways: ${shapes.map(shape => `${shape} ${share([shape], 'turned')}`).join(', ')}\n`)
  console.log('| Actions | person passed | print passed | of which |\n| - | - | - | - |')
  for (const set of challenges) {
    const column = String(set)
    const by = shapes
      .filter(shape => tally.get(shape)?.has(column))
      .map(shape => `${shape} ${tally.get(shape)?.get(column)}`)
    const cells = [share(['person'], column), share(shapes, column), by.join(', ')]
    console.log(`| ${set.join(', ')} | ${cells.join(' | ')} |`)
  }
}

await measurePrints(await measurePeople())
report()
