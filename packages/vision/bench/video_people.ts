/**
 * Measures the cost of the rules of liveness to honest people, by colour video: `node
 * packages/vision/bench/video_people.ts FOLDER [HALF [DRAWS [TREATMENT]]]`, with a folder that
 * `packages/vision/bench/pictures/collect.ts --only people_in_video` filled, and `ffmpeg`. Two of a person's videos are
 * used, those in which the head turns most, and of each the six seconds in which it does. The frames are looked at,
 * chosen and encoded as the capture page does, and so many challenges a person are drawn from them: a selfie that
 * passes the gates, both turns, and two other actions, as far as the person shows them. A turn to one side only is
 * completed by its mirror image, and counted apart. Each goes through all rules. Limits are set on the half
 * `calibration` (the default); `validation` is a test that is run once, and `all` is both. With HALF `none` the page
 * looks at all videos, and nothing is judged: what it saw is kept in FOLDER/seen. TREATMENT is one of `treatments`
 * (`video_frames.ts`); those other than `plain` are measured on the people who turn their heads.
 */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { LivenessAction, ReplayFingerprint } from '@attestor/rules'
import { judgeLiveness } from '@attestor/rules/testing'
import { written } from '../../../src/cli/intervals.ts'
import { localEngineName } from '../engine_name.ts'
import { createLivenessFindings, type Frame } from '../face/challenge_response.ts'
import type { Expression } from '../face/expression.ts'
import { showsAction } from '../face/liveness.ts'
import { measureFlatResidual } from '../face/planarity.ts'
import { checkQuality } from '../face/quality.ts'
import { type ComparedFace, readFace } from '../face/read_face.ts'
import { loadModels } from '../models.ts'
import { type Random, seeded } from '../synthetic/random.ts'
import {
  chooseFrames,
  findMovement,
  lookAt,
  type Movement,
  mirror,
  readVideos,
  type Shot,
  type TreatmentName,
  treatments,
  type Video,
} from './video_frames.ts'

const [folder = '.', half = 'calibration', draws = '20', asked = 'plain'] = process.argv.slice(2)
const names = Object.keys(treatments) as readonly TreatmentName[]
const found = names.find(name => name === asked)
if (!found) throw new Error(`TREATMENT: ${asked} is none of ${names.join(', ')}`)
const treatment = found
const models = await loadModels()
const engine = { engine: localEngineName, limits: models.embedding.model.limits }

const faces = new WeakMap<Buffer, Promise<ComparedFace | null>>()

/** Reads a frame with everything that comparisons need. */
function compare(jpeg: Buffer): Promise<ComparedFace | null> {
  const face = faces.get(jpeg) ?? readFace(models, jpeg, 'BLINK')
  faces.set(jpeg, face)
  return face
}

const mirrored = new WeakMap<Buffer, Promise<Buffer>>()

function mirrorOnce(jpeg: Buffer): Promise<Buffer> {
  const image = mirrored.get(jpeg) ?? mirror(jpeg)
  mirrored.set(jpeg, image)
  return image
}

/** The page's limits of a selfie's pose, which are narrower than the service's. */
const selfiePose = { yaw: 0.3, roll: 20 } as const

function isAhead({ yaw, roll }: Expression): boolean {
  return Math.abs(yaw) <= selfiePose.yaw && Math.abs(roll) <= selfiePose.roll
}

/** A look upwards is judged beside an open mouth, which the service asks for before it. */
const actions = ['TURN_LEFT', 'TURN_RIGHT', 'BLINK', 'OPEN_MOUTH', 'LOOK_UP'] as const
const further = ['BLINK', 'OPEN_MOUTH', 'LOOK_UP'] as const

function pick<Item>(items: readonly Item[], random: Random): Item | null {
  return items[Math.floor(random.between(0, items.length))] ?? null
}

type Turns = 'both turns' | 'one turn and its mirror image' | 'no turn'

/** The pictures that answer a challenge. */
interface Answers {
  readonly turns: Turns
  readonly selfie: Buffer
  readonly frames: readonly { readonly action: LivenessAction; readonly jpeg: Buffer }[]
}

