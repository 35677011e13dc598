/**
 * Prints before the camera, and people, answer challenges: `node test/bench/prints.ts [PRINTS [HEADS [FIRST]]]`. Heads from
 * seed FIRST on; `PICTURES=DIR` keeps their pictures for the next run. Each print is turned both ways and tipped for a
 * blink, an open mouth and a look upwards. `turns` is a challenge of two turns, which is also what is left to stop a print
 * with holes for living eyes and lips; `drawn` one of as many actions as are asked by default, drawn as the service does.
 */
import { judgeLiveness } from '../../src/analysis/liveness_rules.ts'
import { localEngineName } from '../../src/analysis/local/engine_name.ts'
import { evidenceOf } from '../../src/analysis/local/face/challenge.ts'
import { showsAction } from '../../src/analysis/local/face/liveness.ts'
import { type FacePicture, lookAtFace } from '../../src/analysis/local/face/look.ts'
import { loadModels } from '../../src/analysis/local/models.ts'
import type { LivenessAction } from '../../src/analysis/port.ts'
import { settings } from '../../src/config.ts'
import { drawActions } from '../../src/transactions/challenge.ts'
import { type PictureKind, picture } from './drawn_faces.ts'
import { printAttack, shapes } from './print_attack.ts'
import { written } from './truth/intervals.ts'

const models = await loadModels()
const [prints = 1000, heads = 60, first = 1] = process.argv.slice(2).map(Number)

type Frames = Readonly<Record<LivenessAction, FacePicture | null>>

const expressions: readonly LivenessAction[] = ['BLINK', 'OPEN_MOUTH', 'LOOK_UP']

/** How one challenge ends: its frames are looked at once for all that they are asked for. */
const judged = (actions: readonly LivenessAction[], frames: Frames, selfie: FacePicture | null): string =>
  judgeLiveness(
    evidenceOf(
      localEngineName,
      actions.map(action => ({ action, picture: frames[action] })),
      selfie,
    ),
    1,
  ).section.status

const tally = new Map<string, Map<string, number>>()

const count = (row: string, column: string): void => {
  const counts = tally.get(row) ?? new Map<string, number>()
  tally.set(row, counts.set(column, (counts.get(column) ?? 0) + 1))
}

/** Counts how every challenge ends for these frames. */
const answerAll = (row: string, frames: Frames, selfie: FacePicture | null): void => {
  const turns = ['TURN_LEFT', 'TURN_RIGHT'] as const
  const challenges: Readonly<Record<string, readonly LivenessAction[]>> = {
    turns,
    ...Object.fromEntries(expressions.map(action => [action, [...turns, action]])),
    drawn: drawActions(Number(settings.CHALLENGE_ACTIONS.fallback)),
  }
  for (const [name, actions] of Object.entries(challenges)) count(row, `${name} ${judged(actions, frames, selfie)}`)
}

const look = async (image: Buffer): Promise<FacePicture | null> => lookAtFace(models, image)

const isTurned = (action: LivenessAction, picture: FacePicture | null): boolean =>
  picture !== null && showsAction(action, picture.expression, null) === true

const hasTurned = (frames: Frames): boolean =>
  (['TURN_LEFT', 'TURN_RIGHT'] as const).every(action => isTurned(action, frames[action]))

/** People answer first; their selfies are what is printed. */
const measurePeople = async (): Promise<ReadonlyMap<number, FacePicture>> => {
  const selfies = new Map<number, FacePicture>()
  for (let seed = first; seed < first + heads; seed++) {
    const seen = async (kind: PictureKind): Promise<FacePicture | null> => look(await picture(seed, kind))
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
    if (hasTurned(frames)) count('person', 'turned')
    answerAll('person', frames, selfie)
  }
  return selfies
}

const measurePrints = async (selfies: ReadonlyMap<number, FacePicture>): Promise<void> => {
  const printed = [...selfies]
  for (let n = 0; n < prints; n++) {
    if (n % 50 === 0 && n > 0) report()
    const [head, original] = printed[n % printed.length] ?? []
    if (head === undefined || original === undefined) throw new Error('no face was found in any selfie')
    const attack = await printAttack(first + n, await picture(head, 'selfie'), original)
    count(attack.shape, 'tried')
    const turns = { TURN_LEFT: await look(await attack.left()), TURN_RIGHT: null }
    // Every challenge asks for both turns: who does not follow one of them passes none, whatever else they show.
    if (!isTurned('TURN_LEFT', turns.TURN_LEFT)) continue
    const right = await look(await attack.right())
    if (!isTurned('TURN_RIGHT', right)) continue
    count(attack.shape, 'turned')
    const tipped = await look(await attack.tipped())
    const frames: Frames = { ...turns, TURN_RIGHT: right, BLINK: tipped, OPEN_MOUTH: tipped, LOOK_UP: tipped }
    const selfie = await attack.selfie()
    answerAll(attack.shape, frames, selfie ? await look(selfie) : original)
  }
}

const columns = [
  ['turned', 'turned both ways'],
  ['turns PASSED', 'two turns passed'],
  ...expressions.map(action => [`${action} PASSED`, `with ${action}`] as const),
  ['drawn PASSED', 'as drawn'],
] as const

/** Of the rows together: who turned both ways, and who passed each challenge. */
const cells = (rows: readonly string[]): string => {
  const sum = (column: string): number => rows.reduce((total, row) => total + (tally.get(row)?.get(column) ?? 0), 0)
  const tried = sum('tried')
  return columns.map(([column, name]) => `${name} ${written(sum(column), tried)}`).join(' | ')
}

const report = (): void => {
  for (const row of ['person', ...shapes]) console.log(`${row.padEnd(7)} ${cells([row])}`)
  console.log(`prints  ${cells(shapes)}\n`)
}

await measurePrints(await measurePeople())
report()
