/**
 * What the rules of liveness cost honest people, by colour video: `node bench/video_people.ts FOLDER [HALF [DRAWS [TREATMENT]]]`,
 * with a folder that `bench/pictures/collect.ts --only people_in_video` filled, and `ffmpeg`. The frames are looked at, chosen and encoded
 * as the capture page does, smoothed as phones do with TREATMENT `smoothed`, and so many challenges a person are drawn from
 * them: a selfie that passes the gates, both turns, and two other actions, as far as the person shows them. A turn to one
 * side only is completed by its mirror image, and counted apart. Each goes through all rules. Limits are set on the half
 * `calibration` (the default); `validation` is a test that is run once. With HALF `none` the page looks at all videos, and
 * nothing is judged: what it saw is kept in FOLDER/seen.
 */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ScreenColour } from '../machines/transaction.ts'
import { written } from '../src/cli/intervals.ts'
import type { LivenessAction } from '../src/decision/findings.ts'
import { judgeLiveness } from '../src/decision/liveness_rules.ts'
import { localEngineName } from '../src/engines/local/engine_name.ts'
import { createLivenessFindings, type Frame } from '../src/engines/local/face/challenge.ts'
import type { Expression } from '../src/engines/local/face/expression.ts'
import { showsAction } from '../src/engines/local/face/liveness.ts'
import { checkQuality } from '../src/engines/local/face/quality.ts'
import { type ComparedFace, readFace } from '../src/engines/local/face/read_face.ts'
import { loadModels } from '../src/engines/local/models.ts'
import { listColours } from '../src/verification/transactions/challenge.ts'
import { type Random, seeded } from '../synthetic/random.ts'
import { chooseFrames, lookAt, mirror, readVideos, type Shot, type treatments, type Video } from './video_frames.ts'

const [folder = '.', half = 'calibration', draws = '20', treatment = 'plain'] = process.argv.slice(2)
const models = await loadModels()
const engine = { engine: localEngineName, limits: models.embedding.model.limits }

const faces = new WeakMap<Buffer, Promise<ComparedFace | null>>()

/** A frame with all that comparisons need. */
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

const actions = ['TURN_LEFT', 'TURN_RIGHT', 'BLINK', 'OPEN_MOUTH', 'LOOK_UP'] as const
const further = ['BLINK', 'OPEN_MOUTH', 'LOOK_UP'] as const

function pick<Item>(items: readonly Item[], random: Random): Item | null {
  return items[Math.floor(random.between(0, items.length))] ?? null
}

type Turns = 'both turns' | 'one turn and its mirror image' | 'no turn'

/** What answers a challenge. */
interface Answers {
  readonly turns: Turns
  readonly selfie: Buffer
  readonly frames: readonly { readonly action: LivenessAction; readonly jpeg: Buffer }[]
}