async function drawTurns(chosen: ReadonlyMap<LivenessAction, Shot>) {
  const [left, right] = [chosen.get('TURN_LEFT'), chosen.get('TURN_RIGHT')]
  const one = left ?? right
  if (!one) return { turns: 'no turn' as const, frames: [] }
  return {
    turns: left && right ? ('both turns' as const) : ('one turn and its mirror image' as const),
    frames: [
      { action: 'TURN_LEFT' as const, jpeg: left?.jpeg ?? (await mirrorOnce(one.jpeg)) },
      { action: 'TURN_RIGHT' as const, jpeg: right?.jpeg ?? (await mirrorOnce(one.jpeg)) },
    ],
  }
}

/** Returns whether the page, which checks a frame again before it sends it, takes it. */
async function isTaken(action: LivenessAction, { jpeg }: Shot, [selfie, mouth]: readonly [Shot, Shot | null]) {
  const [frame, compared] = [await compare(jpeg), await compare(selfie.jpeg)]
  if (!frame || !compared) return false
  const residual = measureFlatResidual(compared.face.landmarks, frame.face.landmarks)
  const beside = {
    selfie: compared.expression,
    mouth: (mouth && (await compare(mouth.jpeg)))?.expression ?? null,
    residual,
  }
  return showsAction(action, frame.expression, beside) === true
}

/** Nobody answers two actions within this many frames, some two thirds of a second. */
const apart = 4

/**
 * Chooses one frame for each action that the person shows, all apart from each other, and an open mouth before a look
 * upwards.
 */
async function chooseAnswers(shots: readonly Shot[], selfie: Shot, random: Random) {
  const chosen = new Map<LivenessAction, Shot>()
  const seen = selfie.look.measured
  if (!seen) return chosen
  for (const action of actions) {
    const mouth = chosen.get('OPEN_MOUTH') ?? null
    const others = [selfie, ...chosen.values()]
    const beside = {
      selfie: seen,
      mouth: mouth?.look.measured?.expression ?? null,
      isChosen: treatments[treatment].isChosen,
    }
    const shown = chooseFrames(shots, action, beside).filter(({ at }) =>
      others.every(other => Math.abs(other.at - at) >= apart),
    )
    const one = pick(shown, random)
    if (one && (await isTaken(action, one, [selfie, mouth]))) chosen.set(action, one)
  }
  return chosen
}

async function drawAnswers(shots: readonly Shot[], selfies: readonly Shot[], random: Random): Promise<Answers | null> {
  const selfie = pick(selfies, random)
  if (!selfie) return null
  const chosen = await chooseAnswers(shots, selfie, random)
  const { turns, frames } = await drawTurns(chosen)
  // The mirror image of a turn is taken like any other frame, or the page waits for another.
  const taken = await Promise.all(
    frames.map(async ({ action, jpeg }) => isTaken(action, { ...selfie, jpeg }, [selfie, null])),
  )
  const wanted: Answers['frames'][number][] = taken.every(Boolean) ? [...frames] : []
  const order = further.map(action => ({ action, by: random.next() })).sort((one, other) => one.by - other.by)
  for (const { action } of order.slice(0, 2)) {
    const shot = chosen.get(action)
    if (shot) wanted.push({ action, jpeg: shot.jpeg })
  }
  return wanted.length === 0
    ? null
    : { turns: taken.every(Boolean) ? turns : 'no turn', selfie: selfie.jpeg, frames: wanted }
}

/** A challenge and the rules that it does not pass. */
interface Judged {
  readonly turns: Turns
  readonly actions: readonly LivenessAction[]
  readonly lost: readonly string[]
  readonly scores: Readonly<Record<string, number>>
  /** The yaw of each turn, where 1 is the way to a cheek. */
  readonly yaws: readonly number[]
}

