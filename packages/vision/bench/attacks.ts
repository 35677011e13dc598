/**
 * Sends every attacker through the service with a drawn passport: `node packages/vision/bench/attacks.ts FOLDER [EACH
 * [ATTACKERS]]`, with a folder that `packages/vision/bench/pictures/collect.ts` filled; EACH attacks are made by every
 * attacker whose name contains ATTACKERS. The passport's zone and print are right, as anybody who draws one gets them.
 * Its photo is one picture of a person; another picture of theirs is all that the attacker has. An attacker who passes
 * liveness goes through a whole analysis to the decision; no other is approved.
 */

import { type Decision, judge, type LivenessAction } from '@attestor/rules'
import { judgeLiveness } from '@attestor/rules/testing'
import sharp from 'sharp'
import { written } from '../../../src/cli/intervals.ts'
import { input } from '../../rules/test/findings_samples.ts'
import { localEngineName } from '../engine_name.ts'
import { createLivenessFindings, type Frame } from '../face/challenge_response.ts'
import { readFace } from '../face/read_face.ts'
import { loadModels } from '../models.ts'
import { attackers, replayers, type Shown } from './attackers.ts'
import { picture } from './drawn_faces.ts'
import { drawPassport } from './drawn_request.ts'
import { challenges, readPeople, readPicture } from './rendered_attack.ts'
import { look } from './truth/engine.ts'

const [folder = '.', each = '40', wanted = ''] = process.argv.slice(2)
const models = await loadModels()

/** Cuts a picture as a passport has it: the head and little more; null if it shows no face. */
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

/** Judges the challenge alone. */
async function judgeShown(actions: readonly LivenessAction[], selfie: Buffer, frames: readonly Buffer[]) {
  const seen = await readFace(models, selfie)
  const answers: Frame[] = []
  for (const [n, action] of actions.entries())
    answers.push({ action, picture: await readFace(models, frames[n] ?? selfie, action) })
  const engine = { engine: localEngineName, limits: models.embedding.model.limits }
  return judgeLiveness(createLivenessFindings(engine, { selfie: seen, frames: answers }), 1)
}

/** Decides the whole transaction. */
async function decide(
  passport: Buffer,
  actions: readonly LivenessAction[],
  selfie: Buffer,
  frames: readonly Buffer[],
): Promise<Decision> {
  const findings = await look({ document_front: passport, selfie, challenge: { actions, frames, attempts: 1 } })
  return judge({ ...input, findings }).decision
}

interface Counts {
  tried: number
  passed: number
  approved: number
  rejected: number
}

const rows = new Map<string, Counts & { readonly found: Map<string, number> }>()

async function attack(name: string, target: Target, { selfie, frame }: Shown, seed: number): Promise<void> {
  const actions = challenges[Math.floor(seed / 6) % challenges.length] ?? []
  const frames: Buffer[] = []
  for (const action of actions) frames.push(await frame(action))
  const { section } = await judgeShown(actions, selfie, frames)
  const row = rows.get(name) ?? { tried: 0, passed: 0, approved: 0, rejected: 0, found: new Map<string, number>() }
  const decision =
    section.status === 'PASSED' ? await decide(await target.drawPassport(), actions, selfie, frames) : null
  row.tried++
  row.passed += Number(section.status === 'PASSED')
  row.approved += Number(decision === 'APPROVED')
  row.rejected += Number(section.status === 'REJECTED' || decision === 'REJECTED')
  const checks = section.data?.checks ?? []
  for (const { name: check, status } of checks)
    if (status !== 'PASSED' && status !== 'NOT_EXECUTED') row.found.set(check, (row.found.get(check) ?? 0) + 1)
  rows.set(name, row)
  const scores = checks.flatMap(({ name: check, score }) => (score == null ? [] : [`${check} ${score}`]))
  console.error(`${name} ${seed}: ${decision ?? '-'}, liveness ${section.status}, ${scores.join(', ')}`)
}

/** At most this many pictures of one person attack. */
const mostOfOne = 12

interface Target {
  readonly original: Buffer
  readonly drawPassport: () => Promise<Buffer>
}

/** Yields pictures of people who have several, by turns, each with another one of theirs in the passport. */
async function* findTargets(): AsyncGenerator<Target> {
  const people = [...readPeople(folder).values()].filter(files => files.length > 1)
  for (let n = 0; n < mostOfOne; n++) {
    for (const files of people) {
      const [own, other] = [files[n], files[(n + 1) % files.length]]
      const portrait = own && other && (await cutPortrait(await readPicture(folder, other)))
      if (portrait) yield { original: await readPicture(folder, own), drawPassport: () => drawPassport(portrait) }
    }
  }
}

const targets = findTargets()
const seen: Target[] = []

/** Returns a target, which is drawn once for all attackers; null after the last one. */
async function getTarget(n: number): Promise<Target | null> {
  if (n < seen.length) return seen[n] ?? null
  const { value } = await targets.next()
  if (value) seen.push(value)
  return value ?? null
}

/** From this seed on drawn heads set no limit. */
const firstHead = 2001
for (const [name, attacker] of Object.entries(attackers)) {
  if (!name.includes(wanted)) continue
  let tried = 0
  for (let n = 0; tried < Number(each); n++) {
    const target = await getTarget(n)
    if (!target) break
    const shown = await attacker({ models, original: target.original, seed: tried })
    if (shown) await attack(name, target, shown, tried++)
  }
}
for (const [name, attacker] of Object.entries(replayers)) {
  if (!name.includes(wanted)) continue
  for (let seed = firstHead; seed < firstHead + Number(each); seed++) {
    const shown = await attacker({ models, original: Buffer.alloc(0), seed })
    const target = {
      original: Buffer.alloc(0),
      drawPassport: async () => drawPassport(await picture(seed, 'portrait')),
    }
    if (shown) await attack(name, target, shown, seed)
  }
}

console.log('| Attacker | liveness passed | approved | rejected | found by |\n| - | - | - | - | - |')
for (const [name, { tried, passed, approved, rejected, found }] of rows) {
  const by = [...found].sort((a, b) => b[1] - a[1]).map(([check, count]) => `\`${check}\` ${count}`)
  console.log(
    `| ${name} | ${[passed, approved, rejected].map(count => written(count, tried)).join(' | ')} | ${by.join(', ')} |`,
  )
}