async function drawTurns(chosen: ReadonlyMap<LivenessAction, readonly Shot[]>, random: Random) {
  const left = pick(chosen.get('TURN_LEFT') ?? [], random)
  const right = pick(chosen.get('TURN_RIGHT') ?? [], random)
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

/** A frame that the page, which looks again at what it would send, does not take after all. */
async function isTaken(action: LivenessAction, { jpeg }: Shot, selfie: Buffer): Promise<boolean> {
  const [frame, compared] = [await compare(jpeg), await compare(selfie)]
  if (!frame || !compared) return false
  return showsAction(action, frame.expression, { selfie: compared.expression, mouth: null }) === true
}

async function drawAnswers(shots: readonly Shot[], selfies: readonly Shot[], random: Random): Promise<Answers | null> {
  const selfie = pick(selfies, random)
  const seen = selfie?.look.measured?.expression
  if (!selfie || !seen) return null
  const chosen = new Map<LivenessAction, readonly Shot[]>()
  for (const action of actions) {
    const shown = pick(chooseFrames(shots, action, seen), random)
    chosen.set(action, shown && (await isTaken(action, shown, selfie.jpeg)) ? [shown] : [])
  }
  const { turns, frames } = await drawTurns(chosen, random)
  const wanted: Answers['frames'][number][] = [...frames]
  const order = further.map(action => ({ action, by: random.next() })).sort((one, other) => one.by - other.by)
  for (const { action } of order.slice(0, 2)) {
    const used = new Set([selfie.jpeg, ...wanted.map(({ jpeg }) => jpeg)])
    const shot = pick(
      (chosen.get(action) ?? []).filter(({ jpeg }) => !used.has(jpeg)),
      random,
    )
    if (shot) wanted.push({ action, jpeg: shot.jpeg })
  }
  return wanted.length === 0 ? null : { turns, selfie: selfie.jpeg, frames: wanted }
}

/** A challenge and the rules that it does not pass. */
interface Judged {
  readonly turns: Turns
  readonly actions: readonly LivenessAction[]
  readonly lost: readonly string[]
  readonly scores: Readonly<Record<string, number>>
  /** How far the turns went. */
  readonly yaws: readonly number[]
}

/** The frames' stamps name colours that no screen showed: what the skin follows, it follows by chance. */
async function judgeAnswers({ turns, selfie, frames }: Answers, n: number): Promise<Judged> {
  const colours: readonly ScreenColour[] = listColours({ challenge_id: String(n) }, frames.length)
  const shown: Frame[] = []
  for (const [at, { action, jpeg }] of frames.entries())
    shown.push({ action, picture: await compare(jpeg), colour: colours[at] ?? null })
  const { section } = judgeLiveness(createLivenessFindings(engine, { selfie: await compare(selfie), frames: shown }), 1)
  const checks = section.data?.checks ?? []
  return {
    turns,
    actions: frames.map(({ action }) => action),
    lost: checks.flatMap(({ name, status }) => (status === 'PASSED' || status === 'NOT_EXECUTED' ? [] : [name])),
    scores: Object.fromEntries(checks.flatMap(({ name, score }) => (score == null ? [] : [[name, score]]))),
    yaws: shown.slice(0, 2).map(({ picture }) => picture?.expression.yaw ?? 0),
  }
}

/** Frames that look ahead, those that a selfie's gates refuse, and the selfies. */
function sortSelfies(shots: readonly Shot[]) {
  const refused = new Map<string, number>()
  const count = (gate: string): unknown => refused.set(gate, (refused.get(gate) ?? 0) + 1)
  const selfies: Shot[] = []
  let ahead = 0
  for (const shot of shots) {
    const { measured } = shot.look
    if (!measured || !isAhead(measured.expression)) continue
    const failed = checkQuality(measured).flatMap(({ name, passed }) => (passed ? [] : [name]))
    // The gates may refuse a blink, and the page asks who stands too far away to come closer.
    if (failed.includes('eye_opening') || failed.includes('face_width')) continue
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
  readonly selfies: number
  readonly drawn: readonly Judged[]
}

async function measurePerson(person: string, videos: readonly Video[]): Promise<Person | null> {
  const shots: Shot[] = []
  // A pause between two videos ends what is shown.
  for (const video of videos)
    for (const shot of await lookAt(models, folder, video, treatment as keyof typeof treatments))
      shots.push({ ...shot, at: shots.length + 2 * videos.indexOf(video) })
  const [first] = videos
  if (!first || first.split !== half) return null
  const alone = shots.filter(({ look }) => look.persons === 1)
  const { selfies, ...gates } = sortSelfies(alone)
  const random = seeded(17)
  const drawn: Judged[] = []
  for (let n = 0; n < Number(draws); n++) {
    const answers = await drawAnswers(alone, selfies, random)
    if (answers) drawn.push(await judgeAnswers(answers, n))
  }
  return { person, kind: first.kind, frames: shots.length, ...gates, selfies: selfies.length, drawn }
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

/** Challenges that are lost by a rule, or by any, and how many people these are of. */
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
const ahead = people.reduce((sum, person) => sum + person.ahead, 0)
const gates = new Map<string, number>()
for (const { refused } of people)
  for (const [gate, count] of Object.entries(refused)) gates.set(gate, (gates.get(gate) ?? 0) + count)
console.log(`\nOf ${ahead} frames that look ahead the gates refuse ${written(gates.get('any') ?? 0, ahead)}:`)
for (const [gate, count] of gates) if (gate !== 'any') console.log(`- \`${gate}\`: ${count}`)
