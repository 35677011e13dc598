/**
 * One photo of a stranger, and a drawn passport with another one: `node bench/rendered_whole.ts FOLDER [ATTACKS]`, with a
 * folder that `bench/pictures/collect.ts` filled. The passport's zone and print are right, as anybody who draws one gets them.
 * Its photo is one picture of a person; another picture of theirs is the selfie and, rendered, every frame. Each goes
 * through a whole analysis to the decision.
 */
import sharp from 'sharp'
import { written } from '../src/cli/intervals.ts'
import { judge } from '../src/decision/judge.ts'
import { readFace } from '../src/engines/local/face/read_face.ts'
import { loadModels } from '../src/engines/local/models.ts'
import { meshReaches } from '../synthetic/rendered_face.ts'
import { input } from '../test/decision/findings_samples.ts'
import { drawPassport } from './drawn_request.ts'
import { challenges, prepareAttack, readPeople, readPicture } from './rendered_attack.ts'
import { look } from './truth/engine.ts'

const [folder = '.', most = '200'] = process.argv.slice(2)
const models = await loadModels()

/** A picture as a passport has it: the head and little more; null where it shows no face. */
async function cutPortrait(image: Buffer): Promise<Buffer | null> {
  const face = await readFace(models, image)
  if (!face || face.persons > 1) return null
  const { width, height } = await sharp(image).metadata()
  const { x, y, width: share, height: tall } = face.region
  const high = Math.min(height, tall * height * 1.7)
  const wide = Math.min(width, share * width * 1.8, (high * 7) / 9)
  const inside = (middle: number, length: number, all: number): number =>
    Math.round(Math.max(0, Math.min(all - length, middle - length / 2)))
  const left = inside((x + share / 2) * width, wide, width)
  const top = inside((y + tall * 0.42) * height, high, height)
  const region = { left, top, width: Math.floor(wide), height: Math.floor(high) }
  return sharp(image).extract(region).resize(350, 450, { fit: 'cover' }).png().toBuffer()
}

const decisions = new Map<string, number>()
const rows = new Map<string, { tried: number; passed: number; approved: number }>()
let tried = 0

async function attack(portrait: Buffer, original: Buffer, seed: number): Promise<boolean> {
  const way = seed % 2 === 1 ? 'photographed' : 'injected'
  const reach = meshReaches[(seed >> 1) % meshReaches.length] ?? 'head'
  const actions = challenges[Math.floor(seed / 6) % challenges.length] ?? []
  const prepared = await prepareAttack(models, original, { way, seed })
  if (!prepared) return false
  const frames: Buffer[] = []
  for (const action of actions) frames.push(await prepared.frame(action, reach))
  const findings = await look({
    document_front: await drawPassport(portrait),
    selfie: prepared.selfie,
    challenge: { actions, frames, attempts: 1 },
  })
  const { decision, result_data } = judge({ ...input, findings })
  const why = [result_data.document?.status, result_data.liveness.status, result_data.face_comparison.status].join(', ')
  decisions.set(`${decision} | ${why}`, (decisions.get(`${decision} | ${why}`) ?? 0) + 1)
  const row = rows.get(`${way} | ${reach}`) ?? { tried: 0, passed: 0, approved: 0 }
  rows.set(`${way} | ${reach}`, {
    tried: row.tried + 1,
    passed: row.passed + Number(result_data.liveness.status === 'PASSED'),
    approved: row.approved + Number(decision === 'APPROVED'),
  })
  return true
}

/** Both pictures of a person, every pair by turns. */
async function attackPerson(pictures: readonly Buffer[]): Promise<void> {
  for (const [n, original] of pictures.entries()) {
    if (tried >= Number(most)) return
    const portrait = await cutPortrait(pictures[(n + 1) % pictures.length] ?? original)
    if (portrait && (await attack(portrait, original, tried))) tried++
    if (tried % 10 === 0) console.error(tried, [...decisions])
  }
}

/** At most so many pictures of one person attack. */
const mostOfOne = 12
for (const [, pictures] of readPeople(folder)) {
  if (pictures.length < 2 || tried >= Number(most)) continue
  await attackPerson(await Promise.all(pictures.slice(0, mostOfOne).map(picture => readPicture(folder, picture))))
}
console.log(`${tried} attacks\n\n| How | Mesh | liveness passed | approved |\n| - | - | - | - |`)
for (const [row, { tried: of, passed, approved }] of [...rows].sort())
  console.log(`| ${row} | ${written(passed, of)} | ${written(approved, of)} |`)
console.log('\n| Decision | document, liveness, faces | |\n| - | - | - |')
for (const [row, count] of [...decisions].sort((a, b) => b[1] - a[1])) console.log(`| ${row} | ${count} |`)