async function judgeAnswers(
  { turns, selfie, frames }: Answers,
  earlier: readonly ReplayFingerprint[],
): Promise<Judged & { readonly fingerprints: readonly ReplayFingerprint[] }> {
  const shown: Frame[] = []
  for (const { action, jpeg } of frames) shown.push({ action, picture: await compare(jpeg) })
  const findings = createLivenessFindings(engine, { selfie: await compare(selfie), frames: shown }, earlier)
  const { section } = judgeLiveness(findings, 1)
  const checks = section.data?.checks ?? []
  return {
    turns,
    actions: frames.map(({ action }) => action),
    // Without a turn nothing shows that a head is solid. Every real challenge has one, so that this is no loss.
    lost: checks.flatMap(({ name, status }) =>
      status === 'PASSED' || status === 'NOT_EXECUTED' || (turns === 'no turn' && name === 'planarity') ? [] : [name],
    ),
    scores: Object.fromEntries(checks.flatMap(({ name, score }) => (score == null ? [] : [[name, score]]))),
    fingerprints: findings.fingerprints ?? [],
    yaws: shown.slice(0, 2).map(({ picture }) => picture?.expression.yaw ?? 0),
  }
}

/** Sorts the frames that look ahead into those that a selfie's gates refuse, and the selfies. */
function sortSelfies(shots: readonly Shot[]) {
  const refused = new Map<string, number>()
  const count = (gate: string): unknown => refused.set(gate, (refused.get(gate) ?? 0) + 1)
  const selfies: Shot[] = []
  let ahead = 0
  for (const shot of shots) {
    const { measured } = shot.look
    if (!measured || !isAhead(measured.expression)) continue
    const failed = checkQuality(measured).flatMap(({ name, passed }) => (passed ? [] : [name]))
    // The gates may refuse a blink, and the page asks a person who is too far away to come closer.
    const left = failed.find(name => name === 'eye_opening' || name === 'face_width')
    if (left) {
      count(left)
      continue
    }
    ahead++
    for (const name of failed) count(name)
    if (failed.length > 0) count('any')
    else selfies.push(shot)
  }
  return { ahead, refused: Object.fromEntries(refused), selfies }
}

interface Person extends Omit<ReturnType<typeof sortSelfies>, 'selfies'> {
  readonly person: string
  readonly kind: string
  readonly frames: number
  readonly drawn: readonly Judged[]
}

/** The frames of one video, and those that may be the selfie: a challenge is of one sitting. */
interface Sitting {
  readonly shots: readonly Shot[]
  readonly selfies: readonly Shot[]
}

/** At most this many videos of one person are used, those in which the head turns most. */
const mostVideos = 2
/** A person who turns less is no use to a treatment other than `plain`: a turn is a yaw of half the way to a cheek. */
const leastTurned = 0.5

async function chooseVideos(videos: readonly Video[]): Promise<readonly (Movement & { readonly video: Video })[]> {
  const all: (Movement & { readonly video: Video })[] = []
  for (const video of videos) all.push({ video, ...(await findMovement(models, folder, video)) })
  return all
    .filter(({ turned }) => treatment === 'plain' || turned >= leastTurned)
    .sort((one, other) => other.turned - one.turned)
    .slice(0, mostVideos)
}

async function measurePerson(person: string, videos: readonly Video[]): Promise<Person | null> {
  const [first] = videos
  const isJudged = half === 'all' || first?.split === half
  if (!isJudged && half !== 'none') return null
  const sittings: Sitting[] = []
  const gates: ReturnType<typeof sortSelfies>[] = []
  for (const { video, from } of await chooseVideos(videos)) {
    const looks = await lookAt(models, folder, video, { from, name: treatment })
    const shots = looks.map((look, at): Shot => ({ ...look, at })).filter(({ look }) => look.persons === 1)
    const sorted = sortSelfies(shots)
    gates.push(sorted)
    sittings.push({ shots, selfies: sorted.selfies })
  }
  if (!first || !isJudged || sittings.length === 0) return null
  const random = seeded(17)
  const drawn: Judged[] = []
  const past: { readonly sitting: number; readonly fingerprints: readonly ReplayFingerprint[] }[] = []
  for (let n = 0; n < Number(draws); n++) {
    const sitting = sittings[n % sittings.length]
    const answers = sitting && (await drawAnswers(sitting.shots, sitting.selfies, random))
    if (!answers) continue
    const here = n % sittings.length
    // Frames of the person's other sittings serve as those of earlier transactions.
    const earlier = past.flatMap(one => (one.sitting === here ? [] : one.fingerprints))
    const { fingerprints, ...judged } = await judgeAnswers(answers, earlier)
    past.push({ sitting: here, fingerprints })
    drawn.push(judged)
  }
  const refused = new Map<string, number>()
  for (const one of gates)
    for (const [gate, count] of Object.entries(one.refused)) refused.set(gate, (refused.get(gate) ?? 0) + count)
  return {
    person,
    kind: first.kind,
    frames: sittings.reduce((sum, { shots }) => sum + shots.length, 0),
    ahead: gates.reduce((sum, one) => sum + one.ahead, 0),
    refused: Object.fromEntries(refused),
    drawn,
  }
}

const people: Person[] = []
for (const [person, videos] of readVideos(folder)) {
  const measured = await measurePerson(person, videos)
  if (measured) people.push(measured)
  console.error(
    `${person}: ${measured ? `${measured.frames} frames, ${measured.drawn.length} challenges` : 'looked at'}`,
  )
}
if (half !== 'none') writeFileSync(join(folder, `people-${half}-${treatment}.json`), JSON.stringify(people))

const rules = [...new Set(people.flatMap(({ drawn }) => drawn.flatMap(({ lost }) => lost)))].sort()

/** Counts the challenges that are lost by a rule, or by any, and the people whose they are. */
function countLost(of: readonly (readonly Judged[])[], rule: string | null): string {
  const isLost = ({ lost }: Judged): boolean => (rule === null ? lost.length > 0 : lost.includes(rule))
  const all = of.flat()
  const losers = of.filter(drawn => drawn.some(isLost)).length
  return `${written(all.filter(isLost).length, all.length)} of ${losers} people`
}

console.log(`| Turns | People | lost by any rule | people lost twice in a row | ${rules.join(' | ')} |`)
console.log(`|${' - |'.repeat(4 + rules.length)}`)
for (const turns of ['both turns', 'one turn and its mirror image', 'no turn'] as const) {
  const of = people.map(({ drawn }) => drawn.filter(judged => judged.turns === turns)).filter(drawn => drawn.length > 0)
  const twice = of.filter(drawn => drawn.some(({ lost }, n) => lost.length > 0 && drawn[n + 1]?.lost.length))
  const cells = [of.length, countLost(of, null), twice.length, ...rules.map(rule => countLost(of, rule))]
  console.log(`| ${turns} | ${cells.join(' | ')} |`)
}

/** Counts the challenges in which a rule had a part, their people, and those that it lost. */
function countPart(of: (judged: Judged) => boolean, rule: string): string {
  const part = people.map(({ drawn }) => drawn.filter(of)).filter(drawn => drawn.length > 0)
  const lost = part.flat().filter(judged => judged.lost.includes(rule)).length
  return `${part.length} | ${written(lost, part.flat().length)}`
}

console.log('\n| What | People | Challenges lost |\n| - | - | - |')
for (const action of actions)
  console.log(`| \`${action}\` | ${countPart(judged => judged.actions.includes(action), 'challenge')} |`)
function hasBoth({ actions: all }: Judged): boolean {
  return all.includes('OPEN_MOUTH') && all.includes('LOOK_UP')
}
console.log(`| an open mouth and a look upwards | ${countPart(hasBoth, 'challenge')} |`)
function isAsked({ actions: all }: Judged): boolean {
  return further.some(action => all.includes(action))
}
console.log(`| any but a turn | ${countPart(isAsked, 'challenge')} |`)
for (const rule of [
  ...new Set(people.flatMap(({ drawn }) => drawn.flatMap(({ scores }) => Object.keys(scores)))),
].sort())
  if (rule !== 'planarity') console.log(`| \`${rule}\` | ${countPart(({ scores }) => rule in scores, rule)} |`)
console.log(`| \`planarity\` | ${countPart(({ turns }) => turns !== 'no turn', 'planarity')} |\n`)
const ahead = people.reduce((sum, person) => sum + person.ahead, 0)
const gates = new Map<string, number>()
for (const { refused } of people)
  for (const [gate, count] of Object.entries(refused)) gates.set(gate, (gates.get(gate) ?? 0) + count)
console.log(`\nOf ${ahead} frames that look ahead the gates refuse ${written(gates.get('any') ?? 0, ahead)}:`)
for (const [gate, count] of gates) if (gate !== 'any') console.log(`- \`${gate}\`: ${count}`)
console.log('`eye_opening`, which a blink fails, and `face_width` are not counted among them.')
